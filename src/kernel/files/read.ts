import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, diskMessageOf } from "../thrown.ts";

/**
 * The text of a file; undefined exactly when there is none. Any other trouble throws: an error never reads as
 * "missing".
 */
export function readText(path: string): string | undefined {
  return readOpen(path, textOf);
}

/** The text of a file's first 100,000 bytes; undefined and errors as of `readText`. */
export function readBeginning(path: string): string | undefined {
  return readOpen(path, (descriptor) => {
    const room = roomToRead();
    return room.toString("utf8", 0, readSync(descriptor, room, 0, SHORT, 0));
  });
}

function readOpen(path: string, read: (descriptor: number) => string): string | undefined {
  return orAbsent(path, () => {
    const descriptor = openSync(path, "r");
    try {
      return read(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}

/** Bytes of a file that are read into memory that is kept. */
export const SHORT = 100_000;

/** Room for one more, which tells that a file is longer. */
let kept: Buffer | undefined;

/**
 * The text of an open file. Into memory that is kept, because to make some for each file, and to ask for its size, took
 * as long as to read one of 2 KB: 5 % of reading 1,000 baselines checked.
 */
function textOf(descriptor: number): string {
  const room = roomToRead();
  let length = 0;
  for (let read = room.length; read > 0; length += read)
    read = readSync(descriptor, room, length, room.length - length, null);
  if (length < room.length) return room.toString("utf8", 0, length);
  return Buffer.concat([room, readFileSync(descriptor)]).toString("utf8");
}

function roomToRead(): Buffer {
  return (kept ??= Buffer.allocUnsafeSlow(SHORT + 1));
}

/**
 * True where a file holds exactly this text, and is no link to one; false says nothing. Three calls of the system,
 * where to look what is there and to read it takes five.
 */
export function holdsText(path: string, text: string): boolean {
  // Elsewhere a link would be followed.
  if (process.platform === "win32") return false;
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, UNFOLLOWED);
    return readsAs(descriptor, text);
  } catch {
    // Not there, a link, a directory, or trouble: who asks looks again and finds out which.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Does some work on the name of a file that holds exactly this text, and tells what the file holds after it: an edit in
 * between goes into the file and not to its name. Undefined where it does not hold the text, or `holdsText` could not
 * tell: then nothing was done.
 */
export function whileItHolds(path: string, text: string, work: () => void): string | undefined {
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
 * The text of a file of at most 100,000 bytes. Undefined where there is none, a longer one, a link, or trouble: who
 * asks looks again. Three calls of the system into memory that is kept, where to read any file takes four and its own:
 * 6 to 8 % of a passing test of 2 KB under Vitest.
 */
export function readShort(path: string): string | undefined {
  const descriptor = openQuietly(path);
  if (descriptor === undefined) return undefined;
  try {
    const room = roomToRead();
    const length = readSync(descriptor, room, 0, room.length, 0);
    return length > SHORT ? undefined : room.toString("utf8", 0, length);
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
    // Not there, a link, or trouble: who asks looks again and finds out which.
    return undefined;
  }
}

function readAll(descriptor: number): string {
  const bytes = Buffer.alloc(fstatSync(descriptor).size);
  return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, 0)).toString("utf8");
}

/** For reading, without following a link, or waiting for a writer where it is a pipe. */
const UNFOLLOWED = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** True where an open file holds exactly this text, in one call of the system. */
export function readsAs(descriptor: number, text: string): boolean {
  const wanted = Buffer.from(text);
  const found = Buffer.allocUnsafe(wanted.length + 1);
  const length = readSync(descriptor, found, 0, found.length, 0);
  return length === wanted.length && found.subarray(0, length).equals(wanted);
}

/** The names in a directory, sorted by code unit; none when there is no directory. Any other trouble throws. */
export function listNames(directory: string): readonly string[] {
  return orAbsent(directory, () => readdirSync(directory).sort()) ?? [];
}

/** Where a path leads, as far as it exists: what is missing, or leads round in circles, keeps its own name. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(thrown) ?? "") || path === dirname(path)) throw thrown;
    return join(realOf(dirname(path)), basename(path));
  }
}

function orAbsent<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    // The system's own message may lack the path.
    throw new Error(`Cannot read ${path}: ${diskMessageOf(thrown)}`, { cause: thrown });
  }
}
