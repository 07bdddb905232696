import { dirname, join } from "node:path";
import { fileErrorMessage } from "../../kernel/error-message.ts";
import { type Baseline, type BaselineUpdate, groupOf, identityOf } from "../../baseline/baseline.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { matchesCaseFile, caseHash } from "../../baseline/baseline-paths.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { makeStateDirectory } from "../../kernel/files/durable.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { hasText, listNames, readText } from "../../kernel/files/read.ts";
import type { Receipt } from "../receipts/receipt.ts";
import { acquireLock, idleGeneration } from "./lock.ts";
import { recoverTransactions } from "./recover.ts";
import { type ReceiptHead, transact } from "./transact.ts";

/**
 * Result of committing a set of updates: the written ones with their receipt, or one sentence on why none was written.
 */
export type CommitResult =
  | {
      readonly kind: "committed";
      readonly written: readonly BaselineUpdate[];
      /** Undefined if no file had to be written, or if `problem` explains why there is no receipt yet. */
      readonly receipt: Receipt | undefined;
      readonly problem: string | undefined;
    }
  | { readonly kind: "refused"; readonly problem: string }
  /** The commit didn't start: an older commit is incomplete, and only `veritest doctor` can finish or undo it. */
  | { readonly kind: "blocked"; readonly problem: string }
  | { readonly kind: "incomplete"; readonly problem: string };

/** Location of a commit and the head of its receipt. */
export interface CommitContext {
  readonly paths: ProjectPaths;
  readonly receiptHead: ReceiptHead;
  /** Maximum time to wait for another run's commit, in milliseconds. */
  readonly waitMs?: number | undefined;
}

type KeyOf = typeof caseKey;

const NO_CHANGE: CommitResult = { kind: "committed", written: [], receipt: undefined, problem: undefined };

/**
 * Writes a set of updates, all of them or none. No other function changes baseline files. Refuses the set if a file no
 * longer has the text that its update was made from, or if another test captured the same new case with another result.
 * Skips a file that already has the new text. Never throws: a file system error is a refusal, too.
 */
export function commitUpdates(updates: readonly BaselineUpdate[], context: CommitContext): CommitResult {
  try {
    const keyOf = cachedKey(caseKey);
    const idle = idleGeneration(context.paths.state);
    const dueBeforeLock = dueUpdates(updates, keyOf);
    if (typeof dueBeforeLock === "string") return { kind: "refused", problem: dueBeforeLock };
    if (dueBeforeLock.length === 0) return NO_CHANGE;
    return commitLocked(dueBeforeLock, { ...context, keyOf, idle });
  } catch (thrown) {
    return { kind: "refused", problem: fileErrorMessage(thrown) };
  }
}

interface LockedContext extends CommitContext {
  readonly keyOf: KeyOf;
  /** Generation of the lock before any file was read. Undefined if another process had the lock. */
  readonly idle: number | undefined;
}

function commitLocked(
  updates: readonly BaselineUpdate[],
  { paths, receiptHead, waitMs, keyOf, idle }: LockedContext,
): CommitResult {
  const lock = acquireLock(makeStateDirectory(paths), waitMs);
  if (!lock.ok) return { kind: "refused", problem: lock.error };
  try {
    const { stuck, finished, undone } = recoverTransactions(paths);
    if (stuck.length > 0) return { kind: "blocked", problem: stuck.join("\n") };
    // Checked again if another process had the lock since, or if a transaction was recovered: files may have changed.
    const isNext = idle !== undefined && lock.value.generation === idle + 1 && finished.length + undone.length === 0;
    const due = isNext ? updates : dueUpdates(updates, keyOf);
    if (typeof due === "string") return { kind: "refused", problem: due };
    if (due.length === 0) return NO_CHANGE;
    const end = transact(due, { paths, lock: lock.value, receiptHead });
    return end.kind === "committed" ? { ...end, written: due } : end;
  } finally {
    lock.value.release();
  }
}

