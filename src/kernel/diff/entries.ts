/** One difference: its path, and the values before and after. `undefined` means that the value is missing. */
export interface DiffEntry {
  /** Path in the new value. The index of a removed element is its index in the old value. */
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
  /** Last segments of the old path, if inserted or removed elements before it changed the path. */
  readonly was?: readonly (string | number)[];
  /**
   * Change of a list element. `inserted`, `removed`: an element was added or removed, and the following ones shifted.
   * `moved`: the order of a list with keys changed; `before` and `after` are positions.
   */
  readonly edit?: "inserted" | "removed" | "moved";
}

/** Returns the path of an entry in the value before. */
export function pathBefore({ path, was = [] }: DiffEntry): DiffEntry["path"] {
  return was.length === 0 ? path : [...path.slice(0, path.length - was.length), ...was];
}

/** Differences between two values, in path order. `equal` is true if there are none. */
export interface DiffResult {
  readonly equal: boolean;
  readonly entries: readonly DiffEntry[];
}

/** The diff of values that are the same. */
export const NO_DIFFERENCES: DiffResult = { equal: true, entries: [] };

type Path = DiffEntry["path"];

/**
 * Orders entries in place by path: numbers numerically, names by UTF-16 code unit, a container before its content, a
 * removed element before another entry of its path.
 */
export function sortEntries(entries: DiffEntry[]): DiffEntry[] {
  return inOrder(entries) ? entries : entries.sort(compareEntries);
}

function inOrder(entries: readonly DiffEntry[]): boolean {
  let previous: DiffEntry | undefined;
  for (const entry of entries) {
    if (previous !== undefined && compareEntries(previous, entry) > 0) return false;
    previous = entry;
  }
  return true;
}

function compareEntries(a: DiffEntry, b: DiffEntry): number {
  return comparePaths(a.path, b.path) || Number(b.edit === "removed") - Number(a.edit === "removed");
}

function comparePaths(a: Path, b: Path): number {
  const shared = Math.min(a.length, b.length);
  for (let index = 0; index < shared; index += 1) {
    const order = compareSegments(a[index], b[index]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareSegments(a: string | number | undefined, b: string | number | undefined): number {
  if (a === b || a === undefined || b === undefined) return 0;
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" || a > b ? 1 : -1;
}
