import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { editOf } from "../../kernel/diff/edit.ts";

/** Values of one path in a common ancestor and in two files made from it. Undefined if there is none. */
export interface Sides<T = unknown> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

/** Path in a JSON value. */
type Path = readonly (string | number)[];

/** Result of merging two changes of one JSON value. */
export interface MergedData {
  readonly value: unknown;
  /** Paths that both sides changed in different ways, in the order of the value. */
  readonly conflicts: readonly Path[];
}

/** Side whose value is used if both changed the same. */
export type Preferred = "ours" | "theirs";

/** Rules for merging values. */
export interface MergeRules {
  readonly prefer: Preferred;
  /** Depth to which values are merged: not at all, the elements of a list, or the fields at any depth. */
  readonly depth: "fields" | "elements" | "whole";
}

/**
 * Merges two changes of one JSON value field by field. If one side left a field unchanged, takes the other side's.
 * Merges objects by field, and lists by a key of their elements, or by order if they have no key. Pure.
 */
export function mergeData(sides: Sides, rules: MergeRules, path: Path = []): MergedData {
  const { base, ours, theirs } = sides;
  if (isSame(ours, theirs) || isSame(base, theirs)) return { value: ours, conflicts: [] };
  if (isSame(base, ours)) return { value: theirs, conflicts: [] };
  const inFields = rules.depth === "fields";
  const merge = (inner: Sides, key: string | number): MergedData => mergeData(inner, rules, [...path, key]);
  if (inFields && isPlainObject(ours) && isPlainObject(theirs) && (base === undefined || isPlainObject(base)))
    return mergeFields({ base: base ?? {}, ours, theirs }, merge);
  if (rules.depth !== "whole" && isArray(ours) && isArray(theirs) && isArray(base)) {
    const lists = { base, ours, theirs };
    const merged = inFields ? (mergeKeyed(lists, merge) ?? mergeSequence(lists, merge)) : mergeSequence(lists);
    if (merged !== undefined) return merged;
  }
  return { value: sides[rules.prefer], conflicts: [path] };
}

function mergeFields(
  { base, ours, theirs }: Sides<Record<string, unknown>>,
  merge: (inner: Sides, key: string) => MergedData,
): MergedData {
  const names = [...new Set([ours, theirs].flatMap(Object.keys))];
  const fields = names.map((name) => {
    const at = (of: Record<string, unknown>): unknown => (Object.hasOwn(of, name) ? of[name] : undefined);
    return [name, merge({ base: at(base), ours: at(ours), theirs: at(theirs) }, name)] as const;
  });
  return {
    value: Object.fromEntries(
      fields.filter(([, { value }]) => value !== undefined).map(([name, { value }]) => [name, value]),
    ),
    conflicts: fields.flatMap(([, { conflicts }]) => conflicts),
  };
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === undefined || right === undefined) return left === right;
  return stableStringify(left) === stableStringify(right);
}

type List = readonly unknown[];
type MergeElement = (inner: Sides, key: string | number) => MergedData;

/** Fields that identify an element, the likeliest first. A file doesn't contain its step's `keyBy`. */
const KEYS = ["id", "key", "uuid", "sku", "name"] as const;

/**
 * Merges lists whose elements have a key, by that key. Undefined if they have none, or if the two sides put the shared
 * elements in different orders, because the order may have a meaning.
 */
function mergeKeyed({ base, ours, theirs }: Sides<List>, merge: MergeElement): MergedData | undefined {
  const keyed = KEYS.map((key) => [base, ours, theirs].map((list) => byKey(list, key))).find((maps) =>
    maps.every((map) => map !== undefined),
  );
  const [was, our, their] = keyed ?? [];
  if (was === undefined || our === undefined || their === undefined) return undefined;
  const order = mergedOrder({ base: [...was.keys()], ours: [...our.keys()], theirs: [...their.keys()] });
  if (order === undefined) return undefined;
  const merged = order.map((key) =>
    merge({ base: was.get(key), ours: our.get(key), theirs: their.get(key) }, String(key)),
  );
  return {
    value: merged.map(({ value }) => value).filter((value) => value !== undefined),
    conflicts: merged.flatMap(({ conflicts }) => conflicts),
  };
}

function byKey(list: List, key: string): ReadonlyMap<string | number, unknown> | undefined {
  const byKey = new Map<string | number, unknown>();
  for (const element of list) {
    const own = isPlainObject(element) && Object.hasOwn(element, key) ? element[key] : undefined;
    if ((typeof own !== "string" && typeof own !== "number") || byKey.has(own)) return undefined;
    byKey.set(own, element);
  }
  return byKey;
}

