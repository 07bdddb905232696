import { join } from "node:path";
import { listNames } from "../../kernel/files/read.ts";
import { type LogContent, readLogFile } from "./log-file.ts";
import type { Note, NoteType } from "./note.ts";
import { parseNote } from "./note-schema.ts";
import { NOTES_FILE } from "./open-notes.ts";

/** Choice of notes. */
export interface NoteQuery {
  readonly types?: readonly NoteType[];
  readonly run?: string;
  readonly item?: string;
  /** Earliest time, in milliseconds since 1970. */
  readonly since?: number;
  /** Largest number of notes. */
  readonly limit?: number;
}

/** Notes are in the order they were written, not of their times: clocks of two machines may differ by so much. */
const CLOCKS_DIFFER_MS = 24 * 60 * 60 * 1000;
/** Names of files and directories of the format before notes.ndjson. */
const OLD_NAME = /^(?:\d{17}-\d+-.*\.ndjson|blobs)$/;

/** Reads the notes of all processes in the order they were written, no further back than the query requires. */
export function readNotes(directory: string, { limit = Infinity, ...query }: NoteQuery = {}): LogContent<Note> {
  const choose = (note: Note): "keep" | "skip" | "stop" => chooseNote(note, query);
  const content = readLogFile(join(directory, NOTES_FILE), { parse: parseNote, choose, limit });
  const old = listNames(directory).find((name) => OLD_NAME.test(name));
  if (old === undefined) return content;
  return { ...content, problems: [...content.problems, `${old}: its format is too old to read. Delete it`] };
}

function chooseNote(note: Note, { types, run, item, since = -Infinity }: NoteQuery): "keep" | "skip" | "stop" {
  const time = Date.parse(note.ts);
  if (time < since - CLOCKS_DIFFER_MS) return "stop";
  const isChosen =
    time >= since &&
    types?.includes(note.type) !== false &&
    (run ?? note.run) === note.run &&
    (item ?? note.item) === note.item;
  return isChosen ? "keep" : "skip";
}
