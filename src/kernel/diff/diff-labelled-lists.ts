import { stableStringify } from "../json/canonical-json.ts";
import { isArray, isObject, isPlainObject, typeName } from "../json/plain-data.ts";
import { type Pair, SIMILAR, bestPairs, similarity } from "./align-lists.ts";
import { editOf } from "./edit.ts";
import { pathBefore, sortEntries, type DiffEntry, type DiffResult } from "./entries.ts";
import { diff } from "./diff.ts";

/** View of the items of a list for a comparison. */
export interface ItemView {
  /** Name of an item. */
  readonly label: (item: unknown) => string;
  /** The value of an item in entries. Default: the item. */
  readonly decode?: (item: unknown) => unknown;
}

interface Changes {
  readonly removed: unknown[];
  readonly added: unknown[];
}

/**
 * Compares two lists whose order has no meaning, by canonical JSON: an added item is one entry at `[label(item)]`, with
 * `before` undefined; a removed one has `after` undefined. If a label has removed and added items, the most similar are
 * pairs, and the entries of a pair are those inside the item. Further changes of a label are named `label #2`,
 * `label #3`. The result does not depend on the order of either list; entries come in path order. Throws the TypeError
 * of `stableStringify` for an item that JSON cannot represent.
 */
export function diffMultiset(
  before: readonly unknown[],
  after: readonly unknown[],
  { label, decode = itself }: ItemView,
): DiffResult {
  const changes = collectChanges(before, after, label);
  const names = new Set(changes.keys());
  const entries = [...changes].flatMap(([name, { removed, added }]) => {
    // Dates and Maps are data as they are stored, which tells one from another.
    const pairs = changedPairs(removed, added);
    return labelEntries(name, { removed: removed.map(decode), added: added.map(decode), pairs }, names);
  });
  return { equal: entries.length === 0, entries: sortEntries(entries) };
}

/**
 * Compares two lists whose order counts: equal items are aligned, and between them items of one label, the similar ones
 * first. With the alignment `label`, only the labels count. A new item is one entry at its index, a removed one at its
 * old index, and the rest are the entries inside of items. Throws the TypeError of `stableStringify` for an item that
 * JSON cannot represent.
 */
export function diffAligned(
  before: readonly unknown[],
  after: readonly unknown[],
  { label, decode = itself, alignment = "content" }: ItemView & { readonly alignment?: "content" | "label" },
): DiffResult {
  const entries: DiffEntry[] = [];
  let [old, now] = [0, 0];
  const reportUpTo = (was: number, is: number): void => {
    for (; old < was; old += 1)
      entries.push({ path: [old], before: decode(before[old]), after: undefined, edit: "removed" });
    for (; now < is; now += 1)
      entries.push({ path: [now], before: undefined, after: decode(after[now]), edit: "inserted" });
  };
  const pairs =
    alignment === "label" ? keptPairs(before.map(label), after.map(label)) : alignedPairs(before, after, label);
  for (const [was, is] of pairs) {
    reportUpTo(was, is);
    for (const entry of diff(decode(before[was]), decode(after[is])).entries)
      entries.push({ ...entry, path: [is, ...entry.path], ...(was !== is && { was: [was, ...pathBefore(entry)] }) });
    [old, now] = [was + 1, is + 1];
  }
  reportUpTo(before.length, after.length);
  return { equal: entries.length === 0, entries };
}

/** Pairs equal items in the order of both lists, and between these the items of one label. */
function alignedPairs(before: readonly unknown[], after: readonly unknown[], label: ItemView["label"]): Pair[] {
  const equal = keptPairs(before.map(stableStringify), after.map(stableStringify));
  const pairs: Pair[] = [];
  let [old, now] = [0, 0];
  for (const [was, is] of [...equal, [before.length, after.length] as const]) {
    const gap = pairsOfLabels(before.slice(old, was), after.slice(now, is), label);
    for (const [row, column] of gap) pairs.push([old + row, now + column]);
    if (was < before.length) pairs.push([was, is]);
    [old, now] = [was + 1, is + 1];
  }
  return pairs;
}

function pairsOfLabels(
  before: readonly unknown[],
  after: readonly unknown[],
  label: ItemView["label"],
): readonly Pair[] {
  const [was, is] = [before.map(label), after.map(label)];
  const [old, now] = [before.map(withInnerFields), after.map(withInnerFields)];
  const similar = bestPairs(before.length, after.length, (row, column) =>
    was[row] === is[column] ? 1 + similarity(old[row], now[column]) : 0,
  );
  return similar ?? keptPairs(was, is);
}

