import { type Result, err, ok } from "../base/result.ts";
import { inputHashOf } from "../record/input-hash.ts";
import { artifactProblem } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import type { AnyStep } from "../step/define-step.ts";
import { type StepError, kernelError, messageOf } from "../step/step-error.ts";

/** Checks that a snapshot is whole and of this step: input hash, step name, the hash of every stored artifact. */
export function verifySnapshot(snapshot: Snapshot, step: AnyStep): Result<Snapshot, StepError> {
  const actual = hashInput(snapshot);
  if (!actual.ok) return actual;
  if (actual.value !== snapshot.inputHash) {
    const message = `Input hash mismatch: expected ${snapshot.inputHash}, got ${actual.value}`;
    return err(kernelError("input_hash_mismatch", message));
  }
  if (snapshot.stepName !== step.name) {
    const message = `The snapshot is of step "${snapshot.stepName}", not of "${step.name}".`;
    return err(kernelError("snapshot_corrupted", message));
  }
  const problem = snapshot.artifacts.map(artifactProblem).find((found) => found !== undefined);
  if (problem !== undefined) {
    return err(kernelError("snapshot_corrupted", `The snapshot of step "${step.name}" is damaged: ${problem}`));
  }
  return ok(snapshot);
}

function hashInput(snapshot: Snapshot): Result<string, StepError> {
  try {
    return ok(inputHashOf(snapshot.input));
  } catch (cause) {
    const message = `Input hash mismatch: expected ${snapshot.inputHash}, got none (${messageOf(cause)})`;
    return err(kernelError("input_hash_mismatch", message, cause));
  }
}
