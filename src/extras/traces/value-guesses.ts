import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { parseWith } from "../../kernel/step/schema.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { isSameData } from "./same-data.ts";
import { unpacked } from "./json-items.ts";
import { turnsOf } from "./turns.ts";

/** Names that steps give a text, for an input or output of only a text. */
const TEXT_NAMES = [
  "prompt",
  "text",
  "input",
  "question",
  "query",
  "message",
  "content",
  "answer",
  "output",
  "result",
  "reply",
  "summary",
];
/** Maximum number of wrappers that are opened. */
const MAX_WRAPPINGS = 3;

/** Returns a value that fits the schema; undefined if no guess fits. */
export async function fittingValue(
  schema: AnyStep["inputSchema"],
  written: unknown,
  whose: "user" | "assistant",
): Promise<{ readonly value: unknown } | undefined> {
  for (const value of guessesOf(written, whose)) if ((await parseWith(schema, value)).ok) return { value };
  return undefined;
}

/**
 * Guesses a value from a tracer's record, most likely first: the value, the content of its wrappers, the last words
 * of a conversation, and these under the names that steps give a text.
 */
function guessesOf(written: unknown, whose: "user" | "assistant"): readonly unknown[] {
  const plain = unwrapped(written);
  const words = lastWords(written, whose);
  const texts = [...(words === undefined ? [] : [words]), ...plain.filter((value) => typeof value === "string")];
  const named = texts.flatMap((text) => TEXT_NAMES.map((name) => ({ [name]: text })));
  const conversation = plain.filter(isArray).map((messages) => ({ messages }));
  const data = plain.filter((value) => typeof value !== "string");
  return [...data, ...texts.map(unpacked), ...texts, ...conversation, ...named];
}

/** Returns a value, and the contents of its only field or of its first argument. */
function unwrapped(written: unknown): readonly unknown[] {
  const values: unknown[] = [unpacked(written)];
  for (let count = 0; count < MAX_WRAPPINGS; count += 1) {
    const last = values.at(-1);
    const fields = isPlainObject(last) ? Object.values(last) : [last].flat();
    if (fields.length !== 1 || fields[0] === last) break;
    values.push(unpacked(fields[0]));
  }
  return values;
}

function lastWords(written: unknown, whose: "user" | "assistant"): string | undefined {
  const turns = turnsOf(written).filter(
    ({ role }) => role === whose || (whose === "assistant" && typeof written === "string"),
  );
  return turns.findLast(({ text }) => text !== "")?.text;
}

/**
 * Returns true if a step's output is what a tracer wrote: the same data, with or without wrappers, or a text that
 * contains it unchanged.
 */
export function isWritten(made: unknown, written: unknown): boolean {
  const words = lastWords(written, "assistant");
  const meant = [...unwrapped(written), ...(words === undefined ? [] : [words, unpacked(words)])];
  const texts = meant.filter((value) => typeof value === "string" && value.trim() !== "");
  return (
    meant.some((value) => isSameData(made, value) || containsData(made, value)) ||
    texts.some((text) => containsData(made, text))
  );
}

/** True if a part of an output equals some data. Numbers and booleans are ignored: they would match by chance. */
function containsData(made: unknown, data: unknown): boolean {
  if (data === null || data === undefined || typeof data === "number" || typeof data === "boolean" || data === "")
    return false;
  if (!isPlainObject(made)) return isSameData(made, data);
  return Object.values(made).some((part) => containsData(part, data));
}
