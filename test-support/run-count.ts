/**
 * Returns the number of inputs that a property generates: `full` in `npm run explore`, and at most 100 in all other
 * runs. Without a seed every run generates the same inputs, so more of them only repeat what an earlier run checked.
 * A property that takes more than 5 seconds has a smaller `full`.
 */
export function runCount(full: number): number {
  // Only explore sets a seed.
  return process.env["VERITEST_SEED"] === undefined ? Math.min(full, 100) : full;
}
