import { readVariable } from "../kernel/environment.ts";
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { VerdictKind } from "../check/verdict.ts";
import type { ReportFindings, ReportUsage } from "./report-case.ts";

/** The name of a test file's log in its own meta data. */
export const META_NAME = "veritest";

/** One check of one baseline in a test that ended. */
export interface LoggedCheck {
  /** The test's titles joined by blanks. */
  readonly test: string;
  /** Absolute path of the baseline. */
  readonly path: string;
  /** A verdict's class, or `captured` or `updated` for one that was written. */
  readonly outcome: string;
  /** Where the adapters' answers came from, where a step ran. */
  readonly source?: "recorded" | "live";
  /**
   * What a passing check has to say all the same: what was tolerated, recorded calls that were not made. Safe to print.
   */
  readonly remarks?: readonly string[];
  /** The verdict's class where the outcome does not say it. */
  readonly verdict?: VerdictKind;
  /** What a report tells of it, where there is something to tell. */
  readonly findings?: ReportFindings;
  /** How long it took, where it was timed. */
  readonly ms?: number;
  /** What its live calls cost. */
  readonly usage?: ReportUsage;
}

/** What one worker has to say about one test file. */
export interface TestFileLog {
  readonly testPath: string;
  /** The directory of the baselines beside the test file. */
  readonly root: string;
  readonly checks: readonly LoggedCheck[];
  /** The keys of the changes its tests staged for the run's end. */
  readonly staged: readonly string[];
}

/** Whether a reporter reads what is logged. */
export function hasRunLog(environment: NodeJS.ProcessEnv): boolean {
  return logDirectory(environment) !== undefined;
}

function logDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  return readVariable(environment, "VERITEST_RUN_LOG");
}

/** Adds a test file's log, one line in one synchronous write; does nothing where no reporter listens. */
export function appendRunLog(environment: NodeJS.ProcessEnv, log: TestFileLog): void {
  const directory = logDirectory(environment);
  if (directory === undefined) return;
  // Not a UUID: loading node:crypto would cost each test file more than the line does.
  appendFileSync(
    join(directory, `${process.pid}-${process.hrtime.bigint()}-${Math.random()}.ndjson`),
    `${JSON.stringify(log)}\n`,
  );
}
