/** One step of an edit: an item both lists have, one only the first has, or one only the second has. */
export interface EditStep {
  readonly kind: "same" | "removed" | "added";
  readonly item: string;
}

interface Lists {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** The furthest place reached on each diagonal, by diagonal plus `offset`. */
type Frontier = Int32Array;

/**
 * The least number of items to remove and add that turns one list into the other (Myers' algorithm), or undefined when
 * it is more than `limit`. Takes time in the lists' length times that number, so a small limit bounds it.
 */
export function editDistance(before: readonly string[], after: readonly string[], limit: number): number | undefined {
  return search({ before, after }, limit, () => undefined);
}

/** A shortest edit from one list to the other, or undefined when it needs more than `limit` removals and additions. */
export function shortestEdit(
  before: readonly string[],
  after: readonly string[],
  limit: number,
): EditStep[] | undefined {
  const lists = { before, after };
  const trace: Frontier[] = [];
  // Round d reaches d diagonals on each side: only those are kept.
  const distance = search(lists, limit, (frontier, offset, round) =>
    trace.push(frontier.slice(offset - round, offset + round + 1)),
  );
  return distance === undefined ? undefined : traceBack(lists, trace, distance);
}

function search(
  { before, after }: Lists,
  limit: number,
  keep: (frontier: Frontier, offset: number, round: number) => void,
): number | undefined {
  const rounds = Math.min(limit, before.length + after.length);
  const offset = rounds + 1;
  const frontier: Frontier = new Int32Array(2 * rounds + 3);
  for (let round = 0; round <= rounds; round += 1) {
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const left = frontier[offset + diagonal - 1] ?? 0;
      const above = frontier[offset + diagonal + 1] ?? 0;
      let x = diagonal === -round || (diagonal !== round && left < above) ? above : left + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      frontier[offset + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return round;
    }
    keep(frontier, offset, round);
  }
  return undefined;
}

/** Reads the way back from the end of both lists; `trace` holds the frontier after each round but the last. */
function traceBack({ before, after }: Lists, trace: readonly Frontier[], distance: number): EditStep[] {
  const steps: EditStep[] = [];
  let x = before.length;
  let y = after.length;
  const same = (until: number): void => {
    while (x > until) {
      x -= 1;
      y -= 1;
      steps.push({ kind: "same", item: before[x] ?? "" });
    }
  };
  for (let round = distance; round > 0; round -= 1) {
    const diagonal = x - y;
    const earlier = trace[round - 1] ?? new Int32Array();
    const at = (wanted: number): number => earlier[wanted + round - 1] ?? -1;
    const added = diagonal === -round || (diagonal !== round && at(diagonal - 1) < at(diagonal + 1));
    const from = at(added ? diagonal + 1 : diagonal - 1);
    same(added ? from : from + 1);
    if (added) y -= 1;
    else x -= 1;
    steps.push(added ? { kind: "added", item: after[y] ?? "" } : { kind: "removed", item: before[x] ?? "" });
  }
  same(0);
  return steps.reverse();
}
