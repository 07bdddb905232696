import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lowestRanks, sampleRank } from "./plan-inputs.ts";
import { runCount } from "../../../test-support/run-count.ts";

function sample(inputs: readonly unknown[], count: number, seed: string): readonly unknown[] {
  const ranked = inputs.map((input, index) => ({
    rank: sampleRank(seed, input),
    key: String(index),
    item: String(index),
  }));
  return lowestRanks(ranked, count).map((index) => inputs[Number(index)]);
}

const inputs = fc.uniqueArray(fc.record({ id: fc.integer(), text: fc.string({ unit: "grapheme-ascii" }) }), {
  selector: ({ id }) => id,
  maxLength: 30,
});
const count = fc.integer({ min: 1, max: 10 });

test("adding an input to a sampled collection changes at most one of the sample", () => {
  fc.assert(
    fc.property(inputs, count, fc.string(), fc.nat(), (all, size, seed, at) => {
      fc.pre(all.length > 0);
      const added = all[at % all.length];
      const before = sample(
        all.filter((input) => input !== added),
        size,
        seed,
      );
      const after = sample(all, size, seed);
      expect(after.filter((input) => input !== added && !before.includes(input))).toStrictEqual([]);
      expect(before.filter((input) => !after.includes(input)).length).toBeLessThanOrEqual(
        after.includes(added) ? 1 : 0,
      );
    }),
    { numRuns: runCount(1000) },
  );
});

test("a sample has as many as were requested, and does not depend on the order of the inputs", () => {
  fc.assert(
    fc.property(inputs, count, fc.string(), (all, size, seed) => {
      const drawn = sample(all, size, seed);
      expect(drawn.length).toBe(Math.min(size, all.length));
      expect(sample(all.toReversed(), size, seed)).toStrictEqual(drawn);
    }),
    { numRuns: runCount(1000) },
  );
});

test("ignores the order of an input's fields", () => {
  expect(sampleRank("1", { a: 1, b: 2 })).toBe(sampleRank("1", { b: 2, a: 1 }));
});

test("different seeds take different samples", () => {
  const all = Array.from({ length: 40 }, (_, id) => ({ id }));
  const [first, second] = ["1", "2"].map((seed) => sample(all, 10, seed));
  expect(first).not.toStrictEqual(second);
});
