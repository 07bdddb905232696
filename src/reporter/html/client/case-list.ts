import type { ReportCase } from "../../../explain/report-case.ts";
import { formatCount } from "../../../explain/wording.ts";
import type { ReportGroup } from "../../../explain/run-model.ts";
import type { PageData } from "../page-data.ts";
import { acceptGroupPart } from "./accept-part.ts";
import { type Child, button, el, sign } from "./element.ts";
import { type State, groupIndexes, writeState } from "./filters.ts";
import { caseSummaryLine } from "./case-summary.ts";
import type { Server } from "./served.ts";
import { groupDecisionPart } from "./decision-part.ts";
import { untrustedText } from "./show-text.ts";
import { isViewed } from "./viewed.ts";
import { CAUSE_LABELS, CLASS_LABELS, UPDATE_LABELS } from "./labels.ts";

/** Rows made at once: some thousand elements, so that a run of any size opens at once. */
export const PAGE = 100;

/** Rows of a kind of change among others: its example and a few more; all of them are a click away. */
const MAX_OF_KIND = 3;

/** Head for kinds with a single change: a head for each would repeat its row. */
const ALONE = "to look at, each of a different kind";

/** Rows with what they have in common. */
type Section = { head: Child; group: ReportGroup | null; rows: readonly number[]; all: number };

