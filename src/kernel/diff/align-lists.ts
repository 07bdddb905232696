import { isDeepStrictEqual } from "node:util";
import { stableStringify } from "../json/canonical-json.ts";
import { isArray, isObject, isPlainObject } from "../json/plain-data.ts";
import { sharedPart } from "../text.ts";
import { type ElementNumbers, NO_PARTNER, numberElements } from "./element-numbers.ts";
import { longestAscent } from "./longest-ascent.ts";
import { shortestEdit } from "./shortest-edit.ts";

/**
 * Takes one step from a list to another, by indexes: two elements that are compared, a removed element, before the
 * index after, or an inserted one. `replaced`: the two have too little in common to compare what is in them.
 */
export type TakeStep = (
  kind: "equal" | "similar" | "replaced" | "removed" | "inserted",
  before: number,
  after: number,
) => void;

/** Removed and inserted elements up to which a shortest edit is found: it takes some 0.4 ms. */
export const MAX_EDITS = 350;
const MAX_STEPS = 2 * MAX_EDITS ** 2;
/** Equal elements, on average, up to which the n-th of them are paired in lists without such an edit. */
const MAX_DUPLICATES = 8;
/** Pairs of unequal elements between two equal ones whose similarity is computed. */
const MAX_PAIRS = 400;
/** Room for a number for each pair, and one more row and column. */
const SHARES = new Float64Array(2 * MAX_PAIRS + 2);
const SCORES = new Float64Array(2 * MAX_PAIRS + 2);
/** Share of equal parts from which two elements are similar. */
export const SIMILAR = 0.5;

/**
 * Aligns two lists by equal elements, then by similar ones between those. Two elements that are the same value have no
 * step. Returns the number of elements that differ by index. Lists in which each element of the shorter one is similar
 * to one of the other are aligned by these.
 *
 * Returns undefined, without any step, if an element has no digest, if fewer elements differ by index, or if the lists
 * have none in common and aren't `between` equal ones: compare such lists by index.
 */
export function alignLists(
  before: readonly unknown[],
  after: readonly unknown[],
  { between, take }: { readonly between: boolean; readonly take: TakeStep },
): number | undefined {
  const gaps = new Gaps(before, after, take);
  if (before.length === 0 || after.length === 0) {
    gaps.closeUpTo(before.length, after.length);
    return before.length + after.length;
  }
  const numbers = numberElements(before, after);
  if (numbers === undefined) return undefined;
  const isAlignable = numbers.haveCommon || (between ? before.length !== after.length : gaps.areSimilar());
  if (!isAlignable) return undefined;
  const inOrder = partnersOf(numbers);
  const unequal = unequalByIndex(numbers);
  const isLonger = numbers.haveCommon && leastSteps(inOrder, before.length) > unequal;
  // Equal ones on both sides show that the elements in between moved by an index.
  if (isLonger && before.length !== after.length && !between) return undefined;
  const partners = isLonger
    ? numbers.after.map((number, index) => (number === numbers.before[index] ? index : NO_PARTNER))
    : inOrder;
  gaps.findMoved = () => movedElements(numbers, partners);
  for (let is = 0; is < after.length; is += 1) {
    const was = partners[is] ?? NO_PARTNER;
    if (was === NO_PARTNER) continue;
    gaps.closeUpTo(was, is);
    if (before[was] !== after[is]) take("equal", was, is);
  }
  gaps.closeUpTo(before.length, after.length);
  return unequal;
}

/** Elements that both lists have but aren't partners: they moved, so they aren't compared with another element. */
interface MovedElements {
  before(index: number): boolean;
  after(index: number): boolean;
}

function movedElements({ before, after }: ElementNumbers, partners: Int32Array): MovedElements {
  // By the number of an element: 1 if one without a partner is in the list before, or after.
  const [unpairedBefore, unpairedAfter] = [new Uint8Array(before.length), new Uint8Array(before.length)];
  const isPaired = new Uint8Array(before.length);
  for (let index = 0; index < after.length; index += 1) {
    const [number = NO_PARTNER, partner = NO_PARTNER] = [after[index], partners[index]];
    if (partner !== NO_PARTNER) isPaired[partner] = 1;
    else if (number !== NO_PARTNER) unpairedAfter[number] = 1;
  }
  for (let index = 0; index < before.length; index += 1)
    if (isPaired[index] === 0) unpairedBefore[before[index] ?? 0] = 1;
  return {
    before: (index) => unpairedAfter[before[index] ?? 0] === 1,
    after: (index) => unpairedBefore[after[index] ?? NO_PARTNER] === 1,
  };
}

