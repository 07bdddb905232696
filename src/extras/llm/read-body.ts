import { memberOf } from "../../kernel/json/plain-data.ts";
import { listIn, recordIn } from "../../kernel/json/read-data.ts";

/** Returns the value at a path of own fields in untrusted data; undefined if the path doesn't exist. */
export function fieldAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

/** Returns the text at a path; empty for anything else. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const current = fieldAt(value, ...path);
  return typeof current === "string" ? current : "";
}

/** Returns the count at a path; 0 for anything else. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number {
  const current = fieldAt(value, ...path);
  return typeof current === "number" && Number.isFinite(current) && current > 0 ? current : 0;
}

/** Returns the status of an HTTP error at a path: a number from 400 to 599; undefined for anything else. */
export function errorStatusAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const current = fieldAt(value, ...path);
  return typeof current === "number" && current >= 400 && current <= 599 ? current : undefined;
}

/** Returns the object at a path; an empty one for anything else. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): object {
  return recordIn(fieldAt(value, ...path));
}

/** Returns the list at a path; empty for anything else. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  return listIn(fieldAt(value, ...path));
}

/** Returns a header's value, from a Headers object or a plain record; empty if it's missing. */
export function headerOf(headers: unknown, name: string): string {
  const get = memberOf(headers, "get");
  const value: unknown = typeof get === "function" ? Reflect.apply(get, headers, [name]) : fieldAt(headers, name);
  return typeof value === "string" ? value : "";
}
