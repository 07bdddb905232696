import type { KeyBy, KeyFn, OrderedKey } from "./compare-rules.ts";
import { isArray, isObject, isPlainObject, setOwnField, typeName } from "../json/plain-data.ts";
import { refuseUnknownOptions } from "../did-you-mean.ts";
import { formatPath, quote } from "../text.ts";
import type { DiffResult } from "./entries.ts";
import { ANY_NAMES, type RulePath, hasWildcard, isFullyMatched, rulePath, advancePaths } from "./rule-path.ts";

/** One path of a `keyBy`, taken apart, and how far it leads. */
export interface KeyedPath extends RulePath {
  readonly path: string;
  readonly key: KeyFn;
  /** True if the order counts. */
  readonly ordered: boolean;
}

/** Functions that replace the lists that a `keyBy` names, from the outermost on. */
export interface KeyedWork {
  /** The ids of a list's elements, in order: paths may name them. Undefined if the list stays unchanged. */
  readonly idsOf: (items: readonly unknown[], identity: Identity) => readonly string[] | undefined;
  /** Replacement of a list; in `items` the keyed lists below are replaced already, `whole` is the original list. */
  readonly list: (list: KeyedItems) => unknown;
  /** Replacement of a record that is in place of a list. Default: the record. */
  readonly record?: (fields: Readonly<Record<string, unknown>>) => unknown;
}

/** A list that a `keyBy` names. */
export interface KeyedItems {
  readonly at: Path;
  readonly identity: Identity;
  readonly whole: readonly unknown[];
  readonly items: readonly unknown[];
  readonly ids: readonly string[];
}

type Path = readonly (string | number)[];

/**
 * Turns each array that a path of `keyBy` names into a record with the key of each element, so that a different order
 * isn't a change. The value itself isn't changed; only the parts on a path are copied. Paths lead through own
 * properties of plain objects, and into the elements of arrays: into every element, or into the element with the key or
 * index that the path names. If several paths name one array, the longest path counts. A path that doesn't lead to an
 * array is skipped, because outputs can be partial. Without `keyBy`, returns the same value. Throws the TypeErrors of
 * `normalizeArrayForDiff`.
 */
export function normalizeForDiff(value: unknown, keyBy?: KeyBy): unknown {
  return mapKeyed(value, keyedPaths(keyBy), { idsOf: uniqueIds, list: recordOf });
}

/**
 * Replaces the arrays that a `keyBy` names; returns the same value if there are none. Throws the errors of the work.
 */
export function mapKeyed(value: unknown, paths: readonly KeyedPath[], work: KeyedWork): unknown {
  return new KeyedWalk(work).at(value, paths, []);
}

/**
 * The paths of a `keyBy`, longer first, so that the result does not depend on the order in which they were written.
 * Throws a TypeError for an unknown option of a key, and for `**`.
 */
export function keyedPaths(keyBy: KeyBy = {}): KeyedPath[] {
  const paths = Object.entries(keyBy).map(([path, key]) => ({ ...rulePath(path), path, ...keyOf(path, key) }));
  return paths.sort((a, b) => b.names.length - a.names.length || (a.path < b.path ? -1 : 1));
}

function keyOf(path: string, key: KeyFn | OrderedKey): Pick<KeyedPath, "key" | "ordered"> {
  if (path === ANY_NAMES) throw new TypeError(`keyBy: "${ANY_NAMES}" can't name lists. Name each list by its path.`);
  if (typeof key === "object") {
    refuseUnknownOptions(`keyBy[${quote(path)}]`, key, ["by", "ordered"]);
    return { key: key.by, ordered: key.ordered === true };
  }
  return { key, ordered: false };
}

class KeyedWalk {
  readonly #work: KeyedWork;
  /** The arrays that stand directly in one another above: a path passes them all, and would never leave a cycle. */
  readonly #arrays = new Set<unknown>();

  constructor(work: KeyedWork) {
    this.#work = work;
  }

  at(value: unknown, paths: readonly KeyedPath[], at: Path): unknown {
    if (paths.length === 0) return value;
    if (isArray(value)) return this.#array(value, paths, at);
    if (!isPlainObject(value)) return value;
    const below = paths.filter((path) => !isFullyMatched(path));
    const fields = below.length === 0 ? value : this.#fields(value, below, at);
    return below.length === paths.length ? fields : (this.#work.record?.(fields) ?? fields);
  }

  #fields(value: Readonly<Record<string, unknown>>, paths: readonly KeyedPath[], at: Path): Record<string, unknown> {
    let fields = value;
    const names = paths.some(hasWildcard)
      ? Object.keys(value)
      : new Set(paths.map(({ names: all, matched }) => all[matched] ?? ""));
    for (const name of names) {
      if (!Object.hasOwn(value, name)) continue;
      const inner = this.at(value[name], advancePaths(paths, name, false), [...at, name]);
      if (inner !== value[name]) fields = withField(fields, name, inner);
    }
    return fields;
  }

  #array(whole: readonly unknown[], paths: readonly KeyedPath[], at: Path): unknown {
    if (this.#arrays.has(whole) || this.#arrays.size === MAX_NESTED) return whole;
    const match = paths.find(isFullyMatched);
    const identity = match === undefined ? undefined : { key: match.key, path: formatPath(at), ordered: match.ordered };
    const ids = identity === undefined ? undefined : this.#work.idsOf(whole, identity);
    const below = paths.filter((path) => !isFullyMatched(path));
    this.#arrays.add(whole);
    const items = below.length === 0 ? whole : this.#items(whole, { paths: below, at, ids });
    this.#arrays.delete(whole);
    return identity === undefined || ids === undefined ? items : this.#work.list({ at, identity, whole, items, ids });
  }

