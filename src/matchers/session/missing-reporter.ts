import { readVariable } from "../../kernel/environment.ts";
import { hostProcess } from "../../kernel/host-process.ts";
import { definedSteps } from "../../kernel/step/step-names.ts";
import { printToStderr } from "../../kernel/printed.ts";
import { type TestFileLog, appendRunLog, hasRunLog } from "../../explain/append-run-log.ts";
import { loadCheckEntry } from "../lazy/load-check-entry.ts";

/** Step names that are logged. With more, a test file would log what no run's end needs. */
const MAX_STEPS = 200;

const REPORTED = Symbol.for("veritest.missing-reporter");

/**
 * Reports once per run that veritest's reporter isn't on, with what the run lacks without it: the first worker does,
 * for the first baseline it checks.
 */
export function reportMissingReporter(environment: NodeJS.ProcessEnv): void {
  if (hasRunLog(environment)) return;
  const worker = readVariable(environment, "VITEST_POOL_ID") ?? readVariable(environment, "JEST_WORKER_ID") ?? "1";
  const shared = hostProcess();
  if (worker !== "1" || Reflect.has(shared, REPORTED)) return;
  Reflect.set(shared, REPORTED, true);
  printToStderr([
    "veritest: the reporter isn't installed. This run doesn't print a summary or reports, doesn't find obsolete " +
      "baselines or changed inputs, and writes updates after each test. Use the plugin (Vitest), or add " +
      "--reporters=veritest/reporter/jest (Jest).",
  ]);
}

/** Passes a test file's log on to the reporter. Without one, prints what the file wrote and its live calls. */
export async function reportFile(environment: NodeJS.ProcessEnv, log: TestFileLog): Promise<void> {
  if (hasRunLog(environment)) {
    const steps = [...definedSteps()];
    appendRunLog(environment, steps.length > MAX_STEPS ? log : { ...log, steps });
  } else if (log.checks.length > 0 || log.live !== undefined)
    printToStderr((await loadCheckEntry()).testFileLines(log));
}
