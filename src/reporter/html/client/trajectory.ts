import { counted } from "../../../explain/wording.ts";
import { button, el, section, sign } from "./element.ts";
import { untrustedText } from "./show-text.ts";
import type { ReportRow } from "../../../explain/report-case.ts";

/** Number of equal calls in a row from which they are folded. */
const FOLDED = 3;

/** Result of a call, as a sign and a word. */
const ROWS: Readonly<Record<ReportRow["kind"], { readonly sign: string; readonly word: string }>> = {
  same: { sign: "", word: "" },
  changed: { sign: "~", word: "asks for something else" },
  added: { sign: "+", word: "new" },
  removed: { sign: "−", word: "gone" },
  moved: { sign: "↕", word: "in another place" },
};

/** The calls of the baseline and of today, each next to its counterpart. Stretches of equal ones are folded. */
export function trajectoryPart(rows: readonly ReportRow[]) {
  const stretches: ReportRow[][] = [];
  for (const row of rows) {
    const last = stretches.at(-1);
    if (last?.[0]?.kind === "same" && row.kind === "same") last.push(row);
    else stretches.push([row]);
  }
  const head = ["", "Baseline", "Now"].map((name) =>
    name === "" ? el("td") : el("th", { scope: "col", class: "trajectory-head" }, name),
  );
  return section(
    { title: "Calls, side by side", id: "trajectory-title" },
    el(
      "table",
      { class: "trajectory" },
      el("thead", {}, el("tr", {}, head)),
      stretches.flatMap((stretch) => (stretch.length < FOLDED ? [rowsOf(stretch)] : folded(stretch))),
    ),
  );
}

function rowsOf(rows: readonly ReportRow[]) {
  return el("tbody", {}, rows.map(rowOf));
}

/** A stretch that opens and closes. */
function folded(rows: readonly ReportRow[]) {
  const body = rowsOf(rows);
  body.hidden = true;
  const open = button(
    counted(rows.length, "equal call"),
    () => {
      body.hidden = !body.hidden;
      open.setAttribute("aria-expanded", String(!body.hidden));
    },
    { class: "fold", "aria-expanded": "false" },
  );
  return [el("tbody", {}, el("tr", {}, el("td"), el("td", { colspan: 2 }, open))), body];
}

function rowOf({ kind, role, baseline, now }: ReportRow) {
  const { sign: mark, word } = ROWS[kind];
  const tags = [
    ...(role === "write" ? [el("span", { class: "tag" }, "write")] : []),
    ...(word === "" ? [] : [el("span", { class: `tag tag-${kind}` }, word)]),
  ];
  const cell = (text: string | null, side: "before" | "after") =>
    el(
      "td",
      { class: `trajectory-${side}` },
      text === null ? null : untrustedText(text, { style: "code" }),
      side === "after" || now === null ? tags : null,
    );
  return el(
    "tr",
    { "data-row": kind },
    el("td", {}, sign(mark)),
    cell(baseline, "before"),
    now === null ? el("td") : cell(now, "after"),
  );
}
