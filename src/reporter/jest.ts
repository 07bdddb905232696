import { printToStderr } from "../kernel/printed.ts";
import { processEnvironment, setVariable } from "../kernel/environment.ts";
import { JEST_CI } from "../kernel/write-policy.ts";
import { realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, extname, join, resolve } from "node:path";
import { isWithin } from "../kernel/files/real-directory.ts";
import { requireNode } from "../kernel/require-node.ts";
import type { ReceiptRunner } from "../updates/receipts/receipt.ts";
import { replacesProjects, selectsProjects } from "../explain/rerun-command.ts";
import type { RunShard } from "../explain/run-model.ts";
import type { RanTestFile } from "./run/find-obsolete.ts";
import { lineInStack } from "../kernel/stack-locations.ts";
import { RunDirector } from "./run/run-director.ts";
import { locationKey } from "./run-report.ts";

/** A project as the user wrote it: a path, or a configuration. */
type JestProject = string | { readonly rootDir?: string };

/** Part of Jest's global configuration that the reporter uses. Some names differ between Jest 29 and 30. */
interface JestGlobalConfig {
  readonly rootDir: string;
  readonly updateSnapshot: string;
  /** True with `--ci`, and if Jest detects a CI service. */
  readonly ci?: boolean | undefined;
  readonly testNamePattern?: string | undefined;
  readonly testPathPattern?: string | undefined;
  readonly testPathPatterns?: { readonly patterns?: readonly string[] } | undefined;
  readonly nonFlagArgs?: readonly string[] | undefined;
  /** Directories of the projects, their configuration files, or their configurations, as the user wrote them. */
  readonly projects?: readonly JestProject[] | undefined;
  readonly watch?: boolean | undefined;
  readonly watchAll?: boolean | undefined;
  readonly runTestsByPath?: boolean | undefined;
  readonly findRelatedTests?: boolean | undefined;
  readonly onlyChanged?: boolean | undefined;
  readonly onlyFailures?: boolean | undefined;
  /** Reporters, each as a pair of its name or path, and its options. */
  readonly reporters?: readonly unknown[] | undefined;
  readonly shard?: { readonly shardIndex: number; readonly shardCount: number } | null | undefined;
}

/** A project that ran tests. */
interface JestContext {
  readonly config?: { readonly rootDir?: string };
}

/** One test of Jest's results. */
interface JestTest {
  readonly status: string;
  readonly fullName?: string;
  /** Texts of the test's errors, with their stacks. */
  readonly failureMessages?: readonly string[];
}

/** Part of Jest's aggregated results that the reporter uses. */
interface JestResults {
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly wasInterrupted: boolean;
  /** Milliseconds since 1970. */
  readonly startTime?: number;
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly displayName?: { readonly name: string } | undefined;
    readonly testExecError?: unknown;
    readonly testResults: readonly JestTest[];
  }[];
}

/** Applies the updates of a Jest run, and prints its effect on the baselines below the runner's own summary. */
export default class VeritestReporter {
  readonly #config: JestGlobalConfig;
  readonly #director: RunDirector;
  #failed = false;

  /** Announces the run before any worker starts. */
  constructor(config: JestGlobalConfig) {
    requireNode();
    this.#config = config;
    // Workers don't know the option. Jest's own snapshots are written by `--ci -u`, but that would call the model.
    setVariable(processEnvironment(), JEST_CI, config.ci === true ? "1" : undefined);
    this.#director = new RunDirector(config.rootDir, processEnvironment());
  }

  /** Loads the configuration and finishes what a killed run left. */
  async onRunStart(): Promise<void> {
    await this.#director.begin();
    const { rootDir, projects = [] } = this.#config;
    await this.#director.announceConfigs([rootDir, ...projects.map((project) => directoryOf(project, rootDir))]);
  }

