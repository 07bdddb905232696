import { isArray } from "../../kernel/json/plain-data.ts";

/** What stands at a path of own fields in a value from outside; undefined where the path does not lead anywhere. */
export function fieldAt(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of path) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** The text at a path; empty for anything else. */
export function textAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = fieldAt(value, ...path);
  return typeof found === "string" ? found : "";
}

/** The count at a path; 0 for anything that is no count. */
export function countAt(value: unknown, ...path: readonly (string | number)[]): number {
  const found = fieldAt(value, ...path);
  return typeof found === "number" && Number.isFinite(found) && found > 0 ? found : 0;
}

/** The list at a path; empty for anything else. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = fieldAt(value, ...path);
  return isArray(found) ? found : [];
}

/** A header's value, of a Headers object or a plain record; empty when there is none. */
export function headerOf(headers: unknown, name: string): string {
  if (typeof headers !== "object" || headers === null) return "";
  const get: unknown = Reflect.get(headers, "get");
  const value: unknown = typeof get === "function" ? Reflect.apply(get, headers, [name]) : fieldAt(headers, name);
  return typeof value === "string" ? value : "";
}