  #items(
    whole: readonly unknown[],
    {
      paths,
      at,
      ids,
    }: { readonly paths: readonly KeyedPath[]; readonly at: Path; readonly ids?: readonly string[] | undefined },
  ): readonly unknown[] {
    const items = Array.from(whole, (item, index) => {
      const segment = ids?.[index] ?? index;
      return this.at(item, advancePaths(paths, segment, true), [...at, segment]);
    });
    return items.every((item, index) => item === whole[index]) ? whole : items;
  }
}

/** Arrays directly in arrays that a path passes: far from overflowing a stack, far above the depth of real data. */
const MAX_NESTED = 500;

/** The identities of all elements, in order. Throws the TypeErrors of `normalizeArrayForDiff`. */
export function uniqueIds(items: readonly unknown[], identity: Identity): readonly string[] {
  const ids = new Set<string>();
  for (let index = 0; index < items.length; index += 1) {
    const id = idAt(items, index, identity);
    if (ids.has(id)) throw duplicateKey(id, identity.path);
    ids.add(id);
  }
  return [...ids];
}

/** Returns `uniqueIds`; undefined if the key doesn't fit the elements, or is not unique. */
export function idsIfUnique(items: readonly unknown[], identity: Identity): readonly string[] | undefined {
  try {
    return uniqueIds(items, identity);
  } catch {
    return undefined;
  }
}

function recordOf({
  whole,
  items,
  ids,
  identity,
}: Pick<KeyedItems, "whole" | "items" | "ids"> & { readonly identity?: Identity }): Record<string, unknown> {
  const keyed: Record<string, unknown> = { __proto__: null };
  for (let index = 0; index < ids.length; index += 1) keyed[ids[index] ?? ""] = items[index];
  keyedRecords.set(keyed, whole);
  if (identity?.ordered === true) orders.set(keyed, ids);
  return keyed;
}

function withField(fields: Readonly<Record<string, unknown>>, name: string, value: unknown): Record<string, unknown> {
  const copy: Record<string, unknown> =
    Object.getPrototypeOf(fields) === null ? { __proto__: null, ...fields } : { ...fields };
  setOwnField(copy, name, value);
  return copy;
}

/** The lists that records stand for. */
const keyedRecords = new WeakMap<object, readonly unknown[]>();

/** Identities of ordered lists that records replace, in order: a record has another one if they are numbers. */
const orders = new WeakMap<object, readonly string[]>();

/** Returns the identities of the ordered list that a record replaces; undefined for any other value. */
export function orderOf(value: object): readonly string[] | undefined {
  return orders.get(value);
}

/** The original list of a record, before it was keyed; undefined for any other value. */
export function originalList(value: unknown): readonly unknown[] | undefined {
  return isObject(value) ? keyedRecords.get(value) : undefined;
}

/** A diff whose values are as they were before lists were keyed: for people, who know no such record. */
export function entriesWithoutKeys(keyed: DiffResult): DiffResult {
  const entries = keyed.entries.map((entry) => ({
    ...entry,
    before: withoutKeys(entry.before),
    after: withoutKeys(entry.after),
  }));
  return { equal: keyed.equal, entries };
}

function withoutKeys(value: unknown): unknown {
  if (isArray(value)) {
    const items = value.map(withoutKeys);
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  if (!isPlainObject(value)) return value;
  const list = keyedRecords.get(value);
  if (list !== undefined) return list;
  const entries = Object.entries(value).map(([name, inner]) => [name, withoutKeys(inner)] as const);
  return entries.every(([name, inner]) => inner === value[name]) ? value : Object.fromEntries(entries);
}

/** Identity of the elements of an array; `path` names the array in messages. */
export interface Identity {
  readonly key: KeyFn;
  readonly path: string;
  /** True if the order of the elements counts. */
  readonly ordered?: boolean;
}

/**
 * Turns an array into a record keyed by the identity of its elements, with a null prototype so that ids such as
 * `__proto__` and `toString` are keys like any other. `label` names the array in messages: one at the root has no path.
 *
 * Throws a TypeError when an element lacks the key field, when a key is neither string nor number, and when two
 * elements share a key: an identity that is not unique would hide a change. `1` and `"1"` are the same key.
 */
export function normalizeArrayForDiff(
  items: readonly unknown[],
  keyFn: KeyFn,
  label: string = formatPath([]),
): Record<string, unknown> {
  return recordOf({ whole: items, items, ids: uniqueIds(items, { key: keyFn, path: label }) });
}

/** The identity of one element, as text. Throws the TypeErrors of `normalizeArrayForDiff`, but for duplicates. */
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
 * An array in place of the record that `normalizeArrayForDiff` makes of it, as one side of `diff`: it builds nothing
 * while both sides are in the same order. After an error, `diff` uses the records instead, so the errors that a check
 * reports are those of `uniqueIds`.
 */
export class KeyedList {
  readonly items: readonly unknown[];
  readonly #identity: Identity;

  constructor(items: readonly unknown[], identity: Identity) {
    this.items = items;
    this.#identity = identity;
  }

  /** The identity of the element at an index. Throws the TypeErrors of `idAt`. */
  idAt(index: number): string {
    return idAt(this.items, index, this.#identity);
  }

  /** The identities of all elements, in order. Throws like `idAt`. */
  ids(): string[] {
    return Array.from(this.items, (_, index) => this.idAt(index));
  }

  /** The element of an id, by a slow search: the first, if there are several. */
  itemOf(id: string): unknown {
    return this.items.find((_, index) => this.idAt(index) === id);
  }

  /** The error of a repeated id. */
  duplicate(id: string): TypeError {
    return duplicateKey(id, this.#identity.path);
  }
}
