import type { CompareBy, KeyBy } from "../base/compare-rules.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import type { StoredCase } from "../baseline/library.ts";
import { snapshotOf } from "../baseline/snapshot-of.ts";
import { artifactProblem } from "../record/read-snapshot.ts";
import { compareOutcomes, storedOutcome } from "./compare.ts";
import { messageOf } from "../base/thrown.ts";
import { kernelError } from "../step/fail.ts";
import type { Check } from "./check.ts";
import { rulesOf } from "./rules-of.ts";
import { verdictOfChanges, verdictOfError } from "./verdict.ts";

/** A stored case and the baseline that would take its place. */
export interface BaselinePair {
  readonly stored: StoredCase;
  readonly next: StepBaseline;
  readonly keyBy: KeyBy;
  /** What is tolerated of the output. */
  readonly compare: CompareBy;
  readonly propose: NonNullable<Check["propose"]>;
}

/** Compares what is stored with what is now, without running anything. */
export function compareBaselines({
  stored,
  next,
  keyBy,
  compare,
  propose,
}: BaselinePair): Pick<Check, "verdict" | "propose" | "compare"> {
  const { baseline, file } = stored;
  if (!baseline.ok) return { verdict: { kind: "broken", problem: baseline.error }, propose: undefined };
  if (baseline.value.kind !== "step") return broken(file, "it is a baseline of a value");
  const snapshot = snapshotOf(baseline.value);
  const damage = snapshot.artifacts.map(artifactProblem).find((problem) => problem !== undefined);
  if (damage !== undefined)
    return { verdict: verdictOfError(kernelError("snapshot_corrupted", damage), file), propose: undefined };
  const { input, output, commands } = next;
  try {
    const { compared, tolerated } = compareOutcomes(
      storedOutcome(snapshot),
      { input, output, commands },
      { parts: ["input", "output", "commands"], keyBy, compare },
    );
    const verdict = verdictOfChanges(compared, tolerated);
    return { verdict, propose: verdict.kind === "clean" ? undefined : propose, ...rulesOf(compare) };
  } catch (thrown) {
    return {
      verdict: verdictOfError(kernelError("normalization_failed", messageOf(thrown), thrown), file),
      propose: undefined,
    };
  }
}

function broken(file: string, found: string): Pick<Check, "verdict" | "propose"> {
  return {
    verdict: { kind: "broken", problem: `Cannot use ${file}: ${found}. Delete it or move it.` },
    propose: undefined,
  };
}
