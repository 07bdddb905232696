import { describe, expect, test } from "vitest";
import { sampleGrid } from "../../test-support/sample-grid.ts";
import { firstRows, outcomeCounts, outcomeText, notableOutcomes, wrongOutcomes } from "./outcome-grid.ts";
import type { ReportGrid } from "./report-case.ts";

describe("the outcomes of a grid", () => {
  test("that say something are reported with what is new first, and of it what is wrong", () => {
    const grid: ReportGrid = {
      columns: ["slow", "twice"],
      rows: [
        { name: "a", cells: [{ text: "lost", wrong: true }, null] },
        {
          name: "b",
          cells: [
            { text: "failed", before: "same", wrong: false },
            { text: "same", wrong: false },
          ],
        },
        {
          name: "c",
          cells: [
            { text: "same", wrong: false },
            { text: "wrote twice", before: "same", wrong: true },
          ],
        },
      ],
      moreRows: 0,
    };
    expect(notableOutcomes(grid).map(outcomeText)).toEqual([
      "c × twice: wrote twice (was: same)",
      "b × slow: failed (was: same)",
      "a × slow: lost",
    ]);
    expect(wrongOutcomes(grid).map(outcomeText)).toEqual(["c × twice: wrote twice (was: same)", "a × slow: lost"]);
    expect([outcomeCounts(grid), outcomeCounts(grid, " (!)")]).toEqual([
      "5 outcomes: 2 wrong, 2 changed",
      "5 outcomes: 2 wrong (!), 2 changed",
    ]);
  });

  test("are only counted if they are all fine", () => {
    const grid = { columns: ["slow"], rows: [{ name: "a", cells: [{ text: "same", wrong: false }] }], moreRows: 0 };
    expect([notableOutcomes(grid), wrongOutcomes(null), outcomeCounts(grid)]).toEqual([[], [], "1 outcome"]);
  });
});

test("drops unchanged rows first, and keeps the order", () => {
  const { rows } = sampleGrid();
  const names = (max: number): string[] => firstRows(rows, max).map(({ name }) => name);
  expect([names(3), names(2), names(1), names(0)]).toEqual([
    ["llm.plan#1", "tools.reserve#1", "tools.pay#1"],
    ["llm.plan#1", "tools.pay#1"],
    ["llm.plan#1"],
    [],
  ]);
});
