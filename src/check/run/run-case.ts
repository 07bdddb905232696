import { cloneData, isObject } from "../../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { storedParts } from "../../record/snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import type { Command } from "../../kernel/step/command.ts";
import type { AuditEvent, ContextFactory } from "../../kernel/step/context.ts";
import { type AnyStep, type StepReturn, checkedOutputSchema } from "../../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";
import { type RunInScope, runCode, validateOutput } from "../../kernel/step/run.ts";
import { inStepSpan } from "../../kernel/step/step-span.ts";
import { type SchemaIssue, issuePath, parseWith } from "../../kernel/step/schema.ts";
import type { Outcome } from "../compare/compare.ts";
import { notStorable } from "../not-storable.ts";
import { unnamedFields } from "../compare/unnamed-fields.ts";

/** Options of a case's run. */
interface RunOptions {
  readonly contextFactory: ContextFactory;
  readonly runInScope?: RunInScope | undefined;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly onArtifact?: ((artifact: Artifact) => void | Promise<void>) | undefined;
  /** Use the schemas. Default true. */
  readonly validate?: boolean | undefined;
  /** Require all output fields of a `partial` step. Has no effect on a workflow. Default: false. */
  readonly strictOutput?: boolean | undefined;
  /**
   * Effect of an output that breaks its schema: `"fail"` ends the run with an error, as in `run` and at capture;
   * `"report"` (the default, of checked cases) lists the violations in the result.
   */
  readonly onInvalidOutput?: "fail" | "report" | undefined;
}

/** Result of a case's run. */
export interface CaseRun {
  readonly checkedOutput: CheckedOutput;
  readonly events: readonly AuditEvent[];
  readonly commands: readonly Command[] | undefined;
  /** Artifacts of the adapters. */
  readonly artifacts: readonly Artifact[];
  /** All comparable data, in its stored form. */
  readonly outcome: Outcome;
}

/** Runs a step on a stored or passed input. Errors: `input_validation`, and those of {@link runParsed}. */
export function runCase(step: AnyStep, input: unknown, options: RunOptions): Promise<Result<CaseRun, StepError>> {
  const work = async (): Promise<Result<CaseRun, StepError>> => {
    const parsed = await parseInput(step, input, options);
    if (!parsed.ok) return parsed;
    // Awaited here: returning a promise from an async function takes two more turns of the queue.
    const ran = await runParsed(step, parsed.value, options);
    return ran;
  };
  const { workflowId, workflowVersion, runId } = options;
  return inStepSpan({ step, input, workflowId, workflowVersion, runId }, work, ({ outcome }) => outcome.output);
}

/** Copies an input as the step's schema parses it: the step must not be able to change the original. */
export async function parseInput(
  step: AnyStep,
  input: unknown,
  { validate = true }: Pick<RunOptions, "validate">,
): Promise<Result<unknown, StepError>> {
  const copy = cloneData(input);
  if (!validate) return ok(copy);
  const parsed = await parseWith(step.inputSchema, copy);
  return parsed.ok ? parsed : err(kernelError("input_validation", parsed.error.message, parsed.error.cause));
}

/** Runs a step on a parsed input and inspects its output. Errors are the step's own failures. */
export async function runParsed(
  step: AnyStep,
  input: unknown,
  options: RunOptions,
): Promise<Result<CaseRun, StepError>> {
  const { contextFactory, runInScope, workflowId, workflowVersion, runId, onArtifact } = options;
  const ran = await runCode(
    { step, contextFactory, runInScope, workflowId, workflowVersion, runId, onArtifact },
    input,
  );
  if (!ran.ok) return ran;
  const { returned, events, artifacts } = ran.value;
  const checked = options.strictOutput === true ? { ...step, partial: false } : step;
  const seen =
    options.onInvalidOutput === "fail"
      ? await validated(checked, returned)
      : ok(await observeOutput(checked, returned, options));
  if (!seen.ok) return seen;
  const { commands } = returned;
  const { parsed, raw } = seen.value;
  const unnamed = parsed !== undefined && isObject(raw) ? unnamedFields(raw, parsed, step) : undefined;
  try {
    const parts = storedParts({ output: parsed ?? raw, commands, events });
    // A step that returns no commands has none: `compareOutcomes` compares only parts that both sides have.
    const outcome = { commands: undefined, ...parts, ...(unnamed && { unnamed }) };
    return ok({ checkedOutput: seen.value, events, commands, artifacts, outcome });
  } catch (thrown) {
    return err(notStorable("result", thrown));
  }
}

async function validated(step: AnyStep, returned: StepReturn): Promise<Result<CheckedOutput, StepError>> {
  const valid = await validateOutput(step, returned);
  return valid.ok ? ok({ raw: returned.output, parsed: valid.value, violations: [] }) : valid;
}

/** A checked output and its parsed form. `parsed` exists if the schema accepts the output. */
export interface CheckedOutput {
  readonly raw: unknown;
  readonly parsed?: object;
  readonly violations: readonly SchemaViolation[];
}

/** Inspects an output with the step's schema without refusing it: problems become violations. */
async function observeOutput(
  step: AnyStep,
  returned: StepReturn,
  { validate = true }: Pick<RunOptions, "validate">,
): Promise<CheckedOutput> {
  const raw: unknown = returned.output;
  if (!validate) return { raw, violations: [] };
  if (typeof raw !== "object" || raw === null || Array.isArray(raw)) {
    const refused = await validateOutput(step, returned);
    const message = refused.ok ? "" : refused.error.message;
    return { raw, violations: [{ path: [], kind: raw === undefined ? "missing" : "type", message }] };
  }
  const parsed = await parseWith(checkedOutputSchema(step), raw);
  if (parsed.ok) return { raw, parsed: parsed.value, violations: [] };
  // zod reports an absent literal, enum or union member under its own code, not as invalid_type.
  const isMissing = (path: SchemaViolation["path"]): boolean => path.length > 0 && valueAt(raw, path) === undefined;
  return { raw, violations: parsed.error.issues.map((issue: SchemaIssue) => violationOf(issue, isMissing)) };
}

/** A violation of the schema by a checked output. */
export interface SchemaViolation {
  readonly path: readonly (string | number)[];
  /**
   * Kind of violation. `missing`: the value is absent. `type`: the value has the wrong type. `refinement`: a rule such
   * as `.min()` or `.refine()` failed. `other`: any other problem.
   */
  readonly kind: "missing" | "type" | "refinement" | "other";
  readonly message: string;
  /** True if the input violates the schema. Then the path begins with "input". */
  readonly isInput?: true;
}

/**
 * Converts a schema's issue to a violation without secrets: a schema's message may quote the value, and a path contains
 * field names. Kinds come from zod's issue codes; other libraries' are `other`. `isMissing` returns true for an absent
 * value's path; the default reads the issue.
 */
export function violationOf(
  issue: SchemaIssue,
  isMissing: (path: SchemaViolation["path"]) => boolean = () => isOfMissingValue(issue),
): SchemaViolation {
  const path = issuePath(issue);
  const { redactText } = currentRedactor();
  const redactedPath = path.map((key) => (typeof key === "string" ? redactText(key) : key));
  return { path: redactedPath, kind: isMissing(path) ? "missing" : kindOf(issue), message: redactText(issue.message) };
}

/** zod 3 has the type of the refused value in the issue, and zod 4 only in the message. */
function isOfMissingValue(issue: SchemaIssue): boolean {
  return "received" in issue ? issue.received === "undefined" : issue.message.endsWith("received undefined");
}

function kindOf(issue: SchemaIssue): SchemaViolation["kind"] {
  const code = "code" in issue ? issue.code : undefined;
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
