import type { ReportCase } from "../../../explain/report-case.ts";
import { counted, formatCount } from "../../../explain/wording.ts";
import type { ReportGroup } from "../../../explain/run-model.ts";
import type { PageData, ServedChange } from "../page-data.ts";
import { acceptGroupPart } from "./accept-part.ts";
import { caseTitle } from "./case-title.ts";
import { classBadge } from "./class-badge.ts";
import { type Child, button, el } from "./element.ts";
import { type State, writeState } from "./filters.ts";
import { caseSummaryLine, changedParts } from "./case-summary.ts";
import { type Section, extraPaths, sectionsOf } from "./sections.ts";
import type { Server } from "./served.ts";
import { groupDecisionPart } from "./decision-part.ts";
import { untrustedText } from "./show-text.ts";
import { isViewed } from "./viewed.ts";
import { CAUSE_LABELS, UPDATE_LABELS } from "./labels.ts";

/** Rows made at once: some thousand elements, so that a run of any size opens at once. */
export const PAGE = 100;

/** Data of the list. */
type ListInput = { data: PageData; state: State; server: Server | null };

/** The rows of the selected cases by group, at most `limit` of them; `more` is called to show more. */
export function caseList({
  selected,
  limit,
  more,
  ...input
}: ListInput & {
  selected: readonly number[];
  limit: number;
  more: () => void;
}) {
  const { data, state } = input;
  const sections = sectionsOf(data, { selected, state });
  const rows = sections.reduce((sum, section) => sum + section.rows.length, 0);
  let remaining = limit;
  const parts = sections.flatMap((section) => {
    const visible = section.rows.slice(0, Math.max(0, remaining));
    remaining -= section.rows.length;
    return visible.length === 0 ? [] : [sectionPart(input, { ...section, rows: visible })];
  });
  return [
    ...parts,
    selected.length === 0 ? nothingFits(data, state) : null,
    rows > limit
      ? button(`Show ${formatCount(Math.min(PAGE, rows - limit))} more of ${formatCount(rows - limit)}`, more, {
          id: "more",
        })
      : null,
  ];
}

function nothingFits({ model }: PageData, state: State) {
  const all = el(
    "a",
    { href: writeState({ ...state, count: "total" }) },
    `Search all ${formatCount(model.cases.length)}`,
  );
  return el("p", { class: "empty" }, "No baseline matches these filters. ", state.count === "total" ? null : all);
}

function sectionPart(input: ListInput, section: Section) {
  const { data, state } = input;
  const { group, rows, all, extends: base } = section;
  const isSingle = group !== null && group.count === 1;
  const example = group === null ? undefined : data.model.cases[group.cases[0] ?? 0];
  const headParts = example === undefined || isSingle ? undefined : changedParts(example);
  return el(
    "div",
    { class: base === null ? "group" : "group group-more", "data-group": group?.id ?? false },
    isSingle && base === null ? null : el("h3", {}, headOf(data, section, example)),
    group === null || isSingle ? null : groupFacts(input, section),
    el(
      "ol",
      { class: "rows" },
      rows.map((index) => rowItem(data, { index, state, group, headParts, isAlone: isSingle && base === null })),
    ),
    group === null || rows.length >= all
      ? null
      : el("a", { class: "of-kind", href: writeState({ ...state, group: group.id }) }, `Show all ${formatCount(all)}`),
  );
}

/** Head of a section: its class, its step and an example. A group with extra paths names only these. */
function headOf(data: PageData, section: Section, example: ReportCase | undefined): Child {
  const { group, all, passed, extends: base } = section;
  if (group === null) return `${formatCount(all)} ${passed ? "passed" : "obsolete"}`;
  if (base !== null)
    return [
      el("span", { class: "group-count" }, `${counted(group.count, "change")} `),
      group.count === 1 ? "also has " : "also have ",
      extraPaths(group, base).map((path, at) => [
        at === 0 ? "" : ", ",
        untrustedText(path, { style: "path", limit: 80 }),
      ]),
    ];
  if (example === undefined) return group.kind;
  return [
    classBadge(group, group),
    " ",
    el("span", { class: "group-step" }, untrustedText(group.step, { limit: 120 })),
    " ",
    el("span", { class: "group-gist" }, caseSummaryLine(example, group)),
  ];
}

/** Size, cause and state of a group, and how to accept it if all of it is listed. */
function groupFacts({ data, state, server }: ListInput, { group, all, extends: base }: Section) {
  if (group === null) return null;
  const { id, count, cases, cause } = group;
  const isPending = (change: ServedChange) => server?.updateStateOf(change) === undefined;
  const pending = server === null ? group.pending : server.changesOf(id).filter(isPending).length;
  const viewed = cases.filter((index) => isViewed(data.marks[index] ?? "")).length;
  const why = Object.entries(CAUSE_LABELS).find(([name]) => name === cause)?.[1];
  const facts = [
    ...(base === null
      ? [all < count ? `${formatCount(all)} of ${formatCount(count)} shown` : counted(count, "change")]
      : []),
    ...(pending === 0 ? [] : [pending === count ? "pending" : `${formatCount(pending)} pending`]),
    ...(viewed === 0 ? [] : [`${formatCount(viewed)} viewed`]),
  ];
  const location = data.model.environment.ci ? "upload" : "project";
  return el(
    "div",
    { class: "group-facts" },
    el("span", { class: "dim" }, facts.join(" · ")),
    why === undefined || base !== null ? null : el("span", { class: "chip" }, why.word),
    // A command must not write changes that the filters hide.
    all < count || server?.isOutdated === true
      ? null
      : ((server === null ? null : groupDecisionPart({ server, id, view: state.view })) ??
          acceptGroupPart({ id, count, pending }, location)),
  );
}

function rowItem(
  data: PageData,
  {
    index,
    state,
    group,
    headParts,
    isAlone,
  }: { index: number; state: State; group: ReportGroup | null; headParts: string | undefined; isAlone: boolean },
) {
  const reported = data.model.cases[index];
  if (reported === undefined) return null;
  const id = data.ids[index] ?? "";
  const updateLabel = UPDATE_LABELS[reported.updateState];
  const cause = reported.findings?.cause ?? null;
  const viewed = isViewed(data.marks[index] ?? "");
  const hasHead = group !== null && !isAlone;
  const isInHead = hasHead && changedParts(reported) === headParts;
  const row = el(
    "a",
    {
      class: `row${viewed ? " viewed" : ""}${hasHead ? " row-in-group" : ""}`,
      href: writeState({ ...state, case: id }),
      "data-id": id,
      "data-kind": reported.kind,
    },
    hasHead ? null : classBadge(reported, group),
    el("span", { class: "row-name" }, caseTitle(data.model, reported, { withStep: !hasHead })),
    isInHead ? el("span") : el("span", { class: "row-gist" }, caseSummaryLine(reported, group)),
    el(
      "span",
      { class: "row-chips" },
      viewed ? el("span", { class: "chip" }, "viewed") : null,
      cause === null || hasHead ? null : el("span", { class: "chip" }, CAUSE_LABELS[cause.kind].word),
      updateLabel === null || isEveryPending(data) || (hasHead && group.pending === group.count)
        ? null
        : el("span", { class: "chip settled" }, updateLabel.word),
    ),
  );
  return el("li", {}, row);
}

/** True if all cases to look at are pending: their number above the list shows it. */
function isEveryPending({ model: { counts } }: PageData) {
  return counts.pending > 0 && counts.pending === counts.total - counts.passed;
}
