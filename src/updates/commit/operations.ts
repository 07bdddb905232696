import { type Stats, linkSync, lstatSync, mkdirSync, renameSync, rmSync, rmdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { hashText } from "../../kernel/json/hash.ts";
import { codeOf } from "../../kernel/error-message.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import {
  NO_LINKS,
  type NewFile,
  copyDurably,
  syncDirectory,
  writeAllDurably,
  writeDurably,
} from "../../kernel/files/durable.ts";
import { sleepSync } from "../../kernel/files/processes.ts";
import { hasText, readText, whileUnchanged } from "../../kernel/files/read.ts";
import type { Operation, Prepared } from "./journal.ts";
import type { CheckedTarget } from "./target.ts";

/** Maximum time to retry a rename on Windows, where a scanner or an editor may have the file open for a moment. */
const BUSY_MS = 5000;
const POLL_MS = 50;

/** Thrown if a file of a transaction has neither its old nor its new text, because another process changed it. */
class EditedMeanwhile extends Error {
  constructor(path: string) {
    super(`${displayPath(path)} changed while veritest wrote baselines. Run the tests again.`);
  }
}

/** Hash for a path that isn't a file. Never equal to the hash of a text. */
const NO_FILE = "no file";

/** The texts of an operation that this process has at hand. */
export interface OperationContents {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** Old and new texts of a transaction's files, by path. Empty in a process that recovers the transaction. */
export type FileContents = ReadonlyMap<string, OperationContents>;

const NO_TEXTS: FileContents = new Map();

/** A text and its hash. */
interface KnownText {
  readonly text: string | undefined;
  readonly hash: string | null;
}

/**
 * Hash of a file's text. Null if there is no file. If the file has the `known` text, returns the known hash: comparing
 * 20 kB takes a hundredth of the time of hashing them.
 */
export function hashOfFile(path: string, known?: KnownText): string | null {
  if (known?.text !== undefined && hasText(path, known.text)) return known.hash;
  const stats = statsOf(path);
  if (stats?.isFile() === false) return NO_FILE;
  const text = stats === undefined ? undefined : readText(path);
  if (text === undefined) return null;
  return text === known?.text ? known.hash : hashText(text);
}

/** True if a text has a hash, or had it before a checkout changed its line ends. Null is the hash of no text. */
export function isTextOf(text: string | undefined, hash: string | null): boolean {
  if (text === undefined) return hash === null;
  return hashText(text) === hash || (text.includes("\r\n") && hashText(text.replaceAll("\r\n", "\n")) === hash);
}

/** True if a file's text has a hash, as in {@link isTextOf}. */
export function hasHash(path: string, hash: string | null): boolean {
  const now = hashOfFile(path);
  return now === hash || (now !== null && now !== NO_FILE && isTextOf(readText(path), hash));
}

/** Status of a path. Undefined if it doesn't exist. Never follows a link, which could lead anywhere. */
export function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    // Its directory became a file, so the path doesn't exist.
    if (codeOf(thrown) === "ENOTDIR") return undefined;
    throw thrown;
  }
}

/** True if the remaining operations can still be applied. Their staged new texts may have been removed. */
export function canApply({ operations }: Prepared): boolean {
  return operations.every(
    ({ path, after, temporary }) => after === null || hashOfFile(path) === after || hashOfFile(temporary) === after,
  );
}

/** Prepares the renames: saves the old texts, and writes the new ones next to their targets, all on the disk. */
export function stageOperations(
  { operations, directories }: Prepared,
  texts: FileContents,
  targets: ReadonlyMap<string, Pick<CheckedTarget, "mode">>,
): void {
  for (const directory of directories) mkdirSync(directory, { recursive: true });
  for (const { path, image } of operations) if (image !== null) keepImage(path, image);
  const files = operations.flatMap(({ path, after, temporary }): readonly NewFile[] =>
    after === null ? [] : [{ path: temporary, text: texts.get(path)?.after ?? "", mode: targets.get(path)?.mode }],
  );
  // The files are read back from the disk and compared below.
  writeAllDurably(files);
  syncAll(operations, directories);
  for (const operation of operations) requireUntouched(operation, texts.get(operation.path));
}

/** Applies what is not applied yet. Throws {@link EditedMeanwhile}, or what the file system throws. */
export function applyOperations({ operations, directories }: Prepared, texts: FileContents = NO_TEXTS): void {
  for (const operation of operations) apply(operation, texts.get(operation.path));
  syncAll(operations, directories);
}

