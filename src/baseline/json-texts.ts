import { TAG, parsedJson } from "../kernel/json/plain-data.ts";

/** Content of a text of JSON, and its indent. */
interface JsonText {
  readonly json: unknown;
  readonly indent?: number;
}

/** Indent of texts that have one. */
const INDENT = 2;

/** Texts of JSON, each of which is parsed once. */
export class JsonTexts {
  readonly #known = new Map<unknown, JsonText | undefined>();

  /** Returns the content of a text that `JSON.stringify` wrote; undefined for any other value. */
  contentOf(value: unknown): JsonText | undefined {
    if (typeof value === "string" && !this.#known.has(value)) this.#known.set(value, contentOf(value));
    return this.#known.get(value);
  }
}

function contentOf(text: string): JsonText | undefined {
  // JSON may have the tag of references itself.
  if (!/^[[{]/.test(text) || text.includes(`"${TAG}"`)) return undefined;
  const json = parsedJson(text);
  if (json === undefined) return undefined;
  if (JSON.stringify(json) === text) return { json };
  return JSON.stringify(json, undefined, INDENT) === text ? { json, indent: INDENT } : undefined;
}

/** Returns the text of JSON with some content. */
export function textOfJson(json: unknown, indent: unknown): string {
  return JSON.stringify(json, undefined, indent === INDENT ? INDENT : undefined);
}
