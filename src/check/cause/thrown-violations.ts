import { isArray } from "../../kernel/json/plain-data.ts";
import type { SchemaIssue } from "../../kernel/step/schema.ts";
import { type SchemaViolation, violationOf } from "../run/run-case.ts";

/** Number of causes within one another that are inspected. */
const MAX_CAUSES = 5;

/** Returns the issues of a schema that refused a value and threw, from an error or its causes. */
export function thrownViolations(thrown: unknown): readonly SchemaViolation[] {
  let error = thrown;
  for (let depth = 0; depth < MAX_CAUSES && typeof error === "object" && error !== null; depth += 1) {
    const issues: unknown = "issues" in error ? error.issues : undefined;
    if (isArray(issues) && issues.length > 0 && issues.every(isIssue)) return issues.map((issue) => violationOf(issue));
    error = "cause" in error ? error.cause : undefined;
  }
  return [];
}

function isIssue(value: unknown): value is SchemaIssue {
  return typeof value === "object" && value !== null && "message" in value && "path" in value;
}
