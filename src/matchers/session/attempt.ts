import { StagedUpdates } from "../../baseline/staged-updates.ts";
import type { StagedUpdate } from "../../check/update/stage-update.ts";
import type { LiveUsage, LoggedCheck } from "../../explain/append-run-log.ts";

/** One attempt of one test: what it staged, checked, and has not finished. A retry is another attempt. */
export interface Attempt {
  readonly testName: string;
  /** Name of the runner's project. */
  readonly project: string | undefined;
  /** Number of the attempt, if the runner numbers attempts. */
  readonly number: number | undefined;
  /** True if the test must fail to count as passed. Its checks write and report nothing. */
  readonly expectsFailure: boolean;
  /** True if the runner runs the test again, and doesn't show a failure of this attempt. */
  readonly hasRetry: boolean | undefined;
  /** Paths whose last check failed, which the runner counts as unmatched, by the test's id. */
  readonly unmatched: Map<string, string>;
  /** Absolute path of the test file. */
  readonly testPath: string;
  /**
   * Updates that the run's mode writes, by path, with those that passing tests of the file staged before: the test sees
   * them like files.
   */
  readonly staged: StagedUpdates;
  /** Every change, to be written or only pending for review, by path and intent. */
  readonly changes: Map<string, StagedUpdate>;
  /** Log entries of the checks, made once it is known whether the attempt's writes are pending. */
  readonly checks: ((isPending: boolean) => LoggedCheck | Promise<LoggedCheck>)[];
  /** Steps that had no baselines when the test checked all of them. */
  readonly emptySteps: string[];
  /** Live calls of runs that check no baseline. */
  readonly live: LiveUsage[];
  /** Matchers that haven't finished yet. */
  readonly unfinished: Map<Promise<unknown>, string>;
  /** Matchers that failed, and whose failure the test didn't wait for, with its error. */
  readonly lost: { readonly matcher: string; readonly error: unknown }[];
  /** True once a matcher failed; after the attempt, true if the runner shows its failure. */
  hasFailed: boolean;
  /** Steps and values whose checks run, by the check. */
  readonly running: Map<unknown, string>;
}

/** Starts an attempt of a test; `staged` is what passing tests of its file staged so far. */
export function startAttempt(
  first: Pick<Attempt, "testName" | "testPath" | "project" | "number" | "expectsFailure" | "hasRetry" | "staged">,
): Attempt {
  return {
    ...first,
    unmatched: new Map(),
    staged: new StagedUpdates(first.staged),
    changes: new Map(),
    checks: [],
    emptySteps: [],
    live: [],
    unfinished: new Map(),
    lost: [],
    hasFailed: false,
    running: new Map(),
  };
}
