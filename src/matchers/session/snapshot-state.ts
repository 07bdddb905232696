import { baselineRoot } from "../../baseline/baseline-paths.ts";
import type { Attempt } from "./attempt.ts";
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

/** The last attempt of a test's round. */
interface LastAttempt {
  readonly round: unknown;
  readonly number: number;
  readonly attempt: Attempt;
}

/**
 * Numbers the rounds of tests. Counts baselines whose last check in an attempt failed as unmatched, but not those of
 * attempts that were retried: Jest's own snapshots take back the counts of a retried attempt, and its run fails if a
 * count stays.
 */
export class TestRounds {
  readonly #roundOf: (key: unknown) => unknown;
  readonly #last = new Map<unknown, LastAttempt>();
  #rounds = 0;

  constructor(roundOf: (key: unknown) => unknown) {
    this.#roundOf = roundOf;
  }

  /** Notes an attempt that ended, in the place of an earlier one of its round. Returns the round's number. */
  note(key: unknown, attempt: Attempt, state: SnapshotState): number {
    const round = this.#roundOf(key);
    const earlier = this.#last.get(key);
    const isRetry = earlier !== undefined && earlier.round === round;
    if (earlier !== undefined && !isRetry) countAll(earlier.attempt, state);
    const number = isRetry ? earlier.number : (this.#rounds += 1);
    this.#last.set(key, { round, number, attempt });
    return number;
  }

  /** Counts those of the last attempts, when all tests of a file have ended. */
  countLast(state: SnapshotState): void {
    for (const { attempt } of this.#last.values()) countAll(attempt, state);
    this.#last.clear();
  }
}

function countAll({ unmatched, expectsFailure }: Attempt, state: SnapshotState): void {
  // The runner expects the failure of a test that must fail.
  if (!expectsFailure) for (const id of unmatched.values()) count(state, "unmatched", id);
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
