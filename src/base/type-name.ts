import { isArray } from "./is-array.ts";
import { isPlainObject } from "./is-plain-object.ts";
import { escapeText } from "./text.ts";

/**
 * Names what kind of value this is, for messages: `null`, `array`, `object` for a plain object, the class name of an
 * instance (`Map`, `Error`), else the `typeof`. Terminal-safe. Never throws.
 */
export function typeName(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  try {
    if (isArray(value)) return "array";
    return isPlainObject(value) ? "object" : className(value);
  } catch {
    // A revoked proxy or a throwing getter must not hide the message this name is meant for.
    return "object";
  }
}

/** Puts the indefinite article before a name: `a Map`, `an Error`. */
export function withArticle(name: string): string {
  // "u" is left out: the names that begin with it are spoken "you" (Uint8Array, URL).
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}

function className(value: object): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (typeof prototype !== "object" || prototype === null) return "object";
  const name: unknown = prototype.constructor?.name;
  return typeof name === "string" && name !== "" ? escapeText(name) : "class instance";
}
