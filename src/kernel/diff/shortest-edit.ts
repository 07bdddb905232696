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
  // A row for each number of edits, a column for each number of removed elements: the furthest index of `before`.
  const ends = new Int32Array(((most + 1) * (most + 2)) / 2);
  let [steps, furthest] = [0, 0];
  for (let edits = 0; edits <= most && steps <= limit; edits += 1) {
    if (steps > limit / 3 && furthest * 8 < before.length + after.length) return undefined;
    const row = startOf(edits);
    for (let removed = 0; removed <= edits; removed += 1) {
      const start = startIn(ends, edits, removed);
      let index = start;
      let other = index + edits - 2 * removed;
      while (index < before.length && other < after.length && before[index] === after[other]) {
        index += 1;
        other += 1;
      }
      ends[row + removed] = index;
      steps += index - start + 4;
      if (index + other > furthest) furthest = index + other;
      if (index >= before.length && other >= after.length) return partnersOf(ends, edits, [index, other]);
    }
  }
  return undefined;
}

function startOf(edits: number): number {
  return (edits * (edits + 1)) / 2;
}

/** The index of `before` at which the last of some edits ends: the further one, if either may be the last. */
function startIn(ends: Int32Array, edits: number, removed: number): number {
  if (edits === 0) return 0;
  const row = startOf(edits - 1);
  const insertion = removed === edits ? -1 : (ends[row + removed] ?? 0);
  const removal = removed === 0 ? -1 : (ends[row + removed - 1] ?? 0) + 1;
  return Math.max(insertion, removal);
}

/** Follows the edits back from the ends of both lists. */
function partnersOf(ends: Int32Array, edits: number, [beforeEnd, afterEnd]: readonly [number, number]): Int32Array {
  const partners = new Int32Array(afterEnd).fill(NO_PARTNER);
  let [index, other] = [beforeEnd, afterEnd];
  for (let left = edits; left >= 0; left -= 1) {
    const removed = (left + index - other) / 2;
    const start = startIn(ends, left, removed);
    while (index > start) {
      index -= 1;
      other -= 1;
      partners[other] = index;
    }
    if (left > 0 && removed < left && ends[startOf(left - 1) + removed] === start) other -= 1;
    else index -= 1;
  }
  return partners;
}
