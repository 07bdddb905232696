import { cloneData } from "../base/clone-data.ts";
import { type Result, err, ok } from "../base/result.ts";
import { typeName } from "../base/type-name.ts";
import type { Artifact } from "./artifact.ts";
import { type ArtifactSink, createArtifactSink } from "./artifact-sink.ts";
import { callStep } from "./call-step.ts";
import type { BaseAdapters, ContextFactory } from "./context.ts";
import type { AnyStep, StepReturn } from "./define-step.ts";
import type { AuditEvent } from "./event.ts";
import { formatIssues, parseWith } from "./parse-with.ts";
import { type StepError, artifactError, kernelError } from "./step-error.ts";
import { type StepResult, rememberStep } from "./step-result.ts";

/** One execution: the step, its input, and who runs it. */
export interface Execution {
  readonly step: AnyStep;
  readonly input: unknown;
  readonly contextFactory: ContextFactory<BaseAdapters>;
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly onArtifact?: ((artifact: Artifact) => void | Promise<void>) | undefined;
  /** Artifacts that are only known once the step ran, such as its recorded adapter calls. */
  readonly lateArtifacts?: (() => readonly Artifact[]) | undefined;
}

/**
 * Runs a step in the contract's order: parse input, make the context, run, validate output, merge events, collect
 * artifacts.
 */
export async function executeStep(execution: Execution): Promise<Result<StepResult, StepError>> {
  const { step } = execution;
  const input = cloneData(execution.input);
  const parsed = await parseWith(step.inputSchema, execution.input);
  if (!parsed.ok) return err(kernelError("input_validation", parsed.error.message, parsed.error.cause));
  const sink = createArtifactSink(execution.onArtifact);
  const events: AuditEvent[] = [];
  const returned = await callStep(step, parsed.value, contextOf(execution, sink, events));
  for (const artifact of execution.lateArtifacts?.() ?? []) sink.emit(artifact);
  const artifacts = await drainArtifacts(sink);
  if (!returned.ok) return returned;
  if (!artifacts.ok) return artifacts;
  const output = await validateOutput(step, returned.value);
  if (!output.ok) return output;
  return ok(
    resultOf(
      execution,
      { input, output: output.value, artifacts: artifacts.value },
      { returned: returned.value, events },
    ),
  );
}

/**
 * Checks an output against the step's partial schema; an output that is no object is refused whatever the schema says.
 */
export async function validateOutput(step: AnyStep, { output }: StepReturn): Promise<Result<object, StepError>> {
  const found: unknown = output;
  if (typeof found !== "object" || found === null || Array.isArray(found)) {
    const message = formatIssues([{ message: `Invalid output: expected object, received ${typeName(found)}` }]);
    return err(kernelError("output_validation", message));
  }
  const parsed = await parseWith(step.partialOutputSchema, found);
  return parsed.ok ? parsed : err(kernelError("output_validation", parsed.error.message, parsed.error.cause));
}

function contextOf(execution: Execution, sink: ArtifactSink, events: AuditEvent[]): ReturnType<ContextFactory> {
  const { workflowId, workflowVersion, runId } = execution;
  return execution.contextFactory({
    workflowId,
    workflowVersion,
    runId,
    onArtifact: (artifact) => sink.emit(artifact),
    emitEvent: (event) => void events.push(event),
  });
}

/** Waits for a run's artifacts; one that cannot be kept or handed on becomes `execution_failed`. */
export async function drainArtifacts(sink: ArtifactSink): Promise<Result<readonly Artifact[], StepError>> {
  try {
    return ok(await sink.drain());
  } catch (cause) {
    return err(artifactError(cause));
  }
}

function resultOf(
  { step, workflowId, workflowVersion, runId }: Execution,
  data: Pick<StepResult, "input" | "output" | "artifacts">,
  { returned, events }: { readonly returned: StepReturn; readonly events: readonly AuditEvent[] },
): StepResult {
  const { commands } = returned;
  const result = {
    input: data.input,
    output: data.output,
    events: [...events, ...(returned.events ?? [])],
    ...(commands === undefined ? {} : { commands }),
    artifacts: data.artifacts,
    stepName: step.name,
    workflowId,
    workflowVersion,
    runId,
  };
  return rememberStep(result, step);
}
