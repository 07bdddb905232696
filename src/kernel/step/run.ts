import { markOwn } from "../own-values.ts";
import { cloneData } from "../json/plain-data.ts";
import { hashValue } from "../json/hash.ts";
import { typeName } from "../json/plain-data.ts";
import { type Result, err, ok } from "../result.ts";
import { messageOf } from "../error-message.ts";
import { type Artifact, type ArtifactSink, createArtifactSink } from "./artifact.ts";
import {
  type AuditEvent,
  type BaseAdapters,
  type ContextFactory,
  type StepContext,
  createContextFactory,
} from "./context.ts";
import { type AnyStep, type Step, type StepReturn, checkedOutputSchema } from "./define-step.ts";
import { type StepError, artifactError, isStepFailure, kernelError } from "./fail.ts";
import { formatIssues, parseWith } from "./schema.ts";
import { inStepSpan } from "./step-span.ts";
import { type StepResult, rememberStep } from "./step-result.ts";

/** The `adapters` option: required exactly if the step declares adapters. */
export type AdaptersOption<Adapters extends BaseAdapters> = [keyof Adapters] extends [never]
  ? { readonly adapters?: Adapters }
  : { readonly adapters: Adapters };

/** Options argument. You can omit it only if the step doesn't declare adapters. */
export type OptionsArgument<Adapters extends BaseAdapters, Options> = [keyof Adapters] extends [never]
  ? [options?: Options]
  : [options: Options];

/** IDs of a run, and the function that receives its artifacts. */
export interface RunIdentity {
  /** Id of the workflow. Default: the step's name. */
  readonly workflowId?: string;
  /** Version of the workflow. Default: `0.0.0`. */
  readonly workflowVersion?: string;
  /** Id of the run. Default: a random UUID. */
  readonly runId?: string;
  /** Receives each artifact of the run: first the artifacts of adapters, then `step-output`. */
  readonly onArtifact?: (artifact: Artifact) => void | Promise<void>;
}

/** Options for {@link run}. */
export type RunOptions<Adapters extends BaseAdapters = BaseAdapters> = RunIdentity & AdaptersOption<Adapters>;

/** Arguments of {@link runStep}. All except `onArtifact` are required. */
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
 * Runs a step with adapters. Expected failures are returned as `err`: `input_validation`, `output_validation`,
 * `execution_failed` (including an artifact that can't be stored), or the step's own code.
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

/** Runs a step with full control over its context. The outcome is the same as that of {@link run}. */
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

/** Runs a function while its calls are recorded or replayed. Rejects with the function's error. */
export type RunInScope = <T>(run: () => T | PromiseLike<T>) => Promise<T>;

/** One execution: the step, its input, and who runs it. */
interface Execution {
  readonly step: AnyStep;
  readonly input: unknown;
  readonly contextFactory: ContextFactory<BaseAdapters>;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly onArtifact?: ((artifact: Artifact) => void | Promise<void>) | undefined;
  /** Artifacts that are only known once the step ran, such as its recorded adapter calls. */
  readonly artifactsAtEnd?: (() => readonly Artifact[]) | undefined;
  /** Wrapper that runs the step's code. Default: none. */
  readonly runInScope?: RunInScope | undefined;
}

/**
 * Runs a step in the contract's order: parse input, make the context, run, validate output, merge events, collect
 * artifacts.
 */
export async function executeStep(execution: Execution): Promise<Result<StepResult, StepError>> {
  return inStepSpan(
    execution,
    async () => carryOut(execution),
    ({ output }) => output,
  );
}

async function carryOut(execution: Execution): Promise<Result<StepResult, StepError>> {
  const { step } = execution;
  const input = cloneData(execution.input);
  const parsed = await parseWith(step.inputSchema, execution.input);
  if (!parsed.ok) return err(kernelError("input_validation", parsed.error.message, parsed.error.cause));
  const ran = await runCode(execution, parsed.value);
  if (!ran.ok) return ran;
  const output = await validateOutput(step, ran.value.returned);
  return output.ok ? ok(resultOf(execution, { ...ran.value, input, output: output.value })) : output;
}

/** A step's returned value, all its events, and its adapters' artifacts. The output is not checked yet. */
export interface CodeResult {
  readonly returned: StepReturn;
  readonly events: readonly AuditEvent[];
  readonly artifacts: readonly Artifact[];
}

/**
 * The one engine: runs a step's code on a parsed input, for every caller. Errors are failures of the code, and
 * artifacts that cannot be stored.
 */
export async function runCode(
  execution: Omit<Execution, "input">,
  input: unknown,
): Promise<Result<CodeResult, StepError>> {
  const sink = createArtifactSink(execution.onArtifact);
  const emitted: AuditEvent[] = [];
  const returned = await callStep(execution, input, contextOf(execution, sink, emitted));
  for (const artifact of execution.artifactsAtEnd?.() ?? []) sink.emit(artifact);
  const artifacts = sink.isEmpty() ? NO_ARTIFACTS : await drainArtifacts(sink);
  if (!returned.ok) return returned;
  if (!artifacts.ok) return artifacts;
  const events = [...emitted, ...(returned.value.events ?? [])];
  return ok({ returned: returned.value, events, artifacts: artifacts.value });
}

/**
 * Checks an output against the step's schema, the partial one if the step is `partial`; an output that is not an object
 * is refused whatever the schema accepts.
 */
export async function validateOutput(step: AnyStep, { output }: StepReturn): Promise<Result<object, StepError>> {
  const value: unknown = output;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const message = formatIssues([{ message: `Invalid output: expected object, received ${typeName(value)}` }]);
    return err(kernelError("output_validation", message));
  }
  const parsed = await parseWith(checkedOutputSchema(step), value);
  return parsed.ok ? parsed : err(kernelError("output_validation", parsed.error.message, parsed.error.cause));
}

