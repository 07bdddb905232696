import { cloneData } from "../base/clone-data.ts";
import { type Result, err, ok } from "../base/result.ts";
import type { Artifact } from "../step/artifact.ts";
import type { Command } from "../step/command.ts";
import type { AuditEvent, ContextFactory } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { type StepError, kernelError } from "../step/fail.ts";
import { type Within, runCode, validateOutput } from "../step/run.ts";
import { inStepSpan } from "../step/step-span.ts";
import { parseWith } from "../step/schema.ts";
import type { Outcome } from "./compare.ts";
import { type ObservedOutput, observeOutput } from "./observe-output.ts";

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

async function validated(
  step: AnyStep,
  returned: Parameters<typeof observeOutput>[1],
): Promise<Result<ObservedOutput, StepError>> {
  const valid = await validateOutput(step, returned);
  return valid.ok ? ok({ raw: returned.output, parsed: valid.value, violations: [] }) : valid;
}
