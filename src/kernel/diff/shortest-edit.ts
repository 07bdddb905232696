import { NO_PARTNER } from "./element-numbers.ts";

/**
 * Finds a shortest edit by Myers' algorithm. Returns, for each element of `after`, the index in `before` of the element
 * that it keeps, and `NO_PARTNER` for one that it inserts. Returns undefined if it takes more than `limit` steps: an
 * edit of d elements takes about 2 d², and one for each element that it keeps. It also gives up after a third of them
 * if it got less than an eighth of the way.
 */
export function shortestEdit(before: Int32Array, after: Int32Array, limit: number): Int32Array | undefined {
  const most = Math.min(before.length + after.length, Math.ceil(Math.sqrt(limit / 2)));
  if (Math.abs(before.length - after.length) > most) return undefined;
  const middle = most + 1;
  // The furthest index of `before` on each diagonal, the difference of the indexes; and the same before each round.
  const frontier = new Int32Array(2 * most + 3);
  const rounds: Int32Array[] = [];
  let [steps, furthest] = [0, 0];
  for (let round = 0; round <= most && steps <= limit; round += 1) {
    if (steps > limit / 3 && furthest * 8 < before.length + after.length) return undefined;
    rounds.push(frontier.slice(middle - round, middle + round + 1));
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const left = frontier[middle + diagonal - 1] ?? 0;
      const above = frontier[middle + diagonal + 1] ?? 0;
      const start = diagonal === -round || (diagonal !== round && left < above) ? above : left + 1;
      let index = start;
      let other = index - diagonal;
      while (index < before.length && other < after.length && before[index] === after[other]) {
        index += 1;
        other += 1;
      }
      frontier[middle + diagonal] = index;
      steps += index - start + 4;
      if (index + other > furthest) furthest = index + other;
      if (index >= before.length && other >= after.length) return partnersOf(rounds, index, other);
    }
  }
  return undefined;
}

/** Follows the rounds back from the ends of both lists. */
function partnersOf(rounds: readonly Int32Array[], beforeEnd: number, afterEnd: number): Int32Array {
  const partners = new Int32Array(afterEnd).fill(NO_PARTNER);
  let [index, other] = [beforeEnd, afterEnd];
  for (let round = rounds.length - 1; round >= 0; round -= 1) {
    const frontier = rounds[round];
    const diagonal = index - other;
    const left = frontier?.[diagonal - 1 + round] ?? 0;
    const above = frontier?.[diagonal + 1 + round] ?? 0;
    const isInserted = diagonal === -round || (diagonal !== round && left < above);
    const start = isInserted ? above : left + 1;
    while (index > start) {
      index -= 1;
      other -= 1;
      partners[other] = index;
    }
    if (isInserted) other -= 1;
    else index -= 1;
  }
  return partners;
}
