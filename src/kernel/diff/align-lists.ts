import diffSequence from "@jest/diff-sequences";
import { stableStringify } from "../json/canonical-json.ts";
import { isArray, isObject, isPlainObject } from "../json/plain-data.ts";
import { sharedPart } from "../text.ts";

/** One step from a list to another, by indexes: a removed or inserted element, or two that are compared. */
export type ListStep =
  | { readonly kind: "removed"; readonly before: number }
  | { readonly kind: "inserted"; readonly after: number }
  /** `replaced` if the two have too little in common to compare what is in them. */
  | { readonly kind: "equal" | "similar" | "replaced"; readonly before: number; readonly after: number };

/** Comparisons after which equal elements are aligned by their order alone, which takes far fewer: some 3 ms. */
const MAX_COMPARISONS = 200_000;
/** Pairs of unequal elements between two equal ones whose similarity is computed. */
const MAX_PAIRS = 400;
/** Share of equal parts from which two elements are similar. */
const SIMILAR = 0.5;

/**
 * Aligns two lists by equal elements, then by similar ones between those. Two elements that are the same value have no
 * step. Returns undefined if JSON can't represent an element, or if they have none in common and aren't `between` equal
 * ones: compare such lists by index. Lists in which each element of the shorter one is similar to one of the other are
 * aligned by these.
 */
export function alignLists(
  before: readonly unknown[],
  after: readonly unknown[],
  between: boolean,
): readonly ListStep[] | undefined {
  const anchors = anchorsOf(before, after);
  if (anchors === undefined) return undefined;
  const steps: ListStep[] = [];
  const gap = new Gap(before, after, steps);
  if (anchors.length === 0 && !between && !gap.isSimilar()) return undefined;
  let [left, right] = [0, 0];
  for (const [was, is] of anchors) {
    if (left < was || right < is) gap.close([left, was], [right, is]);
    if (before[was] !== after[is]) steps.push({ kind: "equal", before: was, after: is });
    [left, right] = [was + 1, is + 1];
  }
  gap.close([left, before.length], [right, after.length]);
  return steps;
}

/** Returns true if an element of one list is equal to one of the other. */
export function haveCommonElement(before: readonly unknown[], after: readonly unknown[]): boolean {
  return numbersOf(before, after)?.current.some((number) => number !== UNPAIRED) ?? false;
}

/** Elements up to which fields may have another order in the other list: to sort them takes ten times as long. */
const MAX_SORTED = 500;

/**
 * Pairs of equal elements, in the order of both lists: as many as there can be, except in long lists of another order.
 * Undefined if JSON can't represent an element, or if less than half of the elements of such lists can be paired.
 */
function anchorsOf(before: readonly unknown[], after: readonly unknown[]): readonly Pair[] | undefined {
  // A few edits of a long list are found without numbers for its elements, in a tenth of the time.
  const isLong = before.length > MAX_SORTED && before.every(isScalar) && after.every(isScalar);
  const most = isLong ? MAX_COMPARISONS / 2 : MAX_COMPARISONS;
  const pairs = isLong ? commonPairs(before, after, most) : undefined;
  if (pairs !== undefined) return pairs;
  const numbers = numbersOf(before, after);
  return numbers === undefined ? undefined : commonElements(numbers, most);
}

function isScalar(item: unknown): boolean {
  return item === null || typeof item === "string" || typeof item === "number" || typeof item === "boolean";
}

/** Number of an element that the other list doesn't have. */
const UNPAIRED = -1;

/** Numbers of the elements of two lists, the same for equal ones. */
interface ElementNumbers {
  readonly old: readonly number[];
  readonly current: readonly number[];
}

/** Numbers the elements of two lists. Undefined if JSON can't represent one. */
function numbersOf(before: readonly unknown[], after: readonly unknown[]): ElementNumbers | undefined {
  const textOf = Math.max(before.length, after.length) > MAX_SORTED ? JSON.stringify : stableStringify;
  const [scalars, texts] = [new Map<unknown, number>(), new Map<unknown, number>()];
  const numberOf = (item: unknown, next: number): number => {
    if (item === undefined) throw NOT_JSON;
    const isValue = isScalar(item);
    const numbers = isValue ? scalars : texts;
    const key = isValue ? item : textOf(item);
    const number = numbers.get(key) ?? next;
    if (number === next && next !== UNPAIRED) numbers.set(key, next);
    return number;
  };
  try {
    const old = before.map((item, index) => numberOf(item, index));
    const current = after.map((item) => numberOf(item, UNPAIRED));
    const isPaired = new Uint8Array(old.length);
    for (const number of current) if (number !== UNPAIRED) isPaired[number] = 1;
    return { old: old.map((number) => (isPaired[number] === 1 ? number : UNPAIRED)), current };
  } catch {
    return undefined;
  }
}

