import { rmSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../kernel/error-message.ts";
import { listNames, readBeginning, readText } from "../../kernel/files/read.ts";
import { withoutLabel } from "../../baseline/baseline-paths.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { makeDirectory, writeAllAtomically, makeStateDirectory } from "../../kernel/files/durable.ts";
import { acquireLock } from "../commit/lock.ts";
import { type PendingChange, type PendingHead, parsePendingChange, peekPendingChange } from "./pending-change.ts";

const DAY_MS = 86_400_000;

const NO_TEXTS: ReadonlyMap<PendingChange, string> = new Map();

/** Pending changes, and the unreadable files among them, with a phrase each. */
export interface PendingList {
  readonly changes: readonly PendingChange[];
  readonly unreadable: readonly string[];
}

/** Directory of pending changes below a state directory, this project's or one that a CI run uploaded. */
export function pendingDirectory(state: string): string {
  return stateDirectory(state, "pending");
}

/** Reads all pending changes, by target. Only lists one directory if there are none. */
export function readPending(state: string): PendingList {
  const directory = pendingDirectory(state);
  return parseAll(
    listNames(directory)
      .filter((name) => name.endsWith(".json"))
      .map((name) => ({ name, text: readText(join(directory, name)) ?? "" })),
  );
}

/**
 * Returns the pending changes that `isDue` matches, by target. It only reads the beginning of the others. Never
 * includes those that {@link readPending} calls unreadable. `isSelected` selects the files to read; all if undefined.
 */
export function pendingOf(
  state: string,
  isDue: (change: PendingHead) => boolean,
  isSelected: (name: string) => boolean = () => true,
): PendingChange[] {
  const directory = pendingDirectory(state);
  const names = listNames(directory).filter((name) => name.endsWith(".json") && isSelected(name));
  const due = names.flatMap((name) => {
    const path = join(directory, name);
    const head = peekPendingChange(readBeginning(path) ?? "");
    if (head !== undefined && !isDue(head)) return [];
    const change = parsePendingChange(readText(path) ?? "");
    return change.ok && isDue(change.value) ? [change.value] : [];
  });
  return due.toSorted(order);
}

/** Returns the pending change with a key of {@link storedKeyOf}; undefined without one, or if it's unreadable. */
export function readPendingChange(state: string, key: string): PendingChange | undefined {
  const change = parsePendingChange(readText(join(pendingDirectory(state), nameOf({ key }))) ?? "");
  return change.ok ? change.value : undefined;
}

/** Returns the number of pending changes except these. Only lists the directory. */
export function countPending(state: string, except: readonly Pick<PendingChange, "key">[]): number {
  const names = new Set(except.map(nameOf));
  return listNames(pendingDirectory(state)).filter((name) => name.endsWith(".json") && !names.has(name)).length;
}

/** Parses the files of a pending directory, from any source. */
export function parseAll(files: readonly { readonly name: string; readonly text: string }[]): PendingList {
  const read = files.map(({ name, text }) => ({ name, change: parsePendingChange(text) }));
  const changes = read.flatMap(({ change }) => (change.ok ? [change.value] : []));
  return {
    changes: changes.toSorted(order),
    unreadable: read.flatMap(({ name, change }) => (change.ok ? [] : [`${name}: ${change.error}`])),
  };
}

/**
 * Stores changes for review. They are on the disk before it returns, so that a paid model's response isn't lost. Each
 * replaces older ones for the same target, and a new case also those of this case under another label. This runs under
 * the lock, so that of two at once with the same case one remains.
 * `texts` are those that changes were read from; they are written unchanged.
 */
export function writePending(
  paths: ProjectPaths,
  changes: readonly PendingChange[],
  texts: ReadonlyMap<PendingChange, string> = NO_TEXTS,
): void {
  if (changes.length === 0) return;
  const lock = acquireLock(makeStateDirectory(paths));
  try {
    publishChanges(paths, changes, texts);
  } finally {
    // If another process has the lock for long, no change is lost. Both may be pending then, and accept reports that.
    if (lock.ok) lock.value.release();
  }
}

function publishChanges(
  paths: ProjectPaths,
  changes: readonly PendingChange[],
  texts: ReadonlyMap<PendingChange, string>,
): void {
  const directory = pendingDirectory(paths.state);
  makeDirectory(directory);
  const targets = new Set(changes.map(replacedTarget));
  const names = new Set(changes.map(nameOf));
  const older = pendingOf(
    paths.state,
    (change) => targets.has(replacedTarget(change)),
    (name) => !names.has(name),
  );
  writeAllAtomically(
    directory,
    new Map(changes.map((change) => [nameOf(change), `${texts.get(change) ?? JSON.stringify(change)}\n`])),
  );
  // Last: if there is no space for the new ones, the older ones remain.
  removePending(paths, older);
}

/** Target of a change. A new case has no label in it, because its test may have been renamed. */
function replacedTarget({ before, target }: PendingHead): string {
  return before === null ? withoutLabel(target) : target;
}

/**
 * Removes pending changes that were applied or are outdated. Never throws, because their result is final even if a file
 * remains. Returns one sentence if one does.
 */
export function removePending(
  { state }: Pick<ProjectPaths, "state">,
  changes: readonly Pick<PendingChange, "key">[],
): string | undefined {
  try {
    const directory = pendingDirectory(state);
    for (const change of changes) rmSync(join(directory, nameOf(change)), { force: true });
    return undefined;
  } catch (thrown) {
    return `Not all pending changes were removed: ${messageOf(thrown)}`;
  }
}

/** Those of the changes that are older than the policy keeps them. */
export function expired(
  changes: readonly PendingChange[],
  { pendingDays, now }: { readonly pendingDays: number; readonly now: number },
): PendingChange[] {
  return changes.filter((change) => isExpired(change, { pendingDays, now }));
}

/** Returns true if a change is older than the policy keeps it. */
export function isExpired(
  { at }: Pick<PendingChange, "at">,
  { pendingDays, now }: { readonly pendingDays: number; readonly now: number },
): boolean {
  return now - Date.parse(at) > pendingDays * DAY_MS;
}

function nameOf({ key }: Pick<PendingChange, "key">): string {
  return `${key}.json`;
}

function order(a: PendingChange, b: PendingChange): number {
  if (a.target !== b.target) return a.target < b.target ? -1 : 1;
  return a.key < b.key ? -1 : 1;
}
