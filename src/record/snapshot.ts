import { markOwn } from "../kernel/own-values.ts";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { hashText, hashValueSync } from "../kernel/json/hash.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { storedForm, storedItems } from "./encode/encode.ts";
import { redactedHash, inOrderOfSecrets } from "../redact/placeholder.ts";
import { type Artifact, type ArtifactKind, refuseReserved } from "../kernel/step/artifact.ts";
import { normalizeCommands } from "../kernel/step/command.ts";
import type { StepResult } from "../kernel/step/step-result.ts";

/** One recorded run, with its input and artifacts. Pass it to `replay` or `recompute`. */
export interface Snapshot {
  readonly workflowId: string;
  readonly workflowVersion: string;
  readonly stepName: string;
  /** The input as it was given, before parsing. */
  readonly input: unknown;
  readonly inputHash: string;
  readonly artifacts: readonly Artifact[];
  /** Unix time in milliseconds. */
  readonly capturedAt: number;
}

/** Options for {@link createSnapshot}. */
export type SnapshotConfig = Pick<Snapshot, "workflowId" | "workflowVersion" | "stepName" | "input" | "artifacts">;

/** Options for {@link createSnapshotFromResult}. */
export interface SnapshotFromResultOptions {
  /**
   * Artifacts to keep. Kinds of the kernel are refused. Default: the artifacts of the result, so that a recorded result
   * replays.
   */
  readonly artifacts?: readonly Artifact[];
  /** Store only the hash of the output. The input is always stored. */
  readonly hashOnly?: boolean;
}

/**
 * Creates a snapshot from artifacts, and hashes the input. Rejects with a TypeError if canonical JSON can't represent
 * the input.
 */
export async function createSnapshot(config: SnapshotConfig): Promise<Snapshot> {
  const { workflowId, workflowVersion, stepName, input, artifacts } = config;
  const inputHash = inputHashOf(input);
  return markOwn({ workflowId, workflowVersion, stepName, input, inputHash, artifacts, capturedAt: Date.now() });
}

/**
 * Creates a snapshot from a step's result: `step-output`, then `step-commands` if there are commands, then the extra
 * artifacts. Rejects with a TypeError if an extra artifact has a reserved kind, or if canonical JSON can't represent
 * the content.
 */
export async function createSnapshotFromResult(
  result: StepResult,
  options: SnapshotFromResultOptions = {},
): Promise<Snapshot> {
  const { artifacts = result.artifacts } = options;
  for (const artifact of artifacts) refuseReserved(artifact);
  return createSnapshot({
    workflowId: result.workflowId,
    workflowVersion: result.workflowVersion,
    stepName: result.stepName,
    input: result.input,
    artifacts: [...kernelArtifacts(storedParts(result), options), ...artifacts],
  });
}

/** Parts of a result in the form in which a baseline stores them. */
export interface StoredParts extends Pick<StepResult, "events"> {
  readonly output: unknown;
  readonly commands?: StepResult["commands"] | undefined;
}

/** Returns the parts of a result in their stored form. Throws like `storedForm`. */
export function storedParts({ output, events, commands }: StoredParts): StoredParts {
  return {
    output: storedForm(output, ["output"]),
    events: storedItems(events, "events"),
    ...(commands !== undefined && { commands: storedItems(commands, "commands") }),
  };
}

/** The artifacts the kernel itself makes of a result. */
export function kernelArtifacts(
  { output, events, commands = [] }: StoredParts,
  { hashOnly }: Pick<SnapshotFromResultOptions, "hashOnly"> = {},
): Artifact[] {
  const content = { output, events };
  const outputArtifact =
    hashOnly === true ? hashArtifact("step-output", content) : captureArtifactSync("step-output", content);
  if (commands.length === 0) return [outputArtifact];
  return [outputArtifact, captureArtifactSync("step-commands", normalizeCommands(commands))];
}

/**
 * The hash that identifies an input: that of its canonical JSON, in which the placeholders of hidden secrets count by
 * their order, so that a case is the same one whatever number its secrets have. An input that JSON can't represent
 * counts in its stored form. Throws like `storedForm`.
 */
export function inputHashOf(input: unknown): string {
  return hashText(inOrderOfSecrets(jsonOfInput(input)));
}

function jsonOfInput(input: unknown): string {
  try {
    return stableStringify(input);
  } catch {
    return stableStringify(storedForm(input));
  }
}

/** Options of an artifact. */
export interface CaptureOptions {
  /** Stores only the hash, for content that must not be stored. */
  readonly hashOnly?: boolean | undefined;
}

/**
 * Creates an artifact of a value: the hash of its canonical JSON, its kind and, unless it's hash-only, the value. A
 * hash-only artifact is hashed without its secrets, because the hash is written to files and a password can be guessed
 * from its hash. Rejects with a TypeError if canonical JSON can't represent the value.
 */
export async function captureArtifact(
  kind: ArtifactKind,
  content: unknown,
  { hashOnly = false }: CaptureOptions = {},
): Promise<Artifact> {
  return hashOnly ? hashArtifact(kind, content) : captureArtifactSync(kind, content);
}

/**
 * An artifact with only a hash, that of the value without its secrets: the same on all machines. Throws if
 * `captureArtifact` rejects.
 */
export function hashArtifact(kind: ArtifactKind, content: unknown): Artifact {
  return { hash: redactedHash(currentRedactor().redact(content, [kind]).value), kind };
}

/**
 * An artifact of a value without secrets, or one that never leaves the process; throws if `captureArtifact` rejects.
 */
export function captureArtifactSync(
  kind: ArtifactKind,
  content: unknown,
  { hashOnly = false }: CaptureOptions = {},
): Artifact {
  const hash = hashValueSync(content);
  return hashOnly ? { hash, kind } : { hash, kind, content };
}
