import type { SnapshotMode } from "../kernel/write-policy.ts";
import type { Recording } from "../record/with-replay.ts";
import type { StepToRecord } from "./step-to-record.ts";

/** A counter of the runner's summary: a number in Vitest 3 and Jest, an object in Vitest 4 and newer. */
export type RunnerCounter = number | { increment(testId: string): void };

/**
 * The part of a runner's snapshot state that matchers read. Both runners keep it; the underscored names are the older
 * ones.
 */
export interface SnapshotState extends SnapshotMode {
  readonly snapshotPath?: string;
  readonly _snapshotPath?: string;
  matched: RunnerCounter;
  unmatched: RunnerCounter;
}

/** Text styles both runners hand to a matcher. */
export interface MatcherUtils {
  readonly RECEIVED_COLOR?: (text: string) => string;
  readonly EXPECTED_COLOR?: (text: string) => string;
  readonly DIM_COLOR?: (text: string) => string;
}

/** A test as jest-circus keeps it. */
export interface CircusTest {
  readonly type: "test";
  readonly name: string;
  /** True for `test.failing`. */
  readonly failing?: boolean;
  /** True for `test.concurrent`. */
  readonly concurrent?: boolean;
  /** Number of the attempts that have started. */
  readonly invocations?: number;
  readonly errors: readonly unknown[];
}

/** The `this` of a matcher: the fields that both runners have, and the few that only one of them has. */
export interface MatcherContext {
  readonly isNot?: boolean;
  readonly testPath?: string;
  readonly currentTestName?: string;
  readonly currentConcurrentTestName?: () => string | undefined;
  /** The running test, from Jest 30.5 on. */
  readonly currentTestIdentity?: () => CircusTest | undefined;
  readonly snapshotState?: SnapshotState;
  readonly task?: object;
  readonly utils: MatcherUtils;
  readonly customTesters?: readonly unknown[];
  /** Runs a step for a matcher that judges its run; set by `createMatchers`. */
  readonly recordStep?: (run: StepToRecord) => Promise<Recording>;
  readonly equals: (left: unknown, right: unknown, customTesters?: readonly unknown[]) => boolean;
}

/** Result of a matcher. It never contains raw values: the runner would diff them itself, in seconds per megabyte. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** A matcher that checks files or runs steps, so that it must be awaited. */
export type AsyncMatcher<Options> = (
  this: MatcherContext,
  received: unknown,
  options?: Options,
) => Promise<MatcherResult>;

/** Asymmetric matcher of Vitest or Jest, such as the return value of `expect.objectContaining`. */
export interface AsymmetricMatcher {
  asymmetricMatch(other: unknown): boolean;
}
