import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { basename, dirname, join, parse, sep } from "node:path";
import { codeOf, fileErrorMessage } from "../error-message.ts";

/**
 * The text of a file. Undefined only if the file doesn't exist. Throws any other error, so that it's never read as
 * "missing". Throws for a pipe, a device and the like, too: reading one may never end.
 */
export function readText(path: string): string | undefined {
  return readOpen(path, regularTextOf);
}

/** The text of a file's first 100,000 bytes; undefined and errors as of `readText`. */
export function readBeginning(path: string): string | undefined {
  return readOpen(path, (descriptor) => {
    const buffer = readBuffer();
    return buffer.toString("utf8", 0, readSync(descriptor, buffer, 0, SHORT_FILE_BYTES, 0));
  });
}

function readOpen(path: string, read: (descriptor: number) => string): string | undefined {
  return orAbsent(path, () => {
    // Doesn't wait for a writer if it's a pipe.
    const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return read(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Maximum bytes of a file that are read into the reused buffer. */
export const SHORT_FILE_BYTES = 100_000;

/** One byte larger, to detect a longer file. */
let kept: Buffer | undefined;

/**
 * The text of an open file. Uses a reused buffer: allocating one for each file, and requesting its size, took as long
 * as reading one of 2 KB, which is 5 % of reading 1,000 baselines. A known size saves the read that finds the end: 10 %
 * of reading a baseline.
 */
function textOf(descriptor: number, size?: number): string {
  const buffer = readBuffer();
  let length = 0;
  for (let read = buffer.length; read > 0 && length !== size; length += read)
    read = readSync(descriptor, buffer, length, buffer.length - length, null);
  if (length < buffer.length) return buffer.toString("utf8", 0, length);
  return Buffer.concat([buffer, readFileSync(descriptor)]).toString("utf8");
}

/** Text of an open file, if it's a regular one. */
function regularTextOf(descriptor: number): string {
  const stats = fstatSync(descriptor);
  // Reading a directory throws another error.
  if (!stats.isFile() && !stats.isDirectory()) throw new Error("it's a pipe or a device, and not a file. Remove it");
  // Files that the system makes up, such as those of /proc, have no size.
  return textOf(descriptor, stats.size === 0 ? undefined : stats.size);
}

function readBuffer(): Buffer {
  return (kept ??= Buffer.allocUnsafeSlow(SHORT_FILE_BYTES + 1));
}

/**
 * True if a file has exactly this text and isn't a link. False is inconclusive. Needs three system calls; checking the
 * path and reading it takes five.
 */
export function hasText(path: string, text: string): boolean {
  // Elsewhere a link would be followed.
  if (process.platform === "win32") return false;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, UNFOLLOWED);
    return readsAs(descriptor, text);
  } catch {
    // Missing, a link, a directory, or an error. The caller checks again.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Runs work on the name of a file with exactly this text, and returns the file's text after it. An edit in between goes
 * into the file and not to its name. Undefined, without running the work, if the file has another text or `hasText`
 * is inconclusive.
 */
export function whileUnchanged(path: string, text: string, work: () => void): string | undefined {
  if (process.platform === "win32") return undefined;
  const descriptor = openQuietly(path);
  if (descriptor === undefined) return undefined;
  try {
    if (!readsAs(descriptor, text)) return undefined;
    work();
    return readsAs(descriptor, text) ? text : readAll(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The text of a file of at most 100,000 bytes. Undefined if it's missing, longer, a link, or unreadable: the caller
 * checks again. Needs three system calls and a reused buffer. A general read takes four and its own buffer: 6 to 8 % of
 * a passing test of 2 KB under Vitest.
 */
export function readShort(path: string): string | undefined {
  const descriptor = openQuietly(path);
  if (descriptor === undefined) return undefined;
  try {
    const buffer = readBuffer();
    const length = readSync(descriptor, buffer, 0, buffer.length, 0);
    return length > SHORT_FILE_BYTES ? undefined : buffer.toString("utf8", 0, length);
  } catch {
    // A directory.
    return undefined;
  } finally {
    closeSync(descriptor);
  }
}

function openQuietly(path: string): number | undefined {
  try {
    return openSync(path, UNFOLLOWED);
  } catch {
    // Missing, a link, or an error. The caller checks again.
    return undefined;
  }
}

function readAll(descriptor: number): string {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0)).toString("utf8");
}

/** For reading, without following a link, and without waiting for a writer if it's a pipe. */
const UNFOLLOWED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** True if an open file has exactly this text, in one system call. */
export function readsAs(descriptor: number, text: string): boolean {
  const wanted = Buffer.from(text);
  const bytes = Buffer.allocUnsafe(wanted.length + 1);
  const length = readSync(descriptor, bytes, 0, bytes.length, 0);
  return length === wanted.length && bytes.subarray(0, length).equals(wanted);
}

/** The names in a directory, sorted by code unit. Empty if there is no directory. Throws any other error. */
export function listNames(directory: string): readonly string[] {
  return orAbsent(directory, () => readdirSync(directory).sort()) ?? [];
}

/**
 * Resolves the links of a path, as far as it exists, and those to missing files, which a write would create. A missing
 * or circular part keeps its name.
 */
export function realPath(path: string): string {
  try {
    // `realpathSync` takes `link/..` for the directory of the link.
    return realpathSync.native(path);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(code ?? "") || path === dirname(path)) throw thrown;
    const folder = realPath(dirname(path));
    const isDangling = code === "ENOENT" && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    return isDangling ? targetOf(readlinkSync(path), folder) : join(folder, basename(path));
  }
}

/** Resolves a link's text from its directory, name by name: `..` leads above the target of a link before it. */
function targetOf(link: string, folder: string): string {
  const { root } = parse(link);
  const names = link.slice(root.length).split(sep);
  return names.reduce(
    (path, name) => (name === ".." ? dirname(path) : realPath(join(path, name))),
    root === "" ? folder : root,
  );
}

function orAbsent<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    // The system's own message may lack the path.
    throw new Error(`Cannot read ${path}: ${fileErrorMessage(thrown)}`, { cause: thrown });
  }
}
