import type { UpdateMode } from "../kernel/write-policy.ts";
import type { StagedFiles } from "../baseline/staged-updates.ts";
import type { Check, Findings } from "../check/check.ts";
import type { StagedUpdate } from "../check/update/stage-update.ts";
import type { LoggedCheck } from "../explain/append-run-log.ts";
import type { MatcherContext } from "./matcher-context.ts";

/** Test with an unrecorded request: its name if `-u` should record it, and the host of that request if it's known. */
export type TestToRerun = Pick<LoggedCheck, "rerun" | "origin">;

/** The running test, as the matchers see it: the directory of its baselines and what it may do to them. */
export interface TestSession {
  readonly mode: UpdateMode;
  /** Directory of the baselines next to the test file. */
  readonly root: string;
  /** Absolute path of the test file. */
  readonly testPath: string;
  /** The base name of the test file. */
  readonly testFile: string;
  /** Titles of the test, outermost first, joined by spaces: the same text on both runners. */
  readonly testName: string;
  /** The test's own updates by path: it sees them like files. */
  readonly staged: StagedFiles;
  /** True if a change that the mode doesn't write is kept as pending: in CI only with a state directory. */
  readonly keepsPending: boolean;
  /** True in a CI job, where live adapters are only called if a mode requests it. */
  readonly isCi: boolean;
  /** `mode` of the project's configuration (`replay`, `live` or `auto`); undefined if it has none. */
  readonly projectMode: string | undefined;
  /**
   * Takes the file at `path` for a case whose input has this hash, secrets included. False if another input of this
   * test file has it already, which differs in secrets alone.
   */
  claimCase(path: string, inputHash: string): boolean;
  /** Returns true if a test of the file, this or an earlier one, has checked the baseline at `path`. */
  isUsed(path: string): boolean;
  /** Keeps an update until the attempt ends, which stages it for the run (`storeAttempt`). */
  stage(staged: StagedUpdate): void;
  /** Returns the name of the first test of this file that failed with a group of changes: this or an earlier one. */
  readonly firstOfGroup?: (group: string) => string;
  /**
   * Notes a check for the run's report and the runner's own counters. `remarks` is what a passing check has to say all
   * the same, each line safe to print. `rerun` is the test of an unrecorded request.
   */
  note(check: Check, remarks: readonly string[], rerun?: TestToRerun): void;
  /** Steps that had no baselines when the test checked all of them, for the run's summary. */
  readonly emptySteps: string[];
  /** Notes a run with live calls that checks no baseline, for the closing line of the run. */
  noteLive(findings: Pick<Findings, "ms" | "liveCalls" | "costs">): void;
  /** Runs a check, in a span with this name if there is a tracer. */
  traceCheck(name: string, check: () => Check | Promise<Check>): Promise<Check>;
  /** Logs a clean check without a report entry; undefined if a listener reads traces, which report each check. */
  readonly noteClean: ((path: string) => void) | undefined;
}

/**
 * Runs a check within the test that called the matcher, and counts it as unfinished until it ends. Throws, or rejects,
 * with a plain sentence if no test is running.
 */
export type RunInSession = <T>(
  context: MatcherContext,
  matcher: string,
  work: (session: TestSession) => T | Promise<T>,
) => Promise<T>;
