import { processEnvironment } from "../../kernel/environment.ts";
import { setPlaceholderKeys } from "../../kernel/placeholder-keys.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { type CaseSource, checkAll } from "../../check-all/check-all.ts";
import { checkStored } from "../../check-all/check-stored.ts";
import { type BaselineTarget, findTargets } from "../../check-all/find-targets.ts";
import { RequestedCases } from "../../check-all/nearest-words.ts";
import type { SourceCase } from "../../check-all/stored-cases.ts";
import type { StagedUpdate } from "../../check/update/stage-update.ts";
import type { ReportCase } from "../../explain/report-case.ts";
import { isCi } from "../../kernel/write-policy.ts";
import { versions } from "../../updates/receipts/receipt.ts";
import { runSource } from "../../reporter/run-source.ts";
import type { ReportEnvironment, RunModel } from "../../explain/run-model.ts";
import type { RunUpdateResult } from "../../updates/apply-run.ts";
import { countBaselines } from "../../baseline/baseline-files.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printJson, printLines, printRefusal, printWarning } from "../terminal/print.ts";
import { type CaseOutcome, caseOutcome } from "./case-outcome.ts";
import { exitCodeOfCase } from "./exit-code-of-case.ts";
import { ContradictedPending } from "./contradicted-pending.ts";
import { CommandRun, keepsPendingHere, stageForReview } from "./command-run.ts";
import { type LoadedProject, openProject } from "./open-project.ts";
import type { Question } from "./question.ts";
import type { FromCaseList, FromCases, FromSource } from "./from-source.ts";
import { exitWhileRunning, onInterrupt, watchUncaught } from "./process-lifetime.ts";
import { type CheckRequest, checkRequest, defaultTimeout } from "./check-request.ts";
import { CheckScreen } from "./check-screen.ts";
import { chosenCases } from "./chosen-cases.ts";
import { CheckTally } from "./check-tally.ts";
import { outputProblem, writeReport } from "./write-report.ts";
import { plainCount } from "../../explain/wording.ts";

/** Options by which the checking commands differ. */
interface CommandKind {
  readonly verb: "test" | "diff" | "replay" | "rebase";
  /** True if differences fail the command. */
  readonly failsOnChanges: boolean;
  /** True if differences become pending changes. */
  readonly keeps: boolean;
  /** Creates the check. The error is one sentence if these targets can't be checked that way. */
  readonly prepare: (project: LoadedProject, targets: readonly BaselineTarget[]) => Result<Question, string>;
  /** Source of cases that `--store` names; absent in commands without it. */
  readonly from?: FromSource;
}

/** A validated command that hasn't run yet. */
interface ReadyCommand {
  readonly kind: CommandKind;
  readonly request: CheckRequest;
  readonly project: LoadedProject;
  readonly targets: readonly BaselineTarget[];
  readonly question: Question;
  readonly io: CliIo;
  /** Source of cases instead of files. */
  readonly runs: FromCaseList | undefined;
}

/** Checks all matching baselines, or steps of stored runs: reports the results and returns the exit code. */
export async function checkAllCommand(input: CommandInput, io: CliIo, kind: CommandKind): Promise<ExitCode> {
  const checkCases = async (from?: FromCases): Promise<ExitCode> => {
    const ready = await getReady({ input, io, kind, from });
    if (!ready.ok) return printRefusal(io, ready.error);
    return ready.value.request.dryRun ? listCases(ready.value) : checkAndReport(ready.value);
  };
  if (kind.from !== undefined && input.text("store") !== undefined) return kind.from.open(input, io, checkCases);
  const idle = kind.from?.withoutFrom(input);
  return idle === undefined ? checkCases() : printRefusal(io, idle);
}

interface CheckArguments extends Pick<ReadyCommand, "kind" | "io"> {
  readonly input: CommandInput;
  readonly from: FromCases | undefined;
}

