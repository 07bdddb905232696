import { acceptPart } from "./accept-part.ts";
import { caseTitle } from "./case-title.ts";
import { caseSummaryLine } from "./case-summary.ts";
import { classBadge, isDangerous } from "./class-badge.ts";
import { changeList } from "./change-view.ts";
import { trialsPart } from "./charts.ts";
import { type Child, el, section } from "./element.ts";
import {
  causePart,
  errorPart,
  failedAtPart,
  inputPart,
  unrecordedRequestPart,
  problemPart,
  toleratedPart,
  uncalledPart,
  violationList,
} from "./evidence.ts";
import { type State, groupIndexes, writeState } from "./filters.ts";
import { type PendingLocation, counted, duration, formatCount, usageText } from "../../../explain/wording.ts";
import { untrustedText } from "./show-text.ts";
import { gridPart } from "./grid-view.ts";
import type { Server } from "./served.ts";
import { decisionPart, fileDiffPart } from "./decision-part.ts";
import { changesBesides, trajectoryPart } from "./trajectory.ts";
import { isViewed, viewedSwitch } from "./viewed.ts";
import { showViewedCount } from "./overview.ts";
import { CAUSE_LABELS, CLASS_LABELS, UPDATE_LABELS } from "./labels.ts";
import type { PageData } from "../page-data.ts";
import type { ReportGroup } from "../../../explain/run-model.ts";
import type { ReportCase, ReportFindings } from "../../../explain/report-case.ts";

/** View of one case, the most important first: the change and its cause in a line, then in full, then its facts. */
export function caseView({
  data,
  server,
  index,
  state,
  selected,
}: {
  data: PageData;
  /** Null for a page that is a file. */
  server: Server | null;
  index: number;
  state: State;
  /** The cases that previous and next go through. */
  selected: readonly number[];
}) {
  const reported = data.model.cases[index];
  if (reported === undefined) return [];
  /** Location of the run's pending changes. */
  const location: PendingLocation = data.model.environment.ci ? "upload" : "project";
  const change = server?.changeOf(reported.baseline);
  const whole = server === null || change === undefined ? null : fileDiffPart({ server, change, view: state.view });
  const group = data.model.groups[groupIndexes(data.model).get(index) ?? -1] ?? null;
  const command = server?.isOutdated === true ? null : acceptPart(reported, location);
  const decision =
    server === null || change === undefined || whole === null
      ? command
      : decisionPart({ server, change, ready: whole.ready });
  return [
    navigation({ data, state, selected, index }),
    el("h1", { id: "case-title", tabindex: -1 }, caseTitle(data.model, reported, { withStep: true })),
    summaryPart(reported, group),
    reported.findings === null ? null : findingsOf(reported.findings, state),
    whole?.part ?? null,
    section(
      { title: "This baseline", id: "facts-title" },
      el("p", { class: "means" }, meansOf(reported)),
      factsOf(reported),
    ),
    caseBar({ data, state, selected, index }, decision),
  ];
}

/** Class, cause and state in a line, and of a dangerous change its call or command, which may be far down the page. */
function summaryPart(reported: ReportCase, group: ReportGroup | null) {
  const cause = reported.findings?.cause ?? null;
  const updateLabel = UPDATE_LABELS[reported.updateState];
  return el(
    "p",
    { class: "told" },
    classBadge(reported, group),
    " ",
    isDangerous(reported.kind, group)
      ? [el("span", { class: "group-gist" }, caseSummaryLine(reported, group)), " "]
      : null,
    cause === null ? null : el("span", { class: "chip" }, CAUSE_LABELS[cause.kind].word),
    " ",
    updateLabel === null ? null : el("span", { class: "chip settled" }, updateLabel.word),
  );
}

function meansOf({ kind, updateState }: ReportCase) {
  // It's pending because its result differs, and its test may have passed.
  const isChangedInput = kind === "input_changed" && updateState === "pending";
  const label = UPDATE_LABELS[isChangedInput ? "review" : updateState];
  return [CLASS_LABELS[kind].means, label?.means ?? ""].join(" ").trim();
}

/** An open case, and the selected ones that previous and next go through. */
type Opened = { data: PageData; state: State; selected: readonly number[]; index: number };

function navigation({ data, state, selected, index }: Opened) {
  const kind = kindOf({ data, selected, index });
  const last = kind.at(-1);
  const other = kind.length < 2 || last === undefined ? undefined : selected[selected.indexOf(last) + 1];
  return el(
    "nav",
    { class: "case-nav", "aria-label": "Baselines" },
    el("a", { id: "back", href: writeState({ ...state, case: "" }) }, "← All baselines"),
    el("span", { class: "spread" }),
    kind.length < 2
      ? null
      : el(
          "span",
          { class: "dim" },
          `${formatCount(kind.indexOf(index) + 1)} of ${formatCount(kind.length)} of this group`,
        ),
    other === undefined
      ? null
      : el("a", { id: "next-kind", href: writeState({ ...state, case: data.ids[other] ?? "" }) }, "Next group"),
  );
}

