import { formatPath } from "../base/text.ts";
import { isArray, isPlainObject, setOwnField } from "../base/plain-data.ts";
import { keyItems } from "./key-items.ts";
import type { KeyBy, KeyFn } from "./types.ts";

export { keyItems, normalizeArrayForDiff } from "./key-items.ts";

/** One path of a `keyBy`, taken apart. */
export interface KeyedPath {
  readonly path: readonly string[];
  readonly key: KeyFn;
}

/**
 * Turns the array at each path of `keyBy` into a record keyed by identity, so that a new order is no change and a diff
 * names elements by id. For comparison only: the value itself is not changed, just what lies on a path is copied.
 *
 * Paths lead through own properties of plain objects, and through records keyed by a shorter path; a path that leads
 * nowhere or to something else than an array is skipped, for outputs are partial. Without `keyBy` the value itself
 * comes back. Throws the TypeErrors of `keyItems`.
 */
export function normalizeForDiff(value: unknown, keyBy?: KeyBy): unknown {
  return keyedPaths(keyBy).reduce(
    (normalized, { path, key }) => replaceArray(normalized, path, (items) => keyItems(items, key, formatPath(path))),
    value,
  );
}

/**
 * The paths of a `keyBy`, shorter first, so that the result does not depend on the order in which they were written.
 */
export function keyedPaths(keyBy: KeyBy = {}): KeyedPath[] {
  const paths = Object.entries(keyBy).map(([path, key]) => ({ path: path.split("."), key }));
  return paths.sort((a, b) => a.path.length - b.path.length);
}

/** What stands at a path through own properties of plain objects; undefined when it leads nowhere. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let inner = value;
  for (const name of path) {
    if (!isPlainObject(inner) || !Object.hasOwn(inner, name)) return undefined;
    inner = inner[name];
  }
  return inner;
}

/** The value with something else in place of the array at a path; the value itself when the path leads to no array. */
export function replaceArray(
  value: unknown,
  path: readonly string[],
  replacement: (items: readonly unknown[]) => unknown,
): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return isArray(value) ? replacement(value) : value;
  if (!isPlainObject(value) || !Object.hasOwn(value, name)) return value;
  const inner = value[name];
  const replaced = replaceArray(inner, rest, replacement);
  return replaced === inner ? value : withField(value, name, replaced);
}

function withField(fields: Readonly<Record<string, unknown>>, name: string, value: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> =
    Object.getPrototypeOf(fields) === null ? { __proto__: null, ...fields } : { ...fields };
  setOwnField(copy, name, value);
  return copy;
}
