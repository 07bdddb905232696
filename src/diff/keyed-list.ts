import { type Identity, duplicateKey, idAt } from "./key-items.ts";

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
