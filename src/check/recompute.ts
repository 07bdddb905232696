import type { CallsDiff } from "../record/calls/diff-calls.ts";
import type { CompareBy } from "../kernel/diff/compare-rules.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import type { Tolerated } from "../kernel/diff/tolerate.ts";
import type { DiffResult } from "../kernel/diff/entries.ts";
import { recordedCalls } from "../record/read-snapshot.ts";
import { type Snapshot, createSnapshotFromResult } from "../record/snapshot.ts";
import { recordAdapters } from "../record/proxy/record-adapters.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import type { Command } from "../kernel/step/command.ts";
import { type AuditEvent, type BaseAdapters, createContextFactory } from "../kernel/step/context.ts";
import type { AnyStep, Step } from "../kernel/step/define-step.ts";
import type { StepError } from "../kernel/step/fail.ts";
import type { AdaptersOption, OptionsArgument } from "../kernel/step/run.ts";
import type { StepResult } from "../kernel/step/step-result.ts";
import { compareCalls } from "./compare/compare-calls.ts";
import { type Comparison, RESULT_PARTS, compareStored, diffOf } from "./compare/compare.ts";
import { type CaseRun, type SchemaViolation, runCase } from "./run/run-case.ts";
import { hashOnlyInputError, snapshotError } from "./run/snapshot-integrity.ts";

/** Status of a recomputed output. Changed commands are reported separately. */
export type RecomputeStatus = "clean" | "value_changed" | "schema_violation";

/** Result of a recompute. */
export interface RecomputeResult<Output extends object = object> {
  readonly status: RecomputeStatus;
  /** False if the baseline doesn't store an output to compare. Then the status `clean` doesn't cover values. */
  readonly comparable: boolean;
  readonly outputDiff: DiffResult | undefined;
  /** Differences of the output that a rule of `compare` tolerates; `outputDiff` excludes them. */
  readonly tolerated: readonly Tolerated[];
  /** Differences of the commands. Undefined if the baseline doesn't store commands. */
  readonly commandsDiff: DiffResult | undefined;
  /**
   * Differences of the events from the stored ones, aligned by type, without model data (`llmTrace`). Undefined if the
   * baseline stores no output: events are stored with it.
   */
  readonly eventsDiff: DiffResult | undefined;
  /**
   * Differences of the step's reads and writes from the recorded ones. Undefined if the baseline has no recorded calls,
   * `calls` is "none", or the current calls couldn't be recorded.
   */
  readonly callsDiff: CallsDiff | undefined;
  readonly schemaViolations: readonly SchemaViolation[];
  readonly rawOutput: unknown;
  readonly parsedOutput?: Partial<Output>;
  readonly events: readonly AuditEvent[];
  readonly commands?: readonly Command[];
}

/** Settings of a recompute: its run, its input, and how the output is checked and compared. */
export interface RecomputeSettings {
  readonly runId?: string;
  readonly onArtifact?: (artifact: Artifact) => void | Promise<void>;
  /** Parse the input and check the output with the step's schemas. Default: true. */
  readonly validate?: boolean | undefined;
  /** Check the output against the complete schema instead of the partial one. Default: false. */
  readonly strictOutput?: boolean | undefined;
  /** Input to run the step with: the original of the stored input, including its secrets. Default: the stored input. */
  readonly input?: { readonly whole: unknown } | undefined;
  /** Tolerances of the output. Default: the step's own. */
  readonly compare?: CompareBy | undefined;
}

/** Options for {@link recompute}. */
export type RecomputeOptions<Adapters extends BaseAdapters = BaseAdapters> = RecomputeSettings &
  AdaptersOption<Adapters>;

/**
 * Runs a step again on a stored input with the current code and adapters, and compares output, commands, events and
 * calls with the stored ones. Errors: `input_hash_mismatch`, `snapshot_corrupted`, `input_validation`,
 * `normalization_failed`, or the step's own failure. In tests, use `toRecomputeClean`, which also replays
 * recorded responses and updates baselines.
 *
 * @example
 * const result = await recompute(snapshot, extractClaims, { adapters: { llm } });
 * if (result.ok && result.value.outputDiff) console.log(formatDiff(result.value.outputDiff));
 */
export async function recompute<Input, Output extends object, Adapters extends BaseAdapters, Parsed>(
  baseline: Snapshot | StepResult<Input, Output>,
  step: Step<Input, Output, Adapters, Parsed>,
  ...[options]: OptionsArgument<Adapters, RecomputeOptions<Adapters>>
): Promise<Result<RecomputeResult<Output>, StepError>>;
export async function recompute(
  baseline: Snapshot | StepResult,
  step: AnyStep,
  options: RecomputeOptions = {},
): Promise<Result<RecomputeResult, StepError>> {
  const snapshot = "capturedAt" in baseline ? baseline : await createSnapshotFromResult(baseline);
  const problem =
    snapshotError(snapshot, step) ?? (options.input === undefined ? hashOnlyInputError(snapshot) : undefined);
  if (problem !== undefined) return err(problem);
  const numbers = new PlaceholderNumbers({ stored: () => snapshot, live: () => options.input?.whole });
  return withRevealedSecrets(currentRevealedSecrets() ?? new RevealedSecrets(numbers), async () =>
    recomputed(snapshot, step, options),
  );
}

async function recomputed(
  snapshot: Snapshot,
  step: AnyStep,
  options: RecomputeOptions,
): Promise<Result<RecomputeResult, StepError>> {
  const { adapters = {}, runId = crypto.randomUUID(), input } = options;
  const recorded = recordedCalls(snapshot);
  // Without stored calls to compare, the run needs no recording.
  const recorder = recorded.length === 0 ? undefined : recordAdapters(adapters);
  const ran = await runCase(step, input === undefined ? snapshot.input : input.whole, {
    ...options,
    workflowId: snapshot.workflowId,
    workflowVersion: snapshot.workflowVersion,
    contextFactory: createContextFactory(recorder?.adapters ?? adapters),
    runInScope: recorder?.runInScope,
    runId,
  });
  if (!ran.ok) return ran;
  const calls = recorder?.problems().length === 0 ? recorder.calls() : undefined;
  const callsDiff = calls && (await compareCalls(recorded, calls, { step, context: options }));
  const { compare = step.compare } = options;
  const comparison = compareStored(snapshot, ran.value.outcome, { parts: RESULT_PARTS, keyBy: step.keyBy, compare });
  return comparison.ok ? ok({ ...resultOf(ran.value, comparison.value), callsDiff }) : comparison;
}

function resultOf(
  { checkedOutput, events, commands }: CaseRun,
  comparison: Comparison,
): Omit<RecomputeResult, "callsDiff"> {
  const { raw, parsed, violations } = checkedOutput;
  const outputDiff = diffOf(comparison, "output");
  const changed = outputDiff !== undefined && !outputDiff.equal;
  return {
    status: statusOf(violations.length > 0, changed),
    comparable: outputDiff !== undefined,
    outputDiff,
    tolerated: comparison.tolerated,
    commandsDiff: diffOf(comparison, "commands"),
    eventsDiff: diffOf(comparison, "events"),
    schemaViolations: violations,
    rawOutput: raw,
    ...(parsed === undefined ? {} : { parsedOutput: parsed }),
    events,
    ...(commands === undefined ? {} : { commands }),
  };
}

function statusOf(violated: boolean, changed: boolean): RecomputeStatus {
  if (violated) return "schema_violation";
  return changed ? "value_changed" : "clean";
}
