import { stableStringify } from "../json/canonical-json.ts";
import { lossyPart } from "../json/stored-json.ts";
import { prettyValue } from "../pretty.ts";
import { escapeJson, quote, truncate } from "../text.ts";

/**
 * Formats a value for people on one line: strings quoted, objects as stable JSON, all terminal-safe; `undefined`, NaN
 * and infinities by name; other values that JSON cannot represent as the runners print them, such as `Map {"a" => 1}`
 * or `1n`. Keeps at most `maxLength` UTF-16 code units and adds how many were left out. Never throws.
 */
export function formatValue(value: unknown, maxLength: number = Infinity): string {
  return truncate(wholeValue(value), maxLength);
}

function wholeValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined) return "undefined";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  try {
    const json = stableStringify(value);
    // JSON writes NaN, infinities, and undefined in lists as null.
    return json.includes("null") && lossyPart(value) !== undefined ? prettyValue(value) : escapeJson(json);
  } catch {
    return prettyValue(value);
  }
}
