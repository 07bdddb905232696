import { button, el, sign } from "./element.ts";
import { type State, writeState } from "./filters.ts";
import { gist } from "./gist.ts";
import { sayText } from "./show-text.ts";
import { isViewed } from "./viewed.ts";
import { CAUSES, KINDS, SETTLED } from "./words.ts";
import { grouped } from "../../../explain/wording.ts";
import type { PageData } from "../page-data.ts";
import type { ReportCase } from "../../../explain/report-case.ts";

/** Rows made at once: some thousand elements, so that a run of any size opens at once. */
export const PAGE = 100;

/** The rows of the selected cases, at most `limit` of them; `more` is called to show more. */
export function caseList({
  data,
  selected,
  limit,
  state,
  more,
}: {
  data: PageData;
  selected: readonly number[];
  limit: number;
  state: State;
  more: () => void;
}) {
  const shown = selected.slice(0, limit);
  const passed = selected.filter((index) => data.standings[index] === "passed").length;
  const group = (wanted: boolean) => shown.filter((index) => (data.standings[index] === "passed") === wanted);
  return [
    listOf({ title: "To look at", total: selected.length - passed, rows: group(false), data, state }),
    listOf({ title: "Passed", total: passed, rows: group(true), data, state }),
    selected.length === 0 ? nothingFits(data, state) : null,
    selected.length > limit
      ? button(
          `Show ${grouped(Math.min(PAGE, selected.length - limit))} more of ${grouped(selected.length - limit)}`,
          more,
          { id: "more" },
        )
      : null,
  ];
}

function nothingFits({ model }: PageData, state: State) {
  const all = el("a", { href: writeState({ ...state, count: "total" }) }, `Look in all ${grouped(model.cases.length)}`);
  return el("p", { class: "empty" }, "No baseline fits these filters. ", state.count === "total" ? null : all);
}

function listOf({
  title,
  total,
  rows,
  data,
  state,
}: {
  title: string;
  total: number;
  rows: readonly number[];
  data: PageData;
  state: State;
}) {
  if (rows.length === 0) return null;
  const viewed = rows.filter((index) => isViewed(data.marks[index] ?? "")).length;
  return el(
    "div",
    { class: "group" },
    el(
      "h3",
      {},
      title,
      " ",
      el("span", { class: "dim" }, `${grouped(total)}${viewed === 0 ? "" : `, ${grouped(viewed)} viewed`}`),
    ),
    el(
      "ol",
      { class: "rows" },
      rows.map((index) => rowItem(data, { index, state })),
    ),
  );
}

function rowItem({ model, ids, marks }: PageData, { index, state }: { index: number; state: State }) {
  const one = model.cases[index];
  if (one === undefined) return null;
  const id = ids[index] ?? "";
  const settled = SETTLED[one.settled];
  const cause = one.findings?.cause ?? null;
  const viewed = isViewed(marks[index] ?? "");
  const row = el(
    "a",
    {
      class: viewed ? "row viewed" : "row",
      href: writeState({ ...state, case: id }),
      "data-id": id,
      "data-kind": one.kind,
    },
    kindBadge(one),
    el(
      "span",
      { class: "row-name" },
      sayText(nameOf(one), { style: "path", limit: 160 }),
      el("span", { class: "row-step" }, sayText(one.step, { limit: 120 })),
    ),
    el("span", { class: "row-gist" }, gist(one)),
    el(
      "span",
      { class: "row-chips" },
      viewed ? el("span", { class: "chip" }, "viewed") : null,
      cause === null ? null : el("span", { class: "chip" }, CAUSES[cause.kind].word),
      settled === null ? null : el("span", { class: "chip settled" }, settled.word),
    ),
  );
  return el("li", {}, row);
}

/** The class of a case as a sign and its name. */
export function kindBadge({ kind }: Pick<ReportCase, "kind">) {
  const { tone, icon } = KINDS[kind];
  return el("span", { class: `kind ${tone}` }, sign(icon), kind);
}

/** The file without its folder, which the step says. */
export function nameOf({ baseline }: Pick<ReportCase, "baseline">) {
  return baseline.slice(baseline.lastIndexOf("/") + 1) || baseline;
}
