import type {
  ReportCase,
  ReportChange,
  ReportFindings,
  ReportGrid,
  ReportUnrecordedRequest,
  ReportTrials,
} from "./report-case.ts";
import { quote } from "../kernel/text.ts";
import { RISKS } from "../check/change-shape.ts";
import { riskOf } from "./change-shape.ts";
import { firstOfEach } from "./first-of-each.ts";
import { outcomeCounts, outcomeText, notableOutcomes, wrongOutcomes } from "./outcome-grid.ts";
import { counted, unrecordedRequestText } from "./wording.ts";

/** Unstable paths, tolerated differences and unused calls told before the rest is only counted. */
const MAX_SHOWN = 3;

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

/** What a report of a whole run tells of one case. */
export const REPORT_LIMITS: Limits = { changes: 10, evidence: 3, unrecorded: 3, lines: 12 };

/** What is told: a case of a report, or a check at hand. */
export interface DetailedCase extends Pick<ReportCase, "kind" | "settled"> {
  readonly findings: ReportFindings<unknown> | null;
}

/** One thing to tell of a case. Its texts are untrusted: each format escapes them. */
export type Detail =
  | { readonly kind: "cause"; readonly text: string }
  | { readonly kind: "sentence"; readonly text: string }
  | { readonly kind: "remark"; readonly text: string }
  | { readonly kind: "outcome"; readonly text: string; readonly wrong: boolean }
  | {
      readonly kind: "change";
      /** What stands before the path: an adapter, a rule that let it pass. */
      readonly lead: string;
      readonly change: ReportChange<unknown>;
      /** Why it is told: it is what changed, it speaks for the cause, or a rule let it pass. */
      readonly role: "changed" | "evidence" | "tolerated";
    };

/** Returns the details of a case in display order. */
export function detailsOf({ kind, settled, findings }: DetailedCase, limits: Limits): Detail[] {
  const missing = kind === "missing" ? [sentence(missingText(settled))] : [];
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

function missingText(settled: ReportCase["settled"]): string {
  if (settled === "captured" || settled === "updated") return "there was no such baseline";
  return settled === "none"
    ? "there is no such baseline"
    : "there is no such baseline; what it came to waits for review";
}

function causeDetails({ cause, miss }: ReportFindings<unknown>, limits: Limits): Detail[] {
  if (cause === null) return [];
  // A request that nothing is recorded for is told with its changes: the same ones speak for the cause.
  const calls = miss === null ? cause.evidence.flatMap((one) => one.calls) : [];
  const places = calls.flatMap(({ adapter, changes: found }) => found.map((change) => evidence(`${adapter} `, change)));
  const inputs = cause.evidence
    .filter(({ kind }) => kind === "schema")
    .flatMap(({ changes: found }) => found.map((change) => evidence("", change)));
  const line: Detail = { kind: "cause", text: cause.line };
  return limits.evidence === 0
    ? [line]
    : [line, ...folded([...places, ...inputs], limits.evidence, "more in requests and answers")];
}

function trialDetails(trials: ReportTrials | null): Detail[] {
  if (trials === null) return [];
  const { run, clean, min, planned, interval, classes, unstable } = trials;
  const [low, high] = interval.map((share) => Math.round(share * 100));
  const seen = Object.entries(classes)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ");
  const share = `95 % interval ${low}–${high} %`;
  const head = `${clean} of ${run} trials clean, ${min} of ${planned} wanted (${share}): ${seen}`;
  const paths = unstable
    .slice(0, MAX_SHOWN)
    .map(({ path, equal, of }) => `${path} ${equal}/${of}`)
    .join(", ");
  const rest = unstable.length > MAX_SHOWN ? ` and ${counted(unstable.length - MAX_SHOWN, "more path")}` : "";
  return unstable.length === 0 ? [sentence(head)] : [sentence(head), sentence(`as the baseline says: ${paths}${rest}`)];
}

function ends({ error, problem, miss, violations }: ReportFindings<unknown>, limits: Limits): Detail[] {
  return [
    ...(error === null ? [] : messageDetails(`${error.code}: ${error.message}`, limits.lines)),
    // Not `at …` alone: runners would take it, and all that follows, for a part of the stack.
    ...(error?.at === undefined ? [] : [sentence(`thrown at ${error.at}`)]),
    ...(problem === null ? [] : messageDetails(problem, limits.lines)),
    ...(miss === null ? [] : unrecordedDetails(miss, limits.unrecorded)),
    ...violations.map(({ path, kind, message }) => sentence(`${path}: ${message.replaceAll("\n", " ")} (${kind})`)),
  ];
}

/** The first lines of a text, a sentence each. */
function messageDetails(text: string, max: number): Detail[] {
  const lines = text.split("\n", Math.min(max + 1, 2 ** 32 - 1));
  const shown = lines.slice(0, max).map(sentence);
  return lines.length > max ? [...shown, remark("… and more lines")] : shown;
}

function unrecordedDetails(miss: ReportUnrecordedRequest<unknown>, max: number): Detail[] {
  const found = miss.changes.map((change) => evidence("", change));
  return [
    sentence(`adapter ${quote(miss.adapter)} ${unrecordedRequestText(miss)}`),
    ...folded(found, max, "more in the request"),
  ];
}

/** Only what is wrong or changed: a grid has many outcomes, and most say that all is well. */
function gridDetails(grid: ReportGrid | null, max: number): Detail[] {
  if (grid === null) return [];
  const { moreRows } = grid;
  const outcomes = notableOutcomes(grid).map(
    (one): Detail => ({ kind: "outcome", text: outcomeText(one), wrong: one.wrong }),
  );
  return [
    sentence(outcomeCounts(grid, " (!)")),
    ...folded(outcomes, max, "more wrong or changed"),
    ...(moreRows === 0 ? [] : [remark(`… and ${counted(moreRows, "more row")}`)]),
  ];
}

function changes({ changes: found, more }: ReportFindings<unknown>, { changes: max }: Limits): Detail[] {
  // What is only counted hides no kind of risk behind another.
  const first = firstOfEach(found, max, (change) => RISKS.indexOf(riskOf(change)));
  const shown = first.map((change): Detail => ({ kind: "change", lead: "", change, role: "changed" }));
  const rest = found.length - shown.length + more;
  return rest === 0 ? shown : [...shown, remark(`… and ${counted(rest, "more change")}`)];
}

/** What also a clean case has to say: what was tolerated, and recorded calls that were not made. */
export function warningsOf({ tolerated, unused }: ReportFindings<unknown>): Detail[] {
  const names = [...new Set(unused)].slice(0, MAX_SHOWN).join(", ");
  const calls = unused.length === 1 ? "1 recorded call was not made" : `${unused.length} recorded calls were not made`;
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

/** What a case that passed has to say of its outcomes: those that are wrong all the same. */
export function acceptedWrongOutcomes({ grid }: ReportFindings<unknown>): Detail[] {
  const wrongs = wrongOutcomes(grid).map((one) => remark(`wrong and accepted: ${outcomeText(one)}`));
  return folded(wrongs, MAX_SHOWN, "more wrong and accepted");
}

function folded(details: readonly Detail[], max: number, more: string): Detail[] {
  const rest = details.length - max;
  return rest > 0 ? [...details.slice(0, max), remark(`… and ${rest} ${more}`)] : [...details];
}

function evidence(lead: string, change: ReportChange<unknown>): Detail {
  return { kind: "change", lead, change, role: "evidence" };
}

function sentence(text: string): Detail {
  return { kind: "sentence", text };
}

function remark(text: string): Detail {
  return { kind: "remark", text };
}
