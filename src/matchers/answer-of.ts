import { passes } from "../check/keep.ts";
import type { MatcherAnswer } from "./context.ts";
import type { EmptySweep, FailureReport } from "./explain-failures.ts";
import { loadFailurePath } from "../late/load-failure-path.ts";

/** The answer of a matcher over baselines: passes when every check does, and explains those that do not. */
export async function answerOf(report: FailureReport): Promise<MatcherAnswer> {
  if (report.settled.every(passes)) return { pass: true, message: () => `${report.subject}: clean` };
  const { explainFailures } = await loadFailurePath();
  return { pass: false, message: () => explainFailures(report) };
}

/** The answer of a sweep that found nothing. */
export async function answerNone(sweep: EmptySweep): Promise<MatcherAnswer> {
  const { noCases } = await loadFailurePath();
  return noCases(sweep);
}
