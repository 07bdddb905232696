import { type Identity, duplicateKey, idAt } from "./key-items.ts";

/**
 * An array in place of the record that `keyItems` makes of it, as one side of a diff by key: its ids beside its
 * elements, so that no record has to be built while both sides are in the same order.
 */
export class KeyedList {
  readonly items: readonly unknown[];
  readonly ids: readonly string[];

  constructor(items: readonly unknown[], ids: readonly string[]) {
    this.items = items;
    this.ids = ids;
  }

  /** The element of an id, found slowly. */
  itemOf(id: string): unknown {
    const index = this.ids.indexOf(id);
    return index === -1 ? undefined : this.items[index];
  }
}

/** The list that another one is compared with: finds elements by id. */
export class IndexedList extends KeyedList {
  readonly #places: ReadonlyMap<string, number>;

  constructor(items: readonly unknown[], identity: Identity) {
    const places = new Map<string, number>();
    for (let index = 0; index < items.length; index += 1) {
      const id = idAt(items, index, identity);
      if (places.set(id, index).size === index) throw duplicateKey(id, identity.path);
    }
    super(items, [...places.keys()]);
    this.#places = places;
  }

  /** Where the element of an id stands; undefined when there is none. */
  placeOf(id: string): number | undefined {
    return this.#places.get(id);
  }
}

/** The other side: knows for each of its elements where the one of the same id stands in the base. */
export class MatchedList extends KeyedList {
  readonly base: IndexedList;
  /** Places in the base, -1 for none. */
  readonly places: readonly number[];

  constructor(items: readonly unknown[], base: IndexedList, identity: Identity) {
    const ids: string[] = [];
    const places: number[] = [];
    const taken = new Uint8Array(base.items.length);
    const added = new Set<string>();
    for (let index = 0; index < items.length; index += 1) {
      const id = idAt(items, index, identity);
      // In the same order nothing has to be looked up.
      const place = base.ids[index] === id ? index : base.placeOf(id);
      if (place === undefined ? added.has(id) : taken[place] === 1) throw duplicateKey(id, identity.path);
      if (place === undefined) added.add(id);
      else taken[place] = 1;
      ids.push(id);
      places.push(place ?? -1);
    }
    super(items, ids);
    this.base = base;
    this.places = places;
  }
}
