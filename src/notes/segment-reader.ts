import { type Result, err } from "../base/result.ts";
import type { Note } from "./note.ts";
import { isSealed, segmentMark } from "./note-line.ts";
import type { FileLine } from "./split-lines.ts";

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
export interface SegmentFile {
  readonly file: string;
  readonly parse: (value: unknown) => Result<Note, string>;
}

/**
 * Judges a segment's lines in their order. A bad line is judged by the note after it, so its entry comes with that one.
 */
export class SegmentReader {
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
    try {
      const value: unknown = JSON.parse(text);
      return this.#source.parse(value);
    } catch {
      return err("it is no JSON");
    }
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
