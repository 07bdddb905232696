/** A dot path of `keyBy` or `compare` during a walk: the number of its names that lead to the current value. */
export interface RulePath {
  readonly names: readonly string[];
  readonly matched: number;
}

/** A dot path at the root of a value. */
export function rulePath(path: string): RulePath {
  return { names: path.split("."), matched: 0 };
}

/** Any name. */
const ANY_NAME = "*";
/** Any number of names. */
export const ANY_NAMES = "**";

/** Returns true if a path ends here. */
export function isFullyMatched({ names, matched }: RulePath): boolean {
  for (let index = matched; index < names.length; index += 1) if (names[index] !== ANY_NAMES) return false;
  return true;
}

/** Returns true if a rule's path ends in `**`. */
export function isOpenEnded(path: string): boolean {
  return path === ANY_NAMES || path.endsWith(`.${ANY_NAMES}`);
}

/** Returns true if a path has a wildcard: `*` is any name, `**` any number of names. */
export function hasWildcard({ names }: RulePath): boolean {
  return names.includes(ANY_NAME) || names.includes(ANY_NAMES);
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
