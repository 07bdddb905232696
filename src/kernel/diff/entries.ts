/** One difference: its path, and the values before and after. `undefined` means absent. */
export interface DiffEntry {
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
}

/** All differences of two values, in path order; `equal` is true exactly when there are none. */
export interface DiffResult {
  readonly equal: boolean;
  readonly entries: readonly DiffEntry[];
}

/** The diff of values that are the same. */
export const NO_DIFFERENCES: DiffResult = { equal: true, entries: [] };

type Path = DiffEntry["path"];

/** Orders entries in place by path: numbers numerically, names by UTF-16 code unit, a container before its content. */
export function sortEntries(entries: DiffEntry[]): DiffEntry[] {
  return inOrder(entries) ? entries : entries.sort((a, b) => comparePaths(a.path, b.path));
}

function inOrder(entries: readonly DiffEntry[]): boolean {
  let previous: DiffEntry | undefined;
  for (const entry of entries) {
    if (previous !== undefined && comparePaths(previous.path, entry.path) > 0) return false;
    previous = entry;
  }
  return true;
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
