import { isArray, isPlainObject } from "../json/plain-data.ts";
import { formatPath } from "../text.ts";
import { KeyedList } from "./keyed-lists.ts";

interface Sides {
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * Follows a path into two values at once and throws a TypeError with the path at which they first contain themselves
 * alike, if the pair at the end of the path is met on the way: the walk of both would never end.
 */
export function refuseCycle(root: Sides, path: readonly (string | number)[], end: Sides): void {
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
  return new TypeError(`diff: cycle at "${where}". Convert it to plain data first`);
}

function childPair({ before, after }: Sides, segment: string | number): Sides {
  return { before: child(before, segment), after: child(after, segment) };
}

function child(container: unknown, segment: string | number): unknown {
  if (typeof segment === "number") return isArray(container) ? container[segment] : undefined;
  if (container instanceof KeyedList) return container.itemOf(segment);
  return isPlainObject(container) ? container[segment] : undefined;
}
