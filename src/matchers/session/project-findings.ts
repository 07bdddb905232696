import { dirname } from "node:path";
import type { Check } from "../../check/check.ts";
import { reportFindings } from "../../explain/check-findings.ts";
import type { ReportFindings } from "../../explain/report-case.ts";
import { projectRoot } from "../../kernel/files/project-paths.ts";

/** Returns a check's findings for a report, with locations relative to its project's root; null if there are none. */
export function projectFindings(check: Check): ReportFindings | null {
  // Only a failed step has a location, and the root is looked up on disk.
  return reportFindings(check, check.verdict.kind === "failed" ? projectRoot(dirname(check.path)) : undefined);
}