/** Returns true if an element of one list is equal to one of the other. */
export function haveCommonElement(before: readonly unknown[], after: readonly unknown[]): boolean {
  return numberElements(before, after)?.haveCommon ?? false;
}

/** Returns true if more than a few elements of a list are equal to others. */
export function haveDuplicates(list: readonly unknown[]): boolean {
  return (numberElements(list, list)?.distinct ?? list.length) < list.length * 0.9;
}

function unequalByIndex({ before, after }: ElementNumbers): number {
  const shared = Math.min(before.length, after.length);
  let unequal = Math.max(before.length, after.length) - shared;
  for (let index = 0; index < shared; index += 1) if (before[index] !== after[index]) unequal += 1;
  return unequal;
}

/** Number of steps if those between two equal elements are paired. */
function leastSteps(partners: Int32Array, length: number): number {
  let [steps, left, right] = [0, 0, 0];
  for (let index = 0; index < partners.length; index += 1) {
    const partner = partners[index] ?? NO_PARTNER;
    if (partner === NO_PARTNER) continue;
    steps += Math.max(partner - left, index - right);
    [left, right] = [partner + 1, index + 1];
  }
  return steps + Math.max(length - left, partners.length - right);
}

/**
 * Indexes in the list before of equal elements, in the order of both, for each element after: as many as there can be,
 * except in long lists of another order with duplicates.
 */
function partnersOf(numbers: ElementNumbers): Int32Array {
  const { before, after, haveCommon, areUnique, distinct } = numbers;
  const none = (): Int32Array => new Int32Array(after.length).fill(NO_PARTNER);
  if (!haveCommon) return none();
  // Without duplicates each has one partner, and the longest ascent of these is the shortest edit.
  if (areUnique) return inOrder(after);
  const edit = editOfShared(numbers);
  if (edit !== undefined) return edit;
  // The n-th of many duplicates is seldom the one that was the n-th before.
  return distinct < before.length / MAX_DUPLICATES ? none() : inOrder(nthPartners(before, after));
}

/** Finds a shortest edit of the elements that both lists have. The others would make the search slow. */
function editOfShared({ before, after, distinct, shared }: ElementNumbers): Int32Array | undefined {
  if (shared === distinct && !after.includes(NO_PARTNER)) return shortestEdit(before, after, MAX_STEPS);
  const isShared = new Uint8Array(before.length);
  const [is, current] = [new Int32Array(after.length), new Int32Array(after.length)];
  let length = 0;
  for (let index = 0; index < after.length; index += 1) {
    const number = after[index] ?? NO_PARTNER;
    if (number === NO_PARTNER) continue;
    isShared[number] = 1;
    is[length] = index;
    current[length] = number;
    length += 1;
  }
  const [was, old] = [new Int32Array(before.length), new Int32Array(before.length)];
  let oldLength = 0;
  for (let index = 0; index < before.length; index += 1) {
    const number = before[index] ?? 0;
    if (isShared[number] === 0) continue;
    was[oldLength] = index;
    old[oldLength] = number;
    oldLength += 1;
  }
  const edit = shortestEdit(old.subarray(0, oldLength), current.subarray(0, length), MAX_STEPS);
  if (edit === undefined) return undefined;
  const partners = new Int32Array(after.length).fill(NO_PARTNER);
  for (let index = 0; index < length; index += 1) {
    const partner = edit[index] ?? NO_PARTNER;
    if (partner !== NO_PARTNER) partners[is[index] ?? 0] = was[partner] ?? NO_PARTNER;
  }
  return partners;
}

/** Pairs the n-th of equal elements of one list with the n-th of the other. */
function nthPartners(before: Int32Array, after: Int32Array): Int32Array {
  // The next index of each number, and the one after each index.
  const heads = new Int32Array(before.length).fill(NO_PARTNER);
  const following = new Int32Array(before.length);
  for (let index = before.length - 1; index >= 0; index -= 1) {
    const number = before[index] ?? 0;
    following[index] = heads[number] ?? NO_PARTNER;
    heads[number] = index;
  }
  const partners = new Int32Array(after.length).fill(NO_PARTNER);
  for (let index = 0; index < after.length; index += 1) {
    const number = after[index] ?? NO_PARTNER;
    const partner = number === NO_PARTNER ? number : (heads[number] ?? NO_PARTNER);
    if (partner === NO_PARTNER) continue;
    partners[index] = partner;
    heads[number] = following[partner] ?? NO_PARTNER;
  }
  return partners;
}

/** The partners without those that aren't in a longest sequence of the order of both lists. */
function inOrder(partners: Int32Array): Int32Array {
  const ordered = new Int32Array(partners.length).fill(NO_PARTNER);
  for (const index of longestAscent(partners)) ordered[index] = partners[index] ?? NO_PARTNER;
  return ordered;
}