/** The rows of the selected cases by kind of change, at most `limit` of them; `more` is called to show more. */
export function caseList({
  data,
  selected,
  limit,
  state,
  more,
  server,
}: {
  data: PageData;
  selected: readonly number[];
  limit: number;
  state: State;
  more: () => void;
  /** Null for a page that is a file. */
  server: Server | null;
}) {
  const sections = sectionsOf(data, { selected, state });
  const rows = sections.reduce((sum, section) => sum + section.rows.length, 0);
  let remaining = limit;
  const parts = sections.flatMap((section) => {
    const visible = section.rows.slice(0, Math.max(0, remaining));
    remaining -= section.rows.length;
    return visible.length === 0 ? [] : [sectionPart(data, { ...section, rows: visible, state, server })];
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

function sectionsOf(
  data: PageData,
  { selected, state }: { selected: readonly number[]; state: State },
): readonly Section[] {
  const { model, statuses } = data;
  const groupOf = groupIndexes(model);
  const byKind = Map.groupBy(selected, (index) =>
    statuses[index] === "passed" ? "Passed" : (groupOf.get(index) ?? "Obsolete"),
  );
  const cap = state.group === "" && byKind.size > 1 ? MAX_OF_KIND : Infinity;
  const sections: Section[] = [];
  for (const [kind, of] of byKind) {
    const group = typeof kind === "number" ? (model.groups[kind] ?? null) : null;
    const last = sections.at(-1);
    if (group === null)
      sections.push({ head: kind === "Passed" ? "passed" : "obsolete", group, rows: of, all: of.length });
    else if (group.count > 1) sections.push({ head: groupHead(group), group, rows: of.slice(0, cap), all: of.length });
    else if (last?.head === ALONE)
      sections.splice(-1, 1, { ...last, rows: [...last.rows, ...of], all: last.all + of.length });
    else sections.push({ head: ALONE, group: null, rows: of, all: of.length });
  }
  return sections;
}

function nothingFits({ model }: PageData, state: State) {
  const all = el(
    "a",
    { href: writeState({ ...state, count: "total" }) },
    `Look in all ${formatCount(model.cases.length)}`,
  );
  return el("p", { class: "empty" }, "No baseline fits these filters. ", state.count === "total" ? null : all);
}

function sectionPart(
  data: PageData,
  { head, group, rows, all, state, server }: Section & { state: State; server: Server | null },
) {
  const viewed = (group?.cases ?? rows).filter((index) => isViewed(data.marks[index] ?? "")).length;
  const rest = all - rows.length;
  const decision =
    group === null || server === null ? null : groupDecisionPart({ server, id: group.id, view: state.view });
  const command = group === null ? null : acceptGroupPart(group, data.model.environment.ci ? "upload" : "project");
  return el(
    "div",
    { class: "group", "data-group": group?.id ?? false },
    el(
      "h3",
      {},
      el("span", { class: "group-count" }, `${formatCount(all)} × `),
      // A single case isn't compared with others.
      head === ALONE && all === 1 ? "to look at" : head,
      el("span", { class: "dim" }, viewed === 0 ? "" : ` ${formatCount(viewed)} viewed`),
    ),
    group === null || all >= group.count ? null : hiddenPart({ group, all }),
    decision ?? command,
    el(
      "ol",
      { class: "rows" },
      rows.map((index) => rowItem(data, { index, state })),
    ),
    rest === 0 || group === null
      ? null
      : el(
          "a",
          { class: "of-kind", href: writeState({ ...state, group: group.id }) },
          `All ${formatCount(all)} of this kind`,
        ),
  );
}

/** Warns that accepting a group also accepts the cases that the filters hide. */
function hiddenPart({ group: { count, waiting }, all }: { group: ReportGroup; all: number }) {
  const effect = waiting === 0 ? "" : ` Accepting this kind writes all ${formatCount(waiting)} pending changes of it.`;
  return el("p", { class: "dim" }, `${formatCount(all)} of ${formatCount(count)} shown.${effect}`);
}

function rowItem({ model, ids, marks }: PageData, { index, state }: { index: number; state: State }) {
  const reported = model.cases[index];
  if (reported === undefined) return null;
  const id = ids[index] ?? "";
  const updateLabel = UPDATE_LABELS[reported.settled];
  const cause = reported.findings?.cause ?? null;
  const viewed = isViewed(marks[index] ?? "");
  const row = el(
    "a",
    {
      class: viewed ? "row viewed" : "row",
      href: writeState({ ...state, case: id }),
      "data-id": id,
      "data-kind": reported.kind,
    },
    classBadge(reported),
    el(
      "span",
      { class: "row-name" },
      untrustedText(nameOf(reported), { style: "path", limit: 160 }),
      el("span", { class: "row-step" }, untrustedText(reported.step, { limit: 120 })),
    ),
    el("span", { class: "row-gist" }, caseSummaryLine(reported)),
    el(
      "span",
      { class: "row-chips" },
      viewed ? el("span", { class: "chip" }, "viewed") : null,
      cause === null ? null : el("span", { class: "chip" }, CAUSE_LABELS[cause.kind].word),
      updateLabel === null ? null : el("span", { class: "chip settled" }, updateLabel.word),
    ),
  );
  return el("li", {}, row);
}

/** The class of a case as a sign and its name. */
export function classBadge({ kind }: Pick<ReportCase, "kind">) {
  const { tone, icon } = CLASS_LABELS[kind];
  return el("span", { class: `kind ${tone}` }, sign(icon), kind);
}

/** File name without its folder, which the step shows. */
export function nameOf({ baseline }: Pick<ReportCase, "baseline">) {
  return baseline.slice(baseline.lastIndexOf("/") + 1) || baseline;
}

/** Maximum number of paths that describe a kind of change. */
const MAX_LINES = 2;

/** Description of a group: its class, its old and new values, and its cause. */
function groupHead({ kind, lines, cause, others }: Omit<ReportGroup, "cases">) {
  const rest = lines.length - MAX_LINES;
  const why = Object.entries(CAUSE_LABELS).find(([name]) => name === cause)?.[1];
  return [
    el("span", { class: "group-kind" }, kind),
    lines.slice(0, MAX_LINES).map((line) => [" ", shapeOf(line)]),
    rest > 0 ? el("span", { class: "dim" }, ` + ${formatCount(rest)} more`) : null,
    why === undefined ? null : [" ", el("span", { class: "chip" }, why.word)],
    others.length === 0 ? null : el("span", { class: "dim" }, ` each alone: ${others.join(", ")}`),
  ];
}

function shapeOf({ part, path, before, after }: ReportGroup["lines"][number]) {
  const side = (tag: "del" | "ins", { kind, value }: typeof before) =>
    kind === "absent"
      ? el("span", { class: "dim" }, "nothing")
      : el(tag, {}, untrustedText(value ?? kind, { limit: 40, style: value === undefined ? "kind-of" : "" }));
  const label = untrustedText(path === "" ? part : path, { style: "path", limit: 80 });
  if (before.kind === "absent" && after.kind === "absent") return label;
  return el("span", { class: "gist-swap" }, label, " ", side("del", before), " → ", side("ins", after));
}
