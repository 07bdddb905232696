import { isPlainObject } from "./plain-data.ts";

/** A key that one object of a JSON text has twice. */
export interface RepeatedKey {
  readonly key: string;
  /** The line of its second occurrence, from 1. */
  readonly line: number;
}

/**
 * Returns a key that an object of a JSON text has twice. `JSON.parse` doesn't report it: it takes the last, and a
 * reader may see the first. `value` is the parsed text. Undefined if no key is repeated.
 *
 * Costs a fifth of parsing if no key is repeated: then the text has as many colons as the value has keys, and as there
 * are in its strings. A repeated key adds one, and its value can only add more.
 */
export function repeatedKey(text: string, value: unknown): RepeatedKey | undefined {
  // An escaped colon would be missing in the text and counted in the value.
  const plain = !text.includes("\\u003");
  return plain && colonsIn(text) === colonsOf(value) ? undefined : findRepeated(text);
}

function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(":"); at !== -1; at = text.indexOf(":", at + 1)) count += 1;
  return count;
}

/** Number of colons that JSON needs for a value. Without recursion: a text from elsewhere may be of any depth. */
function colonsOf(value: unknown): number {
  let count = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (typeof each === "string") count += colonsIn(each);
    else if (Array.isArray(each)) for (const element of each) open.push(element);
    else if (isPlainObject(each)) count += colonsOfFields(each, open);
  }
  return count;
}

function colonsOfFields(fields: Readonly<Record<string, unknown>>, open: unknown[]): number {
  let count = 0;
  // By `for in`, which makes no list: half the time. An inherited name can only have the text looked at.
  for (const key in fields) {
    const field = fields[key];
    count += 1 + colonsIn(key);
    if (typeof field === "string") count += colonsIn(field);
    else if (typeof field === "object" && field !== null) open.push(field);
  }
  return count;
}

/** Goes through a JSON text token by token: a string before a colon is a key of the innermost object. */
function findRepeated(text: string): RepeatedKey | undefined {
  const open: Set<string>[] = [];
  let string: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const end = endOfString(text, at);
      string = text.slice(at, end);
      at = end - 1;
    } else if (character === "{" || character === "[") open.push(new Set());
    else if (character === "}" || character === "]") open.pop();
    else if (character === ":" && string !== undefined) {
      const key = String(JSON.parse(string));
      if (open.at(-1)?.has(key) === true) return { key, line: text.slice(0, at).split("\n").length };
      open.at(-1)?.add(key);
    }
  }
  return undefined;
}

/** Index at which a string that begins at a quote ends. Not a pattern: those overflow on texts of megabytes. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
