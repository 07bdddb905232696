import { kindBadge, nameOf } from "./case-list.js";
import { changeList } from "./change-view.js";
import { trialsPart } from "./charts.js";
import { announce, button, el, section } from "./element.js";
import { causePart, errorPart, missPart, problemPart, toleratedPart, unusedPart, violationList } from "./evidence.js";
import { writeState } from "./filters.js";
import { count, duration, plural } from "./formats.js";
import { acceptCommand } from "./shell-quote.js";
import { say } from "./show-text.js";
import { KINDS, SETTLED } from "./words.js";

/** @import { ReportCase, ReportFindings } from "../../run-model.ts" */
/** @import { Child } from "./element.js" */
/** @import { State } from "./filters.js" */

/**
 * Everything about one case. `position` is where it stands among the selected ones.
 * @param {{ one: ReportCase, state: State, selected: readonly number[], position: number }} given
 */
export function caseView({ one, state, selected, position }) {
  return [
    navigation({ state, selected, position }),
    el(
      "header",
      { class: "case-head" },
      kindBadge(one),
      el("h1", { id: "case-title", tabindex: -1 }, say(nameOf(one), { limit: 400 })),
    ),
    el("p", { class: "means" }, KINDS[one.kind].means, " ", SETTLED[one.settled]?.means ?? ""),
    acceptPart(one),
    factsOf(one),
    one.findings === null ? null : findingsOf(one.findings, state),
  ];
}

/** @param {{ state: State, selected: readonly number[], position: number }} given */
function navigation({ state, selected, position }) {
  const link = (/** @type {{ at: number, label: string, id: string }} */ { at, label, id }) => {
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
    position < 0 ? null : el("span", { class: "dim" }, `${count(position + 1)} of ${count(selected.length)}`),
    position < 0
      ? null
      : [
          link({ at: position - 1, label: "Previous", id: "previous" }),
          link({ at: position + 1, label: "Next", id: "next" }),
        ],
  );
}

/** @param {ReportCase} one */
function factsOf({ step, baseline, kind, test, labels, source, durationMs, usage }) {
  /** @type {(readonly [string, Child])[]} */
  const facts = [
    ["Step", say(step, { limit: 2000 })],
    ["Baseline", say(baseline, { style: "path", limit: 2000 })],
    ["Class", el("code", {}, kind)],
    ...(test === null ? [] : [/** @type {const} */ (["Test", testOf(test)])]),
    ...(labels.length === 0
      ? []
      : [/** @type {const} */ (["Labels", labels.map((label) => [say(label, { style: "chip" }), " "])])]),
    ...(source === null
      ? []
      : [/** @type {const} */ (["Answers", source === "live" ? "live, from today's adapters" : "recorded"])]),
    ...(durationMs === null ? [] : [/** @type {const} */ (["Took", duration(durationMs)])]),
    ...(usage === null
      ? []
      : [
          /** @type {const} */ ([
            "Live calls",
            `${count(usage.calls)} (${count(usage.inputTokens)} tokens in, ${count(usage.outputTokens)} out)`,
          ]),
        ]),
  ];
  return el(
    "dl",
    { class: "facts case-facts" },
    facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]),
  );
}

/** @param {NonNullable<ReportCase["test"]>} test */
function testOf({ name, file, line }) {
  return [
    say(name, { limit: 2000 }),
    el("br"),
    say(file, { style: "path", limit: 2000 }),
    line === null ? "" : `, line ${line}`,
  ];
}

/** @param {ReportCase} one */
function acceptPart({ kind, settled, baseline }) {
  const waits = settled === "held" || settled === "review";
  const open = settled === "none" && (kind === "value_changed" || kind === "commands_changed" || kind === "missing");
  if (!waits && !open) return null;
  const command = acceptCommand(baseline);
  if (command === null) return el("p", { class: "accept" }, "To accept it: ", el("code", {}, "npx veritest review"));
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

/**
 * Copies a text; where the browser does not allow that, selects it for the reader to copy.
 * @param {string} text
 * @param {Element} shown
 */
async function copy(text, shown) {
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

/** @param {string} label */
function said(label) {
  const copier = document.getElementById("copy");
  if (copier === null) return;
  copier.textContent = label;
  setTimeout(() => (copier.textContent = "Copy"), 2000);
}

/**
 * @param {ReportFindings} findings
 * @param {State} state
 */
function findingsOf({ problem, error, miss, cause, violations, changes, more, trials, unused, tolerated }, state) {
  const { view } = state;
  return [
    problem === null ? null : problemPart(problem),
    error === null ? null : errorPart(error),
    miss === null ? null : missPart(miss, view),
    violations.length === 0
      ? null
      : section({ title: "What breaks the schema", id: "violations-title" }, violationList(violations)),
    changes.length + more === 0
      ? null
      : section(
          { title: ["What changed", viewSwitch(state)], id: "changes-title" },
          changeList(changes, view),
          leftOut(more),
        ),
    cause === null ? null : causePart({ cause, view, changes, violations }),
    trials === null ? null : trialsPart(trials),
    unused.length === 0 ? null : unusedPart(unused),
    tolerated.length === 0 ? null : toleratedPart(tolerated, view),
  ];
}

/** @param {number} more */
function leftOut(more) {
  return more === 0
    ? null
    : el("p", { class: "dim" }, `${plural(more, "more difference")} ${more === 1 ? "is" : "are"} not in this report.`);
}

/** @param {State} state */
function viewSwitch(state) {
  const inline = state.view === "inline";
  return el(
    "span",
    { class: "switch" },
    el("a", { href: writeState({ ...state, view: "" }), "aria-current": !inline && "true" }, "Side by side"),
    el("a", { href: writeState({ ...state, view: "inline" }), "aria-current": inline && "true" }, "Inline"),
  );
}