async function getReady({ input, io, kind, from }: CheckArguments): Promise<Result<ReadyCommand, string>> {
  const request = checkRequest(input);
  if (!request.ok) return request;
  const problem = outputProblem(request.value.output, io);
  if (problem !== undefined) return err(problem);
  if (!input.flag("live")) setPlaceholderKeys(processEnvironment());
  const project = await openProject(io);
  if (!project.ok) return project;
  const options = { ...request.value, cwd: io.cwd };
  const matches = from === undefined ? findTargets(project.value, options) : from.targets(project.value, options);
  if (!matches.ok) return matches;
  const { targets, strangers, misplaced = [] } = matches.value;
  if (strangers.length > 0) printWarning(io, notChecked(strangers));
  for (const sentence of misplaced) printWarning(io, sentence);
  if (targets.length === 0) return err(noBaselines(request.value, project.value));
  const question = kind.prepare(project.value, targets);
  return question.ok
    ? ok({
        kind,
        request: request.value,
        project: project.value,
        targets,
        question: question.value,
        io,
        runs: from?.cases(targets),
      })
    : question;
}

/**
 * Returns whether to drop pending changes of baselines that are clean again. A clean stored run doesn't prove anything
 * about a baseline.
 */
function drops({ kind, runs }: ReadyCommand): boolean {
  return kind.keeps && runs === undefined;
}

/** Lists the cases that a check would run, without running any. */
async function listCases({ request, project, targets, runs, io }: ReadyCommand): Promise<ExitCode> {
  const listed: { step: string; target: string }[] = [];
  for await (const { target, stored } of runs ?? chosenCases(targets, request)) {
    const { baseline } = stored;
    if (baseline.ok && !request.filter(baseline.value)) continue;
    listed.push({ step: target.configured.step.name, target: targetName(project.paths.root, stored.path) });
  }
  if (request.format === "json") printJson(io, listed);
  else
    printLines(io, [
      ...listed.map(({ target }) => oneLine(`would check  ${target}`)),
      `${plainCount(listed.length, "case")}. No step was run.`,
    ]);
  return EXIT.clean;
}

/** Returns the title of changes, in the position of a test's name. */
function titleOf({ kind, runs, question }: ReadyCommand): string {
  const command = `veritest ${kind.verb}${runs === undefined ? "" : " --store"}`;
  return question.mode === "replay" ? command : `${command} (${question.mode})`;
}

/** Warns of steps that aren't configured. With stored runs they are only known after all runs were read. */
function warnOfStrangers({ runs, project, io }: ReadyCommand): void {
  const strangers = runs?.strangers().filter((name) => !project.steps.has(name)) ?? [];
  if (strangers.length > 0) printWarning(io, notChecked(strangers));
}

function notChecked(strangers: readonly string[]): string {
  return `Not checked: ${strangers.join(", ")}. Add the module of each step to steps in veritest.config.`;
}

function noBaselines({ steps, baselines }: CheckRequest, project: LoadedProject): string {
  const names = steps.length > 0 ? steps : [...project.steps.keys()].toSorted();
  const where = baselines.length > 0 ? ` in ${baselines.join(", ")}` : "";
  const command = `npx veritest capture --step ${names[0] ?? "<name>"} --input 'inputs/*.json'`;
  return `No baselines of ${names.join(", ")}${where}. Capture some: ${command}`;
}