type Keys = readonly (string | number)[];

/** All keys: in the order of the side that changed it, each key of the other alone after the one it followed there. */
function mergedOrder({ base, ours, theirs }: Sides<Keys>): Keys | undefined {
  const keepsOurs = isInOrder(base, ours);
  if (!keepsOurs && !isInOrder(base, theirs) && !isInOrder(ours, theirs)) return undefined;
  const [first, second] = keepsOurs ? [theirs, ours] : [ours, theirs];
  const known = new Set(first);
  const following = new Map<string | number | undefined, (string | number)[]>();
  let anchor: string | number | undefined;
  for (const key of second)
    if (known.has(key)) anchor = key;
    else following.set(anchor, [...(following.get(anchor) ?? []), key]);
  return [undefined, ...first].flatMap((key) => [...(key === undefined ? [] : [key]), ...(following.get(key) ?? [])]);
}

/** Returns true if the common items are in the same order in both. */
function isInOrder(left: Keys, right: Keys): boolean {
  const [inOne, inOther] = [new Set(left), new Set(right)];
  return isEqual(
    left.filter((key) => inOther.has(key)),
    right.filter((key) => inOne.has(key)),
  );
}

function isEqual<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index]);
}

/** A stretch of the three lists between elements that all of them have. */
type Stretch = Sides<List> & { readonly at: number };

/**
 * Merges lists by order. Elements that both sides changed are merged by `merge`, if given. Undefined if both sides
 * changed the same stretch, because their elements can't be matched.
 */
function mergeSequence(lists: Sides<List>, merge?: MergeElement): MergedData | undefined {
  const merged: MergedData[] = [];
  for (const stretch of stretchesOf(lists)) {
    const whole = wholeStretch(stretch);
    const elements = whole?.map((value) => ({ value, conflicts: [] })) ?? atPosition(stretch, merge);
    if (elements === undefined) return undefined;
    // No spread into `push`: a list may be longer than a call's arguments.
    for (const element of elements) merged.push(element);
  }
  return {
    value: merged.map(({ value }) => value).filter((value) => value !== undefined),
    conflicts: merged.flatMap(({ conflicts }) => conflicts),
  };
}

/** The lists in stretches, those that all have and those between them in turn. */
function stretchesOf({ base, ours, theirs }: Sides<List>): readonly Stretch[] {
  const [inOurs, inTheirs] = [positionsIn(base, ours), positionsIn(base, theirs)];
  const stretches: Stretch[] = [];
  let [at, our, their] = [0, 0, 0];
  for (let index = 0; index <= base.length; index += 1) {
    const [ourIndex, theirIndex] =
      index === base.length ? [ours.length, theirs.length] : [inOurs.get(index), inTheirs.get(index)];
    if (ourIndex === undefined || theirIndex === undefined) continue;
    stretches.push({
      at,
      base: base.slice(at, index),
      ours: ours.slice(our, ourIndex),
      theirs: theirs.slice(their, theirIndex),
    });
    const shared = base.slice(index, index + 1);
    stretches.push({ at: index, base: shared, ours: shared, theirs: shared });
    [at, our, their] = [index + 1, ourIndex + 1, theirIndex + 1];
  }
  return stretches;
}

/** Positions of elements of the first list in the other, for those that a shortest edit keeps. */
function positionsIn(base: List, other: List): ReadonlyMap<number, number> {
  const positions = new Map<number, number>();
  let [from, to] = [0, 0];
  for (const { kind } of editOf(base.map(stableStringify), other.map(stableStringify))) {
    if (kind === "same") positions.set(from, to);
    if (kind !== "added") from += 1;
    if (kind !== "removed") to += 1;
  }
  return positions;
}

/** Result of a stretch that only one side changed, or that both changed to the same. */
function wholeStretch({ base, ours, theirs }: Stretch): List | undefined {
  const [was, our, their] = [base, ours, theirs].map((list) => stableStringify(list));
  if (our === their || was === their) return ours;
  return was === our ? theirs : undefined;
}

/** Elements that kept their position and were changed there. Undefined if one may have moved. */
function atPosition({ at, base, ours, theirs }: Stretch, merge: MergeElement | undefined): MergedData[] | undefined {
  if (merge === undefined || base.length !== ours.length || base.length !== theirs.length) return undefined;
  const was = base.map(stableStringify);
  const moved = [ours, theirs].some((list) =>
    list.map(stableStringify).some((element, index) => was.includes(element) && was[index] !== element),
  );
  if (moved) return undefined;
  return base.map((element, index) => merge({ base: element, ours: ours[index], theirs: theirs[index] }, at + index));
}
