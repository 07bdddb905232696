import { hash } from "node:crypto";
import { closeSync, constants, fsyncSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { basename, dirname } from "node:path";
import { isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err } from "../../kernel/result.ts";
import { codeOf } from "../../kernel/error-message.ts";
import { makeDirectory, syncDirectory } from "../../kernel/files/durable.ts";
import { requireNoLink } from "../../kernel/files/real-directory.ts";

/** Newest format of a line. */
export const LOG_FORMAT = 1;

const ID = /,"id":"(sha256:[0-9a-f]{64})"\}/;
const LINE_END = new RegExp(`${ID.source}$`);
// Each line begins so, and no string of JSON can: its quotes are escaped.
const LINE_STARTS = /(?=\{"v":\d)/;
const LINE_FEED = 0x0a;
const CHUNK_BYTES = 64 * 1024;
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Fields of each line besides its own. */
export interface LogFields {
  readonly v: typeof LOG_FORMAT;
  /** Checksum of the line without this field: `sha256:…`. */
  readonly id: string;
}

/** Line of a log file with its line feed, and the value that it is read back as. */
interface LogLine<T> {
  readonly text: string;
  readonly value: T & LogFields;
}

/** Creates a line of JSON whose first field is its format and whose last one its checksum. */
export function logLine<T extends object>(fields: T): LogLine<T> {
  const text = JSON.stringify({ v: LOG_FORMAT, ...fields });
  const id = checksum(Buffer.from(text));
  return { text: `${text.slice(0, -1)},"id":"${id}"}\n`, value: { v: LOG_FORMAT, ...fields, id } };
}

/**
 * Appends a text in one write, so that lines of several processes never mix. Makes the file if there is none, and waits
 * for the disk if `durable`. Throws the file system's error, also if only a part was written: {@link readLogFile} drops
 * that part.
 */
export function appendToLog(path: string, text: string, durable: boolean): void {
  const directory = dirname(path);
  requireNoLink(directory);
  makeDirectory(directory, 0o700);
  const descriptor = openSync(path, APPEND, 0o600);
  try {
    const [length, written] = [Buffer.byteLength(text), text === "" ? 0 : writeSync(descriptor, text)];
    if (written < length) throw new Error(`only ${written} of ${length} bytes were written`);
    if (durable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (durable) syncDirectory(directory);
}

/** Choice among the lines of a log file. */
export interface LogQuery<T> {
  readonly parse: (value: unknown) => Result<T, string>;
  /** Decides on each value, the newest first; `stop` ends the reading. Default: keeps all. */
  readonly choose?: (value: T) => "keep" | "skip" | "stop";
  /** Largest number of values. Default: all. */
  readonly limit?: number;
  /** Byte to which the file is read, from its end. Default: 0. */
  readonly from?: number;
}

/** Lines of a log file as far as they were read. */
export interface LogContent<T> {
  /** In the order they were written. */
  readonly values: readonly T[];
  /** One phrase for each damaged line, with its number. */
  readonly problems: readonly string[];
  /** Number of lines that were cut off when their process ended; their writers never reported success. */
  readonly torn: number;
}

/** Reads a log file from its end. A file that doesn't exist is empty; any other error of the file system throws. */
export function readLogFile<T>(path: string, query: LogQuery<T>): LogContent<T> {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return { values: [], problems: [], torn: 0 };
  try {
    return readOpenLog(descriptor, basename(path), query);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns a file's size in bytes; 0 if it doesn't exist. */
export function logSize(path: string): number {
  const descriptor = openIfThere(path);
  if (descriptor === undefined) return 0;
  try {
    return fstatSync(descriptor).size;
  } finally {
    closeSync(descriptor);
  }
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

function readOpenLog<T>(descriptor: number, file: string, query: LogQuery<T>): LogContent<T> {
  const { parse, choose = () => "keep", limit = Infinity, from = 0 } = query;
  const { size } = fstatSync(descriptor);
  const values: T[] = [];
  const problems: string[] = [];
  let torn = 0;
  let lineFeeds: number | undefined;
  // A file that became shorter is another one.
  for (const { text, isTorn, above } of piecesFromEnd(descriptor, from > size ? 0 : from, size)) {
    const read = readPiece(text, parse);
    if (read.ok) {
      const choice = choose(read.value);
      if (choice === "keep") values.push(read.value);
      if (choice === "stop" || values.length >= limit) break;
    } else if (isTorn) torn += 1;
    else {
      lineFeeds ??= countLineFeeds(descriptor, size);
      problems.push(`${file}, line ${lineFeeds - above + 1}: ${read.error}`);
    }
  }
  return { values: values.toReversed(), problems: problems.toReversed(), torn };
}

/** Part of a file that may be a complete line. */
interface LogPiece {
  readonly text: string;
  /** True for what a process leaves that dies while it writes, if the piece isn't complete. */
  readonly isTorn: boolean;
  /** Number of line feeds after it. */
  readonly above: number;
}

/** Yields the pieces of a file from its end; a line has several if an append followed a torn one. */
function* piecesFromEnd(descriptor: number, from: number, to: number): Generator<LogPiece, void, undefined> {
  let above = 0;
  for (const line of linesFromEnd(descriptor, from, to)) {
    const pieces = line.split(LINE_STARTS);
    for (const [index, text] of [...pieces.entries()].reverse()) {
      const isCut = above === 0 || index < pieces.length - 1;
      if (text !== "") yield { text, isTorn: isCut && !ID.test(text), above };
    }
    above += 1;
  }
}

function readPiece<T>(piece: string, parse: LogQuery<T>["parse"]): Result<T, string> {
  const end = LINE_END.exec(piece);
  const bytes = Buffer.from(piece, "latin1");
  if (end === null || end[1] !== checksum(Buffer.concat([bytes.subarray(0, end.index), Buffer.from("}")])))
    return err("its checksum doesn't match");
  const value = parsedJson(bytes.toString("utf8"));
  if (!isPlainObject(value)) return err("it isn't JSON");
  if (value["v"] !== LOG_FORMAT)
    return err(
      `it has format ${String(value["v"])}, and this version of veritest only reads formats up to ` +
        `${LOG_FORMAT}. Update veritest`,
    );
  return parse(value);
}

/** Yields the lines between two bytes of a file from the last one; the first is what follows the last line feed. */
function* linesFromEnd(descriptor: number, from: number, to: number): Generator<string, void, undefined> {
  let rest: Buffer[] = [];
  const join = (part: Buffer): string => Buffer.concat([part, ...rest]).toString("latin1");
  for (let end = to; end > from; ) {
    const start = Math.max(from, end - CHUNK_BYTES);
    const chunk = readChunk(descriptor, start, end);
    let stop = chunk.length;
    for (let at = chunk.lastIndexOf(LINE_FEED); at !== -1; at = chunk.subarray(0, at).lastIndexOf(LINE_FEED)) {
      yield join(chunk.subarray(at + 1, stop));
      rest = [];
      stop = at;
    }
    rest.unshift(chunk.subarray(0, stop));
    end = start;
  }
  yield join(Buffer.alloc(0));
}

function countLineFeeds(descriptor: number, size: number): number {
  let count = 0;
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const chunk = readChunk(descriptor, start, Math.min(size, start + CHUNK_BYTES));
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) count += 1;
  }
  return count;
}

function readChunk(descriptor: number, start: number, end: number): Buffer {
  const chunk = Buffer.alloc(end - start);
  return chunk.subarray(0, readSync(descriptor, chunk, 0, chunk.length, start));
}

/** Detects damage, not forgery. */
function checksum(bytes: Buffer): string {
  return `sha256:${hash("sha256", bytes, "hex")}`;
}
