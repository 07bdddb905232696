import { escapeText } from "../../kernel/text.ts";
import { adapterName } from "../../record/adapter-call.ts";
import { type Snapshot, inputHashOf } from "../../record/snapshot.ts";
import { artifactProblem } from "../../record/read-snapshot.ts";
import type { UnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { containsHashOnly } from "../../redact/placeholder.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";

/**
 * Returns the error of a snapshot that is damaged or of another step: `input_hash_mismatch` or `snapshot_corrupted`.
 * Undefined if its input hash, its step name and the hash of each stored artifact are correct.
 */
export function snapshotError(snapshot: Snapshot, step: AnyStep): StepError | undefined {
  const otherInput = inputHashError(snapshot);
  if (otherInput !== undefined) return otherInput;
  if (snapshot.stepName !== step.name) {
    const message = `The snapshot is of step "${snapshot.stepName}", not of "${step.name}".`;
    return kernelError("snapshot_corrupted", message);
  }
  const problem = snapshot.artifacts.map(artifactProblem).find((part) => part !== undefined);
  if (problem === undefined) return undefined;
  return kernelError("snapshot_corrupted", `The snapshot of step "${step.name}" is damaged: ${problem}`);
}

/** Returns the error of a snapshot whose input doesn't match its hash; undefined if it matches. */
export function inputHashError(snapshot: Snapshot): StepError | undefined {
  try {
    const actual = inputHashOf(snapshot.input);
    const mismatch = `Input hash mismatch: expected ${snapshot.inputHash}, got ${actual}`;
    return actual === snapshot.inputHash ? undefined : kernelError("input_hash_mismatch", mismatch);
  } catch (cause) {
    const message = `The stored input can't be compared with its hash ${snapshot.inputHash}: ${messageOf(cause)}`;
    return kernelError("input_hash_mismatch", message, cause);
  }
}

/** Error code of a run that needs an input or a response of which the recording stores only the hash. */
export const HASH_ONLY = "hash_only";

/** Returns the error of a run on an incomplete stored input; undefined for a complete one. */
export function hashOnlyInputError({ input, stepName }: Snapshot): StepError | undefined {
  if (!containsHashOnly(input)) return undefined;
  const problem = `Step "${stepName}" can't run, because only the hash of its input is stored (hashOnly).`;
  const message = `${problem} Check this case in a test that passes its input: toMatchBaseline({ input }).`;
  return kernelError(HASH_ONLY, escapeText(message));
}

/**
 * Returns the error of a request for a response that is stored only as a hash; undefined for another unrecorded
 * request.
 */
export function hashOnlyResponseError(unrecorded: UnrecordedRequest): StepError | undefined {
  if (unrecorded.reason !== "hash_only") return undefined;
  const response = `The recorded response of ${adapterName(unrecorded.adapter)}`;
  const problem = `${response} can't be replayed: only its hash is stored (hashOnly)`;
  const message = `${problem}. Check this case with live adapters: { adapters, mode: "live" }.`;
  return kernelError(HASH_ONLY, message, unrecorded);
}
