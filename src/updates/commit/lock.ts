import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parsedJson } from "../../kernel/json/plain-data.ts";
import { realNow } from "../../kernel/real-clock.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import { removeQuietly, writeNewAtomically } from "../../kernel/files/durable.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { type ProcessIdentity, isProcessIdentity, livenessOf, ownIdentity } from "../../kernel/files/processes.ts";
import { sleepSync } from "../../kernel/files/processes.ts";

/**
 * Maximum silence of a holder on another host before its lock is taken over. Its process can't be checked from here.
 */
const FOREIGN_MS = 60_000;
/** Maximum time to wait for a living holder. A commit of 1,000 files takes under a second. */
const WAIT_MS = 10_000;
const POLL_MS = 20;

/** The right to change a project's baselines; one process has it at a time. */
export interface Lock {
  /** Grows by one with every holder: what was begun under an older one must not go on. */
  readonly generation: number;
  /** True if no later holder has taken over. Checked right before the commit can't be undone. */
  isCurrent(): boolean;
  release(): void;
}

/** Holder of a lock. */
export interface LockHolder {
  readonly generation: number;
  /** Undefined if its file can't be read. */
  readonly owner: ProcessIdentity | undefined;
}

/**
 * Takes the lock in `<state>/lock`: generation n + 1 once generation n was released or its holder died. A lock is a
 * file that is linked in with its content, so two processes can never make the same number. The newest lock is never
 * removed. Waits for a living holder. The error is one sentence that names it. Throws file system errors.
 */
export function acquireLock(state: string, waitMs: number = WAIT_MS): Result<Lock, string> {
  const directory = stateDirectory(state, "lock");
  mkdirSync(directory, { recursive: true });
  const content = JSON.stringify(ownIdentity());
  for (let waited = 0; ; waited += POLL_MS) {
    const { generation, holder } = lockStateOf(directory);
    if (holder === undefined || isGone(directory, holder)) {
      const lock = take(directory, generation + 1, content);
      if (lock !== undefined) return ok(lock);
    } else if (waited >= waitMs) {
      return err(busy(holder));
    }
    sleepSync(POLL_MS);
  }
}

/** Process that has the lock, alive or not. Undefined if it was released or never taken. */
export function lockHolder(state: string): LockHolder | undefined {
  return lockStateOf(stateDirectory(state, "lock")).holder;
}

/** Newest generation if the lock is free. A process that takes the next one knows that there was none between. */
export function idleGeneration(state: string): number | undefined {
  const { generation, holder } = lockStateOf(stateDirectory(state, "lock"));
  return holder === undefined ? generation : undefined;
}

/** True if the holder is dead, or if its process can't be checked from here and it has been silent for a minute. */
export function holderIsGone(state: string, holder: LockHolder): boolean {
  return isGone(stateDirectory(state, "lock"), holder);
}

/** Releases the newest generation, for a holder whose process can't be checked. Returns that holder. */
export function breakLock(state: string): LockHolder | undefined {
  const directory = stateDirectory(state, "lock");
  const { holder } = lockStateOf(directory);
  if (holder !== undefined) writeNewAtomically(join(directory, `${holder.generation}.rel`), "");
  return holder;
}

function take(directory: string, generation: number, content: string): Lock | undefined {
  if (!writeNewAtomically(join(directory, `${generation}.lock`), content)) return undefined;
  const release = (): void => releaseGeneration(directory, generation);
  try {
    // A cleanup may have removed the numbers below, so that this one was free again. The higher one wins.
    if (newestOf(listNames(directory)) > generation) {
      release();
      return undefined;
    }
    for (const name of listNames(directory))
      if (isLeftover(directory, name, generation)) rmSync(join(directory, name), { force: true });
  } catch (thrown) {
    // The caller gets no lock to release, and this process may live on for long.
    release();
    throw thrown;
  }
  return { generation, isCurrent: () => isCurrent(listNames(directory), generation), release };
}

function isCurrent(names: readonly string[], generation: number): boolean {
  return newestOf(names) === generation && !names.includes(`${generation}.rel`);
}

/**
 * Releases a generation. Never throws, because the result of the work under the lock must be reported. If there is no
 * space for the mark, removes the lock itself. If that fails too, the lock is over when this process ends.
 */
function releaseGeneration(directory: string, generation: number): void {
  try {
    writeNewAtomically(join(directory, `${generation}.rel`), "");
  } catch {
    removeQuietly(join(directory, `${generation}.lock`));
  }
}

/** The newest generation and its holder. The holder is undefined if it was released, or if no lock was ever taken. */
interface LockState {
  readonly generation: number;
  readonly holder: LockHolder | undefined;
}

function lockStateOf(directory: string): LockState {
  // From one listing: between two of them another process may take the next number, which would then be passed over.
  const names = listNames(directory);
  const generation = newestOf(names);
  if (generation === 0 || names.includes(`${generation}.rel`)) return { generation, holder: undefined };
  return { generation, holder: { generation, owner: ownerOf(readText(join(directory, `${generation}.lock`))) } };
}

function ownerOf(text: string | undefined): ProcessIdentity | undefined {
  const value = parsedJson(text ?? "");
  // Cut off by a crash, or not written by veritest. Its process can't be checked, so it counts as another host's.
  return isProcessIdentity(value) ? value : undefined;
}

function isGone(directory: string, { generation, owner }: LockHolder): boolean {
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (liveness !== "unknown") return liveness === "dead";
  const stats = statSync(join(directory, `${generation}.lock`), { throwIfNoEntry: false });
  return stats !== undefined && realNow() - stats.mtimeMs > FOREIGN_MS;
}

/**
 * True for what older generations left: their locks, and the temporary file of a process that died while it made one.
 */
function isLeftover(directory: string, name: string, generation: number): boolean {
  const number = numberOf(name);
  if (number > 0) return number < generation;
  const stats = statSync(join(directory, name), { throwIfNoEntry: false });
  return stats !== undefined && realNow() - stats.mtimeMs > FOREIGN_MS;
}

function newestOf(names: readonly string[]): number {
  return Math.max(0, ...names.map(numberOf));
}

function numberOf(name: string): number {
  return Number(/^(\d{1,15})\.(?:lock|rel)$/.exec(name)?.[1] ?? 0);
}

function busy({ owner }: LockHolder): string {
  const who = owner === undefined ? "an unknown process" : `process ${owner.pid} on ${owner.host}`;
  const retry = "Run again when it has finished. If it has already ended, run: npx veritest doctor";
  return `Another run is updating baselines (${who} has the lock). ${retry}`;
}