/** Indexes from the first up to the second, without it. */
type Span = readonly [start: number, end: number];

/** Elements between equal ones, of which none is equal to one of the other side. */
class Gaps {
  readonly #before: readonly unknown[];
  readonly #after: readonly unknown[];
  readonly #take: TakeStep;
  findMoved: (() => MovedElements) | undefined;
  #moved: MovedElements | undefined;
  /** Where the next gap begins. */
  #left = 0;
  #right = 0;

  constructor(before: readonly unknown[], after: readonly unknown[], take: TakeStep) {
    this.#before = before;
    this.#after = after;
    this.#take = take;
  }

  /** Takes the steps of the elements up to two equal ones, or to the ends of the lists. */
  closeUpTo(before: number, after: number): void {
    const [rows, columns] = [before - this.#left, after - this.#right];
    // As many as before: each was changed. More or fewer: those that are similar were.
    if (rows !== columns && rows > 0 && columns > 0)
      for (const [was, is] of this.#similarPairs([this.#left, before], [this.#right, after])) {
        this.#replaceUpTo(was, is, "replaced");
        this.#take("similar", was, is);
        [this.#left, this.#right] = [was + 1, is + 1];
      }
    this.#replaceUpTo(before, after, rows === columns ? "similar" : "replaced");
    [this.#left, this.#right] = [before + 1, after + 1];
  }

  /** Returns true if each element of the shorter list is similar to one of the longer list, in order. */
  areSimilar(): boolean {
    const [before, after] = [this.#before.length, this.#after.length];
    return before !== after && this.#similarPairs([0, before], [0, after]).length === Math.min(before, after);
  }

  #isMoved(was: number, is: number): boolean {
    // Values without parts are replaced anyway.
    if (typeof this.#before[was] !== "object" || typeof this.#after[is] !== "object") return false;
    this.#moved ??= this.findMoved?.();
    return this.#moved?.before(was) === true || this.#moved?.after(is) === true;
  }

  #replaceUpTo(before: number, after: number, kind: "similar" | "replaced"): void {
    let [was, is] = [this.#left, this.#right];
    for (; was < before && is < after; was += 1, is += 1)
      this.#take(this.#isMoved(was, is) ? "replaced" : kind, was, is);
    for (; was < before; was += 1) this.#take("removed", was, is);
    for (; is < after; is += 1) this.#take("inserted", was, is);
  }

  /** Pairs of similar elements in order. */
  #similarPairs([left, leftEnd]: Span, [right, rightEnd]: Span): readonly Pair[] {
    const pairs = bestPairs(leftEnd - left, rightEnd - right, (row, column) => {
      if (this.#isMoved(left + row, right + column)) return 0;
      const share = similarity(this.#before[left + row], this.#after[right + column]);
      return share < SIMILAR ? 0 : share;
    });
    return (pairs ?? []).map(([row, column]) => [left + row, right + column]);
  }
}

/** Indexes of two elements that are aligned. */
export type Pair = readonly [before: number, after: number];

/**
 * Pairs of rows and columns in the order of both, with the highest sum of the shares above 0. Undefined if there are
 * too many to compute all shares.
 */
export function bestPairs(
  rows: number,
  columns: number,
  shareOf: (row: number, column: number) => number,
): readonly Pair[] | undefined {
  if (rows * columns > MAX_PAIRS) return undefined;
  const width = columns + 1;
  // For the pair at each row and column: its share, and the highest sum from there on.
  const [shares, scores] = [SHARES, SCORES.fill(0, 0, (rows + 1) * width)];
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1) {
      const at = row * width + column;
      const share = shareOf(row, column);
      shares[at] = share;
      const paired = share === 0 ? 0 : share + (scores[at + width + 1] ?? 0);
      scores[at] = Math.max(paired, scores[at + width] ?? 0, scores[at + 1] ?? 0);
    }
  const pairs: Pair[] = [];
  let [row, column] = [0, 0];
  while (row < rows && column < columns) {
    const at = row * width + column;
    const [share = 0, best] = [shares[at], scores[at]];
    if (share > 0 && best === share + (scores[at + width + 1] ?? 0)) {
      pairs.push([row, column]);
      row += 1;
      column += 1;
    } else if (best === scores[at + width]) row += 1;
    else column += 1;
  }
  return pairs;
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
export function similarity(before: unknown, after: unknown): number {
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
  try {
    return stableStringify(before) === stableStringify(after);
  } catch {
    // JSON can't represent a bigint, a Map or bytes.
    return isDeepStrictEqual(before, after);
  }
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
