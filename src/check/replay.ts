import type { CallsDiff } from "../record/calls/diff-calls.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import type { DiffResult } from "../kernel/diff/entries.ts";
import { type AdapterCall, isMethodCall } from "../record/adapter-call.ts";
import { type Snapshot, hashArtifact } from "../record/snapshot.ts";
import { firstArtifact, recordedCalls } from "../record/read-snapshot.ts";
import { CallReplayer } from "../record/replay/replay-adapters.ts";
import { NO_MODEL_RECORDER, RECORDER_MISSING, missingRecorderMessage } from "../record/interceptors/recorders.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import { normalizeCommands } from "../kernel/step/command.ts";
import { createContextFactory } from "../kernel/step/context.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { tallyReplayed } from "../kernel/telemetry/metrics.ts";
import { compareCalls } from "./compare/compare-calls.ts";
import { type ReportedPart, compareOutcomes, storedOutcome } from "./compare/compare.ts";
import { blockedNetworkError } from "./run/network-access.ts";
import { type CaseRun, runCase } from "./run/run-case.ts";
import { hashOnlyResponseError, hashOnlyInputError, snapshotError } from "./run/snapshot-integrity.ts";

/** Part of a replay that can differ from the stored run. */
export type ReplayPart = "output" | "events" | "commands" | "calls";

/** Parts that are stored as bytes. */
const PARTS: readonly BytePart[] = ["output", "events", "commands"];

type BytePart = Exclude<ReplayPart, "calls">;

/**
 * Result of a replay: the same bytes, or the parts that differ, with their diffs. A part that is stored only as a hash
 * has no diff.
 */
export type ReplayVerdict =
  | {
      readonly kind: "identical";
    }
  | {
      readonly kind: "different";
      readonly changedParts: readonly ReplayPart[];
      readonly diffs: Readonly<Partial<Record<BytePart, DiffResult>>> & { readonly calls?: CallsDiff };
    };

/**
 * Runs a step again with its recorded adapter calls only, without external calls. Calls differ if a recorded read or
 * write is missing, or if writes come in a different order. Errors: `input_hash_mismatch`, `snapshot_corrupted`,
 * `missing_output` (no output to compare with), `not_recorded` (the snapshot can be loaded but not replayed),
 * `hash_only` (only the hash of the input or of a response is stored), `recorder_missing`, `network_refused`,
 * `unrecorded_request` (the step sends a different request), or the step's own failure. `toReplay`, `veritest replay`
 * and `verifyUpdate` use it. A check in the mode `replay` doesn't: see `checkCase`.
 */
export async function replay(
  snapshot: Snapshot,
  step: AnyStep,
  options: { readonly runId?: string } = {},
): Promise<Result<ReplayVerdict, StepError>> {
  const replayed = await replayWithUncalled(snapshot, step, options);
  return replayed.ok ? ok(replayed.value.verdict) : replayed;
}

/** Result of a replay, with the recorded calls that the step didn't make. */
interface ReplayedCase {
  readonly verdict: ReplayVerdict;
  readonly uncalled: readonly AdapterCall[];
}

/** Runs a step as {@link replay} does, and returns the recorded calls that it didn't make too. */
export async function replayWithUncalled(
  snapshot: Snapshot,
  step: AnyStep,
  { runId = crypto.randomUUID() }: { readonly runId?: string } = {},
): Promise<Result<ReplayedCase, StepError>> {
  const damage = snapshotError(snapshot, step);
  if (damage !== undefined) return err(damage);
  if (firstArtifact(snapshot, "step-output") === undefined) {
    const message =
      `The snapshot of step "${step.name}" has no stored output to compare a replay with. ` +
      "Capture it with withReplay.";
    return err(kernelError("missing_output", message));
  }
  const partial = hashOnlyInputError(snapshot);
  if (partial !== undefined) return err(partial);
  const calls = recordedCalls(snapshot);
  const problem = missingRecorderMessage(calls);
  if (problem !== undefined)
    return err(kernelError(RECORDER_MISSING, `Step "${step.name}" can't be replayed: ${problem}.`));
  return withRevealedSecrets(
    currentRevealedSecrets() ?? new RevealedSecrets(new PlaceholderNumbers({ stored: () => snapshot })),
    async () => replayRecorded(snapshot, step, { runId, calls }),
  );
}

