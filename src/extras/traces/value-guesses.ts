import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { parseWith } from "../../kernel/step/schema.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { isSameData } from "./imported-run.ts";
import { unpacked } from "./json-items.ts";
import { turnsOf } from "./turns.ts";

/** Names that steps give a text they get or make, where that is all there is. */
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
/** Wrappings that are looked into. */
const MAX_WRAPPINGS = 3;

/** What a value may be that a schema knows; undefined where it fits nothing of it. */
export async function fittingValue(
  schema: AnyStep["inputSchema"],
  written: unknown,
  whose: "user" | "assistant",
): Promise<{ readonly value: unknown } | undefined> {
  for (const value of guessesOf(written, whose)) if ((await parseWith(schema, value)).ok) return { value };
  return undefined;
}

/**
 * What may have been meant by what a tracer wrote, the likeliest first: the value, what is in its wrappings, the last
 * words of a conversation, and these under the names that steps give a text.
 */
function guessesOf(written: unknown, whose: "user" | "assistant"): readonly unknown[] {
  const plain = unwrapped(written);
  const words = lastWords(written, whose);
  const texts = [...(words === undefined ? [] : [words]), ...plain.filter((one) => typeof one === "string")];
  const named = texts.flatMap((text) => TEXT_NAMES.map((name) => ({ [name]: text })));
  const conversation = plain.filter(isArray).map((messages) => ({ messages }));
  const data = plain.filter((one) => typeof one !== "string");
  return [...data, ...texts.map(unpacked), ...texts, ...conversation, ...named];
}

/** A value, and what the only field of it, or the first of its arguments, holds. */
function unwrapped(written: unknown): readonly unknown[] {
  const found: unknown[] = [unpacked(written)];
  for (let count = 0; count < MAX_WRAPPINGS; count += 1) {
    const last = found.at(-1);
    const fields = isPlainObject(last) ? Object.values(last) : [last].flat();
    if (fields.length !== 1 || fields[0] === last) break;
    found.push(unpacked(fields[0]));
  }
  return found;
}

function lastWords(written: unknown, whose: "user" | "assistant"): string | undefined {
  const turns = turnsOf(written).filter(
    ({ role }) => role === whose || (whose === "assistant" && typeof written === "string"),
  );
  return turns.findLast(({ text }) => text !== "")?.text;
}

/**
 * Tells whether what a step made is what a tracer wrote: the same data, with or without wrappings, or a text that
 * stands in it as it is.
 */
export function isWritten(made: unknown, written: unknown): boolean {
  const words = lastWords(written, "assistant");
  const meant = [...unwrapped(written), ...(words === undefined ? [] : [words, unpacked(words)])];
  const texts = meant.filter((one) => typeof one === "string" && one.trim() !== "");
  return (
    meant.some((one) => isSameData(made, one) || holdsData(made, one)) || texts.some((text) => holdsData(made, text))
  );
}

/** Whether a part of an output is some data; a number or a flag would be found by chance. */
function holdsData(made: unknown, data: unknown): boolean {
  if (data === null || data === undefined || typeof data === "number" || typeof data === "boolean" || data === "")
    return false;
  if (!isPlainObject(made)) return isSameData(made, data);
  return Object.values(made).some((part) => holdsData(part, data));
}