type Pair = readonly [before: number, after: number];

const NOT_JSON = new Error("Not JSON.");
const TOO_MANY = new Error("Too many comparisons.");

/**
 * Indexes of a longest common subsequence. In long lists of another order, of a long one; undefined if it has less than
 * half of the elements, because such an edit isn't shorter than the list.
 */
function commonElements({ old, current }: ElementNumbers, most: number): readonly Pair[] | undefined {
  // An element of one side alone takes no part, and would make the search for the others dear.
  const [was, is] = [pairedIndexes(old), pairedIndexes(current)];
  const pairs = commonPairs(
    was.map((index) => old[index]),
    is.map((index) => current[index]),
    most,
  );
  if (pairs !== undefined) return pairs.map(([left, right]): Pair => [was[left] ?? 0, is[right] ?? 0]);
  const ascent = longestAscent(partnersOf(old, current));
  return ascent.length * 2 < Math.min(old.length, current.length) ? undefined : ascent;
}

function pairedIndexes(numbers: readonly number[]): readonly number[] {
  const indexes: number[] = [];
  for (let index = 0; index < numbers.length; index += 1) if (numbers[index] !== UNPAIRED) indexes.push(index);
  return indexes;
}

/** Indexes of a longest common subsequence of two lists of scalars. Undefined if it takes more comparisons. */
function commonPairs(before: readonly unknown[], after: readonly unknown[], most: number): Pair[] | undefined {
  const pairs: Pair[] = [];
  let comparisons = 0;
  const isCommon = (left: number, right: number): boolean => {
    comparisons += 1;
    if (comparisons > most) throw TOO_MANY;
    return before[left] === after[right];
  };
  try {
    diffSequence(before.length, after.length, isCommon, (length, left, right) => {
      for (let step = 0; step < length; step += 1) pairs.push([left + step, right + step]);
    });
    return pairs;
  } catch (thrown) {
    if (thrown !== TOO_MANY) throw thrown;
    return undefined;
  }
}

/** Pairs the n-th of equal elements of one list with the n-th of the other, in the order of the second. */
function partnersOf(before: readonly number[], after: readonly number[]): readonly Pair[] {
  const indexes = Map.groupBy(before.keys(), (index) => before[index] ?? -1);
  const used = new Map<number, number>();
  return after.flatMap((number, index): readonly Pair[] => {
    if (number === UNPAIRED) return [];
    const count = used.get(number) ?? 0;
    used.set(number, count + 1);
    const partner = indexes.get(number)?.[count];
    return partner === undefined ? [] : [[partner, index]];
  });
}

/** Returns a longest sequence of the pairs, which ascend in their second index, that ascends in the first one too. */
export function longestAscent(pairs: readonly Pair[]): readonly Pair[] {
  const previous: number[] = [];
  // The last pair of the best sequence of each length.
  const ends: number[] = [];
  const firstOf = (index: number): number => pairs[index]?.[0] ?? 0;
  for (const [index, [first]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (firstOf(ends[middle] ?? 0) < first) low = middle + 1;
      else high = middle;
    }
    previous.push(low === 0 ? -1 : (ends[low - 1] ?? -1));
    ends[low] = index;
  }
  const sequence: Pair[] = [];
  for (let index = ends.at(-1) ?? -1; index >= 0; index = previous[index] ?? -1) {
    const pair = pairs[index];
    if (pair !== undefined) sequence.push(pair);
  }
  return sequence.reverse();
}

/** Indexes from the first up to the second, without it. */
type Span = readonly [start: number, end: number];

/** Elements between two equal ones, of which none is equal to one of the other side. */
class Gap {
  readonly #before: readonly unknown[];
  readonly #after: readonly unknown[];
  readonly #steps: ListStep[];

  constructor(before: readonly unknown[], after: readonly unknown[], steps: ListStep[]) {
    this.#before = before;
    this.#after = after;
    this.#steps = steps;
  }

  /** Adds the steps of these elements. */
  close(before: Span, after: Span): void {
    // As many as before: each was changed. More or fewer: those that are similar were.
    const isSameSize = before[1] - before[0] === after[1] - after[0];
    const similar = isSameSize ? [] : this.#similarPairs(before, after);
    let [left, right] = [before[0], after[0]];
    for (const [was, is] of similar) {
      this.#replace([left, was], [right, is], "replaced");
      this.#steps.push({ kind: "similar", before: was, after: is });
      [left, right] = [was + 1, is + 1];
    }
    this.#replace([left, before[1]], [right, after[1]], isSameSize ? "similar" : "replaced");
  }

