import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText } from "../../kernel/text.ts";
import { type AdapterCall, adapterName, parseAdapterCall } from "../../record/adapter-call.ts";
import { type Snapshot, inputHashOf } from "../../record/snapshot.ts";
import { artifactProblem } from "../../record/read-snapshot.ts";
import type { UnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { containsHashOnly } from "../../redact/placeholder.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";

/** Verifies that a snapshot is complete and of this step: input hash, step name, the hash of each stored artifact. */
export function verifySnapshot(snapshot: Snapshot, step: AnyStep): Result<Snapshot, StepError> {
  const otherInput = inputProblem(snapshot);
  if (otherInput !== undefined) return err(otherInput);
  if (snapshot.stepName !== step.name) {
    const message = `The snapshot is of step "${snapshot.stepName}", not of "${step.name}".`;
    return err(kernelError("snapshot_corrupted", message));
  }
  const problem = snapshot.artifacts.map(artifactProblem).find((part) => part !== undefined);
  if (problem !== undefined) {
    return err(kernelError("snapshot_corrupted", `The snapshot of step "${step.name}" is damaged: ${problem}`));
  }
  return ok(snapshot);
}

/** Returns the error of a snapshot whose input doesn't match its hash; undefined if it matches. */
export function inputProblem(snapshot: Snapshot): StepError | undefined {
  const actual = hashInput(snapshot);
  if (!actual.ok) return actual.error;
  if (actual.value === snapshot.inputHash) return undefined;
  const message = `Input hash mismatch: expected ${snapshot.inputHash}, got ${actual.value}`;
  return kernelError("input_hash_mismatch", message);
}

function hashInput(snapshot: Snapshot): Result<string, StepError> {
  try {
    return ok(inputHashOf(snapshot.input));
  } catch (cause) {
    const message =
      `Input hash mismatch: expected ${snapshot.inputHash}, but the stored input can't be ` +
      `hashed (${messageOf(cause)})`;
    return err(kernelError("input_hash_mismatch", message, cause));
  }
}

/** Error code of a request for data of which the recording stores only the hash. */
export const HASH_ONLY = "hash_only";

/** Returns the error of a run on an incomplete stored input; undefined for a complete one. */
export function hashOnlyInputError({ input, stepName }: Snapshot): StepError | undefined {
  if (!containsHashOnly(input)) return undefined;
  const problem = `Only the hash of the input of step "${stepName}" is stored (hashOnly), so the step can't run.`;
  const message = `${problem} Check this case in a test that passes its input: toMatchBaseline({ input }).`;
  return kernelError(HASH_ONLY, escapeText(message));
}

/**
 * Returns the error of a request for a response that is stored only as a hash; undefined for another unrecorded
 * request.
 */
export function hashOnlyResponseError(unrecorded: UnrecordedRequest): StepError | undefined {
  if (unrecorded.reason !== "hash_only") return undefined;
  const answer = `The recorded response of ${adapterName(unrecorded.adapter)}`;
  const problem = `${answer} can't be replayed: only its hash is stored (hashOnly)`;
  const message = `${problem}. Check this case with the current adapters: { adapters, mode: "live" }.`;
  return kernelError(HASH_ONLY, message, unrecorded);
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
