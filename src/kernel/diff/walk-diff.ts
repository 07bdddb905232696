import { isDeepStrictEqual, types } from "node:util";
import { isArray, isPlainObject } from "../json/plain-data.ts";
import { formatPath } from "../text.ts";
import { type DiffEntry, sortEntries } from "./entries.ts";
import { KeyedList, originalList } from "./normalize-for-diff.ts";

type Path = (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

interface Pair {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

// Far from overflowing a stack that others already use, far above the depth of real data.
const MAX_DEPTH = 500;

/**
 * The differences of two values as `diff` lists them, with each `KeyedList` at the same position of both, in one walk.
 * Throws the TypeErrors of `diff`.
 */
export function walkDiff(before: unknown, after: unknown): DiffEntry[] {
  return new DiffWalk({ path: [], before, after }).run();
}

/** The same for values after `normalizeForDiff`: a list that became a record of the same keys is a change of type. */
export function walkKeyed(before: unknown, after: unknown): DiffEntry[] {
  return new DiffWalk({ path: [], before, after }, true).run();
}

class DiffWalk {
  readonly #root: Pair;
  readonly #entries: DiffEntry[] = [];
  /** Pairs too deep for the stack, compared after the rest. */
  readonly #deferred: Pair[];
  /** The names above the pair being compared, as many as `depth`; rewritten all the time, so an entry takes a copy. */
  #path: Path = [];
  // Counted, because removing names one by one is slower (8 % of the total on entities).
  #depth = 0;
  #limit = 0;

  /** True if records may replace lists: checking that for each object is slow. */
  readonly #isKeyed: boolean;

  constructor(root: Pair, isKeyed: boolean = false) {
    this.#isKeyed = isKeyed;
    this.#root = root;
    this.#deferred = [root];
  }

  run(): DiffEntry[] {
    for (let pair = this.#deferred.pop(); pair !== undefined; pair = this.#deferred.pop()) {
      this.#path = pair.path;
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
      else if (!this.#defer(before, after)) this.#compareObjects(before, after);
    } else if (before instanceof KeyedList && after instanceof KeyedList) {
      if (!this.#defer(before, after)) walkLists(before, after, (id, left, right) => this.#compareAt(id, left, right));
    } else if (!sameInstance(before, after)) {
      this.#report(before, after);
    }
  }

  #compareArrays(before: readonly unknown[], after: readonly unknown[]): void {
    const length = Math.max(before.length, after.length);
    for (let index = 0; index < length; index += 1) this.#compareAt(index, before[index], after[index]);
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

  #compareAt(segment: string | number, before: unknown, after: unknown): void {
    if (before === after) return;
    this.#path[this.#depth] = segment;
    this.#depth += 1;
    this.#compare(before, after);
    this.#depth -= 1;
  }

  #defer(before: unknown, after: unknown): boolean {
    if (this.#depth < this.#limit) return false;
    const pair = { path: this.#here(), before, after };
    refuseCycle(this.#root, pair.path, pair);
    this.#deferred.push(pair);
    return true;
  }

  #here(): Path {
    return this.#path.slice(0, this.#depth);
  }

  #report(before: unknown, after: unknown): void {
    this.#entries.push({ path: this.#here(), before, after });
  }
}

function sameLeaf(before: unknown, after: unknown): boolean {
  return before === after || (Number.isNaN(before) && Number.isNaN(after));
}

function sameInstance(before: object, after: object): boolean {
  // A Date has no data in own fields; isDate works across realms.
  if (types.isDate(before) && types.isDate(after)) return Object.is(before.getTime(), after.getTime());
  return isDeepStrictEqual(before, after);
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

/** Takes the two elements of an id; undefined replaces the missing one. */
type Visit = (id: string, before: unknown, after: unknown) => void;

/**
 * Visits the elements of two keyed lists in pairs, last those that only `before` has. No element is visited whose id an
 * earlier one of its list has. Throws the TypeErrors of `keyItems`.
 */
function walkLists(before: KeyedList, after: KeyedList, visit: Visit): void {
  const shared = Math.min(before.items.length, after.items.length);
  let last = "";
  let ascends = true;
  let index = 0;
  for (; index < shared; index += 1) {
    const id = before.idAt(index);
    if (after.idAt(index) !== id) break;
    // Ids in ascending order need no map to show that each is unique (a tenth of the total on 1 MB).
    if (ascends && index > 0 && !isAfter(id, last)) {
      indexesOf(before.ids(), before);
      ascends = false;
    }
    last = id;
    visit(id, before.items[index], after.items[index]);
  }
  if (index < before.items.length || index < after.items.length) walkRest(before, after, { start: index, visit });
}

/** Visits the elements after the last index up to which both lists have the same ids. */
function walkRest(
  before: KeyedList,
  after: KeyedList,
  { start, visit }: { readonly start: number; readonly visit: Visit },
): void {
  const ids = before.ids();
  const indexes = indexesOf(ids, before);
  const visited = new Uint8Array(ids.length).fill(1, 0, start);
  const added = new Set<string>();
  let next = start;
  for (let index = start; index < after.items.length; index += 1) {
    const id = after.idAt(index);
    // If elements were only added or removed, the next one mostly follows the last one on both sides.
    const at = ids[next] === id ? next : indexes.get(id);
    if (at === undefined ? added.has(id) : visited[at] === 1) throw after.duplicate(id);
    if (at === undefined) added.add(id);
    else {
      visited[at] = 1;
      next = at + 1;
    }
    visit(id, at === undefined ? undefined : before.items[at], after.items[index]);
  }
  for (let rest = start; rest < ids.length; rest += 1)
    if (visited[rest] === 0) visit(ids[rest] ?? "", before.items[rest], undefined);
}

/** Index of the element of each id. Throws a TypeError if two elements have the same. */
function indexesOf(ids: readonly string[], list: KeyedList): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (let index = 0; index < ids.length; index += 1) {
    const id = ids[index] ?? "";
    if (indexes.set(id, index).size === index) throw list.duplicate(id);
  }
  return indexes;
}

/** Longer, or as long and greater, as numbered ids are one after another. */
function isAfter(id: string, last: string): boolean {
  return id.length === last.length ? id > last : id.length > last.length;
}

interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Follows a path into two values at once and throws a TypeError with the path at which they first contain themselves
 * alike, if the pair at the end of the path is met on the way: the walk of both would never end.
 */
function refuseCycle(root: Sides, path: readonly (string | number)[], end: Sides): void {
  let pair = root;
  for (const segment of path) {
    if (pair.before === end.before && pair.after === end.after) throw cycleError(root, path);
    pair = childPair(pair, segment);
  }
}

/** Names the shortest way round; too dear to look for before a cycle is known. */
function cycleError(root: Sides, path: readonly (string | number)[]): TypeError {
  const met = new Map<unknown, Set<unknown>>();
  let pair = root;
  let depth = 0;
  for (const segment of path) {
    const partners = met.get(pair.before) ?? new Set();
    if (partners.has(pair.after)) break;
    met.set(pair.before, partners.add(pair.after));
    pair = childPair(pair, segment);
    depth += 1;
  }
  const where = formatPath(path.slice(0, depth));
  return new TypeError(`diff: cycle at "${where}"; convert it to plain JSON data first`);
}

function childPair({ before, after }: Sides, segment: string | number): Sides {
  return { before: child(before, segment), after: child(after, segment) };
}

function child(container: unknown, segment: string | number): unknown {
  if (typeof segment === "number") return isArray(container) ? container[segment] : undefined;
  if (container instanceof KeyedList) return container.itemOf(segment);
  return isPlainObject(container) ? container[segment] : undefined;
}
