import { type Result, err } from "../kernel/result.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import { type BaseAdapters, createContextFactory } from "../kernel/step/context.ts";
import type { AnyStep, Step } from "../kernel/step/define-step.ts";
import { type OptionsArgument, type RunOptions, executeStep } from "../kernel/step/run.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { StepResult } from "../kernel/step/step-result.ts";
import { RevealedSecrets, withRevealedSecrets, rememberSecrets } from "../redact/revealed-secrets.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import { type AdapterCall, withoutOrder } from "./adapter-call.ts";
import { captureArtifactSync, kernelArtifacts, storedParts } from "./snapshot.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { recordedStep } from "./interceptors/recorders.ts";

/** A recorded run: its result, its adapter calls, and its artifacts in the order of creation. */
export interface Recording<Input = unknown, Output extends object = object> {
  readonly result: Result<StepResult<Input, Output>, StepError>;
  readonly artifacts: readonly Artifact[];
  readonly calls: readonly AdapterCall[];
}

/**
 * Runs a step and records its adapter calls, so that a snapshot of the result can be replayed. If a call can't be
 * recorded, the result is the error `recording_failed`, because a snapshot of it wouldn't replay.
 *
 * @example
 * const { result, artifacts } = await withReplay(extractClaims, { text }, { adapters: { llm } });
 */
export async function withReplay<Input, Output extends object, Adapters extends BaseAdapters, Parsed>(
  step: Step<Input, Output, Adapters, Parsed>,
  input: NoInfer<Input>,
  ...[options]: OptionsArgument<Adapters, RunOptions<Adapters>>
): Promise<Recording<Input, Output>>;
export async function withReplay(step: AnyStep, input: unknown, options: RunOptions = {}): Promise<Recording> {
  const secrets = new RevealedSecrets(new PlaceholderNumbers({ live: () => input }));
  const recording = await withRevealedSecrets(secrets, async () =>
    recordStepRun({ step, input, options }, recordAdapters(options.adapters ?? {})),
  );
  if (recording.result.ok) rememberSecrets(recording.result.value, secrets);
  return recording;
}

/** Adapters of a recorded run, and the calls that it made so far. */
export interface RunRecorder {
  readonly adapters: BaseAdapters;
  runInScope<T>(run: () => T | PromiseLike<T>): Promise<T>;
  calls(): readonly AdapterCall[];
  problems(): readonly string[];
}

/** Run of a step to record. */
export interface RunToRecord {
  readonly step: AnyStep;
  readonly input: unknown;
  readonly options: Omit<RunOptions, "adapters">;
}

/** Runs a step with the adapters of a recorder, live or replayed, and returns its recording. */
export async function recordStepRun({ step, input, options }: RunToRecord, recorder: RunRecorder): Promise<Recording> {
  const { workflowId = step.name, workflowVersion = "0.0.0", runId = crypto.randomUUID() } = options;
  const artifacts: Artifact[] = [];
  const keep = async (artifact: Artifact): Promise<void> => {
    artifacts.push(artifact);
    await options.onArtifact?.(artifact);
  };
  // Read once, when the step has run: artifacts, calls and problems must describe the same moment.
  let recorded: Pick<Recording, "calls"> & { readonly problems: readonly string[] } = { calls: [], problems: [] };
  const result = await executeStep({
    step: recordedStep(step, (run) => recorder.runInScope(run)),
    input,
    contextFactory: createContextFactory(recorder.adapters),
    workflowId,
    workflowVersion,
    runId,
    onArtifact: keep,
    artifactsAtEnd: () => {
      recorded = { calls: recorder.calls(), problems: recorder.problems() };
      return withoutOrder(recorded.calls).map((call) => captureArtifactSync("adapter-call", call));
    },
  });
  if (result.ok) for (const artifact of kernelArtifacts(storedParts(result.value))) await keep(artifact);
  return { result: refuseUnrecorded(result, recorded.problems), artifacts, calls: recorded.calls };
}

/** Runs a step as {@link withReplay} does, for those who want its result alone. */
export async function runRecorded(
  step: AnyStep,
  input: unknown,
  options: RunOptions,
): Promise<Result<StepResult, StepError>> {
  return (await withReplay(step, input, options)).result;
}

function refuseUnrecorded(
  result: Result<StepResult, StepError>,
  problems: readonly string[],
): Result<StepResult, StepError> {
  if (!result.ok || problems.length === 0) return result;
  return err(kernelError("recording_failed", problems.join("\n")));
}
