import { type Result, err, ok } from "../base/result.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import type { StoredCase } from "../baseline/library.ts";
import type { AnyStep } from "../step/define-step.ts";

/** A stored case as a baseline of this step, or one sentence on why it is none. */
export function stepBaseline({ baseline, file }: StoredCase, step: AnyStep): Result<StepBaseline, string> {
  if (!baseline.ok) return baseline;
  if (baseline.value.kind === "step") return ok(baseline.value);
  return err(
    `Cannot use ${file}: it is a baseline of a value, found among those of step "${step.name}". Delete it or move it.`,
  );
}
