import type { UpdateMode } from "../kernel/write-policy.ts";
import type { BaselineUpdate } from "../baseline/baseline.ts";
import type { Check } from "../check/check.ts";
import type { StagedUpdate } from "../check/handle-update.ts";
import type { MatcherContext } from "./matcher-context.ts";

/** The running test, as the matchers see it: where its baselines lie and what it may do to them. */
export interface TestSession {
  readonly mode: UpdateMode;
  /** The directory of the baselines beside the test file. */
  readonly root: string;
  /** The base name of the test file. */
  readonly testFile: string;
  /** The test's titles, outermost first, joined by blanks: the same text on both runners. */
  readonly testName: string;
  /** The test's own proposals by path: it sees them like files. */
  readonly staged: ReadonlyMap<string, BaselineUpdate>;
  /**
   * True where a change that the mode does not write is kept for review: not in CI, unless it has a state directory.
   */
  readonly keepsPending: boolean;
  /**
   * What the project's configuration says of adapters (`recorded`, `live` or `auto`); undefined leaves it to the run.
   */
  readonly adapterMode?: string | undefined;
  /**
   * Takes the file at `path` for a case whose input has this hash, secrets included. False if another input of this
   * test file has it already, which differs in secrets alone.
   */
  claimCase(path: string, inputHash: string): boolean;
  stage(staged: StagedUpdate): void;
  /**
   * Notes a check for the run's report and the runner's own counters. `remarks` is what a passing check has to say all
   * the same, each line safe to print.
   */
  note(check: Check, remarks: readonly string[]): void;
  /** Runs a check, in a span with this name if there is a tracer. */
  traceCheck(name: string, check: () => Check | Promise<Check>): Promise<Check>;
  /**
   * Notes a baseline of which nothing is to be told but that it is as it was; undefined where somebody listens to
   * traces, which tell of each check.
   */
  readonly noteClean: ((path: string) => void) | undefined;
}

/**
 * Runs a check within the test that called the matcher, and knows it as unfinished until it settles. Throws, or
 * rejects, with a sentence for people when there is no such test.
 */
export type RunInSession = <T>(
  context: MatcherContext,
  matcher: string,
  work: (session: TestSession) => T | Promise<T>,
) => Promise<T>;
