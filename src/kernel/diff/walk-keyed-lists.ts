import type { KeyedList } from "./keyed-lists.ts";

/** Takes the two elements of an id; undefined replaces the missing one. */
type Visit = (id: string, before: unknown, after: unknown) => void;

/**
 * Visits the elements of two keyed lists in pairs, last those that only `before` has. No element is visited whose id an
 * earlier one of its list has. Throws the TypeErrors of `normalizeArrayForDiff`.
 */
export function walkKeyedLists(before: KeyedList, after: KeyedList, visit: Visit): void {
  const shared = Math.min(before.items.length, after.items.length);
  let last = "";
  let ascends = true;
  let index = 0;
  for (; index < shared; index += 1) {
    const id = before.idAt(index);
    if (after.idAt(index) !== id) break;
    // Ids in ascending order need no map to show that each is unique (a tenth of the total on 1 MB).
    if (ascends && index > 0 && !isAfter(id, last)) {
      indexesOf(before.ids(), before);
      ascends = false;
    }
    last = id;
    visit(id, before.items[index], after.items[index]);
  }
  if (index < before.items.length || index < after.items.length) walkRest(before, after, { start: index, visit });
}

/** Visits the elements after the last index up to which both lists have the same ids. */
function walkRest(
  before: KeyedList,
  after: KeyedList,
  { start, visit }: { readonly start: number; readonly visit: Visit },
): void {
  const ids = before.ids();
  const indexes = indexesOf(ids, before);
  const visited = new Uint8Array(ids.length).fill(1, 0, start);
  const added = new Set<string>();
  let next = start;
  for (let index = start; index < after.items.length; index += 1) {
    const id = after.idAt(index);
    // If elements were only added or removed, the next one mostly follows the last one on both sides.
    const at = ids[next] === id ? next : indexes.get(id);
    if (at === undefined ? added.has(id) : visited[at] === 1) throw after.duplicate(id);
    if (at === undefined) added.add(id);
    else {
      visited[at] = 1;
      next = at + 1;
    }
    visit(id, at === undefined ? undefined : before.items[at], after.items[index]);
  }
  for (let rest = start; rest < ids.length; rest += 1)
    if (visited[rest] === 0) visit(ids[rest] ?? "", before.items[rest], undefined);
}

/** Index of the element of each id. Throws a TypeError if two elements have the same. */
function indexesOf(ids: readonly string[], list: KeyedList): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (let index = 0; index < ids.length; index += 1) {
    const id = ids[index] ?? "";
    if (indexes.set(id, index).size === index) throw list.duplicate(id);
  }
  return indexes;
}

/** Longer, or as long and greater, as numbered ids are one after another. */
function isAfter(id: string, last: string): boolean {
  return id.length === last.length ? id > last : id.length > last.length;
}
