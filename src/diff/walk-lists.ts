import type { KeyedList } from "./keyed-list.ts";

/** Takes the two elements of an id; undefined stands for the one that is not there. */
type Visit = (id: string, before: unknown, after: unknown) => void;

/**
 * Visits the elements of two keyed lists in pairs, last those that only `before` has. No element is visited whose id an
 * earlier one of its list has. Throws the TypeErrors of `keyItems`.
 */
export function walkLists(before: KeyedList, after: KeyedList, visit: Visit): void {
  const shared = Math.min(before.items.length, after.items.length);
  let last = "";
  let ascends = true;
  let index = 0;
  for (; index < shared; index += 1) {
    const id = before.idAt(index);
    if (after.idAt(index) !== id) break;
    // Ids that only ascend need no map to tell that none comes twice (a tenth of the whole on 1 MB).
    if (ascends && index > 0 && !isAfter(id, last)) {
      placesOf(before.ids(), before);
      ascends = false;
    }
    last = id;
    visit(id, before.items[index], after.items[index]);
  }
  if (index < before.items.length || index < after.items.length) walkRest(before, after, { start: index, visit });
}

/** Visits what follows the places up to which both lists have the same ids. */
function walkRest(
  before: KeyedList,
  after: KeyedList,
  { start, visit }: { readonly start: number; readonly visit: Visit },
): void {
  const ids = before.ids();
  const places = placesOf(ids, before);
  const taken = new Uint8Array(ids.length).fill(1, 0, start);
  const added = new Set<string>();
  let next = start;
  for (let index = start; index < after.items.length; index += 1) {
    const id = after.idAt(index);
    // Where elements were only added or removed, the next one mostly follows the last one on both sides.
    const place = ids[next] === id ? next : places.get(id);
    if (place === undefined ? added.has(id) : taken[place] === 1) throw after.duplicate(id);
    if (place === undefined) added.add(id);
    else {
      taken[place] = 1;
      next = place + 1;
    }
    visit(id, place === undefined ? undefined : before.items[place], after.items[index]);
  }
  for (let place = start; place < ids.length; place += 1)
    if (taken[place] === 0) visit(ids[place] ?? "", before.items[place], undefined);
}

/** Where the element of each id stands. Throws a TypeError when two elements have the same. */
function placesOf(ids: readonly string[], list: KeyedList): ReadonlyMap<string, number> {
  const places = new Map<string, number>();
  for (let index = 0; index < ids.length; index += 1) {
    const id = ids[index] ?? "";
    if (places.set(id, index).size === index) throw list.duplicate(id);
  }
  return places;
}

/** Longer, or as long and greater, as numbered ids are one after another. */
function isAfter(id: string, last: string): boolean {
  return id.length === last.length ? id > last : id.length > last.length;
}