function contextOf(
  execution: Omit<Execution, "input">,
  sink: ArtifactSink,
  events: AuditEvent[],
): ReturnType<ContextFactory> {
  const { workflowId, workflowVersion, runId } = execution;
  return execution.contextFactory({
    workflowId,
    workflowVersion,
    runId,
    onArtifact: (artifact) => sink.emit(artifact),
    emitEvent: (event) => void events.push(event),
  });
}

const NO_ARTIFACTS = ok<readonly Artifact[]>([]);

/** Waits for a run's artifacts; one that cannot be stored or handed on becomes `execution_failed`. */
async function drainArtifacts(sink: ArtifactSink): Promise<Result<readonly Artifact[], StepError>> {
  try {
    return ok(await sink.drain());
  } catch (cause) {
    return err(artifactError(cause));
  }
}

function resultOf(
  { step, workflowId, workflowVersion, runId }: Execution,
  { input, output, returned, events, artifacts }: CodeResult & Pick<StepResult, "input" | "output">,
): StepResult {
  const { commands } = returned;
  const result = {
    input,
    output,
    events,
    ...(commands === undefined ? {} : { commands }),
    artifacts,
    stepName: step.name,
    workflowId,
    workflowVersion,
    runId,
  };
  return rememberStep(result, step);
}

/**
 * Calls a step's `run` with a parsed input and turns every failure into a {@link StepError}: a returned failure keeps
 * its code, a throw or an invalid return value becomes `execution_failed`.
 */
async function callStep(
  { step, runInScope }: Pick<Execution, "step" | "runInScope">,
  input: unknown,
  ctx: StepContext<BaseAdapters>,
): Promise<Result<StepReturn, StepError>> {
  try {
    const run = (): ReturnType<AnyStep["run"]> => step.run(input, ctx);
    return judge(step.name, await (runInScope === undefined ? run() : runInScope(run)));
  } catch (cause) {
    return err(kernelError("execution_failed", messageOf(cause), cause));
  }
}

function judge(name: string, returned: unknown): Result<StepReturn, StepError> {
  if (isStepFailure(returned)) {
    const { code, message, retryable = false, cause } = returned;
    return err(markOwn({ code, message, retryable, ...(cause === undefined ? {} : { cause }) }));
  }
  if (!isStepReturn(returned)) {
    const message = `Step "${name}" returned ${typeName(returned)}. Return { output } or fail(code, message).`;
    return err(kernelError("execution_failed", message));
  }
  for (const list of ["events", "commands"] as const) {
    if (returned[list] === undefined || Array.isArray(returned[list])) continue;
    return err(kernelError("execution_failed", `Step "${name}" returned ${list}, not an array.`));
  }
  return ok(returned);
}

function isStepReturn(value: unknown): value is StepReturn {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
