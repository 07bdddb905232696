import { createHash } from "node:crypto";

/** Draws that come out the same each time for the same words. */
export interface Draw {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number;
  readonly pick: <T>(items: readonly [T, ...T[]]) => T;
  /** The items in another order, however few they are; undefined where they have but one. */
  readonly reorder: <T>(items: readonly T[]) => T[] | undefined;
}

/** Makes draws from what they are for, so that a new class of changes moves none of the others. */
export function drawOf(...words: readonly string[]): Draw {
  // mulberry32: small, and even enough to choose places by.
  let state = createHash("sha256").update(JSON.stringify(words)).digest().readUInt32LE(0);
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * end);
  };
  return {
    below,
    pick: (items) => items[below(items.length)] ?? items[0],
    reorder: (items) => {
      if (items.length < 2) return undefined;
      const turn = 1 + below(items.length - 1);
      return [...items.slice(turn), ...items.slice(0, turn)];
    },
  };
}
