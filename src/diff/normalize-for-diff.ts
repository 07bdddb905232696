import { formatPath } from "../base/format-path.ts";
import { isArray } from "../base/is-array.ts";
import { isPlainObject } from "../base/is-plain-object.ts";
import { keyItems } from "./key-items.ts";
import type { KeyBy, KeyFn } from "./types.ts";

export { keyItems, normalizeArrayForDiff } from "./key-items.ts";

interface KeyedPath {
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
  const keyedPaths = Object.entries(keyBy ?? {}).map(([path, key]) => ({ path: path.split("."), key }));
  // Shorter first, so that the result does not depend on the order in which the paths were written.
  keyedPaths.sort((a, b) => a.path.length - b.path.length);
  return keyedPaths.reduce<unknown>((normalized, keyedPath) => keyAt(normalized, keyedPath, 0), value);
}

/** Returns the value with the array at the path keyed, or the value itself when the path leads to no array. */
function keyAt(value: unknown, keyedPath: KeyedPath, depth: number): unknown {
  const { path, key } = keyedPath;
  if (depth === path.length) return isArray(value) ? keyItems(value, key, formatPath(path)) : value;
  const name = path[depth];
  if (name === undefined || !isPlainObject(value) || !Object.hasOwn(value, name)) return value;
  const inner = value[name];
  const keyed = keyAt(inner, keyedPath, depth + 1);
  return keyed === inner ? value : withField(value, name, keyed);
}

function withField(fields: Readonly<Record<string, unknown>>, name: string, value: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> =
    Object.getPrototypeOf(fields) === null ? { __proto__: null, ...fields } : { ...fields };
  // Assignment would run the `__proto__` setter for a field of that name.
  Object.defineProperty(copy, name, { value, writable: true, enumerable: true, configurable: true });
  return copy;
}
