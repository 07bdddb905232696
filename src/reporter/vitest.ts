import type { RanTestFile } from "./find-obsolete.ts";
import { reportRun } from "./report-run.ts";
import { closeRunLog, drainRunLog, openRunLog } from "./run-log.ts";

/** The part of Vitest's main object a reporter uses, the same in Vitest 3.2 to 5. */
interface VitestMain {
  readonly snapshot: { readonly options: { readonly updateSnapshot: string } };
  readonly config: { readonly testNamePattern?: RegExp | undefined };
  readonly logger: { log(...lines: unknown[]): void };
  globTestSpecifications(): Promise<readonly { readonly moduleId: string }[]>;
}

/** The part of a test module a reporter uses. */
interface RanModule {
  readonly moduleId: string;
  readonly children: { allTests(): Iterable<{ result(): { readonly state: string } }> };
}

/** Prints what a Vitest run did to the baselines, below the runner's own summary, and settles obsolete ones. */
export default class VeritestReporter {
  #vitest: VitestMain | undefined;
  #log: string | undefined;

  /** Opens the run's log before any worker starts. */
  onInit(vitest: VitestMain): void {
    const log = openRunLog(process.env);
    process.once("exit", () => closeRunLog(process.env, log));
    this.#vitest = vitest;
    this.#log = log;
  }

  /** Reads the run's log and prints the summary. */
  async onTestRunEnd(modules: readonly RanModule[], errors: readonly unknown[], reason: string): Promise<void> {
    if (this.#vitest === undefined || this.#log === undefined) return;
    const vitest = this.#vitest;
    const passed = reason === "passed" && errors.length === 0;
    const lines = reportRun({
      ...drainRunLog(this.#log),
      files: modules.map(ranFile),
      complete: passed && (await isWhole(vitest, modules)),
      // Under watch `u` the configuration keeps its old mode; the snapshot manager knows the new one.
      update: vitest.snapshot.options.updateSnapshot === "all",
    });
    if (lines.length > 0) vitest.logger.log(`${lines.join("\n")}\n`);
  }
}

/** True when the run left out no test file: neither filters, nor shards, nor a watch's partial re-run. */
async function isWhole(vitest: VitestMain, modules: readonly RanModule[]): Promise<boolean> {
  if (vitest.config.testNamePattern !== undefined) return false;
  const ran = new Set(modules.map(({ moduleId }) => moduleId));
  return (await vitest.globTestSpecifications()).every(({ moduleId }) => ran.has(moduleId));
}

function ranFile({ moduleId, children }: RanModule): RanTestFile {
  return { testPath: moduleId, allPassed: [...children.allTests()].every((test) => test.result().state === "passed") };
}
