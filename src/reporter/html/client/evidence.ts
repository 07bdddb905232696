import { type ChangeLook, changeList } from "./change-view.ts";
import { type Child, button, el, section } from "./element.ts";
import { counted, unrecordedRequestText } from "../../../explain/wording.ts";
import { block, untrustedText } from "./show-text.ts";
import { CALL_LABELS, CAUSE_LABELS } from "./labels.ts";
import type {
  ReportCall,
  ReportCause,
  ReportEvidence,
  ReportFindings,
  ReportUnrecordedRequest,
  ReportTolerated,
  ReportValue,
  ReportViolation,
} from "../../../explain/report-case.ts";

/** Lines of an input that are shown immediately, and characters of each. */
const INPUT = { lines: 6, characters: 240 };

/** Findings that the page already shows for a case. Evidence for the same ones refers to them. */
type ShownFindings = Pick<ReportFindings, "violations"> & ChangeLook;

/** Cause of a case's result in plain words, with its evidence. */
export function causePart({ kind, line, evidence }: ReportCause, listed: ShownFindings) {
  return section(
    { title: ["Why: ", CAUSE_LABELS[kind].word.toLowerCase()], id: "cause-title" },
    el("p", {}, CAUSE_LABELS[kind].means),
    el("p", { class: "cause-line" }, untrustedText(line, { limit: 4000 })),
    evidence
      .filter((item) => kind === "mixed" || hasDetails(item))
      .map((item) =>
        el(
          "div",
          { class: "evidence", "data-cause": item.kind },
          kind === "mixed" ? el("h3", { class: "evidence-kind" }, CAUSE_LABELS[item.kind].word) : null,
          evidenceOf(item, listed),
        ),
      ),
  );
}

function hasDetails({ calls, changes, violations }: ReportEvidence) {
  return calls.length + changes.length + violations.length > 0;
}

function evidenceOf({ kind, calls, changes, violations }: ReportEvidence, listed: ShownFindings) {
  const makes =
    kind === "schema"
      ? "Stored input, as the current schema parses it"
      : "With the recorded responses, the current code makes";
  return [
    calls.map((call) => callOf(call, listed)),
    changes.length === 0 ? null : [el("p", { class: "dim" }, `${makes}:`), changeList(changes, listed)],
    isSame(violations, listed.violations)
      ? el("p", { class: "dim" }, "The schema violations are listed above.")
      : violationList(violations),
  ];
}

function isSame(violations: readonly object[], listed: readonly object[]) {
  return violations.length > 0 && JSON.stringify(violations) === JSON.stringify(listed);
}

function callOf({ adapter, kind, changes }: ReportCall, look: ChangeLook) {
  return el(
    "div",
    { class: "call", "data-call": kind },
    el("p", { class: "call-head" }, untrustedText(adapter, { style: "path" }), ` ${CALL_LABELS[kind]}`),
    changeList(changes, look),
  );
}

/** Violations of a value's schema. Null if there are none. */
export function violationList(violations: readonly ReportViolation[]) {
  if (violations.length === 0) return null;
  const items = violations.map(({ path, kind, message }) => {
    const where =
      path === ""
        ? el("span", { class: "dim" }, "the complete value")
        : untrustedText(path, { style: "path", limit: 2000 });
    return el("li", { "data-violation": kind }, where, ": ", untrustedText(message, { limit: 2000 }));
  });
  return el("ul", { class: "violations" }, items);
}

/** The request that the recording could not answer, against the nearest that it could. */
export function unrecordedRequestPart(unrecorded: ReportUnrecordedRequest, look: ChangeLook) {
  return section(
    { title: "The request without a recording", id: "miss-title" },
    el("p", {}, untrustedText(unrecorded.adapter, { style: "path" }), ` ${unrecordedRequestText(unrecorded)}.`),
    unrecorded.changes.length === 0 ? null : el("p", { class: "dim" }, "Against the nearest recorded request:"),
    changeList(unrecorded.changes, look),
  );
}

/** The recorded calls that the step did not make, by adapter. */
export function uncalledPart(unused: readonly string[]) {
  const items = [...Map.groupBy(unused, (adapter) => adapter)].map(([adapter, calls]) =>
    el("li", {}, untrustedText(adapter, { style: "path" }), calls.length > 1 ? ` × ${calls.length}` : ""),
  );
  return section(
    { title: "Recorded calls that were not made", id: "unused-title" },
    el("ul", { class: "plain" }, items),
  );
}

/** Differences that the rules of `compare` allowed, folded. */
export function toleratedPart(tolerated: readonly ReportTolerated[], look: ChangeLook) {
  const items = tolerated.map((difference) =>
    el(
      "li",
      {},
      el(
        "p",
        { class: "rule" },
        untrustedText(difference.rule, { style: "path" }),
        " allows ",
        untrustedText(difference.label, { style: "path" }),
      ),
      changeList([difference], look),
    ),
  );
  const folded = el(
    "details",
    {},
    el("summary", {}, `${counted(tolerated.length, "difference")} that a rule allows`),
    el("ul", { class: "plain" }, items),
  );
  return section({ title: "Tolerated", id: "tolerated-title" }, folded);
}

/** The error that a step ended with. */
export function errorPart({ code, message }: NonNullable<ReportFindings["error"]>) {
  return section(
    { title: "The error", id: "error-title" },
    el("p", {}, el("span", { class: "dim" }, "code "), untrustedText(code, { style: "path" })),
    el("div", { class: "alarm" }, block(message)),
  );
}

/** Location of an error in the project, folded, because the error is more useful. */
export function failedAtPart(at: string) {
  return folded({ title: "Where the step failed", id: "failed-at" }, untrustedText(at, { style: "path", limit: 2000 }));
}

/** Input of the step: its first lines, with a button that shows all of it. Texts of an object are shown as texts. */
export function inputPart(input: ReportValue) {
  const fields =
    input === null || typeof input !== "object" || Array.isArray(input)
      ? [["", input] as const]
      : Object.entries(input);
  const lines = fields.flatMap(([name, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
    return text.split("\n").map((line, at) => ({ name: at === 0 ? name : "", line }));
  });
  const view = el(
    "div",
    { class: "input-lines" },
    lines.slice(0, INPUT.lines).map((line) => inputLine(line, INPUT.characters)),
  );
  const isCut =
    lines.length > INPUT.lines || lines.slice(0, INPUT.lines).some(({ line }) => line.length > INPUT.characters);
  const all = button(
    `Show all ${counted(lines.length, "line")}`,
    () => {
      view.replaceChildren(...lines.map((line) => inputLine(line, Infinity)));
      all.remove();
    },
    { class: "fold" },
  );
  return section({ title: "Input", id: "input-title" }, view, isCut ? all : null);
}

function inputLine({ name, line }: { name: string; line: string }, limit: number) {
  const label = name === "" ? null : [untrustedText(name, { style: "dim", limit: 120 }), " "];
  return el("div", {}, label, untrustedText(line, { manner: "prose", style: "input-text", limit }));
}

function folded({ title, id }: { title: string; id: string }, content: Child) {
  return el("details", { id }, el("summary", {}, title), content);
}

/** Problem of a baseline that can't be read. */
export function problemPart(problem: string) {
  return section(
    { title: "Problem with the file", id: "problem-title" },
    el("div", { class: "alarm" }, block(problem)),
  );
}
