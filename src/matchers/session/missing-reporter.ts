import { readVariable } from "../../kernel/environment.ts";
import { hostProcess } from "../../kernel/host-process.ts";
import { printToStderr } from "../../kernel/printed.ts";
import { hasRunLog } from "../../explain/append-run-log.ts";

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
    "veritest: its reporter is not on: this run has no summary and no reports of baselines, obsolete ones are not " +
      "judged, and updates are written test by test. Use the plugin (Vitest), or add " +
      "--reporters=veritest/reporter/jest (Jest).",
  ]);
}
