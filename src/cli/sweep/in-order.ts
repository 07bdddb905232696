/**
 * Puts what comes in any order back into the order of its places, counted from 0: each place is filled once, with
 * something or with nothing. What comes early waits for what is before it.
 */
export class InOrder<T> {
  readonly #take: (item: T) => void;
  readonly #early = new Map<number, T | undefined>();
  #next = 0;

  constructor(take: (item: T) => void) {
    this.#take = take;
  }

  /** Fills a place; `undefined` with nothing. */
  put(place: number, item: T | undefined): void {
    this.#early.set(place, item);
    while (this.#early.has(this.#next)) {
      const next = this.#early.get(this.#next);
      this.#early.delete(this.#next);
      this.#next += 1;
      if (next !== undefined) this.#take(next);
    }
  }

  /** Hands on what still waits, in order: what is missing before it will not come any more. */
  flush(): void {
    const waiting = [...this.#early].toSorted(([a], [b]) => a - b);
    this.#early.clear();
    for (const [, item] of waiting) if (item !== undefined) this.#take(item);
  }
}
