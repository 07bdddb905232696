import { escapeText, truncate } from "../kernel/text.ts";
import { formatValue } from "../kernel/diff/format-value.ts";

/** Lines of an error before the rest is only counted. */
const MAX_LINES = 10;
/** Characters of one value before the rest is only counted. */
const MAX_VALUE = 160;
/** Characters of one line: a path or a message may be as long as a value. */
const MAX_LINE = 500;

/** A value on one line, safe to print and bounded. */
export function shownValue(value: unknown): string {
  return formatValue(value, MAX_VALUE);
}

/** An error's text, safe to print and bounded. */
export function shownError(text: string): string {
  return atMost(escapeText(text).split("\n").map(bounded), MAX_LINES).join("\n");
}

/** The first `max` of some texts, and a count of those left out. */
export function atMost(texts: readonly string[], max: number): readonly string[] {
  return texts.length > max ? [...texts.slice(0, max), `… and ${texts.length - max} more`] : texts;
}

/** A line that is not too long to read: a path or a message may be as long as a value. */
export function bounded(line: string): string {
  return truncate(line, MAX_LINE);
}

/** An error of a result in words, safe to print and bounded. */
export function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return shownValue(error);
  const message = "message" in error ? `: ${textOf(error.message)}` : "";
  const retryable = "retryable" in error && error.retryable === true ? " (retryable)" : "";
  return shownError(`${textOf(error.code)}${message}${retryable}`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : shownValue(value);
}
