/**
 * Returns the number of inputs that a property generates: `full` in `npm run explore`, at most 250 in
 * `npm run test:deep` and in CI, and at most 100 in `npm test`. Without a seed every run generates the same inputs, so
 * more of them only repeat what an earlier run checked. A property that takes more than 5 seconds has a smaller `full`.
 */
export function runCount(full: number): number {
  const { DEEP_TESTS: deep, VERITEST_SEED: seed } = process.env;
  if (deep !== "1") return Math.min(full, 100);
  // Only explore sets a seed.
  return seed === undefined ? Math.min(full, 250) : full;
}
