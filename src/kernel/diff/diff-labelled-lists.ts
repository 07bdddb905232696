import { stableStringify } from "../json/canonical-json.ts";
import { editOf } from "./edit.ts";
import { sortEntries, type DiffEntry, type DiffResult } from "./entries.ts";
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
 * `before` undefined; a removed one has `after` undefined. If exactly one item of a label was removed and one added,
 * the entries are those inside the item. Further entries of a label are named `label #2`, `label #3`. The result does
 * not depend on the order of either list; entries come in path order. Throws the TypeError of `stableStringify` for an
 * item that JSON cannot represent.
 */
export function diffMultiset(
  before: readonly unknown[],
  after: readonly unknown[],
  { label, decode = itself }: ItemView,
): DiffResult {
  const changes = collectChanges(before, after, label);
  const names = new Set(changes.keys());
  const entries = [...changes].flatMap(([name, { removed, added }]) =>
    labelEntries(name, { removed: removed.map(decode), added: added.map(decode) }, names),
  );
  return { equal: entries.length === 0, entries: sortEntries(entries) };
}

/**
 * Compares two lists whose order counts: items of one label are paired while the lists run parallel. A new item is one
 * entry at its index, a removed one at its old index, and the rest are the entries inside of items. `partners` has at
 * each index of `after` the paired item of `before`.
 */
export function diffAligned(
  before: readonly unknown[],
  after: readonly unknown[],
  { label, decode = itself }: ItemView,
): DiffResult & { readonly partners: readonly unknown[] } {
  const entries: DiffEntry[] = [];
  const partners: unknown[] = after.map(() => undefined);
  let [old, now] = [0, 0];
  for (const { kind } of editOf(before.map(label), after.map(label))) {
    const [was, is] = [decode(before[old]), decode(after[now])];
    if (kind === "removed") entries.push({ path: [old++], before: was, after: undefined });
    else if (kind === "added") entries.push({ path: [now++], before: undefined, after: is });
    else {
      entries.push(...diff(was, is).entries.map((entry) => ({ ...entry, path: [now, ...entry.path] })));
      partners[now] = was;
      old += 1;
      now += 1;
    }
  }
  return { equal: entries.length === 0, entries, partners };
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
  const old = groupByContent(before);
  const current = groupByContent(after);
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

function groupByContent(items: readonly unknown[]): Map<string, unknown[]> {
  const groups = new Map<string, unknown[]>();
  for (const item of items) {
    const content = stableStringify(item);
    const group = groups.get(content);
    if (group === undefined) groups.set(content, [item]);
    else group.push(item);
  }
  return groups;
}

function changesOf(changes: Map<string, Changes>, name: string): Changes {
  const known = changes.get(name) ?? { removed: [], added: [] };
  changes.set(name, known);
  return known;
}

function labelEntries(name: string, { removed, added }: Changes, names: Set<string>): DiffEntry[] {
  const [before] = removed;
  const [after] = added;
  if (removed.length === 1 && added.length === 1) {
    const { entries } = diff(before, after);
    // Unequal JSON that `diff` reports as equal, as `undefined` and an absent element: still one change.
    if (entries.length === 0) return [{ path: [name], before, after }];
    return entries.map((entry) => ({ ...entry, path: [name, ...entry.path] }));
  }
  const whole = [
    ...removed.map((item) => ({ before: item, after: undefined })),
    ...added.map((item) => ({ before: undefined, after: item })),
  ];
  return whole.map((entry, index) => ({ path: [index === 0 ? name : freeName(name, index + 1, names)], ...entry }));
}

function freeName(name: string, first: number, names: Set<string>): string {
  let number = first;
  while (names.has(`${name} #${number}`)) number += 1;
  names.add(`${name} #${number}`);
  return `${name} #${number}`;
}
