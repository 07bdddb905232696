import { jsonOf, stableStringify } from "../base/canonical-json.ts";
import { cloneData } from "../base/clone-data.ts";
import type { CompareBy } from "../base/compare-rules.ts";
import { hashText } from "../base/hash.ts";
import { type Result, err, ok } from "../base/result.ts";
import { diff } from "../diff/diff.ts";
import { type Tolerated, type TolerantDiff, tolerate } from "../diff/tolerate.ts";
import { type DiffResult, NO_DIFFERENCES } from "../diff/types.ts";
import { type CaptureOptions, captureArtifactSync, hashArtifact } from "../record/capture-artifact.ts";
import { type StepOutputContent, firstArtifact, outputContent, storedCommands } from "../record/read-snapshot.ts";
import { type Snapshot, createSnapshotFromResult } from "../record/snapshot.ts";
import { comparable } from "../redact/comparable.ts";
import type { Artifact } from "../step/artifact.ts";
import type { Command } from "../step/command.ts";
import type { AuditEvent, BaseAdapters } from "../step/context.ts";
import type { AnyStep, Step } from "../step/define-step.ts";
import { parseWith } from "../step/schema.ts";
import type { AdaptersOption, OptionsArgument } from "../step/run.ts";
import { type StepError, kernelError } from "../step/fail.ts";
import { messageOf } from "../base/thrown.ts";
import type { StepResult } from "../step/step-result.ts";
import { diffCommands } from "./compare.ts";
import { type ObservedOutput, type SchemaViolation, observeOutput } from "./observe-output.ts";
import { type Rerun, runAgain } from "./run-again.ts";
import { hashedInput, verifySnapshot } from "./verify-snapshot.ts";

/** Severity of a recomputed output; command changes are told apart from it. */
export type RecomputeStatus = "clean" | "value_changed" | "schema_violation";

/** What a recompute found. */
export interface RecomputeResult<Output extends object = object> {
  readonly status: RecomputeStatus;
  /** False when the baseline keeps no output to compare with: then "clean" says nothing about values. */
  readonly comparable: boolean;
  readonly outputDiff: DiffResult | undefined;
  /** Differences of the output that a rule of `compare` let pass; they are not in `outputDiff`. */
  readonly tolerated: readonly Tolerated[];
  /** Undefined when the baseline's commands were not kept. */
  readonly commandsDiff: DiffResult | undefined;
  readonly schemaViolations: readonly SchemaViolation[];
  readonly rawOutput: unknown;
  readonly parsedOutput?: Partial<Output>;
  readonly events: readonly AuditEvent[];
  readonly commands?: readonly Command[];
  readonly outputArtifact?: Artifact;
}

/** How a recompute judges and what it keeps. */
export interface RecomputeChecks {
  readonly runId?: string;
  readonly onArtifact?: (artifact: Artifact) => void | Promise<void>;
  /** Parse the input and observe the output with the step's schemas. Default true. */
  readonly validate?: boolean | undefined;
  /** Check the output against the whole schema instead of the partial one. Default false. */
  readonly strictOutput?: boolean | undefined;
  /**
   * Runs on this input instead of the stored one, of which it is the same case: with the secrets that are hidden there.
   */
  readonly input?: { readonly whole: unknown } | undefined;
  /** What is tolerated of the output. Default: what the step itself does. */
  readonly compare?: CompareBy | undefined;
  /** Make an artifact of the recomputed output. Default false. */
  readonly captureArtifacts?: boolean | CaptureOptions;
}

/** Options of {@link recompute}. */
export type RecomputeOptions<Adapters extends BaseAdapters = BaseAdapters> = RecomputeChecks & AdaptersOption<Adapters>;

