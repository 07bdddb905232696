import { createReadStream } from "node:fs";
import { join } from "node:path";
import { parsedJson } from "../../kernel/json/plain-data.ts";
import { type Result, err } from "../../kernel/result.ts";
import { codeOf } from "../../kernel/thrown.ts";
import { listNames } from "../../kernel/files/read.ts";
import { MAX_RECORD, isSealed, segmentMark } from "./segment.ts";
import type { Note, NoteType } from "./note.ts";

/** Which notes to read; what is left out does not restrict. */
export interface NoteFilter {
  readonly types?: readonly NoteType[];
  readonly run?: string;
  readonly item?: string;
  /** Milliseconds since 1970. */
  readonly since?: number;
}

/**
 * Reads the notes of every process, segment by segment, the oldest segment first, in the order they were written in
 * each. Only notes are filtered: what is torn, damaged or gone is always told. Memory does not grow with the files.
 * No notes yet is nothing; a file that cannot be read throws.
 */
export async function* readNotes(
  directory: string,
  filter: NoteFilter = {},
): AsyncGenerator<NoteEntry, void, undefined> {
  const { parseNote } = await import("./note-schema.ts");
  for (const file of listNames(directory).filter((name) => name.endsWith(".ndjson"))) {
    const reader = new SegmentReader({ file, parse: parseNote });
    for await (const line of splitLines(chunksOf(join(directory, file)), MAX_RECORD)) {
      yield* reader.take(line).filter((entry) => entry.kind !== "note" || matches(entry.note, filter));
    }
    yield* reader.end();
  }
}

/** A segment may be deleted for its age between the listing and its turn: then it has nothing to say. */
async function* chunksOf(path: string): AsyncGenerator<Buffer, void, undefined> {
  const stream: AsyncIterable<Buffer> = createReadStream(path);
  try {
    yield* stream;
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
  }
}

function matches(note: Note, { types, run, item, since }: NoteFilter): boolean {
  if (types !== undefined && !types.includes(note.type)) return false;
  if (run !== undefined && note.run !== run) return false;
  if (item !== undefined && note.item !== item) return false;
  return since === undefined || Date.parse(note.ts) >= since;
}

/** What one place in a segment turned out to be. */
export type NoteEntry =
  | { readonly kind: "note"; readonly note: Note }
  /** What is left of a write that was cut off: its note was never acknowledged. */
  | { readonly kind: "torn"; readonly file: string; readonly line: number }
  /** A line that was whole once and is damaged, or was not written by veritest. */
  | { readonly kind: "corrupt"; readonly file: string; readonly line: number; readonly problem: string }
  /** The note at this line does not follow the one before it: something between them is gone. */
  | { readonly kind: "gap"; readonly file: string; readonly line: number; readonly problem: string };

/** What reads a segment: its name, and how to read a record's data. */
interface SegmentFile {
  readonly file: string;
  readonly parse: (value: unknown) => Result<Note, string>;
}

/**
 * Judges a segment's lines in their order. A bad line is judged by the note after it, so its entry comes with that one.
 */
class SegmentReader {
  readonly #source: SegmentFile;
  readonly #bad: { readonly line: number; readonly problem: string; readonly ended: boolean }[] = [];
  #seq = 0;
  #crc: string;

  constructor(source: SegmentFile) {
    this.#source = source;
    this.#crc = segmentMark(source.file);
  }

  take({ number, text, ended }: FileLine): NoteEntry[] {
    // Where a write failed before its first byte, the next one leaves an empty line.
    if (text === "") return [];
    const read = text === undefined ? err("longer than any record") : this.#read(text);
    if (!read.ok) {
      this.#bad.push({ line: number, problem: read.error, ended });
      return [];
    }
    const before = this.#judgeBad(read.value, number);
    this.#seq = read.value.seq;
    this.#crc = read.value.crc;
    return [...before, { kind: "note", note: read.value }];
  }

  /** What is left when the file ends. */
  end(): NoteEntry[] {
    return this.#bad
      .splice(0)
      .map(({ ended, line, problem }) => (ended ? this.#corrupt(line, problem) : this.#torn(line)));
  }

  #read(text: string): Result<Note, string> {
    if (!isSealed(text)) return err("its checksum does not fit");
    const value = parsedJson(text);
    return value === undefined ? err("it is no JSON") : this.#source.parse(value);
  }

  /** A writer numbers only what it wrote whole, so bad lines that cost no number are known failures, not damage. */
  #judgeBad({ seq, prev }: Note, line: number): NoteEntry[] {
    const bad = this.#bad.splice(0);
    const lost = seq - this.#seq - 1;
    if (lost === 0 && prev === this.#crc) return bad.map((each) => this.#torn(each.line));
    const corrupt = bad.map((each) => this.#corrupt(each.line, each.problem));
    if (lost === bad.length && lost > 0) return corrupt;
    const problem =
      lost === 0 ? "it was not written after the note before it" : `number ${seq} comes after number ${this.#seq}`;
    return [...corrupt, { kind: "gap", file: this.#source.file, line, problem }];
  }

  #torn(line: number): NoteEntry {
    return { kind: "torn", file: this.#source.file, line };
  }

  #corrupt(line: number, problem: string): NoteEntry {
    return { kind: "corrupt", file: this.#source.file, line, problem };
  }
}

const LINE_BREAK = 0x0a;

/** One line of a file. */
interface FileLine {
  /** From 1. */
  readonly number: number;
  /** Without its line break; undefined where it is longer than the limit. */
  readonly text: string | undefined;
  /** Whether a line break follows: only the last line may lack one. */
  readonly ended: boolean;
}

/**
 * Splits a stream of UTF-8 bytes at line feeds, and nowhere else: JSON text may hold what other splitters take for line
 * ends. A line longer than `limit` bytes comes without its text, so that memory stays bounded whatever the file holds.
 */
async function* splitLines(chunks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<FileLine, void, undefined> {
  const line = new PendingLine(limit);
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_BREAK); end !== -1; end = chunk.indexOf(LINE_BREAK, from)) {
      line.add(chunk.subarray(from, end));
      yield line.take(true);
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (line.length > 0) yield line.take(false);
}

class PendingLine {
  length = 0;
  readonly #limit: number;
  #number = 0;
  #parts: Buffer[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(part: Buffer): void {
    this.length += part.length;
    if (this.length <= this.#limit) this.#parts.push(part);
    else this.#parts = [];
  }

  take(ended: boolean): FileLine {
    const text = this.length <= this.#limit ? Buffer.concat(this.#parts).toString("utf8") : undefined;
    this.#number += 1;
    this.length = 0;
    this.#parts = [];
    return { number: this.#number, text, ended };
  }
}
