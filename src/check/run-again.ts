import { type Result, ok } from "../base/result.ts";
import { type Artifact, createArtifactSink } from "../step/artifact.ts";
import { callStep, drainArtifacts } from "../step/run.ts";
import { type AuditEvent, type BaseAdapters, createContextFactory } from "../step/context.ts";
import type { AnyStep, StepReturn } from "../step/define-step.ts";
import type { StepError } from "../step/fail.ts";

/** What a step's code returned, and all its events. The output is not looked at yet. */
export interface Rerun {
  readonly returned: StepReturn;
  readonly events: readonly AuditEvent[];
}

/** Who a step is run for. */
export interface RunAgainOptions {
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly runId: string;
  readonly adapters: BaseAdapters;
  readonly onArtifact?: ((artifact: Artifact) => void | Promise<void>) | undefined;
}

/** Runs a step's code on an input that was parsed already; errors are how the code itself failed. */
export async function runAgain(
  step: AnyStep,
  input: unknown,
  options: RunAgainOptions,
): Promise<Result<Rerun, StepError>> {
  const { adapters, workflowId, workflowVersion, runId } = options;
  const sink = createArtifactSink(options.onArtifact);
  const events: AuditEvent[] = [];
  const ctx = createContextFactory(adapters)({
    workflowId,
    workflowVersion,
    runId,
    onArtifact: (artifact) => sink.emit(artifact),
    emitEvent: (event) => void events.push(event),
  });
  const returned = await callStep(step, input, ctx);
  const drained = await drainArtifacts(sink);
  if (!returned.ok) return returned;
  if (!drained.ok) return drained;
  return ok({ returned: returned.value, events: [...events, ...(returned.value.events ?? [])] });
}
