import { isPlainObject } from "../base/is-plain-object.ts";
import { hiddenError } from "./hidden-error.ts";
import { type SchemaViolation, violationOf } from "../replay/schema-violation.ts";
import type { SchemaIssue } from "../step/schema.ts";
import type { StepError } from "../step/step-error.ts";
import type { Verdict } from "./verdict.ts";

/**
 * What an error of a recompute or replay means for the case: damage is `broken`, an input today's schema refuses is a
 * `schema_violation`, and a step that ended badly `failed`.
 */
export function verdictOfError(whole: StepError, file: string): Verdict {
  const error = hiddenError(whole);
  const { code, message } = error;
  if (code === "input_hash_mismatch" || code === "snapshot_corrupted")
    return { kind: "broken", problem: damaged(error, file) };
  if (code === "normalization_failed") {
    const cure = message.startsWith("compare:") ? "Mend that rule." : "Mend keyBy or the output.";
    return { kind: "broken", problem: `Cannot compare with ${file}: ${message}. ${cure}` };
  }
  if (code === "input_validation") return { kind: "schema_violation", violations: inputViolations(error), changes: [] };
  return { kind: "failed", error };
}

function damaged({ message }: StepError, file: string): string {
  return `Cannot use ${file}: ${message}. It was edited by hand or damaged in a merge. Restore it from git, or delete it and capture it again.`;
}

function inputViolations({ cause, message }: StepError): SchemaViolation[] {
  const issues = typeof cause === "object" && cause !== null && "issues" in cause ? cause.issues : undefined;
  if (!Array.isArray(issues)) return [{ path: ["input"], kind: "other", message }];
  return issues.filter(isIssue).map((issue) => {
    const violation = violationOf(issue, {});
    return { ...violation, kind: "other", path: ["input", ...violation.path] };
  });
}

function isIssue(value: unknown): value is SchemaIssue {
  return (isPlainObject(value) || typeof value === "object") && value !== null && "message" in value;
}
