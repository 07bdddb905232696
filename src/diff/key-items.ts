import { formatPath, quote } from "../base/text.ts";
import { typeName } from "../base/plain-data.ts";
import type { KeyFn } from "./types.ts";

/** How the elements of an array are identified; `path` names the array in messages. */
export interface Identity {
  readonly key: KeyFn;
  readonly path: string;
}

/**
 * Turns an array into a record keyed by the identity of its elements, with a null prototype so that ids such as
 * `__proto__` and `toString` are keys like any other. `path` names the array in messages.
 *
 * Throws a TypeError when an element lacks the key field, when a key is neither string nor number, and when two
 * elements share a key: an identity that is not unique would hide a change. `1` and `"1"` are the same key.
 */
export function keyItems(items: readonly unknown[], key: KeyFn, path: string): Record<string, unknown> {
  const keyed: Record<string, unknown> = { __proto__: null };
  const identity = { key, path };
  for (let index = 0; index < items.length; index += 1) {
    const id = idAt(items, index, identity);
    if (id in keyed) throw duplicateKey(id, path);
    keyed[id] = items[index];
  }
  return keyed;
}

/**
 * Keys an array that stands at the root, where no dot path reaches; see `keyItems`, whose TypeErrors it throws.
 * `label` names the array in messages.
 */
export function normalizeArrayForDiff(
  items: readonly unknown[],
  keyFn: KeyFn,
  label: string = formatPath([]),
): Record<string, unknown> {
  return keyItems(items, keyFn, label);
}

/** The identity of one element, as text. Throws the TypeErrors of `keyItems`, but for duplicates. */
export function idAt(items: readonly unknown[], index: number, { key, path }: Identity): string {
  const item = items[index];
  if (typeof key === "function") return String(checkedKey(key(item)));
  const id = hasField(item, key) ? item[key] : undefined;
  if (typeof id === "string") return id;
  if (id === undefined) throw new TypeError(`keyBy: element at ${path}[${index}] has no field ${quote(key)}`);
  return String(checkedKey(id));
}

/** The error of an identity that is not unique. */
export function duplicateKey(id: string, path: string): TypeError {
  return new TypeError(`keyBy: duplicate key ${quote(id)} in ${path}`);
}

function hasField(item: unknown, field: string): item is Readonly<Record<string, unknown>> {
  return typeof item === "object" && item !== null && Object.hasOwn(item, field);
}

function checkedKey(key: unknown): string | number {
  if (typeof key === "string" || typeof key === "number") return key;
  throw new TypeError(`keyBy: key must be string or number, got ${typeName(key)}`);
}
