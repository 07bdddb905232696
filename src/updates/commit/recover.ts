import { rmSync } from "node:fs";
import { join } from "node:path";
import { escapeText } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { writeAtomically } from "../../kernel/files/durable.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { listNames } from "../../kernel/files/read.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { acquireLock, holderIsGone, lockHolder } from "./lock.ts";
import { applyOperations, canApply, discardStaged, hashOfFile, undoOperations } from "./operations.ts";
import { missingDirectories, targetCheck } from "./target.ts";
import { foreignRecordReason } from "./own-record.ts";
import { concludeTransaction, discardFiles } from "./transact.ts";
import { type Phase, type Prepared, type TransactionFiles, filesIn, phaseOf } from "./journal.ts";

/** Results of recovering the transactions of dead processes. */
export interface Recovery {
  /** Finished: their point of no return was passed, which is `COMMIT` (`phaseOf`). */
  readonly finished: readonly string[];
  /** Undone: it was not. */
  readonly undone: readonly string[];
  /** Left as they are, a sentence each: a file was edited since, so neither old nor new may be put there. */
  readonly stuck: readonly string[];
}

/** Returns a sentence for each transaction that was finished or undone. */
export function recoveryLines({ finished, undone }: Recovery): readonly string[] {
  return [
    ...finished.map((id) => `A run was killed while it wrote baselines. Its commit was completed (${id}).`),
    ...undone.map((id) => `A run was killed before it could commit. Its partial writes were undone (${id}).`),
  ];
}

/**
 * Finishes or undoes every remaining transaction. The caller has the lock, so their processes are all dead. Idempotent.
 */
export function recoverTransactions(paths: ProjectPaths): Recovery {
  const directory = stateDirectory(paths.state, "tx");
  const finished: string[] = [];
  const undone: string[] = [];
  const stuck: string[] = [];
  for (const name of listNames(directory)) {
    if (name.startsWith("trash-")) {
      rmSync(join(directory, name), { recursive: true, force: true });
      continue;
    }
    const problem = tried(() =>
      recoverOne(filesIn(stateDirectory(paths.state, "tx", name)), paths, {
        finished: () => finished.push(name),
        undone: () => undone.push(name),
      }),
    );
    if (problem !== undefined) stuck.push(problem);
  }
  return { finished, undone, stuck };
}

/** True when a transaction is left that no living process is working on; costs one directory listing. */
export function needsRecovery(paths: ProjectPaths): boolean {
  if (listNames(stateDirectory(paths.state, "tx")).length === 0) return false;
  const holder = lockHolder(paths.state);
  return holder === undefined || holderIsGone(paths.state, holder);
}

/**
 * Takes the lock and recovers. Returns a sentence if the lock isn't available. Makes no lock if there is no
 * transaction.
 */
export function recover(paths: ProjectPaths): Recovery | string {
  if (listNames(stateDirectory(paths.state, "tx")).length === 0) return { finished: [], undone: [], stuck: [] };
  const lock = acquireLock(paths.state);
  if (!lock.ok) return lock.error;
  try {
    return recoverTransactions(paths);
  } finally {
    lock.value.release();
  }
}

/** A file system error also leaves a transaction stuck, and the user must see what to do about it. */
function tried(work: () => string | undefined): string | undefined {
  try {
    return work();
  } catch (thrown) {
    const reason = messageOf(thrown).replace(/\.$/, "");
    return `${CUT_OFF}, and it can't be finished or undone now: ${reason}. ${THEN}`;
  }
}

interface Tell {
  finished(): void;
  undone(): void;
}

function recoverOne(files: TransactionFiles, paths: ProjectPaths, tell: Tell): string | undefined {
  const phase = phaseOf(files);
  if (!phase.ok) return phase.error;
  const foreign =
    phase.value.kind === "unprepared" ? undefined : foreignRecordReason(phase.value.prepared, files, paths);
  if (foreign !== undefined) return notOurs(files, foreign);
  return conclusionOf(phase.value, files, { paths, tell });
}

function conclusionOf(phase: Phase, files: TransactionFiles, { paths, tell }: Around): string | undefined {
  switch (phase.kind) {
    case "unprepared":
      discardFiles(files);
      tell.undone();
      return undefined;
    case "prepared":
      requireNoLinks(phase.prepared, paths);
      discardStaged(phase.prepared);
      discardFiles(files);
      tell.undone();
      return undefined;
    case "rolling back":
      return rollBack(files, phase.prepared, { paths, tell });
    case "committed":
      return rollForward(files, phase.prepared, { paths, tell });
    case "applied":
      requireNoLinks(phase.prepared, paths);
      return concludeApplied(files, phase.prepared, { paths, tell });
  }
}

interface Around {
  readonly paths: ProjectPaths;
  readonly tell: Tell;
}

/** Sentences about a record that no commit of this project wrote. Such a record is never applied. */
function notOurs({ prepared, directory }: TransactionFiles, foreign: string): string {
  const refusal = `Refused to recover ${displayPath(prepared)}: ${escapeText(foreign)}`;
  const todo = `Check where it came from, then delete ${displayPath(directory)}.`;
  return `${refusal}, so it isn't from this project. veritest didn't change any file. ${todo}`;
}

function rollBack(files: TransactionFiles, prepared: Prepared, { paths, tell }: Around): string | undefined {
  const blocked = blockedTarget(prepared, paths);
  if (blocked !== undefined)
    return `${CUT_OFF}, and they can't be undone now. ${blocked} Then run: npx veritest doctor`;
  undoOperations(prepared);
  discardFiles(files);
  tell.undone();
  return undefined;
}

function concludeApplied(files: TransactionFiles, prepared: Prepared, { paths, tell }: Around): undefined {
  concludeTransaction(files, prepared, { paths });
  discardStaged(prepared);
  discardFiles(files);
  tell.finished();
}

const CUT_OFF = "A run was interrupted while it wrote baselines";
const THEN = "Fix the cause, then run: npx veritest doctor";

function rollForward(files: TransactionFiles, prepared: Prepared, around: Around): string | undefined {
  const blocked = blockedTarget(prepared, around.paths);
  if (blocked !== undefined)
    return `${CUT_OFF}, and they can't be written now. ${blocked} Then run: npx veritest doctor`;
  const edited = prepared.operations.filter(({ path, before, after }) => ![before, after].includes(hashOfFile(path)));
  if (edited.length > 0) {
    const names = edited.map(({ path }) => displayPath(path)).join(", ");
    const restore = `Restore ${edited.length === 1 ? "it" : "them"} from git, then run: npx veritest doctor`;
    return `${CUT_OFF}, and since then someone changed ${names}. ${restore}`;
  }
  if (!canApply(prepared)) {
    // A file was reset to its old text after its new one was written, or the new texts are gone, as after git restore
    // or clean.
    writeAtomically(files.rollback, "");
    return rollBack(files, prepared, around);
  }
  applyOperations(prepared);
  return concludeApplied(files, prepared, around);
}

/** Throws if a directory that temporary files are removed from became a link. */
function requireNoLinks({ operations }: Prepared, paths: ProjectPaths): void {
  for (const operation of operations) missingDirectories(operation, paths);
}

/** Checks the targets again, because a directory may have been replaced by a link since the transaction began. */
function blockedTarget({ operations }: Prepared, paths: ProjectPaths): string | undefined {
  try {
    const check = targetCheck(paths);
    for (const { root, path } of operations) check(root, path);
    return undefined;
  } catch (thrown) {
    return messageOf(thrown);
  }
}
