import { readVariable } from "../kernel/environment.ts";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { Findings, NewCase } from "../check/check.ts";
import type { VerdictClass } from "../check/verdict.ts";
import type { ReportFindings, ReportUsage } from "./report-case.ts";

/** The name of a test file's log in its own meta data. */
export const META_NAME = "veritest";

/** Duration of a run, and its live calls. */
export interface LiveUsage {
  /** Duration, if it was timed. */
  readonly ms?: number;
  /** Number of its live calls of adapters and recorders. */
  readonly liveCalls?: number;
  /** Cost of its live calls of models. */
  readonly usage?: ReportUsage;
}

/** One check of one baseline in a test that ended. */
export interface LoggedCheck extends LiveUsage {
  /** Titles of the test, joined by spaces. */
  readonly test: string;
  /**
   * Number of the test's round in its file. A retry has its test's number. A repetition, or another test with the same
   * titles, has another one. Default: one for each title.
   */
  readonly round?: number;
  /** Absolute path of the baseline. */
  readonly path: string;
  /** A verdict's class, or `captured` or `updated` for one that was written. */
  readonly outcome: string;
  /** Source of the adapters' responses, if a step ran. */
  readonly source?: "recorded" | "live" | undefined;
  /** Remarks of a passing check: tolerated differences, recorded calls that weren't made. Safe to print. */
  readonly remarks?: readonly string[];
  /** Rules of the check by whether they match, and the project's of `ignore`: the summary compares all checks. */
  readonly matchedRules?: Findings["matchedRules"] | undefined;
  readonly unmatchedRules?: Findings["unmatchedRules"] | undefined;
  readonly projectIgnores?: Findings["projectIgnores"] | undefined;
  /** The verdict's class if it doesn't follow from the outcome. */
  readonly verdict?: VerdictClass;
  /** True if the result can't be stored, so that no update of it is pending. */
  readonly isRefused?: true;
  /** True if its test failed, and the run has staged another result of the case: none of them can be accepted. */
  readonly isSecondResult?: true | undefined;
  /** Findings for a report, if there are any. */
  readonly findings?: ReportFindings;
  /** A missing case that the run could not capture. The run's end pairs it with an unused one. */
  readonly newCase?: NewCase;
  /** Name of the test as its runner joins the titles, if `-u` should record its unrecorded request. */
  readonly rerun?: string;
  /** Host of the unrecorded request, such as `https://api.openai.com`, if the recorder of `fetch` knows it. */
  readonly origin?: string;
}

/** Log of one worker about one test file. */
export interface TestFileLog {
  readonly testPath: string;
  /** Directory of the baselines next to the test file. */
  readonly root: string;
  readonly checks: readonly LoggedCheck[];
  /** Absolute paths of baselines that only tests used which are expected to fail: their checks aren't reported. */
  readonly unreported?: readonly string[];
  /** Steps that had no baselines next to the file when a test checked all of them. */
  readonly emptySteps?: readonly string[];
  /** Live calls of matchers that ran a step without checking a baseline. */
  readonly live?: readonly LiveUsage[];
  /** Names of the steps that the file's modules define, a renamed step under its new name; absent if unknown. */
  readonly steps?: readonly string[];
  /** The keys of the changes its tests staged for the run's end. */
  readonly staged: readonly string[];
}

/** Returns true if a reporter reads the log. */
export function hasRunLog(environment: NodeJS.ProcessEnv): boolean {
  return logDirectory(environment) !== undefined;
}

function logDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  return readVariable(environment, "VERITEST_RUN_LOG");
}

/** Adds a test file's log, one line in one synchronous write; does nothing without a reporter. */
export function appendRunLog(environment: NodeJS.ProcessEnv, log: TestFileLog): void {
  const directory = logDirectory(environment);
  if (directory === undefined) return;
  // Not a UUID: loading node:crypto would cost each test file more than the line does.
  appendFileSync(
    join(directory, `${process.pid}-${process.hrtime.bigint()}-${Math.random()}.ndjson`),
    `${JSON.stringify(log)}\n`,
  );
}
