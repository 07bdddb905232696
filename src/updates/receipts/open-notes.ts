import { randomUUID } from "node:crypto";
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { truncate } from "../../kernel/text.ts";
import { requireNoLink } from "../../kernel/files/real-directory.ts";
import { putBlob } from "./blobs.ts";
import { NOTE_VERSION, type NewNote } from "./note.ts";
import { MAX_RECORD, sealLine, segmentMark, segmentName } from "./segment.ts";

const ROLL_BYTES = 16 * 1024 * 1024;
const BEGINNING = 1000;
const LAST_TIME = Date.UTC(9999, 11, 31);

/** What a writer of notes needs of the world. */
export interface NoteWriterOptions {
  /** Where segments go; made at the first note. */
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** A new unique id for each segment and each long body; random UUIDs unless given. */
  readonly newId?: () => string;
  /** Takes secrets out of every text before it is written; nothing is taken out unless given. */
  readonly redact?: (text: string) => string;
  /** A segment that has grown to so many bytes is followed by a new one; 16 MiB unless given. */
  readonly rollBytes?: number;
}

/**
 * Writes notes. Nothing here throws, waits or grants anything: a note that cannot be written is lost, and said once.
 */
export interface NoteWriter {
  /** Returns the note's id, or undefined where it could not be written. */
  write(note: NewNote): string | undefined;
  /** One sentence on the first note that was lost; undefined while none was. */
  warning(): string | undefined;
  /** Closes the segment; a later note opens a new one. */
  close(): void;
}

/** Opens the notes for one process. No file is touched before the first note. */
export function openNotes(options: NoteWriterOptions): NoteWriter {
  const log = new NoteLog(options);
  return { write: (note) => log.write(note), warning: () => log.warning, close: () => log.close() };
}

/** The file that one process appends to. */
interface Segment {
  readonly descriptor: number;
  seq: number;
  prev: string;
  size: number;
  /** Whether the last write failed or fell short, so that the file may not end in a line break. */
  torn: boolean;
}

class NoteLog {
  warning: string | undefined;
  readonly #options: NoteWriterOptions;
  #segment: Segment | undefined;

  constructor(options: NoteWriterOptions) {
    this.#options = options;
  }

  write(note: NewNote): string | undefined {
    try {
      return this.#append(redactNote(note, this.#options.redact));
    } catch (thrown) {
      this.#warn(thrown);
      return undefined;
    }
  }

  close(): void {
    const segment = this.#segment;
    this.#segment = undefined;
    if (segment === undefined) return;
    try {
      closeSync(segment.descriptor);
    } catch (thrown) {
      this.#warn(thrown);
    }
  }

  #append(note: NewNote): string {
    const now = this.#now();
    const segment = this.#currentSegment(now);
    const { line, crc } = this.#seal(note, segment, now);
    const bytes = Buffer.from(`${segment.torn ? "\n" : ""}${line}\n`);
    // Until the write is known to be whole it counts as torn, also where it throws.
    segment.torn = true;
    const written = writeSync(segment.descriptor, bytes);
    segment.size += written;
    if (written < bytes.length) throw new Error(`only ${written} of ${bytes.length} bytes were written`);
    // A lost note leaves no number behind, which tells the reader that what is left of it is no damage.
    segment.torn = false;
    segment.seq += 1;
    segment.prev = crc;
    return crc;
  }

  #seal(note: NewNote, segment: Segment, now: number): { readonly line: string; readonly crc: string } {
    const { refs = [], type, run, item, mood, body, ...own } = note;
    const head = {
      v: NOTE_VERSION,
      seq: segment.seq + 1,
      prev: segment.prev,
      ts: new Date(now).toISOString(),
      type,
      run,
      item,
      mood,
    };
    const sealed = sealLine({ ...head, body, ...own, refs });
    if (fits(sealed.line)) return sealed;
    const blob = putBlob({ notes: this.#options.directory, text: body, now, id: this.#newId() });
    const short = sealLine({ ...head, body: truncate(body, BEGINNING), ...own, refs, blob });
    if (fits(short.line)) return short;
    throw new Error(`a note is longer than ${MAX_RECORD} bytes without its body`);
  }

  #currentSegment(now: number): Segment {
    if (this.#segment !== undefined && this.#segment.size >= (this.#options.rollBytes ?? ROLL_BYTES)) this.close();
    this.#segment ??= this.#openSegment(now);
    return this.#segment;
  }

  #openSegment(started: number): Segment {
    const { directory } = this.#options;
    const name = segmentName({ started, pid: process.pid, id: this.#newId() });
    requireNoLink(directory);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return {
      descriptor: openSync(join(directory, name), "ax", 0o600),
      seq: 0,
      prev: segmentMark(name),
      size: 0,
      torn: false,
    };
  }

  /** A clock may be wrong, but must not cost the note. */
  #now(): number {
    const now = this.#options.clock();
    return Number.isFinite(now) ? Math.min(Math.max(Math.trunc(now), 0), LAST_TIME) : 0;
  }

  #newId(): string {
    return (this.#options.newId ?? randomUUID)();
  }

  #warn(thrown: unknown): void {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    const problem = `Cannot write notes to ${this.#options.directory}: ${reason.replace(/\.$/, "")}`;
    this.warning ??= `${problem}. The run goes on; such notes are lost.`;
  }
}

function fits(line: string): boolean {
  // One byte for the line break after it, and one for the line break that a torn write before it needs.
  return Buffer.byteLength(line) + 2 <= MAX_RECORD;
}

/**
 * A copy of a note with its known fields only, each text passed through `redact`. Ids (`run`, `refs`) stay as they are:
 * they are hashes and made-up names, and must still lead somewhere.
 */
function redactNote(note: NewNote, redact: (text: string) => string = (text) => text): NewNote {
  const { run, item, mood, body, refs } = note;
  const base = {
    run,
    ...(item === undefined ? {} : { item: redact(item) }),
    ...(mood === undefined ? {} : { mood: redact(mood) }),
    body: redact(body),
    ...(refs === undefined ? {} : { refs: [...refs] }),
  };
  if (note.type === "hypothesis")
    return { type: note.type, ...base, test: redact(note.test), budget: redact(note.budget) };
  if (note.type === "hyperthesis")
    return { type: note.type, ...base, blindSpot: redact(note.blindSpot), bound: redact(note.bound) };
  return { type: note.type, ...base };
}
