import { ElementDigests } from "./element-digests.ts";

/** Number of an element that has no equal one in the other list. */
export const NO_PARTNER = -1;

/** Numbers of the elements of two lists: equal ones have the same, and unequal ones seldom do. */
export interface ElementNumbers {
  /** Number of each element of the old list: the index of the first equal element in that list. */
  readonly before: Int32Array;
  /** Number of each element of the new list: the index of an equal element in the old list, or `NO_PARTNER`. */
  readonly after: Int32Array;
  /** True if an element of one list is equal to one of the other. False for long lists with next to none. */
  readonly haveCommon: boolean;
  /** True if no two elements of a list have the same number. */
  readonly areUnique: boolean;
  /** Number of distinct elements before, and of those that the list after has too. */
  readonly distinct: number;
  readonly shared: number;
}

/** Elements of a list of which only some are looked for at first, and how many. */
const LONG = 1000;
const SAMPLES = 100;

/** Numbers the elements of two lists. Undefined if one has no digest. */
export function numberElements(before: readonly unknown[], after: readonly unknown[]): ElementNumbers | undefined {
  try {
    return numbersOf(before, after);
  } catch {
    return undefined;
  }
}

function numbersOf(before: readonly unknown[], after: readonly unknown[]): ElementNumbers {
  const digests = new ElementDigests();
  const old = new Int32Array(before.length);
  const current = new Int32Array(after.length).fill(NO_PARTNER);
  const numbers = new Int32Array(before.length);
  // Indexes in `before`, each in the slot of its digest or the next free one: a tenth of the time of a Map.
  const last = 2 ** Math.ceil(Math.log2(2 * before.length + 1)) - 1;
  const slots = new Int32Array(last + 1).fill(NO_PARTNER);
  const slotOf = (digest: number): number => {
    let slot = (digest ^ (digest >>> 16)) & last;
    for (let number = slots[slot] ?? NO_PARTNER; number !== NO_PARTNER && old[number] !== digest; ) {
      slot = (slot + 1) & last;
      number = slots[slot] ?? NO_PARTNER;
    }
    return slot;
  };
  const numberOf = (digest: number): number => slots[slotOf(digest)] ?? NO_PARTNER;
  let [haveCommon, areUnique, distinct] = [false, true, 0];
  for (let index = 0; index < before.length; index += 1) {
    const digest = digests.of(before[index]);
    old[index] = digest;
    const slot = slotOf(digest);
    const number = slots[slot] ?? NO_PARTNER;
    numbers[index] = number === NO_PARTNER ? index : number;
    if (number !== NO_PARTNER) continue;
    slots[slot] = index;
    distinct += 1;
  }
  areUnique = distinct === before.length;
  const step = after.length > LONG ? Math.floor(after.length / SAMPLES) : 1;
  for (let index = 0; index < after.length && !haveCommon; index += step)
    haveCommon = numberOf(digests.of(after[index])) !== NO_PARTNER;
  let shared = 0;
  if (!haveCommon) return { before: numbers, after: current, haveCommon, areUnique, distinct, shared };
  const isSeen = new Uint8Array(before.length);
  let next = 0;
  for (let index = 0; index < after.length; index += 1) {
    const element = after[index];
    // Most elements follow the one that their predecessor is equal to.
    const isNext = next < before.length && element === before[next];
    const number = isNext ? (numbers[next] ?? 0) : numberOf(digests.of(element));
    current[index] = number;
    next = isNext || number === NO_PARTNER ? next + 1 : number + 1;
    if (number === NO_PARTNER) continue;
    if (isSeen[number] === 1) areUnique = false;
    else shared += 1;
    isSeen[number] = 1;
  }
  return { before: numbers, after: current, haveCommon, areUnique, distinct, shared };
}
