import { types } from "node:util";
import { hasToJson, sortKeys } from "./json-leaf.ts";
import { isArray } from "./plain-data.ts";

// As deep as the quick writer goes.
const MAX_DEPTH = 500;

/** Names that objects keep in the order of numbers, wherever they are put. */
const INDEX = /^\d+$/;

/**
 * A copy of JSON data whose names are in canonical order, so that `JSON.stringify` writes canonical JSON of it, and of
 * which nothing was lost. Undefined where it is not sure of that: for all that speaks for itself, instances, null
 * prototypes, other realms, NaN, what no JSON holds, names like `12` and `__proto__`, what does not end. Each field is
 * read once.
 */
export function sortedCopy(value: unknown): unknown {
  return copied(value, 0);
}

function copied(value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  if (typeof value !== "object" || depth === MAX_DEPTH || types.isProxy(value) || hasToJson(value)) return undefined;
  if (isArray(value)) return copiedItems(value, depth + 1);
  return isOwnPlain(value) ? copiedFields(value, depth + 1) : undefined;
}

function isOwnPlain(value: object): value is Record<string, unknown> {
  return Object.getPrototypeOf(value) === Object.prototype && Object.getOwnPropertySymbols(value).length === 0;
}

function copiedItems(items: readonly unknown[], depth: number): readonly unknown[] | undefined {
  const copy: unknown[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = copied(items[index], depth);
    if (item === undefined) return undefined;
    copy.push(item);
  }
  return copy;
}

function copiedFields(fields: Readonly<Record<string, unknown>>, depth: number): object | undefined {
  const copy: Record<string, unknown> = {};
  for (const name of sortKeys(Object.keys(fields))) {
    const field = fields[name];
    if (field === undefined) continue;
    const part = copied(field, depth);
    if (part === undefined || name === "__proto__" || INDEX.test(name)) return undefined;
    copy[name] = part;
  }
  return copy;
}