/**
 * Runs a step again on a stored input with today's code and adapters, and diffs output and commands with the stored
 * ones. Errors: `input_hash_mismatch`, `snapshot_corrupted`, `input_validation`, `normalization_failed`, or how the
 * step itself failed.
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
  const verified = verifySnapshot(snapshot, step);
  if (!verified.ok) return verified;
  const partial = options.input === undefined ? hashedInput(snapshot) : undefined;
  if (partial !== undefined) return err(partial);
  const input = await inputOf(snapshot, step, options);
  if (!input.ok) return input;
  const { adapters = {}, runId = crypto.randomUUID(), onArtifact } = options;
  const ran = await runAgain(step, input.value, { ...snapshot, adapters, runId, onArtifact });
  if (!ran.ok) return ran;
  const observed = await observeOutput(step, ran.value.returned, options);
  const outputDiff = diffOutputs(snapshot, observed, { keyBy: step.keyBy, compare: options.compare ?? step.compare });
  if (!outputDiff.ok) return outputDiff;
  const before = storedCommands(snapshot);
  const commands = ran.value.returned.commands;
  const commandsDiff = attempt(() => (before === undefined ? undefined : diffCommands(before, commands)));
  if (!commandsDiff.ok) return commandsDiff;
  return ok(
    verdictOf(observed, ran.value, { outputDiff: outputDiff.value, commandsDiff: commandsDiff.value, options }),
  );
}

type Comparison = Pick<AnyStep, "keyBy" | "compare">;

/** The diff of the stored and the recomputed output; undefined when no output is stored. */
function diffOutputs(
  snapshot: Snapshot,
  observed: ObservedOutput,
  comparison: Comparison,
): Result<TolerantDiff | undefined, StepError> {
  const stored = outputContent(snapshot);
  if (stored === undefined) return ok(undefined);
  return attempt(() =>
    diffJson(
      stored,
      { after: observed.parsed ?? observed.raw, hash: firstArtifact(snapshot, "step-output")?.hash },
      comparison,
    ),
  );
}

const SAME: TolerantDiff = { diff: NO_DIFFERENCES, tolerated: [] };

/** Values are compared as a baseline holds them, so that a Date is clean against its own ISO string. */
function diffJson(
  stored: StepOutputContent,
  { after, hash }: { readonly after: unknown; readonly hash: string | undefined },
  { keyBy, compare }: Comparison,
): TolerantDiff {
  const current = stableStringify(after);
  const keyed = Object.keys(keyBy).length > 0;
  const same = hashWith(stored, current) === hash;
  if (same && !keyed) return SAME;
  const parsed: unknown = JSON.parse(current);
  // Of equal values only the errors of keyBy are left to find.
  const [left, right] = same ? [parsed, parsed] : comparable(jsonOf(stored.output), parsed, ["output"]);
  return tolerate(diff(left, right, keyBy), { before: left, after: right, keyBy, compare });
}

/**
 * The hash the stored content would have with this output: a verified snapshot's own where the outputs are the same
 * JSON. So an equal output, most of the data of most checks, is written once and not twice.
 */
function hashWith({ events, output: _output, ...rest }: StepOutputContent, output: string): string | undefined {
  if (events === undefined || Object.keys(rest).length > 0) return undefined;
  return hashText(`{"events":${stableStringify(events)},"output":${output}}`);
}

function verdictOf(
  { raw, parsed, violations }: ObservedOutput,
  { events, returned }: Rerun,
  found: {
    readonly outputDiff: TolerantDiff | undefined;
    readonly commandsDiff: DiffResult | undefined;
    readonly options: RecomputeOptions;
  },
): RecomputeResult {
  const { commandsDiff, options } = found;
  const { diff: outputDiff, tolerated = [] } = found.outputDiff ?? {};
  const { captureArtifacts = false } = options;
  const changed = outputDiff !== undefined && !outputDiff.equal;
  const capture = captureArtifacts === true ? {} : captureArtifacts;
  return {
    status: statusOf(violations.length > 0, changed),
    comparable: outputDiff !== undefined,
    outputDiff,
    tolerated,
    commandsDiff,
    schemaViolations: violations,
    rawOutput: raw,
    ...(parsed === undefined ? {} : { parsedOutput: parsed }),
    events,
    ...(returned.commands === undefined ? {} : { commands: returned.commands }),
    ...(capture === false ? {} : { outputArtifact: outputArtifact({ output: parsed ?? raw, events }, capture) }),
  };
}

function outputArtifact(content: StepOutputContent, { hashOnly = false }: CaptureOptions): Artifact {
  return hashOnly ? hashArtifact("step-output", content) : captureArtifactSync("step-output", content);
}

function statusOf(violated: boolean, changed: boolean): RecomputeStatus {
  if (violated) return "schema_violation";
  return changed ? "value_changed" : "clean";
}

async function inputOf(
  snapshot: Snapshot,
  step: AnyStep,
  { validate = true, input: given }: RecomputeOptions,
): Promise<Result<unknown, StepError>> {
  // A copy: the step must not be able to change the stored input.
  const input = cloneData(given === undefined ? snapshot.input : given.whole);
  if (!validate) return ok(input);
  const parsed = await parseWith(step.inputSchema, input);
  return parsed.ok ? parsed : err(kernelError("input_validation", parsed.error.message, parsed.error.cause));
}

function attempt<T>(compare: () => T): Result<T, StepError> {
  try {
    return ok(compare());
  } catch (cause) {
    return err(kernelError("normalization_failed", messageOf(cause), cause));
  }
}