/** Puts every file back that is as the transaction left it, and removes what it made. A file edited since stays. */
export function undoOperations(prepared: Prepared): void {
  const { operations } = prepared;
  for (const { path, before, after, image, temporary } of operations.toReversed()) {
    if (before === after || hashOfFile(path) !== after) continue;
    if (image === null) rmSync(path, { force: true });
    else restore(image, { path, temporary });
  }
  discardStaged(prepared);
}

/** Removes the temporary files and the directories made, as far as they are empty. */
export function discardStaged({ operations, directories }: Prepared): void {
  for (const { temporary } of operations) rmSync(temporary, { force: true });
  for (const directory of directories.toReversed()) removeIfEmpty(directory);
  syncAll(operations, directories);
}

function apply(operation: Operation, texts: OperationContents | undefined): void {
  const { path, before, after, temporary } = operation;
  const old = texts?.before;
  if (old !== undefined && old !== texts?.after) {
    const current = whileUnchanged(path, old, () => put(operation));
    if (current === old) return;
    if (current !== undefined) throw keepEdit(operation, current);
  }
  const now = hashOfFile(path, { text: texts?.before, hash: before });
  if (now === after) {
    rmSync(temporary, { force: true });
    return;
  }
  if (now !== before) throw new EditedMeanwhile(path);
  put(operation);
}

function put({ path, after, temporary }: Operation): void {
  if (after === null) rmSync(path, { force: true });
  else replaceOnce({ path, after, temporary });
}

/**
 * A process wrote into the old file just before its name went, so its text is restored. The image is that same file,
 * unless it had to be a copy.
 */
function keepEdit({ path, image }: Operation, text: string): Error {
  if (image !== null && readText(image) !== text) {
    rmSync(image, { force: true });
    writeDurably(image, text);
  }
  return new EditedMeanwhile(path);
}

/**
 * If another process took this one for dead and finished its work, there is no file left to rename. That isn't an
 * error.
 */
function replaceOnce({ path, after, temporary }: Pick<Operation, "path" | "after" | "temporary">): void {
  try {
    replace(temporary, path);
  } catch (thrown) {
    if (hashOfFile(path) !== after) throw thrown;
  }
}

/** A second name for the old file needs no copy. If the state directory is on another disk, the file is copied. */
function keepImage(path: string, image: string): void {
  try {
    linkSync(path, image);
  } catch (thrown) {
    if (!NO_LINKS.includes(codeOf(thrown) ?? "")) throw thrown;
    copyDurably(path, image);
  }
}

/** The target is still what it was. */
function requireUntouched({ path, before }: Operation, texts: OperationContents | undefined): void {
  if (hashOfFile(path, { text: texts?.before, hash: before }) !== before) throw new EditedMeanwhile(path);
}

/** By way of the temporary name, because a state directory on another disk allows no rename from there. */
function restore(image: string, { path, temporary }: Pick<Operation, "path" | "temporary">): void {
  rmSync(temporary, { force: true });
  keepImage(image, temporary);
  replace(temporary, path);
}

function replace(from: string, to: string): void {
  for (let waited = 0; ; waited += POLL_MS) {
    try {
      renameSync(from, to);
      return;
    } catch (thrown) {
      const busy = process.platform === "win32" && ["EPERM", "EACCES", "EBUSY"].includes(codeOf(thrown) ?? "");
      if (!busy || waited >= BUSY_MS) throw thrown;
      sleepSync(POLL_MS);
    }
  }
}

function removeIfEmpty(directory: string): void {
  try {
    rmdirSync(directory);
  } catch (thrown) {
    // Removed, or filled by another process meanwhile. Both are fine.
    if (!["ENOENT", "ENOTEMPTY", "EEXIST", "ENOTDIR"].includes(codeOf(thrown) ?? "")) throw thrown;
  }
}

/** Syncs each directory whose names changed, once. A directory that was removed again needs no sync. */
function syncAll(operations: readonly Operation[], directories: readonly string[]): void {
  const changed = [...operations.map(({ path }) => dirname(path)), ...directories.map((made) => dirname(made))];
  for (const directory of new Set(changed)) {
    if (statSync(directory, { throwIfNoEntry: false }) !== undefined) syncDirectory(directory);
  }
}
