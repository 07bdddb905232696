/** A dot path of `keyBy` or `compare` on its way into a value: so many of its names lead to where it is. */
export interface RulePath {
  readonly names: readonly string[];
  readonly matched: number;
}

/** A dot path at the root of a value. */
export function rulePath(path: string): RulePath {
  return { names: path.split("."), matched: 0 };
}

/** Any name. */
export const ANY_NAME = "*";
/** Any number of names. */
export const ANY_NAMES = "**";

/** Tells whether a path ends here. */
export function isFullyMatched({ names, matched }: RulePath): boolean {
  for (let index = matched; index < names.length; index += 1) if (names[index] !== ANY_NAMES) return false;
  return true;
}

/** Tells whether a path has a wildcard: `*` is any name, `**` any number of names. */
export function hasWildcard({ names }: RulePath): boolean {
  return names.includes(ANY_NAME) || names.includes(ANY_NAMES);
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
    const name = path.names[path.matched];
    if (name === ANY_NAMES) {
      isNamed = true;
      return advanceAny(path, segment, isElement);
    }
    if (name !== String(segment) && name !== ANY_NAME) return isElement ? [path] : NOWHERE;
    isNamed = true;
    const further = { ...path, matched: path.matched + 1 };
    return isElement ? [further, path] : [further];
  });
  return isElement && !isNamed ? paths : next;
}

/** `**` passes the segment, or ends before it. Positions right after it are left out: it reaches what they reach. */
function advanceAny<P extends RulePath>(path: P, segment: string | number, isElement: boolean): readonly P[] {
  const rest = advancePaths([{ ...path, matched: path.matched + 1 }], segment, isElement);
  return [path, ...rest.filter(({ matched }) => matched > path.matched + 1)];
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
