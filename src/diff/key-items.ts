import { formatPath } from "../base/format-path.ts";
import { quote } from "../base/text.ts";
import { typeName } from "../base/type-name.ts";
import type { KeyFn } from "./types.ts";

/**
 * Turns an array into a record keyed by the identity of its elements, with a null prototype so that ids such as
 * `__proto__` and `toString` are keys like any other. `path` names the array in messages.
 *
 * Throws a TypeError when an element lacks the key field, when a key is neither string nor number, and when two
 * elements share a key: an identity that is not unique would hide a change. `1` and `"1"` are the same key.
 */
export function keyItems(items: readonly unknown[], key: KeyFn, path: string): Record<string, unknown> {
  const keyed: Record<string, unknown> = { __proto__: null };
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index];
    const id = String(typeof key === "string" ? fieldKey(item, key, `${path}[${index}]`) : checkedKey(key(item)));
    if (id in keyed) throw new TypeError(`keyBy: duplicate key ${quote(id)} in ${path}`);
    keyed[id] = item;
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

function fieldKey(item: unknown, field: string, where: string): string | number {
  if (typeof item === "object" && item !== null) {
    const key: unknown = Object.hasOwn(item, field) ? Reflect.get(item, field) : undefined;
    if (key !== undefined) return checkedKey(key);
  }
  throw new TypeError(`keyBy: element at ${where} has no field ${quote(field)}`);
}

function checkedKey(key: unknown): string | number {
  if (typeof key === "string" || typeof key === "number") return key;
  throw new TypeError(`keyBy: key must be string or number, got ${typeName(key)}`);
}
