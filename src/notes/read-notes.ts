import { createReadStream } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../base/thrown.ts";
import { listNames } from "../files/read.ts";
import { MAX_RECORD } from "./note-line.ts";
import type { Note, NoteType } from "./note.ts";
import { type NoteEntry, SegmentReader } from "./segment-reader.ts";
import { splitLines } from "./split-lines.ts";

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
