import { hashText } from "../../base/hash.ts";
import { inputHashOf } from "../../record/snapshot.ts";

/**
 * Where an input stands in the order that a seed draws: a hash of the seed and of what the input is, so that it
 * depends on no other input, and on no place or name of a file. Throws for an input that JSON cannot hold.
 */
export function sampleRank(seed: string, input: unknown): string {
  return hashText(JSON.stringify([seed, inputHashOf(input)]));
}

/**
 * Chooses so many of the items with the lowest ranks, whatever order they come in; of a growing collection a chosen one
 * leaves only for one that was added. Holds no more than it chooses.
 */
export class LowestRanks<T> {
  readonly #size: number;
  readonly #kept: { readonly rank: string; readonly key: string; readonly item: T }[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  /** Offers an item; `key` decides between equal ranks. */
  offer(item: T, { rank, key }: { readonly rank: string; readonly key: string }): void {
    const entry = { rank, key, item };
    const last = this.#kept.at(-1);
    if (this.#kept.length >= this.#size && (last === undefined || !before(entry, last))) return;
    const at = this.#kept.findIndex((kept) => before(entry, kept));
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, entry);
    if (this.#kept.length > this.#size) this.#kept.pop();
  }

  /** The chosen items, the lowest rank first. */
  chosen(): readonly T[] {
    return this.#kept.map(({ item }) => item);
  }
}

interface Ranked {
  readonly rank: string;
  readonly key: string;
}

function before(left: Ranked, right: Ranked): boolean {
  return left.rank === right.rank ? left.key < right.key : left.rank < right.rank;
}