/** Indexes of the items that a shortest edit keeps. */
function keptPairs(before: readonly string[], after: readonly string[]): readonly Pair[] {
  const pairs: Pair[] = [];
  let [was, is] = [0, 0];
  for (const { kind } of editOf(before, after)) {
    if (kind === "same") pairs.push([was, is]);
    if (kind !== "added") was += 1;
    if (kind !== "removed") is += 1;
  }
  return pairs;
}

/** The fields of an item, with those of its fields: events differ in their payload. */
function withInnerFields(item: unknown): unknown {
  if (!isPlainObject(item)) return item;
  const fields = Object.entries(item).flatMap(([name, value]) =>
    isPlainObject(value)
      ? Object.entries(value).map(([inner, field]) => [`${name}.${inner}`, field] as const)
      : [[name, value] as const],
  );
  return Object.fromEntries(fields);
}

function itself(item: unknown): unknown {
  return item;
}

function collectChanges(
  before: readonly unknown[],
  after: readonly unknown[],
  label: (item: unknown) => string,
): Map<string, Changes> {
  const changes = new Map<string, Changes>();
  const [old, current] = [Map.groupBy(before, stableStringify), Map.groupBy(after, stableStringify)];
  for (const item of surplus(old, current)) changesOf(changes, label(item)).removed.push(item);
  for (const item of surplus(current, old)) changesOf(changes, label(item)).added.push(item);
  return changes;
}

/** Lists the items that one list has more often than the other, in the order of their content. */
function surplus(groups: ReadonlyMap<string, unknown[]>, subtracted: ReadonlyMap<string, unknown[]>): unknown[] {
  // By content, so that the order of a list leaves no trace.
  return [...groups.keys()].sort().flatMap((content) => {
    const items = groups.get(content) ?? [];
    return items.slice(subtracted.get(content)?.length ?? 0);
  });
}

function changesOf(changes: Map<string, Changes>, name: string): Changes {
  const known = changes.get(name) ?? { removed: [], added: [] };
  changes.set(name, known);
  return known;
}

function labelEntries(
  name: string,
  { removed, added, pairs }: Changes & { readonly pairs: readonly Pair[] },
  names: Set<string>,
): DiffEntry[] {
  const [pairedBefore, pairedAfter] = [new Set(pairs.map(([was]) => was)), new Set(pairs.map(([, is]) => is))];
  const changes: readonly (readonly Omit<DiffEntry, "edit" | "was">[])[] = [
    ...pairs.map(([was, is]) => {
      const [before, after] = [removed[was], added[is]];
      const { entries } = diff(before, after);
      // Unequal JSON that `diff` reports as equal, as `undefined` and an absent element: still one change.
      return entries.length === 0 ? [{ path: [], before, after }] : entries;
    }),
    ...without(removed, pairedBefore).map((before) => [{ path: [], before, after: undefined }]),
    ...without(added, pairedAfter).map((after) => [{ path: [], before: undefined, after }]),
  ];
  return changes.flatMap((entries, index) => {
    const first = index === 0 ? name : freeName(name, index + 1, names);
    return entries.map((entry) => ({ ...entry, path: [first, ...entry.path] }));
  });
}

function without(items: readonly unknown[], indexes: ReadonlySet<number>): readonly unknown[] {
  return items.filter((_, index) => !indexes.has(index));
}

/** Pairs of items of which the similarity is computed. */
const MAX_CHANGED = 10_000;

/** Pairs the most similar items of a label. A single one before and after was changed, whatever they have in common. */
function changedPairs(removed: readonly unknown[], added: readonly unknown[]): readonly Pair[] {
  if (removed.length * added.length > MAX_CHANGED) return [];
  if (removed.length === 1 && added.length === 1) return [[0, 0]];
  const { parts, sharedCount } = distinctParts([...removed, ...added]);
  const [before, after] = [parts.slice(0, removed.length), parts.slice(removed.length)];
  const identifying = identifyingParts(before, after);
  const rated = before.flatMap((old, was) =>
    after.map((now, is) => {
      const isSame = identifying.has(`${was} ${is}`);
      const share = similarity(old, now);
      return {
        was,
        is,
        rank: share + (isSame ? 1 : 0),
        isRelated: isSame || isMostlyEqual(old, now, { share, sharedCount }),
      };
    }),
  );
  const [old, current] = [new Set<number>(), new Set<number>()];
  const pairs = rated
    .toSorted((a, b) => b.rank - a.rank)
    .flatMap(({ was, is, isRelated }): readonly Pair[] => {
      if (!isRelated || old.has(was) || current.has(is)) return [];
      old.add(was);
      current.add(is);
      return [[was, is]];
    });
  return pairs.toSorted(([a], [b]) => a - b);
}

