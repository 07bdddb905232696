import { isDeepStrictEqual, types } from "node:util";
import { isArray } from "../base/is-array.ts";
import { isPlainObject } from "../base/is-plain-object.ts";
import { sortEntries } from "./compare-paths.ts";
import { refuseCycle } from "./refuse-cycle.ts";
import type { DiffEntry, DiffResult } from "./types.ts";

type Path = (string | number)[];
type Fields = Readonly<Record<string, unknown>>;

interface Pair {
  readonly path: Path;
  readonly before: unknown;
  readonly after: unknown;
}

interface Walk {
  readonly root: Pair;
  readonly entries: DiffEntry[];
  /** Pairs too deep for the stack, compared after the rest. */
  readonly deferred: Pair[];
  /** The names above the node being compared; shared and rewritten, so an entry takes a copy. */
  readonly path: Path;
  limit: number;
}

// Far from overflowing a stack that others already use, far above the depth of real data.
const MAX_DEPTH = 500;

/**
 * Lists the differences of two values in one walk, in path order, by structure alone: keys by name, arrays by index.
 *
 * An absent property equals `undefined` and differs from `null`; NaN equals NaN, 0 equals -0, dates equal by time; only
 * own enumerable string keys count, a null prototype does not. A change of type is one entry at the highest differing
 * node, and so are two different instances of any other class (compared with `isDeepStrictEqual`). Depth is not limited.
 *
 * Throws a TypeError when both values contain themselves at the same path, where a walk would not end.
 */
export function diff(before: unknown, after: unknown): DiffResult {
  const root: Pair = { path: [], before, after };
  const walk: Walk = { root, entries: [], deferred: [root], path: [], limit: 0 };
  for (let pair = walk.deferred.pop(); pair !== undefined; pair = walk.deferred.pop()) resume(walk, pair);
  return { equal: walk.entries.length === 0, entries: sortEntries(walk.entries) };
}

function resume(walk: Walk, { path, before, after }: Pair): void {
  walk.path.length = 0;
  for (const segment of path) walk.path.push(segment);
  walk.limit = path.length + MAX_DEPTH;
  compare(walk, before, after);
}

function compare(walk: Walk, before: unknown, after: unknown): void {
  if (before === after) return;
  if (typeof before !== "object" || typeof after !== "object" || before === null || after === null) {
    if (!(Number.isNaN(before) && Number.isNaN(after))) report(walk, before, after);
  } else if (isArray(before) && isArray(after)) {
    if (!defer(walk, before, after)) compareArrays(walk, before, after);
  } else if (isPlainObject(before) && isPlainObject(after)) {
    if (!defer(walk, before, after)) compareObjects(walk, before, after);
  } else if (!sameInstance(before, after)) {
    report(walk, before, after);
  }
}

function compareArrays(walk: Walk, before: readonly unknown[], after: readonly unknown[]): void {
  const length = Math.max(before.length, after.length);
  for (let index = 0; index < length; index += 1) compareAt(walk, index, before[index], after[index]);
}

function compareObjects(walk: Walk, before: Fields, after: Fields): void {
  const names = Object.keys(before);
  const others = Object.keys(after);
  if (sameNames(names, others)) {
    for (const name of names) compareAt(walk, name, before[name], after[name]);
    return;
  }
  for (const name of names) compareAt(walk, name, before[name], ownField(after, name));
  for (const name of others) if (!isOwnField(before, name)) compareAt(walk, name, undefined, after[name]);
}

function compareAt(walk: Walk, segment: string | number, before: unknown, after: unknown): void {
  if (before === after) return;
  walk.path.push(segment);
  compare(walk, before, after);
  walk.path.pop();
}

function defer(walk: Walk, before: unknown, after: unknown): boolean {
  if (walk.path.length < walk.limit) return false;
  const pair = { path: [...walk.path], before, after };
  refuseCycle(walk.root, pair.path, pair);
  walk.deferred.push(pair);
  return true;
}

function report(walk: Walk, before: unknown, after: unknown): void {
  walk.entries.push({ path: [...walk.path], before, after });
}

function sameInstance(before: object, after: object): boolean {
  // Own fields hold no part of a Date; isDate works across realms.
  if (types.isDate(before) && types.isDate(after)) return Object.is(before.getTime(), after.getTime());
  return isDeepStrictEqual(before, after);
}

function sameNames(names: readonly string[], others: readonly string[]): boolean {
  if (names.length !== others.length) return false;
  for (let index = 0; index < names.length; index += 1) if (names[index] !== others[index]) return false;
  return true;
}

function ownField(fields: Fields, name: string): unknown {
  return isOwnField(fields, name) ? fields[name] : undefined;
}

function isOwnField(fields: Fields, name: string): boolean {
  return Object.prototype.propertyIsEnumerable.call(fields, name);
}
