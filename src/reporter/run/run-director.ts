import { type OutputLine } from "../../kernel/printed.ts";
import { readVariable, setVariable } from "../../kernel/environment.ts";
import { unknownVariables, variableProblem } from "../../kernel/variable-problem.ts";
import { dirname, join, resolve } from "node:path";
import { type LoadedConfig, loadConfig, loadConfigFile } from "../../config/load-config.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { ciRefusal, isCi, keepsPending } from "../../kernel/write-policy.ts";
import type { ReceiptRunner } from "../../updates/receipts/receipt.ts";
import { loadWorkerSettings, workerSettings } from "../../config/worker-settings.ts";
import { nearestConfig } from "../../kernel/files/nearest-config.ts";
import { projectPaths, projectRoot } from "../../kernel/files/project-paths.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { listNames } from "../../kernel/files/read.ts";
import { type TestRun, announceRun, beginRun } from "../../updates/test-run.ts";
import type { RunUpdateResult } from "../../updates/apply-run.ts";
import { resolveActor } from "../../updates/update-context.ts";
import type { RunShard } from "../../explain/run-model.ts";
import { attempt, messageOf } from "../../kernel/error-message.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import { type EndReports, NO_FORMATS, NO_REPORTS, writeEndReports } from "../end-reports.ts";
import { type AppliedRun, NOT_APPLIED, applyEndedRun } from "./apply-ended-run.ts";
import { type RanTestFile, type UnusedBaselines, findLeft, findObsolete } from "./find-obsolete.ts";
import { plainCount } from "../../explain/wording.ts";
import { liveTotals } from "../../explain/live-totals.ts";
import { choosingOptions } from "../../explain/rerun-command.ts";
import { renderSummary } from "../runner-summary.ts";
import {
  type BaselineOutcome,
  type Remark,
  appliedOutcomes,
  adviceLines,
  remarksOfRun,
  rerunLines,
  summarize,
} from "../outcomes.ts";
import { withInputChanges } from "./input-changes.ts";
import { type EndedTests, type Unused, movedWarnings } from "./moved-warnings.ts";
import { type EarlierRuns, NO_EARLIER_RUNS, finishEarlierRuns } from "./earlier-runs.ts";
import { closeRunLog, drainRunLog, openRunLog } from "./run-log.ts";

/** A run that ended, as a runner's reporter knows it. */
export interface RunEnd {
  readonly files: readonly RanTestFile[];
  /** Reasons why the run can't be trusted, one sentence each. */
  readonly problems: readonly string[];
  /** True if all test files that the configuration names ran unfiltered, and none failed. */
  readonly complete: boolean;
  /** True if the run left out projects, a shard, or tests by name: tests that it left out may use any baseline. */
  readonly isPartial?: boolean | undefined;
  /** True if it left out test files. */
  readonly isNarrowed?: boolean | undefined;
  /** True if it may also have left out projects that nothing names: the summary counts the unused baselines. */
  readonly mayLackProjects?: boolean | undefined;
  /** Directories of projects that ran no tests: the summary counts their baselines. */
  readonly idleProjects?: readonly string[] | undefined;
  /** True under -u: obsolete baselines are removed. Otherwise they are only reported. */
  readonly update: boolean;
  readonly runner: ReceiptRunner | undefined;
  /** Shard of the run, if it's one. */
  readonly shard?: RunShard | undefined;
  /** Start time in milliseconds since 1970. Default: when the director is made. */
  readonly startedAt?: number | undefined;
  /** The line of the assertion each failing test failed at, by `locationKey`. */
  readonly lines?: ReadonlyMap<string, number> | undefined;
  /** True if the runner annotates failed tests on GitHub itself. */
  readonly isAnnotated?: boolean | undefined;
}

/** Output of a run's end, and whether it must fail the run. */
export interface RunReport {
  readonly lines: readonly OutputLine[];
  readonly failed: boolean;
}

/**
 * The main process's part of a run, the same under both runners. It begins the run before any worker starts. At the end
 * it applies the tests' updates and writes the summary.
 */
export class RunDirector {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #log: string;
  readonly #run: Result<TestRun, string>;
  readonly #startedAt: number = Date.now();
  #config: Result<LoadedConfig, string> = err("The run didn't start.");
  #early: EarlierRuns = NO_EARLIER_RUNS;
  readonly #settings = new Map<string, Result<string, string>>();
  /** Variables with an unknown value: what the user asked for is unknown, so the run writes nothing. */
  #unreadable: readonly string[] = [];

