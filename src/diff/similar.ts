import type { Tolerance } from "../base/compare-rules.ts";
import { editDistance } from "./edit-distance.ts";

/**
 * Tolerates prose that keeps at least this share of its words, in their order: twice the words both texts have, divided
 * by the words of both. Case, punctuation and white space do not count. Throws a TypeError for a share outside 0 to 1.
 *
 * @example
 * defineStep({ …, compare: { summary: similar({ atLeast: 0.8 }) } });
 */
export function similar({ atLeast }: { readonly atLeast: number }): Tolerance {
  if (!(atLeast >= 0 && atLeast <= 1))
    throw new TypeError(`similar: atLeast must be a number from 0 to 1, got ${String(atLeast)}.`);
  return {
    label: `similar, at least ${atLeast}`,
    tolerates: (before, after) => {
      if (typeof before !== "string" || typeof after !== "string") return false;
      const [old, current] = [wordsOf(before), wordsOf(after)];
      // As many words may differ as the share leaves over; more need not be looked for.
      const spare = Math.floor((1 - atLeast) * (old.length + current.length) + 1e-9);
      return editDistance(old, current, spare) !== undefined;
    },
  };
}

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
