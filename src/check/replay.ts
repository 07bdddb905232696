import { jsonOf, stableStringify } from "../base/canonical-json.ts";
import { cloneData } from "../base/clone-data.ts";
import { type Result, err, ok } from "../base/result.ts";
import { diff } from "../diff/diff.ts";
import type { DiffResult } from "../diff/types.ts";
import { hashArtifact } from "../record/capture-artifact.ts";
import { firstArtifact, outputContent, storedCommands } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { type AdapterServer, serveAdapters } from "../record/serve-adapters.ts";
import { tapedStep } from "../record/taped-step.ts";
import { missingTape } from "../record/tapes.ts";
import { comparable } from "../redact/comparable.ts";
import type { Artifact } from "../step/artifact.ts";
import { createContextFactory } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { executeStep } from "../step/run.ts";
import { normalizeCommands } from "../step/command.ts";
import { type StepError, kernelError } from "../step/fail.ts";
import type { StepResult } from "../step/step-result.ts";
import { hashedAnswer, hashedInput, recordedCalls, verifySnapshot } from "./verify-snapshot.ts";

/** What of a replay can differ from what is stored. */
export type ReplayPart = "output" | "events" | "commands";

const PARTS: readonly ReplayPart[] = ["output", "events", "commands"];

/** How a replay came out: the same bytes, or which parts differ and where (no diff for a part kept as a hash only). */
export type ReplayVerdict =
  | { readonly kind: "identical" }
  | {
      readonly kind: "different";
      readonly differs: readonly ReplayPart[];
      readonly diffs: Readonly<Partial<Record<ReplayPart, DiffResult>>>;
    };

/**
 * Runs a step again with its recorded adapter calls only; nothing outside is touched. Errors: those of {@link
 * verifySnapshot}, `missing_output` (nothing to compare with), `not_recorded` (the snapshot can be loaded, not
 * replayed), `hash_only` (of the input, or of an answer, only the hash is kept), `tape_missing`, `recording_miss`
 * (the step now asks for something else), or how the step itself failed.
 */
export async function replay(
  snapshot: Snapshot,
  step: AnyStep,
  { runId = crypto.randomUUID() }: { readonly runId?: string } = {},
): Promise<Result<ReplayVerdict, StepError>> {
  const verified = verifySnapshot(snapshot, step);
  if (!verified.ok) return verified;
  if (firstArtifact(snapshot, "step-output") === undefined) {
    const message = `The snapshot of step "${step.name}" has no step-output artifact to compare a replay with.`;
    return err(kernelError("missing_output", message));
  }
  const partial = hashedInput(snapshot);
  if (partial !== undefined) return err(partial);
  const calls = recordedCalls(snapshot);
  const problem = missingTape(calls);
  if (problem !== undefined)
    return err(kernelError("tape_missing", `Step "${step.name}" cannot be replayed: ${problem}.`));
  const server = serveAdapters(calls);
  const { workflowId, workflowVersion } = snapshot;
  // A copy: the step must not be able to change the stored input.
  const input = cloneData(snapshot.input);
  const contextFactory = createContextFactory(server.adapters);
  const result = await executeStep({
    step: tapedStep(step, server.within),
    input,
    contextFactory,
    workflowId,
    workflowVersion,
    runId,
  });
  const missed = missError(server, { step, recorded: calls.length });
  if (missed !== undefined) return err(missed);
  return result.ok ? ok(compare(snapshot, result.value)) : result;
}

function missError(
  server: AdapterServer,
  { step, recorded }: { readonly step: AnyStep; readonly recorded: number },
): StepError | undefined {
  const [miss] = server.misses();
  if (miss === undefined) return undefined;
  const hashed = hashedAnswer(miss);
  if (hashed !== undefined) return hashed;
  if (recorded > 0) {
    const message = `Step "${step.name}" now makes a call of adapter "${miss.adapter}" that was not recorded (${miss.recorded} of that adapter were).`;
    return kernelError("recording_miss", message, miss);
  }
  const message = `The snapshot of step "${step.name}" has no recorded adapter calls: it can be loaded, not replayed. Capture it with withReplay.`;
  return kernelError("not_recorded", message, miss);
}

function compare(snapshot: Snapshot, result: StepResult): ReplayVerdict {
  const commands = storedCommands(snapshot);
  const stored = outputContent(snapshot);
  const parts: [ReplayPart, unknown, unknown][] = [];
  if (stored !== undefined) {
    parts.push(["output", stored.output, result.output], ["events", stored.events ?? [], result.events]);
  }
  if (commands !== undefined) parts.push(["commands", commands, normalizeCommands(result.commands)]);
  const different = parts
    .map(withoutSecrets)
    .filter(([, before, after]) => stableStringify(before) !== stableStringify(after));
  const differs = new Set<ReplayPart>(different.map(([part]) => part));
  const { output, events } = result;
  if (stored === undefined && hashDiffers(firstArtifact(snapshot, "step-output"), { output, events }))
    differs.add("output");
  const commandsArtifact = firstArtifact(snapshot, "step-commands");
  if (commands === undefined && hashDiffers(commandsArtifact, normalizeCommands(result.commands)))
    differs.add("commands");
  if (differs.size === 0) return { kind: "identical" };
  const diffs = different.map(([part, before, after]) => [part, diff(jsonOf(before), jsonOf(after))] as const);
  return { kind: "different", differs: PARTS.filter((part) => differs.has(part)), diffs: Object.fromEntries(diffs) };
}

/** What is stored holds no secrets: where the sides differ, what is now must hold none either. */
function withoutSecrets([part, before, after]: [ReplayPart, unknown, unknown]): [ReplayPart, unknown, unknown] {
  return stableStringify(before) === stableStringify(after)
    ? [part, before, after]
    : [part, ...comparable(jsonOf(before), jsonOf(after), [part])];
}

/**
 * A hash-only capture still says whether its content (output and events together, or commands) is the same but for
 * its secrets.
 */
function hashDiffers(artifact: Artifact | undefined, content: unknown): boolean {
  return artifact !== undefined && artifact.hash !== hashArtifact(artifact.kind, content).hash;
}