async function replayRecorded(
  snapshot: Snapshot,
  step: AnyStep,
  { runId, calls }: { readonly runId: string; readonly calls: readonly AdapterCall[] },
): Promise<Result<ReplayedCase, StepError>> {
  const replayer = new CallReplayer(calls);
  const { workflowId, workflowVersion } = snapshot;
  // A step of a workflow takes options that it lacks from the stored run.
  const repeating = step.repeating?.({ output: storedOutcome(snapshot).output }) ?? step;
  const ran = await runCase(repeating, snapshot.input, {
    contextFactory: createContextFactory(replayer.adapters),
    runInScope: async (run) => replayer.untilUnrecorded(run),
    workflowId,
    workflowVersion,
    runId,
    onInvalidOutput: "fail",
  });
  tallyReplayed(() => replayer.made());
  if (!ran.ok && ran.error.message === NO_MODEL_RECORDER)
    return err(kernelError(RECORDER_MISSING, `Step "${step.name}" can't be replayed: ${NO_MODEL_RECORDER}.`));
  const blocked = blockedNetworkError(replayer.networkAccess());
  if (blocked !== undefined) return err(blocked);
  const requestError = unrecordedError(replayer, { step, recorded: calls.length });
  if (requestError !== undefined) return err(requestError);
  if (!ran.ok) return ran;
  const made = await compareCalls(calls, replayer.sentCalls(), { step, context: {} });
  const uncalled = replayer.uncalled().filter(isMethodCall);
  return ok({ verdict: replayVerdictOf(snapshot, ran.value, made), uncalled });
}

/** Returns the error of a replay with an unrecorded request; undefined without one. */
export function unrecordedError(
  replayer: Pick<CallReplayer, "unrecorded">,
  { step, recorded }: { readonly step: AnyStep; readonly recorded: number },
): StepError | undefined {
  const [unrecorded] = replayer.unrecorded();
  if (unrecorded === undefined) return undefined;
  const hashed = hashOnlyResponseError(unrecorded);
  if (hashed !== undefined) return hashed;
  if (recorded > 0) {
    const call = `a call of adapter "${unrecorded.adapter}" that wasn't recorded`;
    const message = `Step "${step.name}" now makes ${call} (recorded calls of that adapter: ${unrecorded.recorded}).`;
    return kernelError("unrecorded_request", message, unrecorded);
  }
  const problem = `The snapshot of step "${step.name}" has no recorded adapter calls`;
  const message = `${problem}, so it can't be replayed. Capture it with withReplay.`;
  return kernelError("not_recorded", message, unrecorded);
}

function replayVerdictOf(snapshot: Snapshot, { outcome }: CaseRun, calls: CallsDiff | undefined): ReplayVerdict {
  const stored = storedOutcome(snapshot);
  const { compared } = compareOutcomes(stored, outcome, { parts: PARTS, exact: true, keyBy: {}, compare: {} });
  const different = compared.filter(({ diff }) => !diff.equal);
  const differs = new Set<ReportedPart>(different.map(({ part }) => part));
  const { output, events, commands } = outcome;
  const content = { output, events };
  if (!("output" in stored) && hashDiffers(firstArtifact(snapshot, "step-output"), content)) differs.add("output");
  const storedArtifact = firstArtifact(snapshot, "step-commands");
  if (!("commands" in stored) && hashDiffers(storedArtifact, normalizeCommands(commands))) differs.add("commands");
  const otherCalls = calls?.equal === false ? calls : undefined;
  if (differs.size === 0 && otherCalls === undefined) return { kind: "identical" };
  const diffs = Object.fromEntries(different.map(({ part, diff }) => [part, diff]));
  return {
    kind: "different",
    changedParts: [
      ...PARTS.filter((part) => differs.has(part)),
      ...(otherCalls === undefined ? [] : ["calls" as const]),
    ],
    diffs: { ...diffs, ...(otherCalls !== undefined && { calls: otherCalls }) },
  };
}

/**
 * A hash-only capture still shows if its content (output and events together, or commands) is the same except for its
 * secrets.
 */
function hashDiffers(artifact: Artifact | undefined, content: unknown): boolean {
  return artifact !== undefined && artifact.hash !== hashArtifact(artifact.kind, content).hash;
}