/** The selected cases of the same group, which are listed together. */
function kindOf({ data, selected, index }: Omit<Opened, "state">) {
  const groupOf = groupIndexes(data.model);
  const own = groupOf.get(index);
  return selected.filter((at) => groupOf.get(at) === own);
}

/** Bar at the lower edge of the screen: the decision, the position among the selected cases, and the ways on. */
function caseBar({ data, state, selected, index }: Opened, decision: Child) {
  const position = selected.indexOf(index);
  const label = el("span", { class: "position" });
  const update = () => {
    const viewed = selected.filter((at) => isViewed(data.marks[at] ?? "")).length;
    const of = `${formatCount(position + 1)} of ${formatCount(selected.length)}`;
    label.textContent = position < 0 ? "" : `${of} · ${formatCount(viewed)} viewed`;
    showViewedCount(data);
  };
  update();
  const link = (to: number | undefined, { label, id }: { label: string; id: string }) =>
    to === undefined
      ? el("span", { class: "bar-link dim" }, label)
      : el("a", { id, class: "bar-link", href: writeState({ ...state, case: data.ids[to] ?? "" }) }, label);
  return el(
    "div",
    { class: "case-bar", role: "group", "aria-label": "Decision" },
    el(
      "div",
      { class: "case-bar-inner" },
      decision,
      el("span", { class: "spread" }),
      label,
      viewedSwitch(data.marks[index] ?? "", update),
      position < 0
        ? null
        : [
            link(selected[position - 1], { label: "Previous", id: "previous" }),
            link(selected[position + 1], { label: "Next", id: "next" }),
          ],
    ),
  );
}

function factsOf({ step, baseline, kind, test, labels, source, durationMs, usage }: ReportCase) {
  const facts: (readonly [string, Child])[] = [
    ["Step", untrustedText(step, { limit: 2000 })],
    ["Baseline", untrustedText(baseline, { style: "path", limit: 2000 })],
    ["Class", el("code", {}, kind)],
    ...(test === null ? [] : [["Test", testOf(test)] as const]),
    ...(labels.length === 0
      ? []
      : [["Labels", labels.map((label) => [untrustedText(label, { style: "chip" }), " "])] as const]),
    ...(source === null
      ? []
      : [["Answers", source === "live" ? "live, from the current adapters" : "recorded"] as const]),
    ...(durationMs === null ? [] : [["Took", duration(durationMs)] as const]),
    ...(usage === null ? [] : [["Live calls", usageText(usage)] as const]),
  ];
  return el(
    "dl",
    { class: "facts" },
    facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

function testOf({ name, file, line }: NonNullable<ReportCase["test"]>) {
  return [
    untrustedText(name, { limit: 2000 }),
    el("br"),
    untrustedText(file, { style: "path", limit: 2000 }),
    line === null ? "" : `, line ${line}`,
  ];
}

function findingsOf(
  {
    problem,
    error,
    unrecorded,
    cause,
    violations,
    changes,
    trajectory,
    more,
    trials,
    unused,
    tolerated,
    grid,
    input,
  }: ReportFindings,
  state: State,
) {
  const look = { view: state.view, rendered: new Set<string>() };
  const callChanges = changes.filter(({ part }) => part === "calls");
  const besides = changesBesides(trajectory, changes);
  return [
    input === undefined ? null : inputPart(input),
    problem === null ? null : problemPart(problem),
    error === null ? null : errorPart(error),
    error?.at === undefined ? null : failedAtPart(error.at),
    unrecorded === null ? null : unrecordedRequestPart(unrecorded, look),
    violations.length === 0
      ? null
      : section({ title: "Schema violations", id: "violations-title" }, violationList(violations)),
    grid === null ? null : gridPart(grid),
    besides.length + more === 0
      ? null
      : section(
          { title: ["Changes", viewSwitch(state)], id: "changes-title" },
          changeList(besides, look),
          leftOut(more),
        ),
    trajectory.length === 0 ? null : trajectoryPart(trajectory, callChanges),
    cause === null ? null : causePart(cause, { ...look, violations }),
    trials === null ? null : trialsPart(trials),
    unused.length === 0 ? null : uncalledPart(unused),
    tolerated.length === 0 ? null : toleratedPart(tolerated, look),
  ];
}

function leftOut(more: number) {
  return more === 0
    ? null
    : el("p", { class: "dim" }, `${counted(more, "more difference")} ${more === 1 ? "is" : "are"} not in this report.`);
}

function viewSwitch(state: State) {
  const inline = state.view === "inline";
  return el(
    "span",
    { class: "switch" },
    el("a", { href: writeState({ ...state, view: "" }), "aria-current": !inline && "true" }, "Side by side"),
    el("a", { href: writeState({ ...state, view: "inline" }), "aria-current": inline && "true" }, "Inline"),
  );
}
