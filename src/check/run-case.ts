import { cloneData } from "../kernel/json/clone-data.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { Command } from "../kernel/step/command.ts";
import type { AuditEvent, ContextFactory } from "../kernel/step/context.ts";
import type { AnyStep, StepReturn } from "../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { type Within, runCode, validateOutput } from "../kernel/step/run.ts";
import { inStepSpan } from "../kernel/step/step-span.ts";
import { type SchemaIssue, issuePath, parseWith } from "../kernel/step/schema.ts";
import type { Outcome } from "./compare.ts";

/** How a case is run, whoever asks for it. */
interface RunRequest {
  readonly contextFactory: ContextFactory;
  readonly within?: Within | undefined;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly onArtifact?: ((artifact: Artifact) => void | Promise<void>) | undefined;
  /** Whether the schemas are asked at all. Default true. */
  readonly validate?: boolean | undefined;
  /** Whether the output is held against the whole schema instead of the partial one. Default false. */
  readonly strictOutput?: boolean | undefined;
  /** True where an output that breaks its schema ends the run, as `run` has it; else the violations are told. */
  readonly refuses?: boolean | undefined;
}

/** What a run of a case came to. */
export interface CaseRun {
  readonly observed: ObservedOutput;
  readonly events: readonly AuditEvent[];
  readonly commands: readonly Command[] | undefined;
  /** What the adapters emitted. */
  readonly artifacts: readonly Artifact[];
  /** All that can be compared. */
  readonly outcome: Outcome;
}

/** Runs a step on an input as it is stored or given. Errors: `input_validation`, and those of {@link runParsed}. */
export function runCase(step: AnyStep, input: unknown, request: RunRequest): Promise<Result<CaseRun, StepError>> {
  const work = async (): Promise<Result<CaseRun, StepError>> => {
    const parsed = await parseInput(step, input, request);
    if (!parsed.ok) return parsed;
    // Waited for here: a promise that an async function returns takes two turns of the queue more.
    const ran = await runParsed(step, parsed.value, request);
    return ran;
  };
  const { workflowId, workflowVersion, runId } = request;
  return inStepSpan({ step, input, workflowId, workflowVersion, runId }, work, ({ outcome }) => outcome.output);
}

/** A copy of an input, as the step's schema makes it: the step must not be able to change what is stored or given. */
export async function parseInput(
  step: AnyStep,
  input: unknown,
  { validate = true }: Pick<RunRequest, "validate">,
): Promise<Result<unknown, StepError>> {
  const copy = cloneData(input);
  if (!validate) return ok(copy);
  const parsed = await parseWith(step.inputSchema, copy);
  return parsed.ok ? parsed : err(kernelError("input_validation", parsed.error.message, parsed.error.cause));
}

/** Runs a step on a parsed input, and looks at its output. Errors are how the step itself failed. */
export async function runParsed(
  step: AnyStep,
  input: unknown,
  request: RunRequest,
): Promise<Result<CaseRun, StepError>> {
  const { contextFactory, within, workflowId, workflowVersion, runId, onArtifact } = request;
  const ran = await runCode({ step, contextFactory, within, workflowId, workflowVersion, runId, onArtifact }, input);
  if (!ran.ok) return ran;
  const { returned, events, artifacts } = ran.value;
  const refuses = request.refuses === true;
  const seen = refuses ? await validated(step, returned) : ok(await observeOutput(step, returned, request));
  if (!seen.ok) return seen;
  const { commands } = returned;
  const output = seen.value.parsed ?? seen.value.raw;
  return ok({ observed: seen.value, events, commands, artifacts, outcome: { output, commands, events } });
}

async function validated(step: AnyStep, returned: StepReturn): Promise<Result<ObservedOutput, StepError>> {
  const valid = await validateOutput(step, returned);
  return valid.ok ? ok({ raw: returned.output, parsed: valid.value, violations: [] }) : valid;
}

/** A recomputed output and what its schema makes of it. `parsed` is there when the schema accepted it. */
export interface ObservedOutput {
  readonly raw: unknown;
  readonly parsed?: object;
  readonly violations: readonly SchemaViolation[];
}

/** Looks at an output with the step's schema without refusing it: problems become violations. */
async function observeOutput(
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
