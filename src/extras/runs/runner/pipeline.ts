import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { quote } from "../../../kernel/text.ts";
import {
  type Command,
  type EmitCommand,
  type ReviewCommand,
  type SuspendCommand,
  invoke,
  isControlCommand,
  suspend,
} from "../../../kernel/step/command.ts";
import type { AuditEvent, BaseAdapters, StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, type StepReturn, defineStep } from "../../../kernel/step/define-step.ts";
import { type StepFailure, fail } from "../../../kernel/step/fail.ts";
import { run } from "../../../kernel/step/run.ts";
import { PLAIN_OBJECT, type Schema, parseWith, schemaOf } from "../../../kernel/step/schema.ts";
import { captureArtifact } from "../../../record/snapshot.ts";

/** State that a stage creates its input from: the pipeline's input, and the merged outputs of the earlier stages. */
export interface PipelineState {
  readonly input: unknown;
  readonly output: Readonly<Record<string, unknown>>;
}

/** A stage of a pipeline. */
export interface PipelineStage {
  readonly step: AnyStep;
  /**
   * Creates the stage's input. Default: the pipeline's input for the first stage; later stages also get all outputs,
   * merged over it.
   */
  readonly wire?: (state: PipelineState) => unknown;
  /** `continue` records a failure as the event `pipeline.stage_error` and continues. Default: `fail`. */
  readonly onError?: "fail" | "continue";
}

/** Options for {@link definePipeline}. */
export interface PipelineConfig {
  readonly name: string;
  readonly version: string;
  readonly stages: readonly PipelineStage[];
}

/**
 * A sequence of stages. A runner or store sees a workflow whose stages are steps that commit separately; a matcher
 * sees one step that runs all stages.
 */
export interface Pipeline extends AnyStep {
  readonly version: string;
  readonly steps: Readonly<Record<string, AnyStep>>;
  /** Name of the first stage, which a run starts with. */
  readonly first: string;
}

/**
 * Defines a pipeline. Its stages may emit, request a review and suspend. A stage that schedules steps is refused: use
 * a workflow for that. Throws a TypeError if there are no stages, or two have the same name.
 *
 * @example
 * const pipeline = definePipeline({
 *   name: "intake",
 *   version: "1.0.0",
 *   stages: [{ step: read }, { step: enrich, onError: "continue" }, { step: rate, wire: ({ output }) => output }],
 * });
 */
export function definePipeline({ name, version, stages }: PipelineConfig): Pipeline {
  const [first] = stages;
  if (first === undefined) throw new TypeError(`definePipeline: "${name}" has no stages. Add one or more.`);
  const steps: Record<string, AnyStep> = {};
  for (const [index, stage] of stages.entries()) {
    if (Object.hasOwn(steps, stage.step.name))
      throw new TypeError(`definePipeline: two stages of "${name}" are named "${stage.step.name}".`);
    steps[stage.step.name] = stageStep(stages, index);
  }
  const whole = defineStep({
    name,
    input: inputSchema(first),
    output: PLAIN_OBJECT,
    keyBy: Object.fromEntries(stages.flatMap(({ step }) => Object.entries(step.keyBy))),
    compare: Object.fromEntries(stages.flatMap(({ step }) => Object.entries(step.compare))),
    run: async (input, ctx) => runAll(stages, input, ctx),
  });
  return Object.freeze({ ...whole, version, steps, first: first.step.name });
}

/** Marks data that one stage passes to the next, which is never a caller's input. */
const MARK = "$pipeline";

/** Start of a stage. */
interface Begin extends PipelineState {
  /** Checkpoint of a suspended stage, and the data that resumed it. */
  readonly resume?: { readonly checkpoint: unknown; readonly resumeData: unknown };
}

/** End of a stage. */
interface StageEnd {
  readonly status: "completed" | "continued" | "suspended";
  readonly output: Readonly<Record<string, unknown>>;
  readonly events: readonly AuditEvent[];
  readonly commands: readonly (EmitCommand | ReviewCommand | SuspendCommand)[];
}

/** Turns a stage into a step of a workflow, which invokes the next stage. */
function stageStep(stages: readonly PipelineStage[], index: number): AnyStep {
  const stage = stages[index];
  const next = stages[index + 1];
  if (stage === undefined) throw new RangeError(`The pipeline doesn't have a stage ${index}.`);
  return defineStep({
    name: stage.step.name,
    input: index === 0 ? inputSchema(stage) : ANY,
    output: PLAIN_OBJECT,
    keyBy: stage.step.keyBy,
    compare: stage.step.compare,
    run: async (input, ctx): Promise<StepReturn | StepFailure> => {
      const begin = beginOf(input);
      const end = await runStage(stage, { begin, first: index === 0 }, ctx);
      if ("_tag" in end) return end;
      const output = { ...begin.output, ...end.output };
      const state = { input: begin.input, output };
      const own = end.commands.map((command) => (command.type === "suspend" ? marked(command, stage, begin) : command));
      const goesOn = next !== undefined && end.status !== "suspended";
      const commands: Command[] = goesOn ? [...own, invoke(next.step.name, { [MARK]: state })] : own;
      return { output: end.output, events: end.events, commands };
    },
  });
}

