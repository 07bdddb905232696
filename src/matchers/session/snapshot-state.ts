import { baselineRoot } from "../../baseline/baseline-paths.ts";
import type { RunnerCounter, SnapshotState } from "../matcher-context.ts";

/**
 * Returns the directory of the baselines next to the running test file; undefined if the runner has no snapshot path.
 */
export function rootOf(state: SnapshotState): string | undefined {
  const path = state.snapshotPath ?? state._snapshotPath;
  return path === undefined ? undefined : baselineRoot(path);
}

/** Counts a matched or unmatched baseline in the runner's own summary, whichever form its counter has. */
export function count(state: SnapshotState, counter: "matched" | "unmatched", testId: string): void {
  const current: RunnerCounter = state[counter];
  if (typeof current === "number") state[counter] = current + 1;
  else current.increment(testId);
}

/** Narrows what a runner keeps as its snapshot state. */
export function isSnapshotState(state: unknown): state is SnapshotState {
  return (
    typeof state === "object" &&
    state !== null &&
    "matched" in state &&
    ("snapshotPath" in state || "_snapshotPath" in state)
  );
}
