import { dirname } from "node:path";
import type { Check, NewCase } from "../../check/check.ts";
import { caseRulesText } from "../../check/compare/case-rules.ts";
import type { LoggedCheck } from "../../explain/append-run-log.ts";
import { reportFindings } from "../../explain/check-findings.ts";
import { projectRoot } from "../../kernel/files/project-paths.ts";

/** Returns the parts of a log entry that only a check which isn't clean has; locations are relative to its project. */
export function loggedFindings(check: Check): Pick<LoggedCheck, "findings" | "newCase"> {
  // Only a failed step has a location, and the root is looked up on disk.
  const root = check.verdict.kind === "failed" ? projectRoot(dirname(check.path)) : undefined;
  const findings = reportFindings(check, root);
  const newCase = newCaseOf(check);
  return { ...(findings !== null && { findings }), ...(newCase !== undefined && { newCase }) };
}

/** Returns the case that a capture would add. Undefined if the check is not of such a case. */
export function newCaseOf({ verdict, update, input }: Check): NewCase | undefined {
  if (verdict.kind !== "missing" || update === undefined || update.state === "toWrite") return undefined;
  const rules = update.rules && caseRulesText(update.rules);
  try {
    return { input, text: update.propose().after, ...(rules !== undefined && { rules }) };
  } catch {
    return { input };
  }
}
