import type {
  ReportCase,
  ReportChange,
  ReportFindings,
  ReportGrid,
  ReportUnrecordedRequest,
  ReportTrials,
} from "./report-case.ts";
import { formatValue } from "../kernel/diff/format-value.ts";
import { countCells, fitToCells } from "../kernel/terminal-cells.ts";
import { quote, truncate } from "../kernel/text.ts";
import { RISKS } from "../check/update/change-shape.ts";
import { riskOf } from "./shape-of-case.ts";
import { firstOfEach } from "./first-of-each.ts";
import type { Detail } from "./detail.ts";
import { foldDetails } from "./fold-lines.ts";
import { jsonDetails } from "./json-changes.ts";
import { outcomeCounts, outcomeText, notableOutcomes, wrongOutcomes } from "./outcome-grid.ts";
import { counted, unrecordedRequestText } from "./wording.ts";

/** Number of unstable paths, tolerated differences and unused calls that are listed; the rest is only counted. */
const MAX_SHOWN = 3;

/** Columns of a call whose request is compared with no recorded one, those of one that is cut, and of its request. */
const MAX_CALL = 111;
const CUT_CALL = 88;
const MIN_REQUEST = 20;

/** Limits of a case's details; the rest is counted. */
export interface Limits {
  /** Differences, and outcomes of a grid. */
  readonly changes: number;
  /** Differences of requests and answers that speak for the cause. */
  readonly evidence: number;
  /** Differences of a request from the nearest recorded one. */
  readonly unrecorded: number;
  /** Lines of a message. */
  readonly lines: number;
}

/** Limits of one case in a report of a run. */
export const REPORT_LIMITS: Limits = { changes: 10, evidence: 3, unrecorded: 3, lines: 12 };

/** Case to describe: one of a report, or a check in memory. */
export interface DetailedCase extends Pick<ReportCase, "kind" | "updateState"> {
  readonly findings: ReportFindings<unknown> | null;
}

/** Returns the details of a case in display order. */
export function detailsOf({ kind, updateState: state, findings }: DetailedCase, limits: Limits): Detail[] {
  const missing = kind === "missing" ? [sentence(missingText(state))] : [];
  return findings === null
    ? missing
    : [
        ...missing,
        ...trialDetails(findings.trials),
        ...causeDetails(findings, limits),
        ...ends(findings, limits),
        ...gridDetails(findings.grid, limits.changes),
        ...changes(findings, limits),
        ...warningsOf(findings),
      ];
}

function missingText(state: ReportCase["updateState"]): string {
  if (state === "captured" || state === "updated") return "there was no such baseline";
  return state === "none" ? "there is no such baseline" : "there is no such baseline; its result is pending";
}

function causeDetails({ cause, unrecorded }: ReportFindings<unknown>, limits: Limits): Detail[] {
  if (cause === null) return [];
  // An unrecorded request is shown with its changes: the same ones are evidence for the cause.
  const calls = unrecorded === null ? cause.evidence.flatMap((item) => item.calls) : [];
  const callEvidence = calls.flatMap(({ adapter, changes: callChanges }) =>
    callChanges.map((change) => evidence(`${adapter} `, change)),
  );
  const inputs = cause.evidence
    .filter(({ kind }) => kind === "schema")
    .flatMap(({ changes: itemChanges }) => itemChanges.map((change) => evidence("", change)));
  const line: Detail = { kind: "cause", text: cause.line };
  return limits.evidence === 0
    ? [line]
    : [line, ...folded([...callEvidence, ...inputs], limits.evidence, "more in requests and responses")];
}

function trialDetails(trials: ReportTrials | null): Detail[] {
  if (trials === null) return [];
  const { run, clean, min, planned, interval, classes, unstable } = trials;
  const [low, high] = interval.map((share) => Math.round(share * 100));
  const seen = Object.entries(classes)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
  const share = `95% interval ${low}–${high}%`;
  const head = `${clean} of ${run} trials clean, ${min} of ${planned} required (${share}): ${seen}`;
  const paths = unstable
    .slice(0, MAX_SHOWN)
    .map(({ path, equal, of }) => `${path} ${equal}/${of}`)
    .join(", ");
  const rest = unstable.length > MAX_SHOWN ? ` and ${counted(unstable.length - MAX_SHOWN, "more path")}` : "";
  return unstable.length === 0 ? [sentence(head)] : [sentence(head), sentence(`same as the baseline: ${paths}${rest}`)];
}

