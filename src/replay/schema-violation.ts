import { currentRedactor } from "../redact/current-redactor.ts";
import { type SchemaIssue } from "../step/schema.ts";
import { issuePath } from "../step/parse-with.ts";

/** One way a recomputed output breaks its schema. */
export interface SchemaViolation {
  readonly path: readonly (string | number)[];
  /** `missing`: nothing there; `type`: another type; `refinement`: a rule on the value; `other`: anything else. */
  readonly kind: "missing" | "type" | "refinement" | "other";
  readonly message: string;
}

/**
 * Reads a schema's issue about `output` as a violation, without secrets: a schema's own words may quote the value,
 * and a path holds names of fields. Kinds come from zod's issue codes; other libraries' are `other`.
 */
export function violationOf(issue: SchemaIssue, output: unknown): SchemaViolation {
  const path = issuePath(issue);
  const { redactText } = currentRedactor();
  const shown = path.map((key) => (typeof key === "string" ? redactText(key) : key));
  return { path: shown, kind: kindOf(issue, path, output), message: redactText(issue.message) };
}

function kindOf(issue: SchemaIssue, path: readonly (string | number)[], output: unknown): SchemaViolation["kind"] {
  const code = "code" in issue ? issue.code : undefined;
  // zod reports an absent literal, enum or union member under its own code, not as invalid_type.
  if (path.length > 0 && valueAt(output, path) === undefined) return "missing";
  if (code === "invalid_type") return "type";
  const refinement = code === "custom" || code === "too_small" || code === "too_big" || code === "not_multiple_of";
  return refinement ? "refinement" : "other";
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, key) => (typeof current === "object" && current !== null ? Reflect.get(current, key) : undefined),
    value,
  );
}
