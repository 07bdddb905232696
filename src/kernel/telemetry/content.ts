import { processEnvironment, readFlag } from "../environment.ts";
import { isArray, isPlainObject } from "../json/plain-data.ts";

/** Characters of one text in a span; exporters and backends refuse long ones as a whole. */
const LONGEST = 16_384;

/** Whether content may leave: only where somebody said so. */
export function capturesContent(): boolean {
  return readFlag(processEnvironment(), "VERITEST_CAPTURE_CONTENT");
}

/** Key of this process's redaction of span content: a set-up file and a test may load this module twice. */
const REDACT = Symbol.for("veritest.span-content");

/** Sets what removes secrets from the content of spans. Until then spans hold no content. */
export function redactContentWith(redact: (value: unknown) => unknown): void {
  Reflect.set(globalThis, REDACT, redact);
}

/**
 * Returns a value as a span may hold it, without secrets: a text as it is, other values as JSON, cut if they are long.
 * Returns undefined if content isn't captured, or if it can't be redacted.
 */
export function capturedText(value: unknown): string | undefined {
  const redact: unknown = capturesContent() ? Reflect.get(globalThis, REDACT) : undefined;
  if (typeof redact !== "function") return undefined;
  try {
    return contentText(Reflect.apply(redact, undefined, [value]));
  } catch {
    return undefined;
  }
}

/** What was redacted already: a text as it is, other values as JSON, cut where it is long. */
export function contentText(redacted: unknown): string | undefined {
  const text: unknown = typeof redacted === "string" ? redacted : JSON.stringify(redacted);
  if (typeof text !== "string") return undefined;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

/** Messages in the form of the conventions: a role, and parts with a type; undefined for what are no messages. */
export function messagesOf(given: unknown): readonly object[] | undefined {
  if (typeof given === "string") return [message("user", [{ type: "text", content: given }])];
  if (!isArray(given) || !given.every((one) => isPlainObject(one) && typeof one["role"] === "string")) return undefined;
  return given.flatMap((one) => (isPlainObject(one) ? [message(String(one["role"]), partsOf(one["content"]))] : []));
}

function message(role: string, parts: readonly object[]): object {
  return { role, parts };
}

/** The parts of a message's content: texts, and what else has a type. */
export function partsOf(content: unknown): readonly object[] {
  if (typeof content === "string") return [{ type: "text", content }];
  const parts = isArray(content) ? content : [content];
  return parts.flatMap((part) => {
    if (!isPlainObject(part)) return [];
    const { type, text } = part;
    if (typeof text === "string") return [{ type: "text", content: text }];
    return [{ ...part, type: typeof type === "string" ? type : "unknown" }];
  });
}
