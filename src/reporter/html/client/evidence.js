import { changeList } from "./change-view.js";
import { el, section } from "./element.js";
import { plural } from "./formats.js";
import { block, say } from "./show-text.js";
import { CALLS, CAUSES, MISSES } from "./words.js";

/**
 * @import { ReportCall, ReportCause, ReportEvidence, ReportFindings, ReportMiss, ReportTolerated, ReportViolation }
 * from "../../run-model.ts"
 */

/**
 * What a case is already shown to have: evidence that says the same points to it.
 * @typedef {Pick<ReportFindings, "changes" | "violations"> & { view: string }} Told
 */

/**
 * Why a case came out as it did, in plain words, and what speaks for it.
 * @param {Told & { cause: ReportCause }} given
 */
export function causePart({ cause: { kind, line, evidence }, ...told }) {
  return section(
    { title: ["Why: ", CAUSES[kind].word.toLowerCase()], id: "cause-title" },
    el("p", {}, CAUSES[kind].means),
    el("p", { class: "cause-line" }, say(line, { limit: 4000 })),
    evidence.map((one) =>
      el(
        "div",
        { class: "evidence", "data-cause": one.kind },
        kind === "mixed" ? el("h3", { class: "evidence-kind" }, CAUSES[one.kind].word) : null,
        evidenceOf(one, told),
      ),
    ),
  );
}

/**
 * @param {ReportEvidence} evidence
 * @param {Told} told
 */
function evidenceOf({ kind, calls, changes, violations }, told) {
  if (calls.length + changes.length + violations.length === 0)
    return el("p", { class: "dim" }, "There is nothing more to show for it than the line above.");
  const makes =
    kind === "schema" ? "Today's schema makes of the stored input" : "With the recorded answers, today's code makes";
  return [
    calls.map((call) => callOf(call, told.view)),
    isSame(changes, told.changes) ? el("p", { class: "dim" }, `${makes} the same differences as above.`) : null,
    isSame(changes, told.changes) || changes.length === 0
      ? null
      : [el("p", { class: "dim" }, `${makes}:`), changeList(changes, told.view)],
    isSame(violations, told.violations)
      ? el("p", { class: "dim" }, "What the schema refuses is listed above.")
      : violationList(violations),
  ];
}

/**
 * @param {readonly object[]} found
 * @param {readonly object[]} told
 */
function isSame(found, told) {
  return found.length > 0 && JSON.stringify(found) === JSON.stringify(told);
}

/**
 * @param {ReportCall} call
 * @param {string} view
 */
function callOf({ adapter, kind, changes }, view) {
  return el(
    "div",
    { class: "call", "data-call": kind },
    el("p", { class: "call-head" }, say(adapter, { style: "path" }), ` ${CALLS[kind]}`),
    changeList(changes, view),
  );
}

/**
 * The ways in which a value breaks its schema; null where it does not.
 * @param {readonly ReportViolation[]} violations
 */
export function violationList(violations) {
  if (violations.length === 0) return null;
  const items = violations.map(({ path, kind, message }) => {
    const where =
      path === "" ? el("span", { class: "dim" }, "the whole value") : say(path, { style: "path", limit: 2000 });
    return el("li", { "data-violation": kind }, where, ": ", say(message, { limit: 2000 }));
  });
  return el("ul", { class: "violations" }, items);
}

/**
 * The request that the recording could not answer, against the nearest that it could.
 * @param {ReportMiss} miss
 * @param {string} view
 */
export function missPart({ adapter, reason, recorded, changes }, view) {
  return section(
    { title: "The request without a recording", id: "miss-title" },
    el(
      "p",
      {},
      say(adapter, { style: "path" }),
      ` – ${MISSES[reason]} ${recorded === 0 ? "" : `Recorded: ${plural(recorded, "call")}.`}`,
    ),
    changes.length === 0 ? null : el("p", { class: "dim" }, "Against the nearest recorded request:"),
    changeList(changes, view),
  );
}

/**
 * The recorded calls that the step did not make, by adapter.
 * @param {readonly string[]} unused
 */
export function unusedPart(unused) {
  const items = [...Map.groupBy(unused, (adapter) => adapter)].map(([adapter, calls]) =>
    el("li", {}, say(adapter, { style: "path" }), calls.length > 1 ? ` × ${calls.length}` : ""),
  );
  return section(
    { title: "Recorded calls that were not made", id: "unused-title" },
    el("ul", { class: "plain" }, items),
  );
}

/**
 * What the rules of `compare` let pass: told, but folded away.
 * @param {readonly ReportTolerated[]} tolerated
 * @param {string} view
 */
export function toleratedPart(tolerated, view) {
  const items = tolerated.map((one) =>
    el(
      "li",
      {},
      el("p", { class: "rule" }, say(one.rule, { style: "path" }), " allows ", say(one.label, { style: "path" })),
      changeList([one], view),
    ),
  );
  const folded = el(
    "details",
    {},
    el("summary", {}, `${plural(tolerated.length, "difference")} that a rule allows`),
    el("ul", { class: "plain" }, items),
  );
  return section({ title: "Tolerated", id: "tolerated-title" }, folded);
}

/**
 * The error that a step ended with.
 * @param {NonNullable<ReportFindings["error"]>} error
 */
export function errorPart({ code, message }) {
  return section(
    { title: "The error", id: "error-title" },
    el("p", {}, el("span", { class: "dim" }, "code "), say(code, { style: "path" })),
    el("div", { class: "alarm" }, block(message)),
  );
}

/**
 * What is wrong with a baseline that cannot be read.
 * @param {string} problem
 */
export function problemPart(problem) {
  return section(
    { title: "What is wrong with the file", id: "problem-title" },
    el("div", { class: "alarm" }, block(problem)),
  );
}