async function checkAndReport(ready: ReadyCommand): Promise<ExitCode> {
  const { kind, request, project, io } = ready;
  const streams = request.format === "text" && request.output === undefined;
  const shows = request.format === "text" || request.output !== undefined;
  const tally = new CheckTally({ keeps: !streams });
  const screen = new CheckScreen(io, () => countOfCases(ready), request.all);
  const interrupt = onInterrupt(io);
  const uncaught = watchUncaught();
  const run = new CommandRun({ project, io, title: titleOf(ready) });
  const stage = stageOf(ready, run, screen);
  const contradicted = drops(ready) ? new ContradictedPending(project.paths) : undefined;
  const startedAt = Date.now();
  let worst: ExitCode = EXIT.clean;
  const onOutcome = ({ kept: staged, refused, path, one: checked, ...rest }: CaseOutcome): void => {
    if (refused !== undefined) stage.report(refused);
    const reportCase: ReportCase =
      staged === undefined || stage.stage(staged) ? checked : { ...checked, updateState: "none" };
    tally.add(reportCase);
    tally.addRemarks(reportCase, rest);
    contradicted?.take(path, reportCase, refused !== undefined);
    const isRebasing = kind.verb === "rebase" && reportCase.updateState === "review";
    const exitCode = isRebasing ? EXIT.clean : exitCodeOfCase(reportCase, kind.failsOnChanges);
    if (exitCode > worst) worst = exitCode;
    if (shows && reportCase.kind !== "clean") screen.printCase(reportCase);
  };
  try {
    const { signal } = interrupt;
    const end = await checkCases(ready, { signal, onOutcome, onRead: () => screen.step() });
    screen.clear();
    if (!end.ok) return printRefusal(io, end.error);
    const applied = await run.applyUpdates([]);
    const problems = [
      ...problemsOf({ ready, end: end.value, tally, interrupted: signal.aborted, applied }),
      ...uncaught.problems(),
    ];
    if (end.value.lingering) exitWhileRunning(io);
    if (tally.counts.total === 0 && streams) return printRefusal(io, problems.join(" "));
    const model = tally.model({
      startedAt: new Date(startedAt).toISOString(),
      durationMs: Date.now() - startedAt,
      environment: environmentOf(ready),
      applied: null,
      problems,
    });
    return await reportEnd(model, {
      ready,
      screen,
      tally,
      worst: problems.length > 0 ? EXIT.usage : worst,
      earlier: applied.ok ? (applied.value?.earlier ?? 0) : 0,
      more: contradicted?.drop() ?? [],
    });
  } finally {
    interrupt.release();
    uncaught.release();
  }
}

/** Stages differences for review, and reports those that can't be stored. */
function stageOf(
  { io }: ReadyCommand,
  run: CommandRun,
  screen: CheckScreen,
): { readonly stage: (staged: StagedUpdate) => boolean; readonly report: (problem: string) => void } {
  const report = (problem: string): void => {
    screen.clear();
    printWarning(io, problem);
  };
  return { report, stage: stageForReview(run, report) };
}

/** Callbacks of {@link checkCases}, and its abort signal. */
interface Listener {
  readonly signal: AbortSignal;
  /** Called for each file that is read, also if the filter excludes it. */
  readonly onRead: () => void;
  /** Called for each case, in the order of the cases. */
  readonly onOutcome: (outcome: CaseOutcome) => void;
}

/** Result of a run over all cases. */
interface CheckEnd {
  /** One sentence for each name, label or fact that no baseline has. */
  readonly unknown: readonly string[];
  /** True if a case timed out, so that it may still be running. */
  readonly lingering: boolean;
}

/** Checks all chosen cases: baselines, or steps of stored runs. */
async function checkCases(
  { kind, request, project, targets, question, io, runs }: ReadyCommand,
  { signal, onRead, onOutcome }: Listener,
): Promise<Result<CheckEnd, string>> {
  const check = await question.makeCheck();
  if (!check.ok) return check;
  const timeoutMs = (request.timeoutMs ?? defaultTimeout(question.mode)) * question.runs;
  const options = { check: check.value, timeoutMs, keepsPending: kind.keeps && keepsPendingHere(io) };
  const wanted = new RequestedCases(request);
  const { root } = project.paths;
  /** Returns undefined for a case that isn't chosen. A file that can't be read is always checked. */
  const checkOne = async (sourceCase: SourceCase): Promise<CaseOutcome | undefined> => {
    const started = performance.now();
    const { baseline } = sourceCase.stored;
    onRead();
    if (baseline.ok) wanted.see(baseline.value);
    if (baseline.ok && !request.filter(baseline.value)) return undefined;
    const checked = await checkStored(sourceCase, options);
    return caseOutcome(checked, sourceCase, { root, durationMs: Math.round(performance.now() - started) });
  };
  let lingering = false;
  const cases: CaseSource<SourceCase> = runs ?? chosenCases(targets, request);
  for await (const outcome of checkAll(cases, checkOne, { concurrency: request.concurrency, signal })) {
    if (outcome === undefined) continue;
    lingering ||= outcome.isRunning;
    onOutcome(outcome);
  }
  // After an abort, unread files may contain it.
  return ok({ unknown: signal.aborted ? [] : wanted.problems(), lingering });
}

