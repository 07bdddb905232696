import { describe, expect, test } from "vitest";
import type { GridCell, OutcomeGrid } from "../check/check.ts";
import { diff } from "../diff/diff.ts";
import { checkLines, passedLines, shownCheck } from "./check-lines.ts";

const same: GridCell = { text: "same", wrong: false };

/** Eleven calls under one fault, of which each `of` makes another outcome. */
function gridOf(of: (index: number) => GridCell): OutcomeGrid {
  const rows = Array.from({ length: 11 }, (_, index) => ({ name: `tools.pay#${index + 1}`, cells: [of(index)] }));
  return { columns: ["timeout"], rows };
}

describe("the outcomes of a grid", () => {
  const changes = [{ part: "output", diff: diff({ a: 1 }, { a: 2 }) }] as const;
  const verdict = { kind: "value_changed", changes } as const;

  test("are told by a failing test where they are wrong or changed, the wrong ones with a sign", () => {
    const grid = gridOf((index) =>
      index === 4 ? { text: "wrote twice\n::error::", before: "same", wrong: true } : same,
    );
    expect(checkLines({ verdict, grid })).toEqual([
      "    11 outcomes: 1 wrong (!), 1 changed",
      "  ! tools.pay#5 × timeout: wrote twice\\n:\\u003aerror:: (was: same)",
      "    a: 1 → 2",
    ]);
  });

  test("are all told to who reviews them, and ten to who reads a failing test", () => {
    const grid = gridOf(() => ({ text: "failed", before: "same", wrong: false }));
    const told = (lines: readonly string[]): (string | undefined)[] => [lines[1], lines.at(-2)];
    expect(told(checkLines({ verdict, grid }))).toEqual([
      "    tools.pay#1 × timeout: failed (was: same)",
      "    … and 1 more wrong or changed",
    ]);
    expect(told(shownCheck({ verdict, grid }))).toEqual([
      "    tools.pay#1 × timeout: failed (was: same)",
      "    tools.pay#11 × timeout: failed (was: same)",
    ]);
  });

  test("are told by a passing check where they are wrong and somebody accepted them", () => {
    const grid = gridOf((index) => (index < 4 ? { text: "wrote twice", wrong: true } : same));
    expect(passedLines({ verdict: { kind: "clean" }, grid })).toEqual([
      "wrong and accepted: tools.pay#1 × timeout: wrote twice",
      "wrong and accepted: tools.pay#2 × timeout: wrote twice",
      "wrong and accepted: tools.pay#3 × timeout: wrote twice",
      "… and 1 more wrong and accepted",
    ]);
    expect(passedLines({ verdict: { kind: "clean" }, grid: gridOf(() => same) })).toEqual([]);
  });
});