  /** Applies the run's updates and prints the summary. */
  async onRunComplete(contexts: ReadonlySet<JestContext>, results: JestResults): Promise<void> {
    const files = results.testResults.map(ranFile);
    const lacksProjects = mayLackProjects(this.#config, contexts.size);
    const { lines, failed } = await this.#director.end({
      files,
      problems: results.wasInterrupted ? ["The run was interrupted."] : [],
      complete: isCompleteRun(this.#config, results),
      isPartial: lacksProjects || isPartial(this.#config),
      isNarrowed: isNarrowed(this.#config),
      mayLackProjects: lacksProjects,
      idleProjects: idleProjects(this.#config, contexts),
      update: this.#config.updateSnapshot === "all",
      shard: shardOf(this.#config),
      runner: jestVersion(this.#config.rootDir),
      startedAt: results.startTime,
      lines: failingLines(results),
      isAnnotated: this.#config.reporters?.some((each) => Array.isArray(each) && each[0] === "github-actions"),
    });
    this.#failed = failed;
    this.#director.close();
    setVariable(processEnvironment(), JEST_CI, undefined);
    if (lines.length > 0) printToStderr(lines);
  }

  /**
   * Returns the error that makes Jest's run fail. Jest sets its own exit code, so a reporter can fail the run only with
   * this error.
   */
  getLastError(): Error | undefined {
    return this.#failed ? new Error("veritest: baselines were not written, see above.") : undefined;
  }
}

/** Directory of a project: its own, that of its configuration file, or the `rootDir` of a configuration in place. */
function directoryOf(project: JestProject, root: string): string {
  if (typeof project !== "string") return resolve(root, (project.rootDir ?? "").replace("<rootDir>", root));
  return extname(project) === "" ? project : dirname(project);
}

/** Directories of projects that ran no tests, apart from those that contain other projects. */
function idleProjects({ rootDir, projects = [] }: JestGlobalConfig, contexts: ReadonlySet<JestContext>): string[] {
  if (contexts.size >= projects.length) return [];
  const ran = new Set([...contexts].map(({ config }) => config?.rootDir));
  const all = [...new Set(projects.map((project) => directoryOf(project, rootDir)))];
  return all.filter((path) => !ran.has(path) && !all.some((inner) => inner !== path && isWithin(path, inner)));
}

/** True if the run left out no test file and nothing failed. */
function isCompleteRun(config: JestGlobalConfig, results: JestResults): boolean {
  const failed = results.numFailedTests > 0 || results.numRuntimeErrorTestSuites > 0 || results.wasInterrupted;
  return !failed && !isNarrowed(config) && !isPartial(config);
}

/** True if the run left out test files that its configuration names. */
function isNarrowed(config: JestGlobalConfig): boolean {
  const patterns = [...(config.nonFlagArgs ?? []), ...(config.testPathPatterns?.patterns ?? [])];
  const named = config.testPathPattern !== undefined && config.testPathPattern !== "";
  return patterns.length > 0 || named || config.runTestsByPath === true || isChosen(config);
}

/** True if Jest itself chose the test files. */
function isChosen({ findRelatedTests, onlyChanged, onlyFailures }: JestGlobalConfig): boolean {
  return [findRelatedTests, onlyChanged, onlyFailures].includes(true);
}

/** True if the run left out projects that its command line names, a shard, or tests by name. */
function isPartial(config: JestGlobalConfig): boolean {
  const named = config.testNamePattern !== undefined && config.testNamePattern !== "";
  // Another project may run the same file, with steps that didn't change.
  const narrowed = (config.projects?.length ?? 0) > 1 && isChosen(config);
  return selectsProjects(process.argv) || named || narrowed || (config.shard !== undefined && config.shard !== null);
}

/**
 * True if the run may have left out projects. Jest gives its reporters neither the options that select or replace
 * projects, nor those that a script passes to it. `count` is the number of projects that ran tests.
 */
function mayLackProjects({ projects = [], watch, watchAll }: JestGlobalConfig, count: number): boolean {
  if (replacesProjects(process.argv)) return true;
  const isWatching = watch === true || watchAll === true;
  // The command line of Jest's program has all options that leave out projects. Plugins of watch mode may select some.
  if (isJestProgram(process.argv[1] ?? "")) return isWatching && projects.length > count;
  return projects.some((project) => typeof project === "string") || projects.length > count;
}

/** True for the program of the package jest, also by a link to it. Scripts may have its name. */
function isJestProgram(path: string): boolean {
  try {
    return /[\\/]node_modules[\\/]jest(?:-cli)?[\\/]bin[\\/]jest\.js$/.test(realpathSync(path));
  } catch {
    return false;
  }
}

function shardOf({ shard }: JestGlobalConfig): RunShard | undefined {
  return shard === undefined || shard === null ? undefined : { index: shard.shardIndex, count: shard.shardCount };
}

/** The project's Jest, which runs this reporter. Undefined if it can't be resolved from its root. */
function jestVersion(rootDir: string): ReceiptRunner | undefined {
  try {
    const manifest: unknown = createRequire(join(rootDir, "package.json"))("jest/package.json");
    const version: unknown = Reflect.get(Object(manifest), "version");
    return typeof version === "string" ? { name: "jest", version } : undefined;
  } catch {
    // Run by another program, or from a package that is not installed here: reports go without it.
    return undefined;
  }
}

/** The line in its test file each failing test failed at: its first frame there. */
function failingLines({ testResults }: JestResults): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  for (const { testFilePath, testResults: tests } of testResults) {
    for (const { fullName, failureMessages = [] } of tests) {
      const line = lineInStack(failureMessages.join("\n"), testFilePath);
      if (fullName !== undefined && line !== undefined) lines.set(locationKey(testFilePath, fullName), line);
    }
  }
  return lines;
}

function ranFile({
  testFilePath,
  displayName,
  testResults,
  testExecError,
}: JestResults["testResults"][number]): RanTestFile {
  const failed =
    (testExecError !== undefined && testExecError !== null) || testResults.some(({ status }) => status === "failed");
  return {
    testPath: testFilePath,
    project: displayName?.name,
    failed,
    allPassed: !failed && testResults.every(({ status }) => status === "passed"),
  };
}
