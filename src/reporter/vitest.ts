import { printToStderr, printed } from "../kernel/printed.ts";
import { dirname } from "node:path";
import { processEnvironment, setVariable } from "../kernel/environment.ts";
import { requireNode } from "../kernel/require-node.ts";
import type { RanTestFile } from "./run/find-obsolete.ts";
import { mergedReport } from "./run/merged-report.ts";
import { RunDirector, type RunReport } from "./run/run-director.ts";
import { type RanModule, failingLines, logsInMeta } from "./run/read-vitest-modules.ts";
import type { RunShard } from "../explain/run-model.ts";
import { plainCount } from "../explain/wording.ts";
import { commandPath, quote } from "../kernel/text.ts";

/** Part of Vitest's main object that the reporter uses. It is the same in Vitest 3.2 to 5. */
interface VitestMain {
  readonly snapshot: { readonly options: { readonly updateSnapshot: string } };
  readonly config: {
    readonly root: string;
    readonly update?: unknown;
    watch?: boolean;
    readonly testNamePattern?: RegExp | undefined;
    readonly project?: string | readonly string[] | undefined;
    readonly mergeReports?: string | undefined;
    readonly shard?: RunShard | undefined;
    readonly reporters?: readonly unknown[];
    readonly outputFile?: string | Readonly<Record<string, string | undefined>> | undefined;
  };
  readonly version?: string;
  readonly logger: { log(...lines: unknown[]): void };
  globTestSpecifications(): Promise<readonly TestFile[]>;
}

type TestFile = Pick<RanModule, "moduleId" | "project">;

/** Applies the updates of a Vitest run, and prints its effect on the baselines below the runner's own summary. */
export default class VeritestReporter {
  #vitest: VitestMain | undefined;
  #director: RunDirector | undefined;
  #startedAt = Date.now();

  /**
   * Begins the run before any worker starts. A process that only merges the reports of shards has no updates to apply.
   */
  async onInit(vitest: VitestMain): Promise<void> {
    requireNode();
    this.#vitest = vitest;
    if (vitest.config.mergeReports !== undefined) return;
    refuseFileAsUpdate(vitest.config);
    // A blob contains the `meta` of test files, and not the messages of workers to this process.
    if (hasReporter(vitest, "blob")) setVariable(processEnvironment(), "VERITEST_META", "1");
    const director = new RunDirector(vitest.config.root, processEnvironment());
    process.once("exit", () => director.close());
    this.#director = director;
    await director.begin();
  }

  /**
   * Stores the time at which a run, or a rerun in watch mode, begins. Announces the configurations of its test files.
   */
  async onTestRunStart(specifications: readonly { readonly moduleId: string }[] = []): Promise<void> {
    this.#startedAt = Date.now();
    await this.#director?.announceConfigs(specifications.map(({ moduleId }) => dirname(moduleId)));
  }

  /** Applies the updates of the run, or of a rerun in watch mode, and prints the summary. */
  async onTestRunEnd(modules: readonly RanModule[], errors: readonly unknown[], reason: string): Promise<void> {
    if (this.#vitest === undefined) return;
    const vitest = this.#vitest;
    const { lines, failed } = await this.#report(vitest, modules, { errors, reason });
    if (lines.length > 0 && printsDocument(vitest)) printToStderr(lines);
    else if (lines.length > 0) vitest.logger.log(printed(lines));
    if (failed) process.exitCode = 1;
  }

  async #report(
    vitest: VitestMain,
    modules: readonly RanModule[],
    { errors, reason }: { readonly errors: readonly unknown[]; readonly reason: string },
  ): Promise<RunReport> {
    const runner = vitest.version === undefined ? undefined : { name: "vitest", version: vitest.version };
    const lines = failingLines(modules);
    if (this.#director === undefined) {
      const { logs, lost } = logsInMeta(modules);
      const losses =
        lost === 0
          ? []
          : [
              `The logs of ${lost} test ${lost === 1 ? "file" : "files"} couldn't be read, ` +
                "so these counts are too low.",
            ];
      return mergedReport(
        { root: vitest.config.root, logs, problems: [...problemsOf(errors, reason), ...losses], runner, lines },
        processEnvironment(),
      );
    }
    const passed = reason === "passed" && errors.length === 0;
    const leftOut = await filesLeftOut(vitest, modules);
    const ran = new Set(modules.map(({ moduleId }) => moduleId));
    return this.#director.end({
      files: modules.map(ranFile),
      problems: problemsOf(errors, reason),
      // A failed test may not have reached a baseline that it uses.
      complete: passed && leftOut?.length === 0,
      // With `--changed`, only one of two projects may run a file.
      isPartial: leftOut === undefined || leftOut.some(({ moduleId }) => ran.has(moduleId)),
      isNarrowed: leftOut === undefined || leftOut.length > 0,
      // Under watch `u` the configuration keeps its old mode; the snapshot manager knows the new one.
      update: vitest.snapshot.options.updateSnapshot === "all",
      shard: vitest.config.shard,
      runner,
      startedAt: this.#startedAt,
      lines,
      isAnnotated: hasReporter(vitest, "github-actions"),
    });
  }
}