/** Runs all stages in one go, until one requests a review or suspends. */
async function runAll(
  stages: readonly PipelineStage[],
  input: unknown,
  ctx: StepContext<BaseAdapters>,
): Promise<StepReturn | StepFailure> {
  let state = beginOf(input);
  const events: AuditEvent[] = [];
  const commands: Command[] = [];
  for (const [index, stage] of stages.entries()) {
    const end = await runStage(stage, { begin: state, first: index === 0 }, ctx);
    if ("_tag" in end) return end;
    events.push(...end.events);
    commands.push(...end.commands);
    state = { input: state.input, output: { ...state.output, ...end.output } };
    if (end.commands.some(({ type }) => type !== "emit")) break;
  }
  return { output: state.output, events, commands };
}

async function runStage(
  { step, wire, onError = "fail" }: PipelineStage,
  { begin, first }: { readonly begin: Begin; readonly first: boolean },
  ctx: StepContext<BaseAdapters>,
): Promise<StageEnd | StepFailure> {
  const input = begin.resume ?? wire?.(begin) ?? (first ? begin.input : spread(begin));
  const { adapters, workflowId, workflowVersion, runId } = ctx;
  const keyed: AnyStep = { ...step, run: async (parsed, inner) => step.run(parsed, { ...ctx, ...inner }) };
  const result = await run(keyed, input, {
    adapters,
    workflowId,
    workflowVersion,
    runId,
    // Only the pipeline may emit a step-output artifact: the boundary's own artifact replaces the kernel's.
    onArtifact: (artifact) => (artifact.kind === "step-output" ? undefined : ctx.onArtifact?.(artifact)),
  });
  if (!result.ok) {
    const { code, message, retryable, cause } = result.error;
    if (onError === "fail") return fail(code, message, { retryable, cause });
    keep(ctx, { stage: step.name, status: "continued", output: {} });
    const payload = { stepName: step.name, code, message };
    return { status: "continued", output: {}, events: [{ type: "pipeline.stage_error", payload }], commands: [] };
  }
  const { output, events, commands = [] } = result.value;
  const control = commands.find(isControlCommand);
  if (control !== undefined) {
    const problem = `Stage ${quote(step.name)} returned ${control.type} ${quote(control.step)}`;
    return fail("orchestration_error", `${problem}, which a pipeline can't execute. Use a workflow instead.`);
  }
  const status = commands.some(({ type }) => type === "suspend") ? "suspended" : "completed";
  keep(ctx, { stage: step.name, status, output });
  const own = commands.filter((command) => !isControlCommand(command));
  return { status, output: { ...output }, events, commands: own };
}

function keep(ctx: StepContext<BaseAdapters>, boundary: object): void {
  ctx.onArtifact?.(captureArtifact("pipeline-stage", boundary));
}

function beginOf(input: unknown): Begin {
  if (!isPlainObject(input)) return { input, output: {} };
  const state = stateOf(input[MARK]);
  if (state !== undefined) return state;
  const { checkpoint, resumeData } = input;
  const suspended = isPlainObject(checkpoint) ? stateOf(checkpoint[MARK]) : undefined;
  if (suspended === undefined || !isPlainObject(checkpoint)) return { input, output: {} };
  return { ...suspended, resume: { checkpoint: checkpoint["checkpoint"], resumeData } };
}

function stateOf(state: unknown): PipelineState | undefined {
  if (!isPlainObject(state) || !isPlainObject(state["output"])) return undefined;
  return { input: state["input"], output: state["output"] };
}

/** Returns the suspend command of a stage, with the state that the pipeline needs to continue. */
function marked(
  { reason, checkpoint, timeout }: SuspendCommand,
  { step }: PipelineStage,
  { input, output }: Begin,
): SuspendCommand {
  const state = { [MARK]: { input, output }, checkpoint };
  return suspend({ reason, checkpoint: state, resumeStep: step.name, timeout });
}

function spread({ input, output }: PipelineState): unknown {
  return { ...(isPlainObject(input) ? input : {}), ...output };
}

const ANY: Schema = schemaOf((value) => ({ value }));

/** Schema of the first stage. If the stage is wired, any input is allowed and `wire` checks it. */
function inputSchema({ step, wire }: PipelineStage): Schema {
  return schemaOf(async (value) => {
    const { resume, output } = beginOf(value);
    if (wire !== undefined || resume !== undefined || Object.keys(output).length > 0) return { value };
    const parsed = await parseWith(step.inputSchema, value);
    // The stage parses the input again, so the original goes in.
    return parsed.ok ? { value } : { issues: parsed.error.issues };
  });
}
