import { exactOptional } from "../../kernel/exact-optional.ts";
import { z } from "zod/v4";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { LOG_FORMAT } from "./log-file.ts";
import { type NewNote, type Note, PLAIN_NOTE_TYPES } from "./note.ts";

const text = z
  .string({ error: ({ input }) => (input === undefined ? "is missing" : "is not a string") })
  .min(1, "is empty");
const common = {
  run: text,
  item: exactOptional(text),
  mood: exactOptional(text),
  body: z.string(),
};
const record = { v: z.literal(LOG_FORMAT), ts: z.iso.datetime(), refs: z.array(text), id: text };
const hypothesis = z.strictObject({ type: z.literal("hypothesis"), ...common, test: text, budget: text });
const hyperthesis = z.strictObject({ type: z.literal("hyperthesis"), ...common, blindSpot: text, bound: text });
const plain = z.strictObject({ type: z.enum(PLAIN_NOTE_TYPES), ...common });
const refs = { refs: exactOptional(z.array(text)) };

const newNoteSchema: z.ZodType<NewNote> = z.discriminatedUnion("type", [
  hypothesis.extend(refs),
  hyperthesis.extend(refs),
  plain.extend(refs),
]);

const noteSchema: z.ZodType<Note> = z.discriminatedUnion("type", [
  hypothesis.extend(record),
  hyperthesis.extend(record),
  plain.extend(record),
]);

/** Validates a new note. The error is a phrase that names every missing or wrong field. */
export function parseNewNote(value: unknown): Result<NewNote, string> {
  const parsed = newNoteSchema.safeParse(value);
  return parsed.success ? ok(parsed.data) : err(describe(parsed.error));
}

/** Reads a note from the data of a line; the error is a phrase that names every field that is missing or wrong. */
export function parseNote(value: unknown): Result<Note, string> {
  const parsed = noteSchema.safeParse(value);
  return parsed.success ? ok(parsed.data) : err(describe(parsed.error));
}

function describe({ issues }: z.ZodError): string {
  return issues
    .map(({ path, message }) =>
      path.length === 0 ? message : `${quote(path.join("."))}${message.startsWith("is ") ? "" : ":"} ${message}`,
    )
    .join("; ");
}
