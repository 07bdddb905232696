/**
 * The least number of items to remove and add that turns one list into the other (Myers' algorithm), or undefined when
 * it is more than `limit`. Takes time in the lists' length times that number, so a small limit bounds it.
 */
export function editDistance(before: readonly string[], after: readonly string[], limit: number): number | undefined {
  const rounds = Math.min(limit, before.length + after.length);
  const offset = rounds + 1;
  // The furthest place reached on each diagonal, by diagonal plus `offset`.
  const frontier = new Int32Array(2 * rounds + 3);
  for (let round = 0; round <= rounds; round += 1) {
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const left = frontier[offset + diagonal - 1] ?? 0;
      const above = frontier[offset + diagonal + 1] ?? 0;
      let x = diagonal === -round || (diagonal !== round && left < above) ? above : left + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      frontier[offset + diagonal] = x;
      if (x >= before.length && x - diagonal >= after.length) return round;
    }
  }
  return undefined;
}
