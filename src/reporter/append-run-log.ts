import { appendFileSync } from "node:fs";
import { join } from "node:path";

/** Names the directory of the run's log for workers: the one channel every worker kind of both runners has. */
export const RUN_LOG_VARIABLE = "VERITEST_RUN_LOG";

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
  /** What a passing check has to say all the same: what was tolerated, recorded calls that were not made. Safe to print. */
  readonly remarks?: readonly string[];
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

/** Adds a test file's log, one line in one synchronous write; does nothing where no reporter listens. */
export function appendRunLog(environment: NodeJS.ProcessEnv, log: TestFileLog): void {
  const directory = environment[RUN_LOG_VARIABLE];
  if (directory === undefined || directory === "") return;
  // Not a UUID: loading node:crypto would cost each test file more than the line does.
  appendFileSync(join(directory, `${process.pid}-${process.hrtime.bigint()}-${Math.random()}.ndjson`), `${JSON.stringify(log)}\n`);
}
