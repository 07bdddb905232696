/** A dot path of `keyBy` or `compare` during a walk: the number of its names that lead to the current value. */
export interface RulePath {
  readonly names: readonly string[];
  readonly matched: number;
}

/** A dot path at the root of a value. */
export function rulePath(path: string): RulePath {
  return { names: path.split("."), matched: 0 };
}

/** Returns true if a path ends here. */
export function isFullyMatched({ names, matched }: RulePath): boolean {
  return matched === names.length;
}

/**
 * Advances paths by one segment: those that name it, and at an element (of a list, or of a keyed array) also those that
 * pass it unnamed. In the same order; the same list if each path passes.
 */
export function advancePaths<P extends RulePath>(
  paths: readonly P[],
  segment: string | number,
  isElement: boolean,
): readonly P[] {
  let isNamed = false;
  const next = paths.flatMap((path): readonly P[] => {
    if (path.names[path.matched] !== String(segment)) return isElement ? [path] : NOWHERE;
    isNamed = true;
    const further = { ...path, matched: path.matched + 1 };
    return isElement ? [further, path] : [further];
  });
  return isElement && !isNamed ? paths : next;
}

const NOWHERE: readonly never[] = [];

/** For each segment of a path, true if it leads to an element: of a list by index, of a keyed array by id. */
export function elementsOn(path: readonly (string | number)[], keyBy: readonly RulePath[]): readonly boolean[] {
  let keys = keyBy;
  return path.map((segment) => {
    const isElement = typeof segment === "number" || keys.some(isFullyMatched);
    keys = advancePaths(
      keys.filter((key) => !isFullyMatched(key)),
      segment,
      isElement,
    );
    return isElement;
  });
}
