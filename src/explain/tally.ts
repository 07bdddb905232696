import { SEVERITY, type VerdictClass } from "../check/verdict.ts";
import type { ReportCase, ReportUsage } from "./report-case.ts";
import type { ReportCounts, RunModel } from "./run-model.ts";
import { plainCount } from "./wording.ts";

/** The counts that share out all cases between them. */
export type CaseStatus = Exclude<keyof ReportCounts, "total" | "captured" | "updated" | "pending">;

const STATUSES: Readonly<Record<VerdictClass, CaseStatus>> = {
  clean: "passed",
  value_changed: "changed",
  commands_changed: "commandsChanged",
  calls_changed: "callsChanged",
  events_changed: "changed",
  schema_violation: "schemaViolations",
  request_changed: "requestChanged",
  failed: "failed",
  input_changed: "changed",
  missing: "missing",
  obsolete: "obsolete",
  broken: "broken",
};

/** Words for each count in a sentence, in order. */
const WORDS: readonly (readonly [Exclude<keyof ReportCounts, "total" | "passed">, string])[] = [
  ["captured", "captured"],
  ["updated", "updated"],
  ["changed", "changed"],
  ["commandsChanged", "with changed commands"],
  ["callsChanged", "with changed calls"],
  ["schemaViolations", "with schema violations"],
  ["requestChanged", "with requests that are not recorded"],
  ["failed", "failed"],
  ["missing", "missing"],
  ["obsolete", "obsolete"],
  ["broken", "broken"],
];

/** Returns the count of a case. A requested update that was written counts as passed, whatever it was before. */
export function caseStatus({ kind, updateState: state }: Pick<ReportCase, "kind" | "updateState">): CaseStatus {
  return state === "captured" || state === "updated" ? "passed" : STATUSES[kind];
}

/** Counts that grow with each case. */
export type GrowingCounts = { -readonly [Count in keyof ReportCounts]: number };

export function noCounts(): GrowingCounts {
  return {
    total: 0,
    passed: 0,
    changed: 0,
    commandsChanged: 0,
    callsChanged: 0,
    schemaViolations: 0,
    failed: 0,
    broken: 0,
    missing: 0,
    obsolete: 0,
    requestChanged: 0,
    captured: 0,
    updated: 0,
    pending: 0,
  };
}

/** Counts one more case. */
export function countCase(counts: GrowingCounts, reportCase: Pick<ReportCase, "kind" | "updateState">): void {
  const { updateState: state } = reportCase;
  counts.total += 1;
  counts[caseStatus(reportCase)] += 1;
  if (state === "captured" || state === "updated") counts[state] += 1;
  if (isPending(reportCase)) counts.pending += 1;
}

/** Counts cases. */
export function countCases(cases: readonly Pick<ReportCase, "kind" | "updateState">[]): ReportCounts {
  const counts = noCounts();
  for (const reportCase of cases) countCase(counts, reportCase);
  return counts;
}

/**
 * Returns the status of a run. A broken baseline, or a problem of the run itself, is an error: the result is unknown
 * then. An obsolete baseline alone doesn't fail the run: it is reported, and -u removes it.
 */
export function statusOf({ counts, problems }: Pick<RunModel, "counts" | "problems">): RunModel["status"] {
  if (counts.broken > 0 || problems.length > 0) return "error";
  return counts.passed + counts.obsolete === counts.total && counts.pending === 0 ? "pass" : "fail";
}

/** A run in one sentence: `12 baselines, 11 clean, 1 changed`. */
export function caseSummary(counts: ReportCounts): string {
  if (counts.total === 0) return "no baselines";
  const clean = counts.passed - counts.captured - counts.updated;
  const parts = WORDS.filter(([count]) => counts[count] > 0).map(([count, word]) => `${counts[count]} ${word}`);
  const statusParts = clean > 0 || parts.length === 0 ? [`${clean} clean`, ...parts] : parts;
  const pendingParts = counts.pending === 0 ? [] : [`${counts.pending} pending`];
  return [plainCount(counts.total, "baseline"), ...statusParts, ...pendingParts].join(", ");
}

/** Returns the cost of a check's live calls for a report. */
export function reportUsage({ calls, inputTokens, outputTokens, cost }: ReportUsage): ReportUsage {
  return { calls, inputTokens, outputTokens, ...(cost !== undefined && { cost }) };
}

/** The sum of what live calls cost. */
export function totalUsage(cases: readonly Pick<ReportCase, "usage">[]): ReportUsage {
  return cases.reduce((total, { usage }) => (usage === null ? total : addUsage(total, usage)), NO_USAGE);
}

/** Usage of a run without live calls. */
export const NO_USAGE: ReportUsage = { calls: 0, inputTokens: 0, outputTokens: 0 };

/** The sum of two costs. */
export function addUsage(left: ReportUsage, right: ReportUsage): ReportUsage {
  const cost = left.cost === undefined ? right.cost : left.cost + (right.cost ?? 0);
  return reportUsage({
    calls: left.calls + right.calls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cost,
  });
}

/** Cases of any steps, the worst first; the order of equally bad ones stays. */
export function worstFirst(cases: readonly ReportCase[]): ReportCase[] {
  return cases.toSorted((a, b) => SEVERITY[a.kind] - SEVERITY[b.kind]);
}

/** Returns true if a case needs a review: it didn't pass, and it isn't merely obsolete. */
export function needsReview(reportCase: ReportCase): boolean {
  const status = caseStatus(reportCase);
  return status !== "passed" && status !== "obsolete";
}

/** Returns true if a case's change is pending. */
export function isPending({ updateState: state }: Pick<ReportCase, "updateState">): boolean {
  return state === "pending" || state === "review";
}

/** The cases of each step, steps in their order. */
export function casesByStep({ cases }: Pick<RunModel, "cases">): ReadonlyMap<string, readonly ReportCase[]> {
  return Map.groupBy(cases, ({ step }) => step);
}
