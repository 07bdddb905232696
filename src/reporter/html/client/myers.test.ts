import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

interface Stretch {
  readonly kind: "same" | "gone" | "new";
  readonly items: readonly string[];
}

const MODULE: string = "./myers.js";
const {
  compareLists,
}: { readonly compareLists: (a: readonly string[], b: readonly string[], budget: { edits: number }) => Stretch[] } =
  await import(MODULE);

/** How many items the longest common subsequence has: the slow way, by a table. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const item of a) {
    const next = [0];
    for (const [index, other] of b.entries())
      next.push(item === other ? (row[index] ?? 0) + 1 : Math.max(row[index + 1] ?? 0, next[index] ?? 0));
    row = next;
  }
  return row.at(-1) ?? 0;
}

function side(stretches: readonly Stretch[], own: Stretch["kind"]): string[] {
  return stretches.flatMap(({ kind, items }) => (kind === "same" || kind === own ? items : []));
}

describe("compareLists", () => {
  const list = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 30 });

  test("keeps as much as two lists have in common", () => {
    fc.assert(
      fc.property(list, list, (a, b) => {
        const found = compareLists(a, b, { edits: 1000 });
        expect(side(found, "gone")).toEqual(a);
        expect(side(found, "new")).toEqual(b);
        expect(found.filter(({ kind }) => kind === "same").flatMap(({ items }) => items)).toHaveLength(
          longestCommon(a, b),
        );
      }),
      { numRuns: 2000 },
    );
  });

  test("joins to both lists with any budget", () => {
    fc.assert(
      fc.property(list, list, fc.nat(6), (a, b, edits) => {
        const found = compareLists(a, b, { edits });
        expect(side(found, "gone")).toEqual(a);
        expect(side(found, "new")).toEqual(b);
      }),
      { numRuns: 1000 },
    );
  });

  test("takes the middle as replaced when the budget is used up", () => {
    expect(compareLists(["a", "b", "c", "d"], ["a", "c", "x", "d"], { edits: 1 })).toEqual([
      { kind: "same", items: ["a"] },
      { kind: "gone", items: ["b", "c"] },
      { kind: "new", items: ["c", "x"] },
      { kind: "same", items: ["d"] },
    ]);
  });
});
