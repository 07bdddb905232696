/** A dot path of `keyBy` or `compare` on its way into a value: so many of its names lead to where it is. */
export interface RulePath {
  readonly names: readonly string[];
  readonly matched: number;
}

/** A dot path at the root of a value. */
export function rulePath(path: string): RulePath {
  return { names: path.split("."), matched: 0 };
}

/** Tells whether a path ends here. */
export function isFullyMatched({ names, matched }: RulePath): boolean {
  return matched === names.length;
}

/**
 * Where paths are one segment further: those that name it, and at an element (of a list, or of a keyed array) also
 * those that pass it unnamed. In the same order; the list itself where each passes.
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

/** Of each segment of a path, whether it leads to an element: of a list by place, of an array that is keyed by id. */
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
