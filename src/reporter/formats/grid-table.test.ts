import { describe, expect, test } from "vitest";
import { NO_FINDINGS, type ReportGrid, type ReportGridCell } from "../../explain/report-case.ts";
import { sampleGrid } from "../../../test-support/sample-grid.ts";
import { sampleCase, sampleRun } from "../../../test-support/sample-run.ts";
import { buildRunModel } from "../build-run-model.ts";
import { gridTable } from "./grid-table.ts";
import { renderJunit } from "./render-junit.ts";
import { renderMarkdown } from "./render-markdown.ts";
import { renderText } from "./render-text.ts";

const SAME: ReportGridCell = { text: "same", wrong: false };
const WROTE: ReportGridCell = { text: "wrote twice", wrong: true };
const FAILED: ReportGridCell = { text: "failed", wrong: false };

function gridOf(columns: readonly string[], rows: readonly (readonly (ReportGridCell | null)[])[]): ReportGrid {
  return { columns, rows: rows.map((cells, index) => ({ name: `call ${index + 1}`, cells })), moreRows: 0 };
}

describe("a grid in markdown", () => {
  test("has a column for each one that differs, and a sentence for the others", () => {
    expect(gridTable(sampleGrid())).toBe(
      [
        "<p>14 outcomes: 1 wrong, 2 changed</p>",
        "<table>",
        "<tr><th></th><th><code>timeout</code></th><th><code>crash-after-effect</code></th><th><code>malformed-answer</code></th></tr>",
        "<tr><th><code>llm.plan#1</code></th><td><code>same</code></td><td><code>same</code></td><td><code>failed: bad_plan</code>, was <code>same</code></td></tr>",
        "<tr><th><code>tools.reserve#1</code></th><td><code>failed: timeout</code></td><td><code>same</code></td><td>-</td></tr>",
        "<tr><th><code>tools.pay#1</code></th><td><code>failed: timeout</code></td><td><b>wrong</b>: <code>wrote twice</code>, was <code>same</code></td><td><code>failed: bad_receipt</code></td></tr>",
        "</table>",
        "<p>all others: <code>same</code></p>",
        "",
      ].join("\n"),
    );
  });

  test("names columns that differ from most in every row, even if others don't apply", () => {
    const cells = [WROTE, FAILED, SAME, SAME, null];
    expect(gridTable(gridOf(["twice", "slow", "lost", "late", "none"], [cells, [WROTE, null, SAME, SAME, null]]))).toBe(
      [
        "<p>7 outcomes: 2 wrong</p>",
        "<table>",
        "<tr><th></th><th><code>twice</code></th><th><code>none</code></th></tr>",
        "<tr><th><code>call 1</code></th><td><b>wrong</b>: <code>wrote twice</code></td><td>-</td></tr>",
        "<tr><th><code>call 2</code></th><td><b>wrong</b>: <code>wrote twice</code></td><td>-</td></tr>",
        "</table>",
        "<p><code>slow</code>: <code>failed</code></p>",
        "<p>all others: <code>same</code></p>",
        "",
      ].join("\n"),
    );
  });

  test("is one sentence if all columns are the same", () => {
    expect(gridTable(gridOf(["slow", "lost"], [[SAME, SAME]]))).toBe(
      "<p>2 outcomes</p>\n<p>all: <code>same</code></p>\n",
    );
  });

  test("keeps wrong and changed rows, and counts all that are left out", () => {
    const rows = Array.from({ length: 30 }, (_, index) => [index === 29 ? WROTE : SAME]);
    const table = gridTable({ ...gridOf(["slow"], rows), moreRows: 5 });
    expect(table.match(/call \d+/g)).toEqual([...Array.from({ length: 19 }, (_, at) => `call ${at + 1}`), "call 30"]);
    expect(table).toMatch(/<\/table>\n<p>… and 15 more rows<\/p>\n$/);
  });
});

describe("accepted wrong outcomes", () => {
  const { cases: _, ...facts } = sampleRun();
  const findings = { ...NO_FINDINGS, grid: gridOf(["slow", "lost"], [[WROTE, SAME]]) };
  const model = buildRunModel({
    ...facts,
    applied: null,
    cases: [
      sampleCase("pay", "pay/a.json", { kind: "clean", findings }),
      sampleCase("pay", "pay/b.json", { kind: "missing", updateState: "captured", findings }),
    ],
  });

  test("are counted in text", () => {
    expect(renderText(model, { columns: 120, colors: false })).toEqual([
      "   veritest  2 baselines, 1 clean, 1 captured in 4.2 s",
      "             pay/b.json  captured: read and commit it",
      "             2 wrong outcomes accepted in 2 baselines that passed",
    ]);
  });

  test("are listed in markdown", () => {
    expect(renderMarkdown(model)).toContain(
      [
        "<details><summary>2 wrong outcomes, accepted in baselines that passed</summary>",
        "<ul>",
        "<li><code>pay/b.json call 1 × slow: wrote twice</code></li>",
        "<li><code>pay/a.json call 1 × slow: wrote twice</code></li>",
        "</ul>",
        "</details>",
      ].join("\n"),
    );
  });

  test("are properties in junit", () => {
    expect(renderJunit(model).match(/<property name="wrong".*/g)).toEqual([
      '<property name="wrong" value="call 1 × slow: wrote twice"/>',
      '<property name="wrong" value="call 1 × slow: wrote twice"/>',
    ]);
  });
});