  /**
   * Announces the run to its workers; `root` is the runner's own root directory. Throws if the temporary directory
   * can't be written.
   */
  constructor(root: string, environment: NodeJS.ProcessEnv) {
    this.#environment = environment;
    this.#log = openRunLog(environment);
    setVariable(environment, "VERITEST_RUNNER_OPTIONS", choosingOptions(process.argv));
    this.#run = attempt(() => beginRun(projectPaths(projectRoot(root), environment)));
    if (this.#run.ok) announceRun(this.#run.value, environment);
  }

  /** Loads the configuration and finishes what a killed run left. Never throws. */
  async begin(): Promise<void> {
    if (!this.#run.ok) return;
    const { paths } = this.#run.value;
    this.#config = await loadConfig(paths.root);
    setVariable(this.#environment, "VERITEST_PROJECT_MODE", this.#config.ok ? this.#config.value.mode : undefined);
    const capturesContent = this.#config.ok && this.#config.value.captureContent === true;
    if (capturesContent && readVariable(this.#environment, "VERITEST_CAPTURE_CONTENT") === undefined)
      setVariable(this.#environment, "VERITEST_CAPTURE_CONTENT", "1");
    const policy = this.#config.ok ? this.#config.value.policy : { actor: undefined };
    const who = resolveActor(policy, { environment: this.#environment, isTTY: process.stdout.isTTY });
    const writes = !who.ok || ciRefusal(who.value) === undefined;
    const left = attempt(() =>
      listNames(paths.state).length === 0 ? NO_EARLIER_RUNS : finishEarlierRuns(paths, writes),
    );
    const early = left.ok ? left.value : { lines: [left.error], failed: true };
    const problem = variableProblem(this.#environment);
    this.#unreadable = problem === undefined ? [] : [problem];
    const notices = [problem, unknownVariables(this.#environment)].filter((line) => line !== undefined);
    this.#early = { lines: [...notices, ...early.lines], failed: early.failed || problem !== undefined };
  }

  /**
   * Announces the configurations above these directories to new workers, so that each is loaded once and not once per
   * worker. A worker loads one that wasn't announced. Never throws.
   */
  async announceConfigs(directories: Iterable<string>): Promise<void> {
    const files = [...new Set(directories)].map((path) => nearestConfig(path)).filter((file) => file !== undefined);
    for (const file of new Set(files))
      this.#settings.set(file, this.#settings.get(file) ?? (await this.#loadSettings(file)));
    if (this.#settings.size === 0) return;
    const table = JSON.stringify(Object.fromEntries(this.#settings));
    setVariable(this.#environment, "VERITEST_CONFIGS", table);
  }

  async #loadSettings(file: string): Promise<Result<string, string>> {
    // The run's own configuration is loaded already.
    const config = this.#config;
    return config.ok && config.value.file === file ? ok(workerSettings(config.value)) : loadWorkerSettings(file);
  }

  /** Ends a run, or one rerun in watch mode. Never throws: what goes wrong is a line, and fails the run. */
  async end(end: RunEnd): Promise<RunReport> {
    const { logs: drained, lost } = drainRunLog(this.#log);
    const logs = withInputChanges(drained, end.files);
    const losses =
      lost === 0 ? [] : [`${plainCount(lost, "line")} of the run's log couldn't be read, so these counts are too low.`];
    const early = this.#early;
    this.#early = NO_EARLIER_RUNS;
    let updateResult: RunUpdateResult | undefined;
    try {
      // A lost log may have used any baseline.
      const { obsolete, unjudged } = lost === 0 && end.complete ? findObsolete(end, logs) : NOTHING_UNUSED;
      const removals = end.update ? obsolete : [];
      const problems = [...end.problems, ...losses, ...this.#unreadable];
      const applied = await this.#apply({ ...end, problems, logs, removals });
      const replaced = replacedPaths(applied.updateResult);
      const ended = {
        logs,
        applied,
        obsolete: obsolete.map(({ path }) => path).filter((path) => !replaced.has(path)),
        removed: applied.updateResult?.written.some(({ kind }) => kind === "remove") === true,
      };
      updateResult = applied.updateResult;
      const refused = ended.removed ? [] : await this.#obsoleteProblems(ended.obsolete);
      const reasons = [...problems, ...(early.failed ? early.lines : []), ...applied.problems, ...refused];
      const written = await this.#report(end, { ...ended, problems: [...new Set(reasons)] });
      const outcomes = appliedOutcomes(summarize(logs), applied.updateResult);
      const left = (): readonly string[] => (end.complete ? ended.obsolete : findLeft(end.files, logs));
      const unused: Unused = () => (lost > 0 || end.isPartial === true ? undefined : left());
      const lines = renderSummary({
        ...applied,
        ...ended,
        update: end.update,
        outcomes,
        uploads: isUploaded(this.#environment),
        hasPage: written.hasPage,
        remarks: [
          ...remarksOfRun(logs),
          ...this.#moved(outcomes, { logs, files: end.files, unused, isNarrowed: end.isNarrowed === true }),
        ],
        unjudged,
        live: liveTotals(logs),
        rerun: rerunLines(logs, end.runner?.name ?? ""),
        problems: [
          ...adviceLines(logs, applied.updateResult),
          ...early.lines,
          ...losses,
          ...applied.problems,
          ...applied.notices,
          ...written.problems,
          ...refused,
        ],
      });
      const failed = early.failed || applied.failed || written.problems.length + refused.length > 0;
      return { lines: [...lines, ...written.lines], failed };
    } catch (thrown) {
      const outcomes = appliedOutcomes(summarize(logs), updateResult);
      const problems = [...early.lines, ...losses, messageOf(thrown)];
      const known = { live: liveTotals(logs), updateResult, outcomes, problems };
      return { lines: renderSummary({ ...NOTHING, ...known }), failed: true };
    }
  }

  async #apply(end: Omit<Parameters<typeof applyEndedRun>[0], "run" | "policy" | "environment">): Promise<AppliedRun> {
    const [run, config] = [this.#run, this.#config];
    if (!run.ok) return { ...NOT_APPLIED, failed: true, problems: [run.error] };
    if (!config.ok) return { ...NOT_APPLIED, failed: true, problems: [config.error] };
    return applyEndedRun({ ...end, run: run.value, policy: config.value.policy, environment: this.#environment });
  }

  async #report(end: RunEnd, { applied, ...ended }: Ended): Promise<EndReports> {
    if (!this.#run.ok) return NO_REPORTS;
    const { root } = this.#run.value.paths;
    const { lines = new Map<string, number>(), startedAt = this.#startedAt, runner, shard, isAnnotated } = end;
    const left = {
      ...ended,
      root,
      updateResult: applied.updateResult,
      startedAt,
      runner,
      shard,
      environment: this.#environment,
      lines,
      isAnnotated,
    };
    return writeEndReports(left, this.#config.ok ? this.#config.value.report : NO_FORMATS);
  }

  /** One sentence for each configuration that fails CI because of obsolete baselines. */
  async #obsoleteProblems(obsolete: readonly string[]): Promise<string[]> {
    if (!isCi(this.#environment)) return [];
    const files = Map.groupBy(obsolete, (path) => nearestConfig(dirname(path)));
    const problems: string[] = [];
    for (const [file, { length }] of files) {
      const config = await loadConfigFile(file);
      if (!config.ok || config.value.obsolete !== "fail" || file === undefined) continue;
      const words = `${plainCount(length, "obsolete baseline")} found, and ${displayPath(file)} sets obsolete: "fail".`;
      problems.push(`${words} To remove obsolete baselines, run with -u on your machine.`);
    }
    return problems;
  }

  /** A courtesy: what cannot be looked through must not fail a run. */
  #moved(outcomes: readonly BaselineOutcome[], tests: Omit<EndedTests, "root">): readonly Remark[] {
    if (!this.#run.ok) return [];
    const { root } = this.#run.value.paths;
    const moved = attempt(() => movedWarnings(outcomes, { root, ...tests }));
    return moved.ok ? moved.value : [];
  }

  /** Removes what only lives as long as the run. */
  close(): void {
    for (const name of ["VERITEST_CONFIGS", "VERITEST_RUNNER_OPTIONS", "VERITEST_WORKER_RUN"] as const)
      setVariable(this.#environment, name, undefined);
    closeRunLog(this.#environment, this.#log);
  }
}

/** Result of a run, for its reports. */
interface Ended {
  readonly logs: readonly TestFileLog[];
  readonly applied: AppliedRun;
  readonly obsolete: readonly string[];
  readonly removed: boolean;
  /** Why the run failed or can't be trusted, apart from its tests. */
  readonly problems: readonly string[];
}

const NOTHING_UNUSED: UnusedBaselines = { obsolete: [], unjudged: new Map() };
const NOTHING = { obsolete: [], removed: false, remarks: [], dropped: [] } as const;

/** Paths of baselines that a pending change replaces: they aren't obsolete before it is accepted. */
function replacedPaths(result: RunUpdateResult | undefined): ReadonlySet<string> {
  return new Set(
    (result?.pending ?? []).flatMap(({ target, replaces }) =>
      replaces === undefined ? [] : [join(dirname(resolve(result?.root ?? "", target)), replaces)],
    ),
  );
}

/** In CI pending changes are only kept in a directory that the user names for upload. */
function isUploaded(environment: NodeJS.ProcessEnv): boolean {
  return isCi(environment) && keepsPending(false, environment);
}
