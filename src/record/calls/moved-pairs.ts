import { longestAscent } from "../../kernel/diff/longest-ascent.ts";

/** A call of two runs, by its index in each. */
interface CallPair {
  readonly before: { readonly index: number };
  readonly after: { readonly index: number };
  /** `steady` if the calls are equal and in order. */
  readonly kind: string;
}

/** A pair that has another order than before, with the nearest of the pairs in order that it moved before or after. */
interface MovedPair<P> {
  readonly pair: P;
  readonly neighbour: P;
  readonly side: "before" | "after";
}

/**
 * Returns the pairs that have another order than before. Equal calls in order stay in place, and of the others as many
 * as possible.
 */
export function movedPairs<P extends CallPair>(pairs: readonly P[]): readonly MovedPair<P>[] {
  const equal = pairs.filter(({ kind }) => kind === "steady");
  const unequal = inNewOrder(pairs.filter(({ kind }) => kind !== "steady"));
  const between = unequal.filter((pair) => {
    const { then, now } = passedBy(pair, equal);
    return then === now;
  });
  const steady = new Set(inNewOrder([...equal, ...inOrderFirst(between)]));
  const ordered = [...steady];
  return unequal.flatMap((pair): readonly MovedPair<P>[] => {
    if (steady.has(pair)) return [];
    const { now } = passedBy(pair, ordered);
    // A pair that it didn't pass has the same side of it as before.
    const follower = ordered.slice(now).find(({ before }) => before.index < pair.before.index);
    if (follower !== undefined) return [{ pair, neighbour: follower, side: "before" }];
    const neighbour = ordered.slice(0, now).findLast(({ before }) => before.index > pair.before.index);
    return neighbour === undefined ? [] : [{ pair, neighbour, side: "after" }];
  });
}

function inNewOrder<P extends CallPair>(pairs: readonly P[]): readonly P[] {
  return pairs.toSorted((a, b) => a.after.index - b.after.index);
}

/** Returns as many pairs as possible that have the same order on both sides; of several such lists, the first one. */
function inOrderFirst<P extends CallPair>(pairs: readonly P[]): readonly P[] {
  const last = pairs.reduce((highest, { before }) => Math.max(highest, before.index), 0);
  const reversed = pairs.toReversed();
  const ascent = longestAscent(Int32Array.from(reversed, ({ before }) => last - before.index));
  return ascent.flatMap((at) => reversed[at] ?? []);
}

/** Numbers of pairs whose calls came before a pair's calls. */
function passedBy(
  { before, after }: CallPair,
  pairs: readonly CallPair[],
): { readonly then: number; readonly now: number } {
  return {
    then: pairs.filter((pair) => pair.before.index < before.index).length,
    now: pairs.filter((pair) => pair.after.index < after.index).length,
  };
}