function ends({ error, problem, unrecorded, violations }: ReportFindings<unknown>, limits: Limits): Detail[] {
  return [
    ...(error === null ? [] : messageDetails(`${error.code}: ${error.message}`, limits.lines)),
    // Not `at …` alone: runners would take it, and all that follows, for a part of the stack.
    ...(error?.at === undefined ? [] : [sentence(`thrown at ${error.at}`)]),
    ...(problem === null ? [] : messageDetails(problem, limits.lines)),
    ...(unrecorded === null ? [] : unrecordedDetails(unrecorded, limits.unrecorded)),
    ...violations.map(({ path, kind, message }) => sentence(`${path}: ${message.replaceAll("\n", " ")} (${kind})`)),
  ];
}

/** The first lines of a text, a sentence each. */
function messageDetails(text: string, max: number): Detail[] {
  const lines = text.split("\n", Math.min(max + 1, 2 ** 32 - 1));
  const listed = lines.slice(0, max).map(sentence);
  return lines.length > max ? [...listed, remark("… and more lines")] : listed;
}

function unrecordedDetails(unrecorded: ReportUnrecordedRequest<unknown>, max: number): Detail[] {
  const { request } = unrecorded;
  const items = unrecorded.changes.map((change) => evidence("", change));
  return [
    sentence(`adapter ${quote(unrecorded.adapter)} ${unrecordedRequestText(unrecorded)}`),
    ...(request === undefined ? [] : [sentence(`+ ${callOnOneLine(unrecorded.adapter, request)}`)]),
    ...folded(items, max, "more in the request"),
  ];
}

function callOnOneLine(adapter: string, request: unknown): string {
  const text = formatValue(request);
  const width = (columns: number): number => Math.max(MIN_REQUEST, columns - adapter.length);
  const isWhole = countCells(text) <= width(MAX_CALL);
  return `${adapter}(${isWhole ? text : truncate(text, fitToCells(text, width(CUT_CALL)).length)})`;
}

/** Only what is wrong or changed: a grid has many outcomes, and most say that all is well. */
function gridDetails(grid: ReportGrid | null, max: number): Detail[] {
  if (grid === null) return [];
  const { moreRows } = grid;
  const outcomes = notableOutcomes(grid).map(
    (outcome): Detail => ({ kind: "outcome", text: outcomeText(outcome), wrong: outcome.wrong }),
  );
  return [
    sentence(outcomeCounts(grid, " (!)")),
    ...folded(outcomes, max, "more wrong or changed"),
    ...(moreRows === 0 ? [] : [remark(`… and ${counted(moreRows, "more row")}`)]),
  ];
}

function changes({ changes: all, more }: ReportFindings<unknown>, { changes: max }: Limits): Detail[] {
  const changed = all.map((change): Detail => ({ kind: "change", lead: "", change, role: "changed" }));
  const details = foldDetails(changed.flatMap(jsonDetails));
  // Changes that are only counted hide no group of risk behind another.
  const listed = firstOfEach(details, max, (detail) =>
    detail.kind === "change" ? RISKS.indexOf(riskOf(detail.change)) : RISKS.length,
  );
  const rest = details.length - listed.length + more;
  return rest === 0 ? [...listed] : [...listed, remark(`… and ${counted(rest, "more change")}`)];
}

/** Returns the remarks that also a clean case has: tolerated differences, and recorded calls that weren't made. */
export function warningsOf({ tolerated, unused }: ReportFindings<unknown>): Detail[] {
  const names = [...new Set(unused)].slice(0, MAX_SHOWN).join(", ");
  const calls = unused.length === 1 ? "1 recorded call wasn't made" : `${unused.length} recorded calls were not made`;
  return [
    ...folded(
      tolerated.map(
        (change): Detail => ({ kind: "change", lead: `tolerated (${change.label}): `, change, role: "tolerated" }),
      ),
      MAX_SHOWN,
      "more tolerated",
    ),
    ...(unused.length === 0 ? [] : [remark(`${calls}: ${names}`)]),
  ];
}

/** Returns the outcomes of a passed case that are wrong but were accepted. */
export function acceptedWrongOutcomes({ grid }: ReportFindings<unknown>): Detail[] {
  const wrongs = wrongOutcomes(grid).map((outcome) => remark(`wrong outcome, accepted: ${outcomeText(outcome)}`));
  return folded(wrongs, MAX_SHOWN, "more wrong outcomes, accepted");
}

function folded(all: readonly Detail[], max: number, more: string): Detail[] {
  const details = foldDetails(all.flatMap(jsonDetails));
  const rest = details.length - max;
  return rest > 0 ? [...details.slice(0, max), remark(`… and ${rest} ${more}`)] : [...details];
}

function evidence(lead: string, change: ReportChange<unknown>): Detail {
  return { kind: "change", lead, change, role: "evidence" };
}

function sentence(text: string): Detail {
  return { kind: "sentence", text };
}

export function remark(text: string): Detail {
  return { kind: "remark", text };
}
