/**
 * A threshold as it is, if it can be one; throws a TypeError for what is no number from 0 to 1, because 85 would
 * never pass and -1 always.
 */
export function checkedThreshold(matcher: string, threshold: number): number {
  if (threshold >= 0 && threshold <= 1) return threshold;
  throw new TypeError(`${matcher}: threshold is ${threshold}. Give a number from 0 to 1.`);
}
