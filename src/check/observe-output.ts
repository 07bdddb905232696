import { currentRedactor } from "../redact/current-redactor.ts";
import type { AnyStep, StepReturn } from "../step/define-step.ts";
import { validateOutput } from "../step/run.ts";
import { type SchemaIssue, issuePath, parseWith } from "../step/schema.ts";

/** A recomputed output and what its schema makes of it. `parsed` is there when the schema accepted it. */
export interface ObservedOutput {
  readonly raw: unknown;
  readonly parsed?: object;
  readonly violations: readonly SchemaViolation[];
}

/** Looks at an output with the step's schema without refusing it: problems become violations. */
export async function observeOutput(
  step: AnyStep,
  returned: StepReturn,
  {
    validate = true,
    strictOutput = false,
  }: { readonly validate?: boolean | undefined; readonly strictOutput?: boolean | undefined },
): Promise<ObservedOutput> {
  const raw: unknown = returned.output;
  if (!validate) return { raw, violations: [] };
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    const refused = await validateOutput(step, returned);
    const message = refused.ok ? "" : refused.error.message;
    return { raw, violations: [{ path: [], kind: raw === undefined ? "missing" : "type", message }] };
  }
  const parsed = await parseWith(strictOutput ? step.outputSchema : step.partialOutputSchema, raw);
  if (parsed.ok) return { raw, parsed: parsed.value, violations: [] };
  return { raw, violations: parsed.error.issues.map((issue: SchemaIssue) => violationOf(issue, raw)) };
}

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
