import { outcomeCounts } from "../../../explain/outcome-grid.ts";
import { counted } from "../../../explain/wording.ts";
import { el, section, sign } from "./element.ts";
import { untrustedText } from "./show-text.ts";
import type { ReportGrid, ReportGridCell, ReportGridRow } from "../../../explain/report-case.ts";

/** A table of outcomes that scrolls separately, because a phone only shows two of its columns. */
export function gridPart(grid: ReportGrid) {
  const { columns, rows, moreRows } = grid;
  const head = el(
    "tr",
    {},
    el("td"),
    columns.map((name) => headCell(name, "col")),
  );
  return section(
    { title: "Outcomes", id: "grid-title" },
    el("p", { class: "dim" }, outcomeCounts(grid)),
    el(
      "div",
      // Keyboard users scroll the focused element.
      { class: "grid-box", role: "group", "aria-labelledby": "grid-title", tabindex: 0 },
      el("table", { class: "grid" }, el("thead", {}, head), el("tbody", {}, rows.map(rowOf))),
    ),
    moreRows === 0 ? null : el("p", { class: "dim" }, `${counted(moreRows, "more row")} not in this report.`),
  );
}

function rowOf({ name, cells }: ReportGridRow) {
  return el("tr", {}, headCell(name, "row"), cells.map(cellOf));
}

function headCell(name: string, scope: "col" | "row") {
  return el("th", { scope }, el("div", { class: "grid-cell" }, untrustedText(name, { style: "path" })));
}

function cellOf(cell: ReportGridCell | null) {
  if (cell === null) return el("td", { class: "dim" }, sign("–"), el("span", { class: "sr" }, "does not apply"));
  const { text, before, wrong } = cell;
  return el(
    "td",
    { class: `${wrong ? "grid-wrong" : ""} ${before === undefined ? "" : "grid-changed"}` },
    el(
      "div",
      { class: "grid-cell" },
      wrong ? el("strong", {}, sign("✕"), " wrong ") : null,
      before === undefined ? untrustedText(text) : swap(before, text),
    ),
  );
}

function swap(before: string, text: string) {
  return [
    el("del", {}, el("span", { class: "sr" }, "Baseline: "), untrustedText(before)),
    sign(" → ", ""),
    el("ins", {}, el("span", { class: "sr" }, "Now: "), untrustedText(text)),
  ];
}
