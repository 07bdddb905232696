import { formatPath } from "../base/format-path.ts";
import { isArray } from "../base/is-array.ts";
import { diff } from "./diff.ts";
import { IndexedList, MatchedList } from "./keyed-list.ts";
import { type KeyedPath, keyedPaths, normalizeForDiff, replaceArray, valueAt } from "./normalize-for-diff.ts";
import type { DiffResult, KeyBy } from "./types.ts";

/**
 * Diffs two values with the arrays at the paths of `keyBy` compared by identity: the same result and the same errors
 * as `diff(normalizeForDiff(before, keyBy), normalizeForDiff(after, keyBy))`.
 */
export function diffByKey(before: unknown, after: unknown, keyBy?: KeyBy): DiffResult {
  const paths = keyedPaths(keyBy);
  if (!areApart(paths) || !paths.every(({ path }) => isArray(valueAt(before, path)) === isArray(valueAt(after, path)))) {
    return diff(normalizeForDiff(before, keyBy), normalizeForDiff(after, keyBy));
  }
  // Lists instead of records of all elements: while both are in the same order nothing has to be looked up (a quarter
  // less time on 1 MB, half on 100,000 elements in order).
  const lists = new Map<KeyedPath, IndexedList>();
  const left = paths.reduce((value, keyedPath) => {
    return replaceArray(value, keyedPath.path, (items) => {
      const list = new IndexedList(items, identityOf(keyedPath));
      lists.set(keyedPath, list);
      return list;
    });
  }, before);
  const right = paths.reduce((value, keyedPath) => {
    const list = lists.get(keyedPath);
    if (list === undefined) return value;
    return replaceArray(value, keyedPath.path, (items) => new MatchedList(items, list, identityOf(keyedPath)));
  }, after);
  return diff(left, right);
}

function identityOf({ path, key }: KeyedPath): { readonly key: KeyedPath["key"]; readonly path: string } {
  return { key, path: formatPath(path) };
}

/** Tells whether no path leads through the array of another. */
function areApart(paths: readonly KeyedPath[]): boolean {
  return paths.every(({ path }) => !paths.some((other) => other.path.length < path.length && other.path.every((name, depth) => name === path[depth])));
}