  /** Returns true if each element of the shorter list is similar to one of the longer list, in order. */
  isSimilar(): boolean {
    const [before, after] = [this.#before.length, this.#after.length];
    return before !== after && this.#similarPairs([0, before], [0, after]).length === Math.min(before, after);
  }

  #replace([left, leftEnd]: Span, [right, rightEnd]: Span, kind: "similar" | "replaced"): void {
    const pairs = Math.min(leftEnd - left, rightEnd - right);
    for (let index = 0; index < pairs; index += 1)
      this.#steps.push({ kind, before: left + index, after: right + index });
    for (let index = left + pairs; index < leftEnd; index += 1) this.#steps.push({ kind: "removed", before: index });
    for (let index = right + pairs; index < rightEnd; index += 1) this.#steps.push({ kind: "inserted", after: index });
  }

  /** Pairs of similar elements in order, with the highest sum of similarities. */
  #similarPairs([left, leftEnd]: Span, [right, rightEnd]: Span): readonly Pair[] {
    const [rows, columns] = [leftEnd - left, rightEnd - right];
    if (rows * columns === 0 || rows * columns > MAX_PAIRS) return [];
    const scores = Array.from({ length: rows + 1 }, () => new Float64Array(columns + 1));
    const shares = Array.from({ length: rows }, (_row, row) =>
      Float64Array.from({ length: columns }, (_column, column) =>
        similarity(this.#before[left + row], this.#after[right + column]),
      ),
    );
    const score = (row: number, column: number): number => scores[row]?.[column] ?? 0;
    const share = (row: number, column: number): number => shares[row]?.[column] ?? 0;
    for (let row = rows - 1; row >= 0; row -= 1)
      for (let column = columns - 1; column >= 0; column -= 1) {
        const paired = share(row, column) < SIMILAR ? 0 : share(row, column) + score(row + 1, column + 1);
        const best = Math.max(paired, score(row + 1, column), score(row, column + 1));
        scores[row]?.fill(best, column, column + 1);
      }
    const pairs: Pair[] = [];
    let [row, column] = [0, 0];
    while (row < rows && column < columns) {
      const best = score(row, column);
      if (share(row, column) >= SIMILAR && best === share(row, column) + score(row + 1, column + 1)) {
        pairs.push([left + row, right + column]);
        row += 1;
        column += 1;
      } else if (best === score(row + 1, column)) row += 1;
      else column += 1;
    }
    return pairs;
  }
}

/** The name of an object or, as in a list of tools, of its function. */
function nameOf(element: unknown): unknown {
  if (!isPlainObject(element)) return undefined;
  const { function: called } = element;
  return element["name"] ?? (isPlainObject(called) ? called["name"] : undefined);
}

/**
 * Share of equal parts, 0 to 1: characters at both ends of strings, fields of objects, elements of lists by index.
 * Objects of one name are the same one.
 */
function similarity(before: unknown, after: unknown): number {
  const name = nameOf(before);
  if (typeof name === "string" && name === nameOf(after)) return 1;
  if (typeof before === "string" && typeof after === "string") return sharedPart(before, after);
  if (isArray(before) && isArray(after)) {
    const equal = before.filter((item, index) => isEqualPart(item, after[index])).length;
    return equal / Math.max(before.length, after.length, 1);
  }
  if (!isPlainObject(before) || !isPlainObject(after)) return 0;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const equal = [...names].reduce((sum, name) => sum + equalShare(before[name], after[name]), 0);
  return equal / Math.max(names.size, 1);
}

function equalShare(before: unknown, after: unknown): number {
  if (isEqualPart(before, after)) return 1;
  return typeof before === "string" && typeof after === "string" ? sharedPart(before, after) : 0;
}

function isEqualPart(before: unknown, after: unknown): boolean {
  if (typeof before !== "object" || typeof after !== "object") return before === after;
  return before !== undefined && after !== undefined && stableStringify(before) === stableStringify(after);
}

/** Returns true if at least half of the parts of two elements have the same name and kind of value. */
export function isAlike(before: unknown, after: unknown): boolean {
  if (!isObject(before) || !isObject(after)) return true;
  const parts = new Map<string, unknown>(Object.entries(before));
  const entries = Object.entries(after);
  const shared = entries.filter(([name, value]) => parts.has(name) && kindOf(parts.get(name)) === kindOf(value));
  return shared.length * 2 >= parts.size + entries.filter(([name]) => !parts.has(name)).length;
}

function kindOf(value: unknown): string {
  return isArray(value) ? "list" : typeof value;
}
