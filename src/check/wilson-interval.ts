/** The two-sided 95 % quantile of the normal distribution. */
const Z = 1.959964;

/**
 * The 95 % score interval of a share (E. B. Wilson, 1927), from 0 to 1. Unlike the plain one it stays honest for few
 * runs and for shares near 0 and 1: ten of ten is 72 % at least, not 100 %. Without runs it is everything.
 */
export function wilsonInterval(hits: number, runs: number): readonly [low: number, high: number] {
  if (runs === 0) return [0, 1];
  const share = hits / runs;
  const weight = Z ** 2 / runs;
  const centre = (share + weight / 2) / (1 + weight);
  const half = (Z / (1 + weight)) * Math.sqrt((share * (1 - share)) / runs + weight / (4 * runs));
  // At the ends the interval ends there too, but for the rounding of fractions.
  return [hits === 0 ? 0 : Math.max(0, centre - half), hits === runs ? 1 : Math.min(1, centre + half)];
}
