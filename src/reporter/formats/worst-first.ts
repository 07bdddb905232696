import { SEVERITY } from "../../check/verdict.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { standingOf } from "../tally.ts";

/** Cases of any steps, the worst first; the order of equally bad ones stays. */
export function worstFirst(cases: readonly ReportCase[]): ReportCase[] {
  return cases.toSorted((a, b) => SEVERITY[a.kind] - SEVERITY[b.kind]);
}

/** Whether a case needs somebody to look at it: it did not pass, and it is not merely obsolete. */
export function needsLook(found: ReportCase): boolean {
  const standing = standingOf(found);
  return standing !== "passed" && standing !== "obsolete";
}
