import { placeOf, swapInShort } from "./change-view.ts";
import { button, el, sign } from "./element.ts";
import { type State, writeState } from "./filters.ts";
import { type PlacedOutcome, tellingOutcomes } from "../../../explain/outcome-grid.ts";
import { counted, grouped } from "../../../explain/wording.ts";
import { sayText } from "./show-text.ts";
import { CAUSES, KINDS, MISSES, SETTLED } from "./words.ts";
import type { PageData } from "../page-data.ts";
import type { ReportCase, ReportFindings } from "../../../explain/report-case.ts";

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
    selected.length === 0 ? el("p", { class: "empty" }, "No baseline fits these filters.") : null,
    selected.length > limit
      ? button(
          `Show ${grouped(Math.min(PAGE, selected.length - limit))} more of ${grouped(selected.length - limit)}`,
          more,
          { id: "more" },
        )
      : null,
  ];
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
  const items = rows.map((index) => {
    const one = data.model.cases[index];
    return one === undefined ? null : el("li", {}, rowOf({ one, index, state }));
  });
  return el(
    "div",
    { class: "group" },
    el("h3", {}, title, " ", el("span", { class: "dim" }, grouped(total))),
    el("ol", { class: "rows" }, items),
  );
}

function rowOf({ one, index, state }: { one: ReportCase; index: number; state: State }) {
  const settled = SETTLED[one.settled];
  const cause = one.findings?.cause ?? null;
  return el(
    "a",
    { class: "row", href: writeState({ ...state, case: String(index) }), "data-index": index, "data-kind": one.kind },
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
      cause === null ? null : el("span", { class: "chip" }, CAUSES[cause.kind].word),
      settled === null ? null : el("span", { class: "chip settled" }, settled.word),
    ),
  );
}

/** The class of a case as a sign and a word. */
export function kindBadge({ kind }: Pick<ReportCase, "kind">) {
  const { word, tone, icon } = KINDS[kind];
  return el("span", { class: `kind ${tone}` }, sign(icon), word);
}

/** The file without its folder, which the step says. */
export function nameOf({ baseline }: ReportCase) {
  return baseline.slice(baseline.lastIndexOf("/") + 1) || baseline;
}

function outcomeInShort({ row, column, text, wrong }: PlacedOutcome, rest: number) {
  return [
    sayText(`${row} × ${column}`, { style: "path", limit: 80 }),
    wrong ? " wrong: " : " ",
    sayText(text, { limit: 80 }),
    rest > 0 ? el("span", { class: "dim" }, ` + ${grouped(rest)} more`) : null,
  ];
}

/** What is most telling of a case, in a line. */
function gist({ findings }: ReportCase) {
  if (findings === null) return null;
  const { problem, error, miss, trials } = findings;
  if (problem !== null) return sayText(problem, { limit: 160 });
  if (error !== null)
    return [sayText(error.code, { style: "path", limit: 60 }), " ", sayText(error.message, { limit: 160 })];
  if (miss !== null) return [sayText(miss.adapter, { style: "path", limit: 60 }), ` ${MISSES[miss.reason]}`];
  return [
    differences(findings),
    trials === null
      ? null
      : el("span", { class: "dim" }, ` ${grouped(trials.clean)} of ${counted(trials.run, "trial")} clean`),
  ];
}

function differences({ changes, more, violations, tolerated, unused, grid }: ReportFindings) {
  const [violation] = violations;
  const [change] = changes;
  if (violation !== undefined)
    return [sayText(violation.path, { style: "path", limit: 60 }), " ", sayText(violation.message, { limit: 120 })];
  const [outcome, ...outcomes] = grid === null ? [] : tellingOutcomes(grid);
  if (outcome !== undefined) return outcomeInShort(outcome, outcomes.length);
  if (change !== undefined) {
    const rest = changes.length + more - 1;
    return [
      el("bdi", { class: "t path" }, placeOf(change).slice(0, 80)),
      " ",
      swapInShort(change),
      rest > 0 ? el("span", { class: "dim" }, ` + ${grouped(rest)} more`) : null,
    ];
  }
  if (tolerated.length > 0) return el("span", { class: "dim" }, `${counted(tolerated.length, "difference")} tolerated`);
  return unused.length > 0 ? el("span", { class: "dim" }, `${counted(unused.length, "recorded call")} not made`) : null;
}
