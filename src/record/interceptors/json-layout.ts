import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";

/** Whitespace of a JSON text. Without any, the text is what `JSON.stringify` writes. */
export interface JsonLayout {
  /** Indentation of one level, if each value is on its own line. */
  readonly indent?: string;
  /** True if a space follows each comma and colon, as Python writes JSON. */
  readonly spaced?: true;
  /** Whitespace at the end. */
  readonly end?: string;
}

/** The data of a JSON text, with the layout that restores the text. */
export interface JsonText {
  readonly json: unknown;
  readonly layout?: JsonLayout;
}

/**
 * Returns the data and the layout of a JSON object or array. Undefined for other text, and for JSON that its data can't
 * restore character by character: `1.0`, an integer of 20 digits, an escaped letter, spaces before a colon.
 */
export function jsonText(text: string): JsonText | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  const json = parsedJson(text);
  if (!isArray(json) && !isPlainObject(json)) return undefined;
  const layout = candidatesFor(text).find((candidate) => layoutJson(json, candidate) === text);
  if (layout === undefined) return undefined;
  return Object.keys(layout).length === 0 ? { json } : { json, layout };
}

/** Writes data in a layout. */
export function layoutJson(json: unknown, { indent, spaced, end = "" }: JsonLayout): string {
  return `${spaced === true ? spacedJson(json) : JSON.stringify(json, undefined, indent)}${end}`;
}

/** Reads a recorded layout. */
export function parseLayout(value: unknown): JsonLayout {
  if (!isPlainObject(value)) return {};
  const { indent, spaced, end } = value;
  return {
    ...(typeof indent === "string" && { indent }),
    ...(spaced === true && { spaced }),
    ...(typeof end === "string" && { end }),
  };
}

function candidatesFor(text: string): readonly JsonLayout[] {
  const end = text.slice(text.trimEnd().length);
  const atEnd = end === "" ? {} : { end };
  const indent = /^[[{]\n([ \t]{1,10})/.exec(text)?.[1];
  return indent === undefined ? [atEnd, { spaced: true, ...atEnd }] : [{ indent, ...atEnd }];
}

function spacedJson(value: unknown): string {
  if (isArray(value)) return `[${value.map(spacedJson).join(", ")}]`;
  if (!isPlainObject(value)) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${spacedJson(item)}`);
  return `{${fields.join(", ")}}`;
}
