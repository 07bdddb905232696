import type { KeyBy } from "../../kernel/diff/compare-rules.ts";
import { type DiffResult, NO_DIFFERENCES } from "../../kernel/diff/entries.ts";
import type { Snapshot } from "../../record/snapshot.ts";
import { compareOutcomes, diffOf, storedOutcome } from "./compare.ts";

/** Differences between two snapshots; undefined if either has no stored parts to compare. */
export interface SnapshotComparison {
  readonly inputDiff: DiffResult;
  readonly outputDiff: DiffResult | undefined;
  readonly commandsDiff: DiffResult | undefined;
}

/**
 * Compares the inputs, outputs and commands of two snapshots without running the step. Throws a TypeError if `keyBy`
 * doesn't match the outputs.
 */
export function compareSnapshots(
  before: Snapshot,
  after: Snapshot,
  { keyBy = {} }: { readonly keyBy?: KeyBy } = {},
): SnapshotComparison {
  const comparison = compareOutcomes(storedOutcome(before), storedOutcome(after), {
    parts: ["input", "output", "commands"],
    keyBy,
    compare: {},
  });
  return {
    inputDiff: diffOf(comparison, "input") ?? NO_DIFFERENCES,
    outputDiff: diffOf(comparison, "output"),
    commandsDiff: diffOf(comparison, "commands"),
  };
}