/** True if half of the parts that differ between the items are equal in both, or more than half of all their parts. */
function isMostlyEqual(
  old: unknown,
  now: unknown,
  { share, sharedCount }: { readonly share: number; readonly sharedCount: number },
): boolean {
  if (share >= SIMILAR) return true;
  if (!isPlainObject(old) || !isPlainObject(now)) return false;
  const distinctCount = new Set([...Object.keys(old), ...Object.keys(now)]).size;
  return (share * distinctCount + sharedCount) / Math.max(distinctCount + sharedCount, 1) > SIMILAR;
}

/** End of the path of an ID. An amount may be the same by chance. */
const ID = /(?:[._-]|[a-z](?=[A-Z]))(?:id|uuid|key|sku|slug|email|name|number|ref)$/i;

/**
 * Returns the pairs of items, as `row column`, that have an ID in common that no other item has there. It relates two
 * items that differ in everything else.
 */
function identifyingParts(before: readonly unknown[], after: readonly unknown[]): ReadonlySet<string> {
  const rows = itemsById(before);
  const columns = itemsById(after);
  const pairs = [...rows].flatMap(([part, was]) => {
    const is = columns.get(part) ?? [];
    return was.length === 1 && is.length === 1 ? [`${was[0]?.index} ${is[0]?.index}`] : [];
  });
  return new Set(pairs);
}

/** Returns the indexes of the items that have an ID, by its path and value. */
function itemsById(items: readonly unknown[]): ReadonlyMap<string, readonly { readonly index: number }[]> {
  const ids = items.flatMap((item, index) =>
    Object.entries(isPlainObject(item) ? item : {})
      .filter(([path, value]) => ID.test(path) && (typeof value === "string" || typeof value === "number"))
      .map((field) => ({ index, id: JSON.stringify(field) })),
  );
  return Map.groupBy(ids, ({ id }) => id);
}

/**
 * Returns the parts of items that differ between them, because those that all have show no relation of two, and the
 * number of these. The fields that only repeat the label don't count.
 */
function distinctParts(items: readonly unknown[]): {
  readonly parts: readonly unknown[];
  readonly sharedCount: number;
} {
  const parts = items.map(partsOf);
  const records = parts.filter(isPlainObject);
  const [first = {}] = records;
  const shared = new Set(Object.keys(first).filter((name) => records.every((record) => record[name] === first[name])));
  return {
    parts: parts.map((part) =>
      isPlainObject(part) ? Object.fromEntries(Object.entries(part).filter(([name]) => !shared.has(name))) : part,
    ),
    sharedCount: [...shared].filter((path) => path.lastIndexOf(".") > 0).length,
  };
}

/** Parts of an item that are compared with those of others. */
const MAX_PARTS = 100;

/** Returns the values in an object by their paths, the first ones of a large object; another item unchanged. */
function partsOf(item: unknown): unknown {
  if (!isPlainObject(item)) return item;
  const parts: [path: string, value: unknown][] = [];
  const queue: [path: string, value: unknown][] = [["", item]];
  for (const [path, value] of queue) {
    if (parts.length === MAX_PARTS) break;
    const fields = isPlainObject(value) || isArray(value) ? Object.entries(value) : [];
    if (fields.length === 0) parts.push([path, isObject(value) ? typeName(value) : value]);
    for (const [name, field] of fields.slice(0, MAX_PARTS)) queue.push([`${path}.${name}`, field]);
  }
  return Object.fromEntries(parts);
}

function freeName(name: string, first: number, names: Set<string>): string {
  let number = first;
  while (names.has(`${name} #${number}`)) number += 1;
  names.add(`${name} #${number}`);
  return `${name} #${number}`;
}
