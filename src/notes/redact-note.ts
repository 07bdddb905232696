import type { NewNote } from "./note.ts";

/**
 * A copy of a note with its known fields only, each text passed through `redact`. Ids (`run`, `refs`) stay as they are:
 * they are hashes and made-up names, and must still lead somewhere.
 */
export function redactNote(note: NewNote, redact: (text: string) => string = (text) => text): NewNote {
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
