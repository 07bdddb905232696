import type { KeyBy, KeyFn } from "../base/compare-rules.ts";
import { isArray, isPlainObject, setOwnField, typeName } from "../base/plain-data.ts";
import { formatPath, quote } from "../base/text.ts";

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
  return normalizePaths(value, keyedPaths(keyBy));
}

/** The same for paths that are taken apart already. */
export function normalizePaths(value: unknown, paths: readonly KeyedPath[]): unknown {
  return paths.reduce(
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
  if (keyedRecords.has(fields)) keyedRecords.add(copy);
  return copy;
}

/** The records that stand for lists. */
const keyedRecords = new WeakSet<object>();

/** A value of a diff as it was before lists were keyed: for people, who know no such record. */
export function withoutKeys(value: unknown): unknown {
  if (isArray(value)) return value.map(withoutKeys);
  if (!isPlainObject(value)) return value;
  if (keyedRecords.has(value)) return Object.values(value).map(withoutKeys);
  const entries = Object.entries(value).map(([name, inner]) => [name, withoutKeys(inner)] as const);
  return entries.every(([name, inner]) => inner === value[name]) ? value : Object.fromEntries(entries);
}

/** How the elements of an array are identified; `path` names the array in messages. */
interface Identity {
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
  keyedRecords.add(keyed);
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
function idAt(items: readonly unknown[], index: number, { key, path }: Identity): string {
  const item = items[index];
  if (typeof key === "function") return String(checkedKey(key(item)));
  const id = hasField(item, key) ? item[key] : undefined;
  if (typeof id === "string") return id;
  if (id === undefined) throw new TypeError(`keyBy: element at ${path}[${index}] has no field ${quote(key)}`);
  return String(checkedKey(id));
}

/** The error of an identity that is not unique. */
function duplicateKey(id: string, path: string): TypeError {
  return new TypeError(`keyBy: duplicate key ${quote(id)} in ${path}`);
}

function hasField(item: unknown, field: string): item is Readonly<Record<string, unknown>> {
  return typeof item === "object" && item !== null && Object.hasOwn(item, field);
}

function checkedKey(key: unknown): string | number {
  if (typeof key === "string" || typeof key === "number") return key;
  throw new TypeError(`keyBy: key must be string or number, got ${typeName(key)}`);
}

/**
 * An array in place of the record that `keyItems` makes of it, as one side of a diff by key: nothing has to be built or
 * looked up as long as both sides are in the same order.
 */
export class KeyedList {
  readonly items: readonly unknown[];
  readonly #identity: Identity;

  constructor(items: readonly unknown[], identity: Identity) {
    this.items = items;
    this.#identity = identity;
  }

  /** The identity of the element at a place. Throws the TypeErrors of `keyItems`, but for duplicates. */
  idAt(index: number): string {
    return idAt(this.items, index, this.#identity);
  }

  /** The identities of all elements, in order. Throws like `idAt`. */
  ids(): string[] {
    return Array.from(this.items, (_, index) => this.idAt(index));
  }

  /** The element of an id, found slowly: the first, where there are several. */
  itemOf(id: string): unknown {
    return this.items.find((_, index) => this.idAt(index) === id);
  }

  /** The error of an id that comes twice. */
  duplicate(id: string): TypeError {
    return duplicateKey(id, this.#identity.path);
  }
}
