import { byCodeUnits } from "../kernel/text.ts";
import type { Check } from "../check/check.ts";
import { SEVERITY } from "../check/verdict.ts";
import { reportFindings } from "../explain/check-findings.ts";
import { Grouping, type ShapedChange } from "../explain/change-groups.ts";
import { shapeOf } from "../explain/shape-of-case.ts";
import type { ReportCase } from "../explain/report-case.ts";
import { targetName } from "../kernel/files/project-paths.ts";
import type { ReportGroup, RunModel } from "../explain/run-model.ts";
import { countCases, isPending, needsReview, statusOf, caseSummary, totalUsage } from "../explain/tally.ts";

/** Facts of a run, before anything is counted. */
export type RunFacts = Pick<RunModel, "startedAt" | "durationMs" | "environment" | "cases" | "applied" | "problems">;

/** Makes the model of a run: puts its cases in order and counts them. */
export function buildRunModel({ cases, ...facts }: RunFacts): RunModel {
  const ordered = cases.toSorted(
    (a, b) =>
      byCodeUnits(a.step, b.step) ||
      SEVERITY[a.kind] - SEVERITY[b.kind] ||
      byCodeUnits(a.baseline, b.baseline) ||
      compareTests(a.test, b.test),
  );
  const counts = countCases(ordered);
  return {
    version: 2,
    status: statusOf({ counts, problems: facts.problems }),
    summary: caseSummary(counts),
    counts,
    startedAt: facts.startedAt,
    durationMs: facts.durationMs,
    environment: facts.environment,
    cases: ordered,
    groups: groupCases(ordered),
    usage: totalUsage(ordered),
    trials: ordered.reduce((total, { findings }) => total + (findings?.trials?.run ?? 0), 0),
    applied: facts.applied,
    problems: facts.problems,
  };
}

function groupCases(cases: readonly ReportCase[]): ReportGroup[] {
  const grouping = new Grouping<number>();
  cases.forEach((reported, at) => {
    if (needsReview(reported) || isPending(reported)) grouping.add(shapedCase(reported), at);
  });
  return grouping.groups().map(({ members, hash: _hash, ...group }) => {
    const pending = members.filter((at) => {
      const reported = cases[at];
      return reported !== undefined && isPending(reported);
    });
    return { ...group, pending: pending.length, cases: members };
  });
}

/** A case as it is grouped. */
export function shapedCase(reported: ReportCase): ShapedChange {
  const { baseline, step } = reported;
  return { baseline, step, shape: shapeOf(reported) };
}

/** Orders several tests of one baseline, whatever order they ended in. */
function compareTests(a: ReportCase["test"], b: ReportCase["test"]): number {
  return (
    byCodeUnits(a?.file ?? "", b?.file ?? "") ||
    byCodeUnits(a?.name ?? "", b?.name ?? "") ||
    (a?.line ?? 0) - (b?.line ?? 0)
  );
}

/** Facts of a case that its check doesn't have. */
export interface ReportContext
  extends Pick<ReportCase, "step" | "labels" | "test" | "updateState" | "durationMs" | "usage"> {
  /** The project's root: baselines are named relative to it. */
  readonly root: string;
}

/** Fields of a check that a report shows. */
export type ReportedCheck = Pick<Check, "path" | "verdict" | "findings" | "input">;

/** A check as a report stores it: bounded, redacted, plain JSON. */
export function reportCase(check: ReportedCheck, { root, ...context }: ReportContext): ReportCase {
  const { path, verdict } = check;
  return {
    ...context,
    baseline: targetName(root, path),
    kind: verdict.kind,
    source: check.findings.source ?? null,
    findings: reportFindings(check, root),
  };
}
