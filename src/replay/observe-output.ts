import { validateOutput } from "../step/execute-step.ts";
import type { AnyStep, StepReturn } from "../step/define-step.ts";
import { parseWith } from "../step/parse-with.ts";
import type { SchemaIssue } from "../step/schema.ts";
import { type SchemaViolation, violationOf } from "./schema-violation.ts";

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
