/** Digits kept after the point: far finer than any meaning, coarse enough to hide how a logarithm was rounded. */
const DIGITS = 6;
const SMALLEST = 1e-6;

/**
 * Rounds a score to six decimals. One that is not exactly 1 (`full` says so) stays below 1, and one above 0 stays above
 * 0, so that both ends keep their meaning. Without `full` a number is only rounded.
 */
export function roundScore(value: number, full?: boolean): number {
  const rounded = Number(value.toFixed(DIGITS));
  if (full === undefined) return rounded;
  if (full) return 1;
  return value <= 0 ? 0 : Math.min(1 - SMALLEST, Math.max(SMALLEST, rounded));
}
