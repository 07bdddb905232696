import type { ReportGrid, ReportGridCell } from "../src/explain/report-case.ts";

const SAME = "same";

/** Three calls under five faults: one outcome is wrong, another one changed, and one fault fits two calls only. */
export function sampleGrid(): ReportGrid {
  return {
    columns: ["timeout", "crash-before-effect", "crash-after-effect", "slow", "malformed-answer"],
    rows: [
      { name: "llm.plan#1", cells: [cell(SAME), cell(SAME), cell(SAME), cell(SAME), cell("failed: bad_plan", SAME)] },
      { name: "tools.reserve#1", cells: [cell("failed: timeout"), cell(SAME), cell(SAME), cell(SAME), null] },
      {
        name: "tools.pay#1",
        cells: [
          cell("failed: timeout"),
          cell(SAME),
          wrong("wrote twice", SAME),
          cell(SAME),
          cell("failed: bad_receipt"),
        ],
      },
    ],
    moreRows: 0,
  };
}

function cell(text: string, before?: string): ReportGridCell {
  return { text, ...(before === undefined ? {} : { before }), wrong: false };
}

function wrong(text: string, before?: string): ReportGridCell {
  return { ...cell(text, before), wrong: true };
}
