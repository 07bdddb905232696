import type { PartDiff } from "../../check/compare/compare.ts";
import type { LoggedCheck, TestFileLog } from "../../explain/append-run-log.ts";
import { reportFindings } from "../../explain/check-findings.ts";
import type { ReportFindings } from "../../explain/report-case.ts";
import { type NewCaseOfTest, inputChangesOf } from "../../updates/gates/changed-inputs.ts";
import { type RanTestFile, findUnused } from "./find-obsolete.ts";

/**
 * Returns the logs of a run with each missing case that replaces an unused one as `input_changed`, with its differences
 * and a line for the summary. A run that writes has none: there a new case is staged.
 */
export function withInputChanges(
  logs: readonly TestFileLog[],
  files: readonly RanTestFile[] = [],
): readonly TestFileLog[] {
  const cases = new Map<string, NewCaseOfTest>();
  for (const { path, newCase, test } of logs.flatMap(({ checks }) => checks))
    if (newCase !== undefined) cases.set(path, { ...newCase, test });
  if (cases.size === 0) return logs;
  const pairs = inputChangesOf(cases, findUnused(files, logs));
  const paired = (check: LoggedCheck): LoggedCheck => {
    const pair = check.outcome === "missing" ? pairs.get(check.path) : undefined;
    if (pair === undefined) return check;
    const findings = findingsOfChanges(pair.changes);
    return {
      ...check,
      outcome: "input_changed",
      remarks: [
        ...(check.remarks ?? []),
        `${pair.lines.join("; ")} (compared with ${pair.earlier}, which is now obsolete)`,
      ],
      ...(findings && { findings }),
    };
  };
  return logs.map((log) => ({ ...log, checks: log.checks.map(paired) }));
}

/** Findings of a changed input for a report: its differences from the case of the earlier input. */
export function findingsOfChanges(changes: readonly PartDiff[]): ReportFindings | null {
  return reportFindings({ verdict: { kind: "value_changed", changes }, findings: {} });
}
