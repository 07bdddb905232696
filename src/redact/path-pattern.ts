/** One segment of a path into a value: the name of a field, or an index. */
export type PathSegment = string | number;

/**
 * Creates a test for paths from patterns such as `user.email`, `lines[0].note`, `messages.*.metadata.id` or
 * `**.requestId`: `*` matches one name or index, `**` any number of them. An empty list matches no path.
 */
export function pathMatcher(patterns: readonly string[]): (path: readonly PathSegment[]) => boolean {
  const parsed = patterns.map(segmentsOf);
  if (parsed.length === 0) return () => false;
  return (path) => parsed.some((pattern) => matches(pattern, path));
}

/** Creates a test for paths that can lead to a path of the patterns: those above one. */
export function pathLeader(patterns: readonly string[]): (path: readonly PathSegment[]) => boolean {
  const parsed = patterns.map(segmentsOf);
  return (path) =>
    parsed.some((pattern) => [...reachable(pattern, path)].some((position) => position < pattern.length));
}

function segmentsOf(pattern: string): readonly string[] {
  return pattern
    .replace(/\[(\d+|\*)\]/g, ".$1")
    .split(".")
    .filter((segment) => segment !== "");
}

function matches(pattern: readonly string[], path: readonly PathSegment[]): boolean {
  return reachable(pattern, path).has(pattern.length);
}

/** Keeps, segment by segment, which pattern positions are reachable: no backtracking, whatever the stars. */
function reachable(pattern: readonly string[], path: readonly PathSegment[]): ReadonlySet<number> {
  let positions = withSkips(pattern, new Set([0]));
  for (const segment of path) {
    const next = new Set<number>();
    for (const position of positions) {
      const wanted = pattern[position];
      if (wanted === "**") next.add(position);
      else if (wanted === "*" || wanted === String(segment)) next.add(position + 1);
    }
    positions = withSkips(pattern, next);
    if (positions.size === 0) break;
  }
  return positions;
}

function withSkips(pattern: readonly string[], positions: ReadonlySet<number>): ReadonlySet<number> {
  const all = new Set(positions);
  // The loop of a set also visits elements that are added during it.
  for (const position of all) if (pattern[position] === "**") all.add(position + 1);
  return all;
}
