import { acceptPart } from "./accept-part.ts";
import { classBadge, nameOf } from "./case-list.ts";
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
import { caseSummaryLine } from "./case-summary.ts";
import { type PendingLocation, counted, duration, formatCount, usageText } from "../../../explain/wording.ts";
import { untrustedText } from "./show-text.ts";
import { gridPart } from "./grid-view.ts";
import type { Server } from "./served.ts";
import { decisionPart, fileDiffPart } from "./decision-part.ts";
import { trajectoryPart } from "./trajectory.ts";
import { viewedSwitch } from "./viewed.ts";
import { CAUSE_LABELS, CLASS_LABELS, UPDATE_LABELS } from "./labels.ts";
import type { PageData } from "../page-data.ts";
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
  const title = reported.test === null ? nameOf(reported) : reported.test.name;
  return [
    navigation({ data, state, selected, index }),
    el(
      "header",
      { class: "case-head" },
      el("h1", { id: "case-title", tabindex: -1 }, untrustedText(title, { limit: 400 })),
      viewedSwitch(data.marks[index] ?? ""),
    ),
    summaryPart(reported),
    server === null || change === undefined || whole === null
      ? acceptPart(reported, location)
      : decisionPart({ server, change, ready: whole.ready }),
    reported.findings === null ? null : findingsOf(reported.findings, state),
    whole?.part ?? null,
    section(
      { title: "This baseline", id: "facts-title" },
      el("p", { class: "means" }, meansOf(reported)),
      factsOf(reported),
    ),
  ];
}

/** Change and cause in a line. */
function summaryPart(reported: ReportCase) {
  const cause = reported.findings?.cause ?? null;
  const updateLabel = UPDATE_LABELS[reported.settled];
  return el(
    "p",
    { class: "told" },
    classBadge(reported),
    " ",
    el("span", { class: "told-gist" }, caseSummaryLine(reported) ?? CLASS_LABELS[reported.kind].means),
    " ",
    cause === null ? null : el("span", { class: "chip" }, CAUSE_LABELS[cause.kind].word),
    updateLabel === null ? null : el("span", { class: "chip settled" }, updateLabel.word),
  );
}

function meansOf({ kind, settled }: ReportCase) {
  return [CLASS_LABELS[kind].means, UPDATE_LABELS[settled]?.means ?? ""].join(" ").trim();
}

function navigation({
  data,
  state,
  selected,
  index,
}: {
  data: PageData;
  state: State;
  selected: readonly number[];
  index: number;
}) {
  const groupOf = groupIndexes(data.model);
  const own = groupOf.get(index);
  const kind = selected.filter((at) => groupOf.get(at) === own);
  const position = selected.indexOf(index);
  const last = kind.at(-1);
  const other = kind.length < 2 || last === undefined ? undefined : selected[selected.indexOf(last) + 1];
  const link = ({ to, label, id }: { to: number | undefined; label: string; id: string }) =>
    to === undefined
      ? el("span", { class: "dim" }, label)
      : el("a", { id, href: writeState({ ...state, case: data.ids[to] ?? "" }) }, label);
  return el(
    "nav",
    { class: "case-nav", "aria-label": "Baselines" },
    el("a", { id: "back", href: writeState({ ...state, case: "" }) }, "← All baselines"),
    el("span", { class: "spread" }),
    position < 0
      ? null
      : [
          el("span", { class: "dim" }, positionWords({ kind, selected, index })),
          link({ to: selected[position - 1], label: "Previous", id: "previous" }),
          link({ to: selected[position + 1], label: "Next", id: "next" }),
          other === undefined ? null : link({ to: other, label: "Next kind", id: "next-kind" }),
        ],
  );
}

/** Position of a case: among those of its kind, which are listed together, or among all. */
function positionWords({
  kind,
  selected,
  index,
}: {
  kind: readonly number[];
  selected: readonly number[];
  index: number;
}) {
  const [of, what] = kind.length < 2 ? [selected, ""] : [kind, " of this kind"];
  return `${formatCount(of.indexOf(index) + 1)} of ${formatCount(of.length)}${what}`;
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
    ...(source === null ? [] : [["Answers", source === "live" ? "live, from today's adapters" : "recorded"] as const]),
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
    miss,
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
  return [
    problem === null ? null : problemPart(problem),
    error === null ? null : errorPart(error),
    error?.at === undefined ? null : failedAtPart(error.at),
    miss === null ? null : unrecordedRequestPart(miss, look),
    violations.length === 0
      ? null
      : section({ title: "Schema violations", id: "violations-title" }, violationList(violations)),
    grid === null ? null : gridPart(grid),
    changes.length + more === 0
      ? null
      : section(
          { title: ["Changes", viewSwitch(state)], id: "changes-title" },
          changeList(changes, look),
          leftOut(more),
        ),
    // A single changed call repeats the change.
    trajectory.length < 2 ? null : trajectoryPart(trajectory),
    cause === null ? null : causePart(cause, { ...look, violations }),
    trials === null ? null : trialsPart(trials),
    unused.length === 0 ? null : uncalledPart(unused),
    tolerated.length === 0 ? null : toleratedPart(tolerated, look),
    input === undefined ? null : inputPart(input),
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
