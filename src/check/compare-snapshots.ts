import type { KeyBy } from "../base/compare-rules.ts";
import { diff } from "../diff/diff.ts";
import type { DiffResult } from "../diff/types.ts";
import { comparable } from "../redact/comparable.ts";
import { outputContent, storedCommands } from "../record/read-snapshot.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { diffCommands } from "./compare.ts";
import { jsonOf } from "../base/canonical-json.ts";

/** Differences between two snapshots; undefined where either keeps nothing to compare. */
export interface SnapshotComparison {
  readonly inputDiff: DiffResult;
  readonly outputDiff: DiffResult | undefined;
  readonly commandsDiff: DiffResult | undefined;
}

/**
 * Compares two snapshots' inputs, outputs and commands without running anything. Throws a TypeError where `keyBy`
 * does not fit the outputs.
 */
export function compareSnapshots(
  before: Snapshot,
  after: Snapshot,
  { keyBy }: { readonly keyBy?: KeyBy } = {},
): SnapshotComparison {
  const outputs = [outputContent(before), outputContent(after)] as const;
  const commands = [storedCommands(before), storedCommands(after)] as const;
  return {
    inputDiff: diff(...comparable(jsonOf(before.input), jsonOf(after.input), ["input"])),
    outputDiff:
      outputs[0] &&
      outputs[1] &&
      diff(...comparable(jsonOf(outputs[0].output), jsonOf(outputs[1].output), ["output"]), keyBy),
    commandsDiff: commands[0] && commands[1] && diffCommands(commands[0], commands[1]),
  };
}