/** Counts the files to check. For stored runs the number isn't known. */
function countOfCases({ targets, runs }: ReadyCommand): number {
  if (runs !== undefined) return 0;
  return targets.reduce((sum, { directory, only }) => sum + (only === undefined ? countBaselines(directory) : 1), 0);
}

interface CheckOutcome {
  readonly ready: ReadyCommand;
  readonly end: CheckEnd;
  readonly tally: CheckTally;
  readonly interrupted: boolean;
  readonly applied: Result<RunUpdateResult | undefined, string>;
}

/** Returns the reasons why the result is incomplete, one sentence each. */
function problemsOf({ ready: { request, runs }, end, tally, interrupted, applied }: CheckOutcome): string[] {
  const { total } = tally.counts;
  const problems = [...end.unknown];
  const filters = [...request.names, ...request.labels, ...request.facts].join(", ");
  if (interrupted)
    problems.push(
      `The command was interrupted. ${plainCount(total, "baseline was", "baselines were")} ` +
        "checked, and the others weren't.",
    );
  else if (total === 0 && problems.length === 0 && runs !== undefined)
    problems.push("The store doesn't have matching runs of these steps. To list its runs, run: npx veritest runs list");
  else if (total === 0 && problems.length === 0)
    problems.push(
      filters === ""
        ? "This project doesn't have baselines. Create them by running your tests, or with: npx veritest capture"
        : `No baseline matches all of these filters: ${filters}. To see all baselines, run: npx veritest list`,
    );
  if (!applied.ok) problems.push(applied.error);
  return problems;
}

interface Ending extends Pick<CheckOutcome, "ready" | "tally"> {
  readonly screen: CheckScreen;
  readonly worst: ExitCode;
  /** Number of changes that are pending from earlier runs. */
  readonly earlier: number;
  /** More sentences for the end of the output. */
  readonly more: readonly string[];
}

async function reportEnd(model: RunModel, { ready, screen, tally, worst, earlier, more }: Ending): Promise<ExitCode> {
  const { request, io } = ready;
  warnOfStrangers(ready);
  const target = { format: request.format, output: request.output };
  const streams = request.format === "text" && request.output === undefined;
  const written = streams ? ok(undefined) : await writeReport(model, target, io);
  // The results are shown even if the report can't be written.
  if (!written.ok) printWarning(io, written.error);
  const report = written.ok && written.value !== undefined ? [`report: ${written.value}`] : [];
  const remarks = tally.remarks();
  if (streams || request.output !== undefined)
    screen.end(model, {
      steps: tally.steps,
      earlier,
      more: [...tally.tolerated(), ...remarks, ...more, ...report],
    });
  else for (const remark of remarks) printWarning(io, remark);
  if (!written.ok) return EXIT.usage;
  return worst;
}

function environmentOf({ question, io }: ReadyCommand): ReportEnvironment {
  const { veritest, node, platform } = versions();
  return {
    veritest,
    runner: null,
    node,
    platform,
    ci: isCi(io.environment),
    adapterMode: question.mode,
    shard: null,
    source: runSource(io.cwd, io.environment, process.argv),
  };
}
