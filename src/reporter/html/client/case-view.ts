import { kindBadge, nameOf } from "./case-list.ts";
import { changeList } from "./change-view.ts";
import { trialsPart } from "./charts.ts";
import { type Child, announce, button, el, section } from "./element.ts";
import { causePart, errorPart, missPart, problemPart, toleratedPart, unusedPart, violationList } from "./evidence.ts";
import { type State, writeState } from "./filters.ts";
import { type WaitingPlace, counted, duration, grouped, reviewLine } from "../../../explain/wording.ts";
import { acceptLine } from "./shell-quote.ts";
import { sayText } from "./show-text.ts";
import { gridPart } from "./grid-view.ts";
import { trajectoryPart } from "./trajectory.ts";
import { KINDS, SETTLED } from "./words.ts";
import type { ReportCase, ReportFindings } from "../../../explain/report-case.ts";

/** Everything about one case. `position` is where it stands among the selected ones. */
export function caseView({
  one,
  state,
  selected,
  position,
  place,
}: {
  one: ReportCase;
  state: State;
  selected: readonly number[];
  position: number;
  /** Where changes of the run wait. */
  place: WaitingPlace;
}) {
  return [
    navigation({ state, selected, position }),
    el(
      "header",
      { class: "case-head" },
      kindBadge(one),
      el("h1", { id: "case-title", tabindex: -1 }, sayText(nameOf(one), { limit: 400 })),
    ),
    el("p", { class: "means" }, KINDS[one.kind].means, " ", SETTLED[one.settled]?.means ?? ""),
    acceptPart(one, place),
    factsOf(one),
    one.findings === null ? null : findingsOf(one.findings, state),
  ];
}

function navigation({ state, selected, position }: { state: State; selected: readonly number[]; position: number }) {
  const link = ({ at, label, id }: { at: number; label: string; id: string }) => {
    const index = selected[at];
    return index === undefined
      ? el("span", { class: "dim" }, label)
      : el("a", { id, href: writeState({ ...state, case: String(index) }) }, label);
  };
  return el(
    "nav",
    { class: "case-nav", "aria-label": "Baselines" },
    el("a", { id: "back", href: writeState({ ...state, case: "" }) }, "← All baselines"),
    el("span", { class: "spread" }),
    position < 0 ? null : el("span", { class: "dim" }, `${grouped(position + 1)} of ${grouped(selected.length)}`),
    position < 0
      ? null
      : [
          link({ at: position - 1, label: "Previous", id: "previous" }),
          link({ at: position + 1, label: "Next", id: "next" }),
        ],
  );
}

function factsOf({ step, baseline, kind, test, labels, source, durationMs, usage }: ReportCase) {
  const facts: (readonly [string, Child])[] = [
    ["Step", sayText(step, { limit: 2000 })],
    ["Baseline", sayText(baseline, { style: "path", limit: 2000 })],
    ["Class", el("code", {}, kind)],
    ...(test === null ? [] : [["Test", testOf(test)] as const]),
    ...(labels.length === 0
      ? []
      : [["Labels", labels.map((label) => [sayText(label, { style: "chip" }), " "])] as const]),
    ...(source === null ? [] : [["Answers", source === "live" ? "live, from today's adapters" : "recorded"] as const]),
    ...(durationMs === null ? [] : [["Took", duration(durationMs)] as const]),
    ...(usage === null
      ? []
      : [
          [
            "Live calls",
            `${grouped(usage.calls)} (${grouped(usage.inputTokens)} tokens in, ${grouped(usage.outputTokens)} out)`,
          ] as const,
        ]),
  ];
  return el(
    "dl",
    { class: "facts case-facts" },
    facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

function testOf({ name, file, line }: NonNullable<ReportCase["test"]>) {
  return [
    sayText(name, { limit: 2000 }),
    el("br"),
    sayText(file, { style: "path", limit: 2000 }),
    line === null ? "" : `, line ${line}`,
  ];
}

/** The classes whose change can be accepted as it was found. */
const ACCEPTABLE: ReadonlySet<ReportCase["kind"]> = new Set([
  "value_changed",
  "calls_changed",
  "events_changed",
  "commands_changed",
  "missing",
]);

function acceptPart({ kind, settled, baseline }: ReportCase, place: WaitingPlace) {
  const waits = settled === "held" || settled === "review";
  const open = settled === "none" && ACCEPTABLE.has(kind);
  if (!waits && !open) return null;
  const command = acceptLine(baseline, place);
  if (command === null) return el("p", { class: "accept" }, "To accept it: ", el("code", {}, reviewLine(place)));
  const code = el("code", { id: "accept", tabindex: 0, dir: "ltr" }, command);
  const when = waits ? "If the new result is right:" : "If the new result is right and waits for review:";
  return el(
    "p",
    { class: "accept" },
    el("span", {}, when),
    code,
    button("Copy", () => void copy(command, code), { id: "copy" }),
  );
}

/** Copies a text; where the browser does not allow that, selects it for the reader to copy. */
async function copy(text: string, shown: Element) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied.");
    said("Copied");
  } catch {
    getSelection()?.selectAllChildren(shown);
    announce("Selected: copy it with Ctrl+C.");
    said("Press Ctrl+C");
  }
}

function said(label: string) {
  const copier = document.getElementById("copy");
  if (copier === null) return;
  copier.textContent = label;
  setTimeout(() => (copier.textContent = "Copy"), 2000);
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
  }: ReportFindings,
  state: State,
) {
  const { view } = state;
  return [
    problem === null ? null : problemPart(problem),
    error === null ? null : errorPart(error),
    miss === null ? null : missPart(miss, view),
    violations.length === 0
      ? null
      : section({ title: "What breaks the schema", id: "violations-title" }, violationList(violations)),
    grid === null ? null : gridPart(grid),
    changes.length + more === 0
      ? null
      : section(
          { title: ["What changed", viewSwitch(state)], id: "changes-title" },
          changeList(changes, view),
          leftOut(more),
        ),
    // One changed call beside nothing says no more than the change.
    trajectory.length < 2 ? null : trajectoryPart(trajectory),
    cause === null ? null : causePart({ cause, view, changes, violations }),
    trials === null ? null : trialsPart(trials),
    unused.length === 0 ? null : unusedPart(unused),
    tolerated.length === 0 ? null : toleratedPart(tolerated, view),
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
