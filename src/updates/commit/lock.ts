import { mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import { publishNew } from "../../kernel/files/durable.ts";
import { stateRoom } from "../../kernel/files/state-room.ts";
import { type ProcessIdentity, isProcessIdentity, livenessOf, ownIdentity } from "../../kernel/files/processes.ts";
import { pause } from "../../kernel/files/processes.ts";

/** How long a holder that cannot be asked (another host's) may be silent before its lock is taken over. */
const FOREIGN_MS = 60_000;
/** How long to wait for a living holder; a commit of 1,000 files takes under a second. */
const WAIT_MS = 10_000;
const POLL_MS = 20;

/** The right to change a project's baselines; one process has it at a time. */
export interface Lock {
  /** Grows by one with every holder: what was begun under an older one must not go on. */
  readonly generation: number;
  /** True while no later holder has taken over; asked right before the point of no return. */
  isCurrent(): boolean;
  release(): void;
}

/** Who holds a lock. */
export interface LockHolder {
  readonly generation: number;
  /** Undefined where its file cannot be read. */
  readonly owner: ProcessIdentity | undefined;
}

/**
 * Takes the lock in `<state>/lock`: generation n + 1 once generation n was released or its holder died. A lock is a
 * file that is linked into place with its content, so two can never both make the same number; nobody removes the
 * newest. Waits for a living holder; the error is one sentence naming it. Throws where the file system does.
 */
export function acquireLock(state: string, waitMs: number = WAIT_MS): Result<Lock, string> {
  const directory = stateRoom(state, "lock");
  mkdirSync(directory, { recursive: true });
  const content = JSON.stringify(ownIdentity());
  for (let waited = 0; ; waited += POLL_MS) {
    const { generation, holder } = standingOf(directory);
    if (holder === undefined || isGone(directory, holder)) {
      const lock = take(directory, generation + 1, content);
      if (lock !== undefined) return ok(lock);
    } else if (waited >= waitMs) {
      return err(busy(holder));
    }
    pause(POLL_MS);
  }
}

/** The process that holds the lock now, alive or not; undefined when it was released or never taken. */
export function lockHolder(state: string): LockHolder | undefined {
  return standingOf(stateRoom(state, "lock")).holder;
}

/** The newest generation while nobody holds the lock: whoever takes the next one knows that none was between. */
export function idleGeneration(state: string): number | undefined {
  const { generation, holder } = standingOf(stateRoom(state, "lock"));
  return holder === undefined ? generation : undefined;
}

/** True when the holder is known to be dead, or has been silent for a minute where nobody here can ask it. */
export function holderIsGone(state: string, holder: LockHolder): boolean {
  return isGone(stateRoom(state, "lock"), holder);
}

/** Releases whatever generation is newest, for a holder nobody can ask. Returns who held it. */
export function breakLock(state: string): LockHolder | undefined {
  const directory = stateRoom(state, "lock");
  const { holder } = standingOf(directory);
  if (holder !== undefined) publishNew(join(directory, `${holder.generation}.rel`), "");
  return holder;
}

function take(directory: string, generation: number, content: string): Lock | undefined {
  if (!publishNew(join(directory, `${generation}.lock`), content)) return undefined;
  const release = (): void => giveUp(directory, generation);
  try {
    // Whoever cleaned up may have removed the numbers below, so that this one was free again: the higher one holds.
    if (newestOf(listNames(directory)) > generation) {
      release();
      return undefined;
    }
    for (const name of listNames(directory))
      if (isOver(directory, name, generation)) rmSync(join(directory, name), { force: true });
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
 * Releases a generation. Never throws: what was done under the lock is done, and its result must be told. Where there
 * is no space for the mark the lock itself goes; where not even that works, it is over when this process ends.
 */
function giveUp(directory: string, generation: number): void {
  try {
    publishNew(join(directory, `${generation}.rel`), "");
  } catch {
    removeLock(join(directory, `${generation}.lock`));
  }
}

function removeLock(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    return;
  }
}

/** The newest generation, and who holds it: undefined when it was released, or none was ever taken. */
interface LockStanding {
  readonly generation: number;
  readonly holder: LockHolder | undefined;
}

function standingOf(directory: string): LockStanding {
  // From one listing: between two of them another process may take the next number, which would then be passed over.
  const names = listNames(directory);
  const generation = newestOf(names);
  if (generation === 0 || names.includes(`${generation}.rel`)) return { generation, holder: undefined };
  return { generation, holder: { generation, owner: ownerOf(readText(join(directory, `${generation}.lock`))) } };
}

function ownerOf(text: string | undefined): ProcessIdentity | undefined {
  const value = parsedJson(text ?? "");
  // Cut off by a crash, or no file of ours: nobody can be asked, so it counts as another host's.
  return isProcessIdentity(value) ? value : undefined;
}

function isGone(directory: string, { generation, owner }: LockHolder): boolean {
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (liveness !== "unknown") return liveness === "dead";
  const stats = statSync(join(directory, `${generation}.lock`), { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > FOREIGN_MS;
}

/**
 * True for what older generations left: their locks, and the temporary file of a process that died while it made one.
 */
function isOver(directory: string, name: string, generation: number): boolean {
  const number = numberOf(name);
  if (number > 0) return number < generation;
  const stats = statSync(join(directory, name), { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > FOREIGN_MS;
}

function newestOf(names: readonly string[]): number {
  return Math.max(0, ...names.map(numberOf));
}

function numberOf(name: string): number {
  return Number(/^(\d{1,15})\.(?:lock|rel)$/.exec(name)?.[1] ?? 0);
}

function busy({ owner }: LockHolder): string {
  const who = owner === undefined ? "a process that left no name" : `process ${owner.pid} on ${owner.host}`;
  const retry = "Run again when it is done; if it is gone for good, run: npx veritest unlock";
  return `Another run is changing baselines: ${who} holds the lock. ${retry}`;
}
