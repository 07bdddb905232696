import { hashValue } from "../base/hash.ts";
import { type Result, err } from "../base/result.ts";
import type { Artifact } from "./artifact.ts";
import { type BaseAdapters, type ContextFactory, createContextFactory } from "./context.ts";
import type { Step } from "./define-step.ts";
import { type Execution, executeStep } from "./execute-step.ts";
import { type StepError, artifactError } from "./step-error.ts";
import type { StepResult } from "./step-result.ts";

/** `adapters`, required exactly when the step declares some. */
export type AdaptersOption<Adapters extends BaseAdapters> = [keyof Adapters] extends [never]
  ? { readonly adapters?: Adapters }
  : { readonly adapters: Adapters };

/** An options argument that may be left out exactly when the step declares no adapters. */
export type OptionsArgument<Adapters extends BaseAdapters, Options> = [keyof Adapters] extends [never]
  ? [options?: Options]
  : [options: Options];

/** Who a run is for, and who hears of its artifacts. */
export interface RunIdentity {
  /** Default: the step's name. */
  readonly workflowId?: string;
  /** Default: `0.0.0`. */
  readonly workflowVersion?: string;
  /** Default: a random UUID. */
  readonly runId?: string;
  /** Hears of each artifact, one after the other, adapters' first and `step-output` last. */
  readonly onArtifact?: (artifact: Artifact) => void | Promise<void>;
}

/** Options of {@link run}. */
export type RunOptions<Adapters extends BaseAdapters = BaseAdapters> = RunIdentity & AdaptersOption<Adapters>;

/** What {@link runStep} takes: everything spelled out. */
export interface RunStepInput<Input, Output extends object, Adapters extends BaseAdapters, Parsed> {
  readonly step: Step<Input, Output, Adapters, Parsed>;
  readonly input: NoInfer<Input>;
  readonly contextFactory: ContextFactory<Adapters>;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly onArtifact?: (artifact: Artifact) => void | Promise<void>;
}

/**
 * Runs a step with the given adapters. Expected failures come back as `err`: `input_validation`, `output_validation`,
 * `execution_failed` (also for an artifact that cannot be kept), or the step's own code.
 *
 * @example
 * const result = await run(extractClaims, { text }, { adapters: { llm } });
 * if (result.ok) console.log(result.value.output.claims);
 */
export async function run<Input, Output extends object, Adapters extends BaseAdapters, Parsed>(
  step: Step<Input, Output, Adapters, Parsed>,
  input: NoInfer<Input>,
  ...[options]: OptionsArgument<Adapters, RunOptions<Adapters>>
): Promise<Result<StepResult<Input, Output>, StepError>>;
export async function run(
  step: Step,
  input: unknown,
  {
    adapters = {},
    workflowId = step.name,
    workflowVersion = "0.0.0",
    runId = crypto.randomUUID(),
    onArtifact,
  }: RunOptions = {},
): Promise<Result<StepResult, StepError>> {
  const contextFactory = createContextFactory(adapters);
  return finish({ step, input, contextFactory, workflowId, workflowVersion, runId, onArtifact });
}

/** Runs a step with full control over its context; the same outcome as {@link run}. */
export async function runStep<Input, Output extends object, Adapters extends BaseAdapters, Parsed>(
  execution: RunStepInput<Input, Output, Adapters, Parsed>,
): Promise<Result<StepResult<Input, Output>, StepError>>;
export async function runStep(execution: Execution): Promise<Result<StepResult, StepError>> {
  return finish(execution);
}

async function finish(execution: Execution): Promise<Result<StepResult, StepError>> {
  const result = await executeStep(execution);
  if (!result.ok || execution.onArtifact === undefined) return result;
  const { output, events, commands = [] } = result.value;
  // Embedded, so that a snapshot of the collected artifacts alone does not pass for one of a step without commands.
  const content = commands.length === 0 ? { output, events } : { output, events, commands };
  try {
    await execution.onArtifact({ hash: await hashValue(content), kind: "step-output", content });
    return result;
  } catch (cause) {
    return err(artifactError(cause));
  }
}
