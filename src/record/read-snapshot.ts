import { hashValueSync } from "../kernel/json/hash.ts";
import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type Result, err, ok } from "../kernel/result.ts";
import type { Artifact, ArtifactKind } from "../kernel/step/artifact.ts";
import { COMMAND_TYPES, type Command, normalizeCommands } from "../kernel/step/command.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import { messageOf } from "../kernel/error-message.ts";
import { type AdapterCall, parseAdapterCall } from "./adapter-call.ts";
import { liveForm } from "./encode/decode.ts";
import type { Snapshot } from "./snapshot.ts";

/** Type of the events in which a grounded response reports the hash of its state. */
export const CHECKPOINT = "vera_checkpoint";

/** Content of a `step-output` artifact. */
export interface StepOutputContent {
  readonly output: unknown;
  readonly events?: unknown;
  readonly commands?: unknown;
}

/** The first artifact of a kind: when several share one, the first emitted wins. */
export function firstArtifact(snapshot: Snapshot, kind: ArtifactKind): Artifact | undefined {
  return snapshot.artifacts.find((artifact) => artifact.kind === kind);
}

/**
 * Returns the stored content of `step-output`. Errors: `missing_output` if it isn't stored or only its hash is;
 * `output_corrupted` if the content doesn't match its hash.
 */
export async function loadOutput(snapshot: Snapshot): Promise<Result<StepOutputContent, StepError>> {
  const artifact = firstArtifact(snapshot, "step-output");
  const of = `of step "${snapshot.stepName}"`;
  if (artifact === undefined)
    return err(kernelError("missing_output", `The snapshot ${of} has no stored output. Capture it again.`));
  if (artifact.content === undefined) {
    return err(kernelError("missing_output", `The snapshot ${of} only has the hash of its output (hashOnly).`));
  }
  const problem = artifactProblem(artifact);
  if (problem !== undefined) return err(kernelError("output_corrupted", `Output ${of}: ${problem}`));
  if (!isOutputContent(artifact.content)) {
    return err(
      kernelError(
        "output_corrupted",
        `The stored output ${of} has no "output" key, so it can't be read. Capture the case again.`,
      ),
    );
  }
  const live = liveForm(artifact.content);
  return ok(isOutputContent(live) ? live : artifact.content);
}

/** The stored output content without checking its hash; undefined when there is none to compare with. */
export function outputContent(snapshot: Snapshot): StepOutputContent | undefined {
  const content = firstArtifact(snapshot, "step-output")?.content;
  return isOutputContent(content) ? content : undefined;
}

/**
 * The stored commands, normalized: those of `step-commands`, those embedded in `step-output`, or none. Undefined if
 * only a hash was stored, so that they can't be compared.
 */
export function storedCommands(snapshot: Snapshot): readonly Command[] | undefined {
  const own = firstArtifact(snapshot, "step-commands");
  if (isCommandList(own?.content)) return normalizeCommands(own.content);
  const embedded = outputContent(snapshot)?.commands;
  if (isCommandList(embedded)) return normalizeCommands(embedded);
  const hasNone = own === undefined && embedded === undefined && firstArtifact(snapshot, "step-output") !== undefined;
  return hasNone ? [] : undefined;
}

/** Describes an artifact's content that doesn't match its hash; undefined if it does, or isn't stored. */
export function artifactProblem({ content, hash, kind }: Artifact): string | undefined {
  if (content === undefined) return undefined;
  try {
    const actual = hashValueSync(content);
    return actual === hash ? undefined : `hash mismatch of ${kind}: expected ${hash}, got ${actual}`;
  } catch (thrown) {
    return `${kind} can't be hashed: ${messageOf(thrown)}`;
  }
}

/**
 * Reads the adapter calls of a snapshot from its artifacts. The kind isn't reserved: an adapter may store its own
 * metadata under it, so other content is ignored (the artifact's hash shows damage).
 */
export function recordedCalls({ artifacts }: Pick<Snapshot, "artifacts">): readonly AdapterCall[] {
  return artifacts
    .filter(({ kind, content }) => kind === "adapter-call" && content !== undefined)
    .map(({ content }) => parseAdapterCall(content))
    .filter((call) => typeof call !== "string");
}

function isOutputContent(content: unknown): content is StepOutputContent {
  return isPlainObject(content) && Object.hasOwn(content, "output");
}

function isCommandList(content: unknown): content is readonly Command[] {
  return isArray(content) && content.every((item) => isPlainObject(item) && COMMAND_TYPES.has(item["type"]));
}