/** Updates that are still to be written, one for each case. A sentence if the set can't be written. */
function dueUpdates(updates: readonly BaselineUpdate[], keyOf: KeyOf): readonly BaselineUpdate[] | string {
  const due = new Map<string, BaselineUpdate>();
  const list = cachedListing();
  // Sorted, so that if one case has two labels, the same file is written in whatever order the tests ran.
  for (const update of updates.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const state = fileStateOf(update, list);
    if (state.kind === "outdated") return state.problem;
    if (state.kind === "done") continue;
    const key = keyOf(update) ?? update.path;
    const other = due.get(key);
    if (other !== undefined && other.after !== update.after) return conflictSentence(displayPath(other.path));
    if (other === undefined) due.set(key, update);
  }
  return [...due.values()];
}

function cachedListing(): ListNames {
  const known = new Map<string, readonly string[]>();
  return (directory) => {
    const names = known.get(directory) ?? listNames(directory);
    known.set(directory, names);
    return names;
  };
}

/**
 * Caches the key of each update. Updates are compared before and under the lock, and parsing them twice took a tenth of
 * a commit.
 */
function cachedKey(keyOf: KeyOf): KeyOf {
  const known = new Map<BaselineUpdate, string | undefined>();
  return (update) => {
    if (!known.has(update)) known.set(update, keyOf(update));
    return known.get(update);
  };
}

/** State of an update compared with the file on disk. */
type FileState =
  | { readonly kind: "due" }
  | { readonly kind: "done" }
  | { readonly kind: "outdated"; readonly problem: string };

/** Lists a directory's names. One listing may serve a set of updates. */
type ListNames = (directory: string) => readonly string[];

/**
 * Compares the file on disk with the text that an update was made from. `done` if a file already has the new text,
 * under any label. `outdated` if the file has some other text.
 */
function fileStateOf(update: BaselineUpdate, list: ListNames): FileState {
  const { before, after } = update;
  const hasOldText = before !== undefined && before !== after && hasText(update.path, before);
  const current = hasOldText ? before : readText(update.path);
  if (current === after) return { kind: "done" };
  const file = displayPath(update.path);
  if (current !== undefined && update.before === undefined)
    return { kind: "outdated", problem: conflictSentence(file) };
  if (current !== update.before) {
    return {
      kind: "outdated",
      problem: `${file} changed while the test ran. No file was written. Run the test again.`,
    };
  }
  const twin = update.kind === "add" ? twinOf(update, list) : undefined;
  if (twin === undefined) return { kind: "due" };
  return twin.text === update.after
    ? { kind: "done" }
    : { kind: "outdated", problem: conflictSentence(displayPath(twin.path)) };
}

/** Sentence for two tests that give one case two results. */
function conflictSentence(file: string): string {
  const conflict = `${file} was captured by another test with a different result. No file was written.`;
  return `${conflict} Give each case its own name: toMatchBaseline({ name: "…" }).`;
}

/** Key that is equal for two labels of one case. Undefined for removals. */
function caseKey({ path, after }: BaselineUpdate): string | undefined {
  const baseline = after === undefined ? undefined : read(after, path);
  return baseline === undefined
    ? undefined
    : `${dirname(path)}\n${groupOf(baseline)}\n${caseHash(identityOf(baseline), 64)}`;
}

/** Another file with the same case as an update, under another label. */
function twinOf(
  { path, after }: BaselineUpdate,
  list: ListNames,
): { readonly path: string; readonly text: string } | undefined {
  const baseline = after === undefined ? undefined : read(after, path);
  if (baseline === undefined) return undefined;
  const directory = dirname(path);
  const candidates = list(directory)
    .filter(matchesCaseFile(identityOf(baseline)))
    .filter((name) => join(directory, name) !== path);
  for (const name of candidates) {
    const text = readText(join(directory, name));
    const other = text === undefined ? undefined : read(text, name);
    if (text !== undefined && other !== undefined && sameCase(baseline, other))
      return { path: join(directory, name), text };
  }
  return undefined;
}

function read(text: string, path: string): Baseline | undefined {
  const parsed = parseBaseline(text, path);
  return parsed.ok ? parsed.value : undefined;
}

function sameCase(left: Baseline, right: Baseline): boolean {
  return groupOf(left) === groupOf(right) && caseHash(identityOf(left), 64) === caseHash(identityOf(right), 64);
}
