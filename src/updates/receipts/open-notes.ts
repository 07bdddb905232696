import { join } from "node:path";
import { appendToLog, logLine } from "./log-file.ts";
import type { NewNote } from "./note.ts";

/** Name of the notes' file in their directory. */
export const NOTES_FILE = "notes.ndjson";

/** Largest number of bytes of a note's line. */
export const MAX_NOTE_BYTES: number = 1024 * 1024;

const LAST_TIME = Date.UTC(9999, 11, 31);

/** Options of a writer of notes. */
export interface NoteWriterOptions {
  /** Directory of the notes. It's created for the first note. */
  readonly directory: string;
  /** Returns milliseconds since 1970. */
  readonly clock: () => number;
  /** Redacts the secrets of each text before it is written. Default: no redaction. */
  readonly redact?: (text: string) => string;
}

/** Writer of notes. It never throws: a note that can't be written is lost, with one warning. */
export interface NoteWriter {
  /** Returns the note's id; undefined if it couldn't be written. */
  write(note: NewNote): string | undefined;
  /** Returns one sentence on the first note that was lost; undefined if there is none. */
  warning(): string | undefined;
}

/** Opens the notes. No file is touched before the first note. */
export function openNotes({ directory, clock, redact = (text) => text }: NoteWriterOptions): NoteWriter {
  let warning: string | undefined;
  const write = (note: NewNote): string => {
    // Ids must match after redaction, too.
    const { type, run, refs = [], ...texts } = note;
    const hidden = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redact(text)]));
    const { text, value } = logLine({ ts: timeOf(clock()), type, run, ...hidden, refs });
    const length = Buffer.byteLength(text);
    if (length > MAX_NOTE_BYTES)
      throw new Error(`a note has ${length} bytes, which is more than the limit of ${MAX_NOTE_BYTES}`);
    appendToLog(join(directory, NOTES_FILE), text, false);
    return value.id;
  };
  return {
    write(note) {
      try {
        return write(note);
      } catch (thrown) {
        const reason = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\.$/, "");
        warning ??= `Cannot write notes to ${directory}: ${reason}. The run continues without these notes.`;
        return undefined;
      }
    },
    warning: () => warning,
  };
}

/** A clock that is wrong must not cost the note. */
function timeOf(now: number): string {
  const time = Number.isFinite(now) ? Math.min(Math.max(Math.trunc(now), 0), LAST_TIME) : 0;
  return new Date(time).toISOString();
}
