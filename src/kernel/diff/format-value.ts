import { stableStringify } from "../json/canonical-json.ts";
import { hasToJson } from "../json/json-leaf.ts";
import { isArray, isPlainObject, typeName } from "../json/plain-data.ts";
import { escapeJson, quote, truncate, escapeText } from "../text.ts";

/**
 * Writes a value for people on one line: strings quoted, objects as stable JSON, all terminal-safe; `undefined`, NaN
 * and infinities by name; what JSON cannot hold as a stand-in such as `[Map]` or `[bigint 1]`. Keeps at most
 * `maxLength` UTF-16 code units and says how many it left out. Never throws.
 */
export function formatValue(value: unknown, maxLength: number = Infinity): string {
  return truncate(wholeValue(value), maxLength);
}

function wholeValue(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (value === undefined) return "undefined";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  try {
    return escapeJson(stableStringify(value));
  } catch {
    return standIn(value);
  }
}

// Only values that JSON refused come here; people do not read them this deep, and the stack stays small.
const MAX_DEPTH = 50;

/**
 * Writes a value that JSON refuses on one line, like stable JSON but with a readable stand-in for each part that cannot
 * be written: `[Map]`, `[bigint 1]`, `[function parse]`, `[symbol id]`, `[cycle]`, `[unreadable]`. Never throws.
 */
function standIn(value: unknown): string {
  return part(value, []);
}

function part(value: unknown, ancestors: readonly object[]): string {
  switch (typeof value) {
    case "object":
      return value === null ? "null" : objectPart(value, ancestors);
    case "string":
      return quote(value);
    case "bigint":
      return `[bigint ${value}]`;
    case "function":
      return named("function", functionName(value));
    case "symbol":
      return named("symbol", value.description ?? "");
    case "number":
    case "boolean":
    case "undefined":
      return String(value);
  }
}

function objectPart(value: object, ancestors: readonly object[]): string {
  if (ancestors.includes(value)) return "[cycle]";
  const within = [...ancestors, value];
  try {
    if (within.length > MAX_DEPTH) return `[${typeName(value)}]`;
    if (hasToJson(value)) return part(value.toJSON(""), within);
    if (isArray(value)) return `[${Array.from(value, (item) => part(item, within)).join(",")}]`;
    return isPlainObject(value) ? fieldsPart(value, within) : `[${typeName(value)}]`;
  } catch {
    // A getter that throws, or a revoked proxy.
    return "[unreadable]";
  }
}

function fieldsPart(fields: Readonly<Record<string, unknown>>, within: readonly object[]): string {
  const names = Object.keys(fields).sort();
  return `{${names.map((name) => `${quote(name)}:${readPart(fields, name, within)}`).join(",")}}`;
}

function readPart(fields: Readonly<Record<string, unknown>>, name: string, within: readonly object[]): string {
  try {
    return part(fields[name], within);
  } catch {
    return "[unreadable]";
  }
}

function functionName(value: { readonly name?: unknown }): string {
  try {
    return typeof value.name === "string" ? value.name : "";
  } catch {
    return "";
  }
}

function named(kind: string, name: string): string {
  return name === "" ? `[${kind}]` : `[${kind} ${escapeText(name)}]`;
}
