import { processEnvironment, readFlag } from "../environment.ts";
import { isArray, isPlainObject } from "../json/plain-data.ts";

/** Maximum characters of one text in a span. Exporters and backends reject spans with longer ones. */
const LONGEST = 16_384;

/** True if content may be sent, which is opt-in. */
export function capturesContent(): boolean {
  return readFlag(processEnvironment(), "VERITEST_CAPTURE_CONTENT");
}

/** Key of this process's redaction of span content: a set-up file and a test may load this module twice. */
const REDACT = Symbol.for("veritest.span-content");

/** Sets the function that removes secrets from the content of spans. Until then spans have no content. */
export function redactContentWith(redact: (value: unknown) => unknown): void {
  Reflect.set(globalThis, REDACT, redact);
}

/**
 * Returns a value for a span, without secrets: a text unchanged, other values as JSON, cut if they are long. Returns
 * undefined if content isn't captured, or if it can't be redacted.
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

/** Returns a redacted value as text: a text as it is, other values as JSON, cut if they are long. */
export function contentText(redacted: unknown): string | undefined {
  const text: unknown = typeof redacted === "string" ? redacted : JSON.stringify(redacted);
  if (typeof text !== "string") return undefined;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

/** Returns messages as the conventions have them, a role and typed parts; undefined if it isn't a list of messages. */
export function messagesOf(messages: unknown): readonly object[] | undefined {
  if (typeof messages === "string") return [message("user", [{ type: "text", content: messages }])];
  const isMessage = (item: unknown): boolean => isPlainObject(item) && typeof item["role"] === "string";
  if (!isArray(messages) || !messages.every(isMessage)) return undefined;
  return messages.flatMap((item) =>
    isPlainObject(item) ? [message(String(item["role"]), partsOf(item["content"]))] : [],
  );
}

function message(role: string, parts: readonly object[]): object {
  return { role, parts };
}

/** Returns the parts of a message's content: texts, and other objects with a type. */
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
