import { isDate, isMap, isSet } from "node:util/types";
import { isPlainObject } from "./is-plain-object.ts";

/**
 * A deep copy of data, made in the caller's realm (structuredClone's objects belong to another one under Jest).
 * Arrays, plain objects, Dates, Maps and Sets are copied, cycles kept; anything else is kept by reference.
 */
export function cloneData(value: unknown): unknown {
  return clone(value, new Map());
}

function clone(value: unknown, seen: Map<object, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const known = seen.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value)) return cloneArray(value, seen);
  if (isPlainObject(value)) return cloneObject(value, seen);
  if (isDate(value)) return new Date(value);
  if (isMap(value)) return new Map([...value].map(([key, item]) => [clone(key, seen), clone(item, seen)]));
  if (isSet(value)) return new Set([...value].map((item) => clone(item, seen)));
  return value;
}

function cloneArray(value: readonly unknown[], seen: Map<object, unknown>): unknown[] {
  const copy: unknown[] = [];
  seen.set(value, copy);
  for (const item of value) copy.push(clone(item, seen));
  return copy;
}

function cloneObject(value: Record<string, unknown>, seen: Map<object, unknown>): object {
  const copy: object = Object.create(Object.getPrototypeOf(value));
  seen.set(value, copy);
  for (const [key, item] of Object.entries(value)) {
    // An own `__proto__` key must stay a key; assignment would set the prototype.
    Object.defineProperty(copy, key, { value: clone(item, seen), writable: true, enumerable: true, configurable: true });
  }
  return copy;
}
