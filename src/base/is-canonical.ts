import { types } from "node:util";
import { isArray } from "./is-array.ts";
import { hasToJson } from "./json-leaf.ts";

// As deep as the quick writer goes: this check must not be what overflows a stack.
const MAX_DEPTH = 500;

/**
 * Tells whether `JSON.stringify` writes an object or array as canonical JSON: all that it holds is plain data, and the
 * names in each object are in order, as in what was read from a file that this library wrote. False where it is not
 * sure: for proxies, whose reads may count, null prototypes, other realms, and depths from 500 on.
 */
export function isCanonical(value: object, depth: number = 0): boolean {
  if (depth === MAX_DEPTH || types.isProxy(value) || hasToJson(value)) return false;
  if (isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isCanonicalPart(value[index], depth)) return false;
    return true;
  }
  // Not a null prototype: what `JSON.rawJSON` makes has one, and is written as it is.
  return isOwnPlain(value) && areInOrder(value, depth);
}

function isOwnPlain(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype;
}

function areInOrder(fields: Readonly<Record<string, unknown>>, depth: number): boolean {
  let previous = "";
  // By `for in`, which makes no list of the names: half the time. An inherited name can only make the answer false.
  for (const name in fields) {
    if (name < previous || !isCanonicalPart(fields[name], depth)) return false;
    previous = name;
  }
  return true;
}

function isCanonicalPart(value: unknown, depth: number): boolean {
  if (typeof value === "object") return value === null || isCanonical(value, depth + 1);
  return typeof value !== "function" && typeof value !== "bigint" && typeof value !== "symbol";
}
