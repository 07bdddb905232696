import { isArray, isPlainObject } from "../json/plain-data.ts";
import { MAX_EDITS, type TakeStep, alignLists, haveCommonElement, haveDuplicates, isAlike } from "./align-lists.ts";
import { type DiffEntry, sortEntries } from "./entries.ts";
import { fieldsIn, listProperties } from "./instance-fields.ts";
import { isSameInstance } from "./same-instance.ts";
import { refuseCycle } from "./refuse-cycle.ts";
import { longestAscent } from "./longest-ascent.ts";
import { KeyedList, orderOf, originalList } from "./keyed-lists.ts";
import { walkKeyedLists } from "./walk-keyed-lists.ts";

type Path = (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

interface Pair {
  readonly path: Path;
  /** Path in the value before. */
  readonly was: Path;
  readonly before: unknown;
  readonly after: unknown;
}

type Items = readonly unknown[];

/** Entries and deferred pairs of a part of the walk. */
interface Part {
  readonly entries: readonly DiffEntry[];
  readonly deferred: readonly Pair[];
}

/** Entries of aligned lists, and the number of elements that differ by index: each of these would have an entry. */
interface AlignedPart extends Part {
  readonly unequal: number;
}

/** Elements of a list that are looked for in another one, each with those that follow, up to a distance. */
interface Runs {
  readonly indexes: readonly number[];
  readonly run: number;
  readonly distance: number;
}

/** Numbers of entries and deferred pairs at a moment. */
type Mark = Readonly<Record<keyof Part, number>>;

// Far from overflowing a stack that others already use, far above the depth of real data.
const MAX_DEPTH = 500;

/**
 * The differences of two values as `diff` lists them, with each `KeyedList` at the same position of both, in one walk.
 * Throws the TypeErrors of `diff`.
 */
export function walkDiff(before: unknown, after: unknown): DiffEntry[] {
  return new DiffWalk({ path: [], was: [], before, after }).run();
}

/** The same for values after `normalizeForDiff`, with every list compared by index. */
export function walkByIndex(before: unknown, after: unknown): DiffEntry[] {
  return new DiffWalk({ path: [], was: [], before, after }, { isKeyed: true, aligns: false }).run();
}

/** The same for values after `normalizeForDiff`: a list that became a record of the same keys is a change of type. */
export function walkKeyed(before: unknown, after: unknown): DiffEntry[] {
  return new DiffWalk({ path: [], was: [], before, after }, { isKeyed: true }).run();
}

class DiffWalk {
  readonly #root: Pair;
  readonly #entries: DiffEntry[] = [];
  /** Pairs too deep for the stack, compared after the rest. */
  readonly #deferred: Pair[];
  /** The names above the pair being compared, as many as `depth`; rewritten all the time, so an entry takes a copy. */
  #path: Path = [];
  /** The same in the value before. */
  #was: Path = [];
  /** Number of alignments above: each compares its elements again, so that many within one another would be slow. */
  #alignments = 0;
  // Counted, because removing names one by one is slower (8 % of the total on entities).
  #depth = 0;
  #limit = 0;

  /** True if records may replace lists: checking that for each object is slow. */
  readonly #isKeyed: boolean;

  constructor(
    root: Pair,
    { isKeyed = false, aligns = true }: { readonly isKeyed?: boolean; readonly aligns?: boolean } = {},
  ) {
    this.#isKeyed = isKeyed;
    this.#alignments = aligns ? 0 : MAX_ALIGNMENTS;
    this.#root = root;
    this.#deferred = [root];
  }

  run(): DiffEntry[] {
    for (let pair = this.#deferred.pop(); pair !== undefined; pair = this.#deferred.pop()) {
      this.#path = pair.path;
      this.#was = pair.was;
      this.#depth = pair.path.length;
      this.#limit = pair.path.length + MAX_DEPTH;
      if (pair.before !== pair.after) this.#compare(pair.before, pair.after);
    }
    return sortEntries(this.#entries);
  }

  #compare(before: unknown, after: unknown): void {
    if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) {
      if (!sameLeaf(before, after)) this.#report(before, after);
    } else if (isArray(before) && isArray(after)) {
      if (!this.#defer(before, after)) this.#compareArrays(before, after);
    } else if (isPlainObject(before) && isPlainObject(after)) {
      if (this.#isKeyed && (originalList(before) === undefined) !== (originalList(after) === undefined))
        this.#report(originalList(before) ?? before, originalList(after) ?? after);
      else if (!this.#defer(before, after)) {
        this.#compareObjects(before, after);
        if (this.#isKeyed) this.#compareOrder(orderOf(before), orderOf(after));
      }
    } else if (before instanceof KeyedList && after instanceof KeyedList) {
      if (!this.#defer(before, after))
        walkKeyedLists(before, after, (id, left, right) => this.#compareAt(id, left, right));
    } else if (!isSameInstance(before, after, () => this.#path.slice(0, this.#depth))) {
      this.#compareInstances(before, after);
    }
  }

  /** Maps by their keys, and errors by their fields, unless those are the same. */
  #compareInstances(before: object, after: object): void {
    const { length } = this.#entries;
    const [old, now] = [isPlainObject(before) ? undefined : fieldsIn(before), fieldsIn(after)];
    const isAlike =
      old !== undefined && now !== undefined && Reflect.getPrototypeOf(before) === Reflect.getPrototypeOf(after);
    if (isAlike && this.#depth < this.#limit) this.#compareObjects(old, now);
    if (this.#entries.length === length) this.#report(before, after);
  }

  #compareArrays(before: readonly unknown[], after: readonly unknown[]): void {
    // Those of a match: to look for any takes as long as the comparison.
    if ("index" in before || "index" in after) this.#compareObjects(listProperties(before), listProperties(after));
    if (this.#alignments === MAX_ALIGNMENTS || this.#limit !== MAX_DEPTH) this.#compareByIndex(before, after);
    else if (before.length === after.length) this.#compareEqualLengths(before, after);
    else this.#compareLengths(before, after);
  }

  #compareByIndex(before: readonly unknown[], after: readonly unknown[], start: number = 0): void {
    const length = Math.max(before.length, after.length);
    for (let index = start; index < length; index += 1)
      this.#compareElement([index, index], before[index], after[index]);
  }

  /** Elements that differ in their places are aligned if some of them moved, and that takes fewer entries. */
  #compareEqualLengths(before: readonly unknown[], after: readonly unknown[]): void {
    const start = this.#mark();
    const indexes: number[] = [];
    let [hasMoved, aligned]: [boolean, AlignedPart | undefined] = [false, undefined];
    for (let index = 0; index < before.length; index += 1) {
      const { length } = this.#entries;
      this.#compareElement([index, index], before[index], after[index]);
      if (this.#entries.length === length) continue;
      indexes.push(index);
      if (indexes.length === MAX_UNEQUAL + 1 && this.#mayHaveMoved(before, after, indexes)) {
        hasMoved = true;
        aligned = this.#aligned(before, after, {
          start: indexes[0] ?? 0,
          end: this.#equalEnd(before, after, index + 1),
        });
      }
      // The entries by index are more, or will be, so those of the other elements aren't needed.
      if (aligned !== undefined && this.#isShorter(aligned, start)) break;
    }
    if (indexes.length < 2) return;
    const [first = 0, last = 0] = [indexes[0], indexes.at(-1)];
    if (!hasMoved && this.#mayHaveMoved(before, after, indexes))
      aligned = this.#aligned(before, after, { start: first, end: before.length - 1 - last });
    if (aligned === undefined || !this.#isShorter(aligned, start)) return;
    this.#takeFrom(start);
    for (const entry of aligned.entries) this.#entries.push(entry);
    for (const pair of aligned.deferred) this.#deferred.push(pair);
  }

  #mark(): Mark {
    return { entries: this.#entries.length, deferred: this.#deferred.length };
  }

  /** Removes and returns the entries and pairs since a mark. */
  #takeFrom({ entries, deferred }: Mark): Part {
    return { entries: this.#entries.splice(entries), deferred: this.#deferred.splice(deferred) };
  }

  #isShorter({ entries, unequal }: AlignedPart, since: Mark): boolean {
    return entries.length < Math.max(unequal, this.#entries.length - since.entries);
  }

  /** Returns the entries of an alignment, without adding them. Undefined if the lists can't be aligned. */
  #aligned(
    before: readonly unknown[],
    after: readonly unknown[],
    ends: { readonly start: number; readonly end: number },
  ): AlignedPart | undefined {
    const mark = this.#mark();
    const unequal = this.#align(before, after, ends);
    const part = this.#takeFrom(mark);
    return unequal === undefined ? undefined : { ...part, unequal };
  }

  /** If many elements differ, only some are compared with their neighbours: to compare all would take too long. */
  #mayHaveMoved(before: readonly unknown[], after: readonly unknown[], indexes: readonly number[]): boolean {
    if (indexes.length <= MAX_UNEQUAL) {
      const unequal = [before, after].map((items) => indexes.map((index) => items[index]));
      return haveCommonElement(unequal[0] ?? [], unequal[1] ?? []);
    }
    const sampled = sampleIndexes(indexes.length).map((sample) => indexes[sample] ?? 0);
    const run = before.length > LONG && haveDuplicates(sampled.map((index) => before[index])) ? RUN : 1;
    return this.#haveRuns(before, after, { indexes: sampled, run, distance: MAX_SHIFT });
  }

  /** Returns true if some of the elements, each with those that follow it, are in the other list too. */
  #haveRuns(before: Items, after: Items, { indexes, run, distance }: Runs): boolean {
    let moved = 0;
    for (const index of indexes) {
      let shift = -distance;
      while (shift <= distance && !this.#isEqualRun([before, index], [after, index + shift], run)) shift += 1;
      if (shift <= distance) moved += 1;
      if (moved === MIN_MOVED) return true;
    }
    return false;
  }

  /** Returns true for long lists of few values that have too little in common to be aligned. */
  #areUnlike(before: Items, after: Items): boolean {
    // Objects take longer to compare than to number.
    if (before.length === after.length || after.length <= LONG || typeof before[0] === "object") return false;
    const indexes = sampleIndexes(before.length);
    if (before.length <= LONG || !haveDuplicates(indexes.map((index) => before[index]))) return false;
    const isFar = Math.abs(before.length - after.length) > MAX_EDITS;
    return isFar || !this.#haveRuns(before, after, { indexes, run: RUN, distance: MAX_EDITS });
  }

  #isEqualRun([before, was]: readonly [Items, number], [after, is]: readonly [Items, number], length: number): boolean {
    for (let ahead = 0; ahead < length; ahead += 1)
      if (!(is + ahead in after) || !this.#isEqualAt(before[was + ahead], after[is + ahead])) return false;
    return true;
  }

  #compareLengths(before: readonly unknown[], after: readonly unknown[]): void {
    const most = Math.min(before.length, after.length);
    let start = 0;
    while (start < most && this.#isEqualAt(before[start], after[start])) start += 1;
    const end = this.#equalEnd(before, after, start);
    if (this.#align(before, after, { start, end }) === undefined) this.#compareByIndex(before, after, start);
  }

  /** Number of equal elements at the end of two lists, without those before `start`. */
  #equalEnd(before: readonly unknown[], after: readonly unknown[], start: number): number {
    const most = Math.min(before.length, after.length) - start;
    let end = 0;
    while (end < most && this.#isEqualAt(before.at(-1 - end), after.at(-1 - end))) end += 1;
    return end;
  }

  #isEqualAt(before: unknown, after: unknown): boolean {
    if (before === after) return true;
    if (typeof before !== "object" || typeof after !== "object") return sameLeaf(before, after);
    const start = this.#mark();
    this.#compareAt(0, before, after);
    const part = this.#takeFrom(start);
    return part.entries.length === 0 && part.deferred.length === 0;
  }

  /** Aligns what is between equal ends of two lists. Returns how many of it differ by index; undefined if it can't. */
  #align(
    before: readonly unknown[],
    after: readonly unknown[],
    { start, end }: { readonly start: number; readonly end: number },
  ): number | undefined {
    const [old, current] = [before, after].map((items) => items.slice(start, items.length - end));
    if (old === undefined || current === undefined) return undefined;
    // At the end of a list, elements that came or went move no others.
    const isTail = end === 0 && (old.length === 0 || current.length === 0);
    if (isTail) return undefined;
    const take: TakeStep = (kind, left, right) => {
      const [was, is] = [start + left, start + right];
      if (kind === "removed")
        this.#reportElement([was, was], { before: before[was], after: undefined, edit: "removed" });
      else if (kind === "inserted")
        this.#reportElement([is, is], { before: undefined, after: after[is], edit: "inserted" });
      else if (kind === "replaced") this.#reportElement([was, is], { before: before[was], after: after[is] });
      else this.#compareElement([was, is], before[was], after[is]);
    };
    if (this.#areUnlike(old, current)) {
      const shared = Math.min(old.length, current.length);
      for (let index = 0; index < shared; index += 1) take("similar", index, index);
      for (let index = shared; index < old.length; index += 1) take("removed", index, shared);
      for (let index = shared; index < current.length; index += 1) take("inserted", shared, index);
      return old.length;
    }
    this.#alignments += 1;
    const unequal = alignLists(old, current, { between: start + end > 0, take });
    this.#alignments -= 1;
    return unequal;
  }

  #reportElement([was, is]: readonly [number, number], sides: Omit<DiffEntry, "path" | "was">): void {
    this.#path[this.#depth] = is;
    this.#was[this.#depth] = was;
    this.#depth += 1;
    this.#report(sides.before, sides.after, sides.edit);
    this.#depth -= 1;
  }

  #compareObjects(before: Fields, after: Fields): void {
    const names = Object.keys(before);
    if (hasNames(after, names)) {
      for (const name of names) this.#compareAt(name, before[name], after[name]);
      return;
    }
    for (const name of names) this.#compareAt(name, before[name], ownField(after, name));
    for (const name of Object.keys(after)) if (!isOwnField(before, name)) this.#compareAt(name, undefined, after[name]);
  }

  /** One entry for each element that moved, as few as may be: the sides are its positions, from 1. */
  #compareOrder(before: readonly string[] | undefined, after: readonly string[] | undefined): void {
    if (before === undefined || after === undefined) return;
    const positions = new Map(before.map((id, index) => [id, index]));
    const still = new Set(longestAscent(Int32Array.from(after, (id) => positions.get(id) ?? -1)));
    for (const [index, id] of after.entries()) {
      const position = positions.get(id);
      if (position === undefined || still.has(index)) continue;
      this.#path.splice(this.#depth, 2, id, POSITION);
      this.#was.splice(this.#depth, 2, id, POSITION);
      this.#depth += 2;
      this.#report(position + 1, index + 1, "moved");
      this.#depth -= 2;
    }
  }

  #compareAt(segment: string | number, before: unknown, after: unknown): void {
    if (before === after) return;
    this.#path[this.#depth] = segment;
    this.#was[this.#depth] = segment;
    this.#depth += 1;
    this.#compare(before, after);
    this.#depth -= 1;
  }

  /** Compares two elements of lists. One of another kind replaced the other: its parts would be lines without sense. */
  #compareElement([was, is]: readonly [was: number, is: number], before: unknown, after: unknown): void {
    if (before === after) return;
    const { length } = this.#entries;
    const deferred = this.#deferred.length;
    this.#path[this.#depth] = is;
    this.#was[this.#depth] = was;
    this.#depth += 1;
    this.#compare(before, after);
    if (this.#entries.length - length > MAX_UNLIKE && !isAlike(before, after)) {
      this.#entries.length = length;
      this.#deferred.length = deferred;
      this.#report(before, after);
    }
    this.#depth -= 1;
  }

  #defer(before: unknown, after: unknown): boolean {
    if (this.#depth < this.#limit) return false;
    const pair = { path: this.#here(), was: this.#was.slice(0, this.#depth), before, after };
    refuseCycle(this.#root, pair.path, pair);
    this.#deferred.push(pair);
    return true;
  }

  #here(): Path {
    return this.#path.slice(0, this.#depth);
  }

  #report(before: unknown, after: unknown, edit?: "inserted" | "removed" | "moved"): void {
    const path = this.#here();
    let first = 0;
    while (first < this.#depth && path[first] === this.#was[first]) first += 1;
    const entry: { -readonly [Name in keyof DiffEntry]: DiffEntry[Name] } = { path, before, after };
    if (first < this.#depth) entry.was = this.#was.slice(first, this.#depth);
    if (edit !== undefined) entry.edit = edit;
    this.#entries.push(entry);
  }
}

/** Last segment of the path of a move, which no field has by chance. */
const POSITION = "(position)";

/** Unequal elements of which each is looked for in the other list. */
const MAX_UNEQUAL = 100;
/** Number of the unequal elements, if there are more, that are compared with their neighbours, and the distance. */
const SAMPLES = 20;
const MAX_SHIFT = 3;
/** Number of those that must have moved: in a reversed list, the one in the middle did. */
const MIN_MOVED = 2;
/** Length of lists in which one element with duplicates doesn't show that it moved, and the number of those that do. */
const LONG = 4000;
const RUN = 16;

/** Differences of two elements up to which they are compared even if they have other fields. */
const MAX_UNLIKE = 2;

/** Alignments within one another: a list of lists of lists. */
const MAX_ALIGNMENTS = 3;

function sampleIndexes(length: number): readonly number[] {
  return Array.from({ length: SAMPLES }, (_item, sample) => Math.floor((sample * length) / SAMPLES));
}

function sameLeaf(before: unknown, after: unknown): boolean {
  return before === after || (Number.isNaN(before) && Number.isNaN(after));
}

/** Returns true if an object has just these names in this order; `false` if it inherits names too. */
function hasNames(fields: Fields, names: readonly string[]): boolean {
  let index = 0;
  // Unlike Object.keys this makes no list, a third of what a keyed walk would allocate (12 to 4 MB on 10,000 elements).
  for (const name in fields) {
    if (names[index] !== name) return false;
    index += 1;
  }
  return index === names.length;
}

function ownField(fields: Fields, name: string): unknown {
  return isOwnField(fields, name) ? fields[name] : undefined;
}

function isOwnField(fields: Fields, name: string): boolean {
  return Object.prototype.propertyIsEnumerable.call(fields, name);
}
