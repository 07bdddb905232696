import { dirname } from "node:path";
import type { Check } from "../../check/check.ts";
import { reportFindings } from "../../explain/check-findings.ts";
import type { ReportFindings } from "../../explain/report-case.ts";
import { projectRoot } from "../../kernel/files/project-paths.ts";

/** What a report tells of a check, places named from the root of its project; null where there is nothing. */
export function projectFindings(check: Check): ReportFindings | null {
  // Only what failed has a place to name, and the root is looked up on disk.
  return reportFindings(check, check.verdict.kind === "failed" ? projectRoot(dirname(check.path)) : undefined);
}
