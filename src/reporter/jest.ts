import type { RanTestFile } from "./find-obsolete.ts";
import { reportRun } from "./report-run.ts";
import { closeRunLog, drainRunLog, openRunLog } from "./run-log.ts";

/** The part of Jest's global configuration a reporter uses; some names differ between 29 and 30. */
interface JestGlobalConfig {
  readonly updateSnapshot: string;
  readonly testNamePattern?: string | undefined;
  readonly testPathPattern?: string | undefined;
  readonly testPathPatterns?: { readonly patterns?: readonly string[] } | undefined;
  readonly nonFlagArgs?: readonly string[] | undefined;
  readonly findRelatedTests?: boolean | undefined;
  readonly onlyChanged?: boolean | undefined;
  readonly onlyFailures?: boolean | undefined;
  readonly shard?: unknown;
}

/** The part of Jest's aggregated results a reporter uses. */
interface JestResults {
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly wasInterrupted: boolean;
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly testResults: readonly { readonly status: string }[];
  }[];
}

/** Prints what a Jest run did to the baselines, below the runner's own summary, and settles obsolete ones. */
export default class VeritestReporter {
  readonly #config: JestGlobalConfig;
  readonly #log: string;

  /** Opens the run's log before any worker starts. */
  constructor(config: JestGlobalConfig) {
    this.#config = config;
    this.#log = openRunLog(process.env);
  }

  /** Reads the run's log and prints the summary. */
  onRunComplete(_contexts: unknown, results: JestResults): void {
    const lines = reportRun({
      ...drainRunLog(this.#log),
      files: results.testResults.map(ranFile),
      complete: isWhole(this.#config, results),
      update: this.#config.updateSnapshot === "all",
    });
    closeRunLog(process.env, this.#log);
    if (lines.length > 0) process.stderr.write(`${lines.join("\n")}\n`);
  }
}

/** True when the run left out no test file and nothing failed. */
function isWhole(config: JestGlobalConfig, results: JestResults): boolean {
  const failed = results.numFailedTests > 0 || results.numRuntimeErrorTestSuites > 0 || results.wasInterrupted;
  const patterns = [...(config.nonFlagArgs ?? []), ...(config.testPathPatterns?.patterns ?? [])];
  const named = [config.testNamePattern, config.testPathPattern].some((pattern) => pattern !== undefined && pattern !== "");
  const narrowed = [config.findRelatedTests, config.onlyChanged, config.onlyFailures].some((flag) => flag === true);
  return !failed && patterns.length === 0 && !named && !narrowed && (config.shard === undefined || config.shard === null);
}

function ranFile({ testFilePath, testResults }: JestResults["testResults"][number]): RanTestFile {
  return { testPath: testFilePath, allPassed: testResults.every(({ status }) => status === "passed") };
}
