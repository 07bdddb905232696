import * as fc from "fast-check";
import { expect, test } from "vitest";
import { editDistance } from "./tolerances.ts";
import { editOf } from "./edit.ts";
import { runCount } from "../../../test-support/run-count.ts";

const words = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 12 });

/** The length of the longest list that both have in order, by the slow and obvious way. */
function common(before: readonly string[], after: readonly string[]): number {
  const table = [Array.from({ length: after.length + 1 }, () => 0)];
  for (const item of before) {
    const above = table.at(-1) ?? [];
    const row = [0];
    after.forEach((other, index) =>
      row.push(item === other ? (above[index] ?? 0) + 1 : Math.max(above[index + 1] ?? 0, row[index] ?? 0)),
    );
    table.push(row);
  }
  return table.at(-1)?.at(-1) ?? 0;
}

test("property: an edit is as short as can be, and leads from the one list to the other", () => {
  fc.assert(
    fc.property(words, words, (before, after) => {
      const distance = before.length + after.length - 2 * common(before, after);
      expect(editDistance(before, after, Infinity)).toBe(distance);
      const steps = editOf(before, after);
      const without = (kind: string): string[] => steps.filter((step) => step.kind !== kind).map(({ item }) => item);
      expect([without("added"), without("removed")]).toStrictEqual([before, after]);
      expect(steps.filter(({ kind }) => kind !== "same")).toHaveLength(distance);
      expect(editDistance(before, after, distance - 1)).toBe(undefined);
    }),
    { numRuns: runCount(2000) },
  );
});

test("long and very different lists are one change between their common ends", () => {
  const list = (name: string): string[] => [
    "start",
    ...Array.from({ length: 5000 }, (_, index) => `${name}${index}`),
    "end",
  ];
  const steps = editOf(list("a"), list("b"));
  expect(steps).toHaveLength(10_002);
  expect([steps[0], steps[1], steps[5001], steps.at(-1)]).toEqual([
    { kind: "same", item: "start" },
    { kind: "removed", item: "a0" },
    { kind: "added", item: "b0" },
    { kind: "same", item: "end" },
  ]);
});

test("property: with any budget an edit leads from the one list to the other", () => {
  fc.assert(
    fc.property(words, words, fc.nat(6), (before, after, comparisons) => {
      const steps = editOf(before, after, { comparisons });
      const without = (kind: string): string[] => steps.filter((step) => step.kind !== kind).map(({ item }) => item);
      expect([without("added"), without("removed")]).toStrictEqual([before, after]);
    }),
    { numRuns: runCount(1000) },
  );
});

test("once the budget is used up the rest between the common ends is one change", () => {
  expect(editOf(["a", "b", "c", "d"], ["a", "c", "x", "d"], { comparisons: 1 })).toEqual([
    { kind: "same", item: "a" },
    { kind: "removed", item: "b" },
    { kind: "removed", item: "c" },
    { kind: "added", item: "c" },
    { kind: "added", item: "x" },
    { kind: "same", item: "d" },
  ]);
});
