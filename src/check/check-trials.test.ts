import * as fc from "fast-check";
import { expect, test } from "vitest";
import { wilsonInterval } from "./check-trials.ts";
import { runCount } from "../../test-support/run-count.ts";

const rounded = (hits: number, runs: number): number[] =>
  wilsonInterval(hits, runs).map((share) => Math.round(share * 1000) / 1000);

test.each([
  [10, 10, [0.722, 1]],
  [0, 10, [0, 0.278]],
  [9, 10, [0.596, 0.982]],
  [5, 10, [0.237, 0.763]],
  [1, 1, [0.207, 1]],
  [0, 0, [0, 1]],
])("%d of %d", (hits, runs, interval) => {
  expect(rounded(hits, runs)).toStrictEqual(interval);
});

test("property: the interval holds the share, lies within 0 and 1, and is the mirror of the misses'", () => {
  const runs = fc.integer({ min: 1, max: 1000 }).chain((total) => fc.tuple(fc.nat(total), fc.constant(total)));
  fc.assert(
    fc.property(runs, ([hits, total]) => {
      const [low, high] = wilsonInterval(hits, total);
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(hits / total);
      expect(high).toBeGreaterThanOrEqual(hits / total);
      expect(wilsonInterval(total - hits, total)[0]).toBeCloseTo(1 - high, 10);
    }),
    { numRuns: runCount(1000) },
  );
});