/**
 * Throws if `-u` has a test file as its value: from Vitest 4.1, `vitest -u a.test.ts` runs and updates all test files,
 * and their steps would call live adapters. Also ends a watch, whose keys would start that run.
 */
function refuseFileAsUpdate(config: VitestMain["config"]): void {
  const { update } = config;
  if (typeof update !== "string" || /^(?:all|new|none|true|false|)$/.test(update)) return;
  config.watch = false;
  throw new Error(
    `Vitest read ${quote(update)} as the value of -u, and not as a test file. Put -u last:\n\n` +
      `  npx vitest run ${commandPath(update)} -u`,
  );
}

/** True if Vitest uses a reporter. Its reporters are already resolved to names with options. */
function hasReporter({ config: { reporters = [] } }: VitestMain, name: string): boolean {
  return reporters.some((reporter) => reporter === name || (Array.isArray(reporter) && reporter[0] === name));
}

const DOCUMENTS: readonly unknown[] = ["json", "junit", "tap", "tap-flat"];

/** True if a reporter prints a document to standard output, which a program reads. */
function printsDocument({ config: { reporters = [], outputFile } }: VitestMain): boolean {
  return reporters.some((reporter) => {
    const parts: unknown = Array.isArray(reporter) ? reporter : [reporter];
    const name: unknown = Reflect.get(Object(parts), 0);
    const options: unknown = Reflect.get(Object(parts), 1);
    const named: unknown = typeof outputFile === "object" ? Reflect.get(outputFile, String(name)) : outputFile;
    return DOCUMENTS.includes(name) && named === undefined && Reflect.get(Object(options), "outputFile") === undefined;
  });
}

/** Reasons besides failed tests why a run can't be trusted. */
function problemsOf(errors: readonly unknown[], reason: string): string[] {
  return [
    ...(reason === "interrupted" ? ["The run was interrupted."] : []),
    ...(errors.length > 0 ? [`${plainCount(errors.length, "error was", "errors were")} not handled.`] : []),
  ];
}

/**
 * Returns the test files that filters, `--changed` or a watch's partial re-run left out, once for each project that
 * runs them. Undefined if the run left out projects, a shard, or tests by name: other projects may have baselines in
 * the same directories, and two projects may run one file, in different shards. `dir` takes complete projects. The
 * baselines of files that `--exclude` names aren't judged, like those of files that the configuration leaves out.
 */
async function filesLeftOut(
  vitest: VitestMain,
  modules: readonly RanModule[],
): Promise<readonly TestFile[] | undefined> {
  const { testNamePattern, project = [], shard } = vitest.config;
  if (testNamePattern !== undefined || [project].flat().length > 0 || shard !== undefined) return undefined;
  const ran = new Set(modules.map(keyOf));
  return (await vitest.globTestSpecifications()).filter((file) => !ran.has(keyOf(file)));
}

function keyOf({ moduleId, project }: TestFile): string {
  return JSON.stringify([project?.name ?? "", moduleId]);
}

function ranFile(module: RanModule): RanTestFile {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const failed = module.state() === "failed" || states.includes("failed");
  return { testPath: module.moduleId, failed, allPassed: !failed && states.every((state) => state === "passed") };
}
