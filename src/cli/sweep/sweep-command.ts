import { type Result, err, ok } from "../../base/result.ts";
import type { AdapterMode } from "../../check/adapter-mode.ts";
import type { Check } from "../../check/check.ts";
import { ciVariable } from "../../notes/actor.ts";
import { versions } from "../../notes/receipt.ts";
import type { ReportEnvironment, RunModel } from "../../reporter/run-model.ts";
import type { Settlement } from "../../settle/settle-run.ts";
import { countBaselines } from "../baseline-files.ts";
import type { CommandInput } from "../command-input.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { refuse, warn } from "../say.ts";
import { CleanAgain, sweepTitle } from "./clean-again.ts";
import { CommandRun, reviewKeeper } from "./command-run.ts";
import { type SweepTarget, findTargets } from "./find-targets.ts";
import { type SweepProject, openProject } from "./open-project.ts";
import { type AskCase, type Sweep, type SweepEnd, filedCases, runSweep } from "./run-sweep.ts";
import { type StoredRuns, askStoredRuns, withoutFrom } from "../store/ask-store.ts";
import { RunCases, runTargets } from "../store/run-cases.ts";
import { leaveLingering, onInterrupt, watchStrays } from "./stay-alive.ts";
import { type SweepRequest, sweepRequest, usualTimeout } from "./sweep-request.ts";
import { SweepScreen } from "./sweep-screen.ts";
import { SweepTally } from "./sweep-tally.ts";
import { outputProblem, writeReport } from "./write-report.ts";
import { amount } from "../../explain/wording.ts";

/** What one sweeping command does that others do not. */
interface SweepKind {
  readonly verb: "test" | "diff" | "replay";
  readonly failOn: FailOn;
  /** Whether what differs is kept for review. */
  readonly keeps: boolean;
  /** Makes the question; one sentence where it cannot be asked of these targets. */
  readonly prepare: (project: SweepProject, targets: readonly SweepTarget[]) => Promise<Result<Question, string>>;
}

/** A question, and how it is asked. */
export interface Question {
  readonly ask: AskCase;
  /** How many runs one asking makes: each has its own time. */
  readonly runs: number;
  /** Where answers come from, as the report says it. */
  readonly adapters: AdapterMode;
}

/** A sweep that is about to run. */
interface ReadySweep {
  readonly kind: SweepKind;
  readonly request: SweepRequest;
  readonly project: SweepProject;
  readonly targets: readonly SweepTarget[];
  readonly question: Question;
  readonly io: CliIo;
  /** Where cases come from instead of files. */
  readonly runs: RunCases | undefined;
}

/** Sweeps over stored baselines, or runs: finds them, asks, tells what came out, and gives the exit code. */
export async function sweepCommand(input: CommandInput, io: CliIo, kind: SweepKind): Promise<ExitCode> {
  const sweep = async (runs?: StoredRuns): Promise<ExitCode> => {
    const ready = await getReady({ input, io, kind, runs });
    return ready.ok ? sweepAndTell(ready.value) : refuse(io, ready.error);
  };
  if (input.text("from") !== undefined) return askStoredRuns(input, io, sweep);
  const idle = withoutFrom(input);
  return idle === undefined ? sweep() : refuse(io, idle);
}

interface AskedSweep extends Pick<ReadySweep, "kind" | "io"> {
  readonly input: CommandInput;
  readonly runs: StoredRuns | undefined;
}

async function getReady({ input, io, kind, runs }: AskedSweep): Promise<Result<ReadySweep, string>> {
  const request = sweepRequest(input);
  if (!request.ok) return request;
  const problem = outputProblem(request.value.output, io);
  if (problem !== undefined) return err(problem);
  const project = await openProject(io);
  if (!project.ok) return project;
  const asked = { ...request.value, cwd: io.cwd };
  const found = runs === undefined ? findTargets(project.value, asked) : runTargets(project.value, asked);
  if (!found.ok) return found;
  const { targets, strangers } = found.value;
  if (strangers.length > 0) warn(io, notChecked(strangers));
  if (targets.length === 0) return err(noBaselines(request.value, project.value));
  const question = await kind.prepare(project.value, targets);
  return question.ok
    ? ok({
        kind,
        request: request.value,
        project: project.value,
        targets,
        question: question.value,
        io,
        runs: runs === undefined ? undefined : new RunCases(runs, targets),
      })
    : question;
}

/** Whether what waits is dropped where it is clean again. That a stored run is clean says nothing of a baseline. */
function drops({ kind, runs }: ReadySweep): boolean {
  return kind.keeps && runs === undefined;
}

function titleOf({ kind, runs, question }: ReadySweep): string {
  return sweepTitle(runs === undefined ? kind.verb : (`${kind.verb} --from` as const), question.adapters);
}

/** Of stored runs they are known only when all of them were read. */
function tellStrangers({ runs, project, io }: ReadySweep): void {
  const strangers = runs?.strangers().filter((name) => !project.steps.has(name)) ?? [];
  if (strangers.length > 0) warn(io, notChecked(strangers));
}

function notChecked(strangers: readonly string[]): string {
  return `Not checked, because the configuration does not name the step: ${strangers.join(", ")}.`;
}

function noBaselines({ steps, baselines }: SweepRequest, project: SweepProject): string {
  const names = steps.length > 0 ? steps : [...project.steps.keys()].toSorted();
  const where = baselines.length > 0 ? ` in ${baselines.join(", ")}` : "";
  const command = `npx veritest capture --step ${names[0] ?? "<name>"} --input 'inputs/*.json'`;
  return `No baselines of ${names.join(", ")}${where}: there is nothing to check. Capture some: ${command}`;
}

async function sweepAndTell(ready: ReadySweep): Promise<ExitCode> {
  const { kind, request, project, io } = ready;
  const streams = request.format === "text" && request.output === undefined;
  const shows = request.format === "text" || request.output !== undefined;
  const tally = new SweepTally({ keeps: !streams });
  const screen = new SweepScreen(io, () => (ready.runs === undefined ? countFiles(ready.targets) : 0), request.all);
  const interrupt = onInterrupt(io);
  const strays = watchStrays();
  const run = new CommandRun({ project, io, title: titleOf(ready) });
  const cleanAgain = drops(ready) ? new CleanAgain(project.places) : undefined;
  const startedAt = Date.now();
  let worst: 0 | 1 | 2 = 0;
  try {
    const sweep: Omit<Sweep, "take" | "looked"> = {
      root: project.places.root,
      ...ready,
      cases: ready.runs ?? filedCases(ready.targets),
      ask: ready.question.ask,
      timeoutMs: (request.timeoutMs ?? usualTimeout(ready.question.adapters)) * ready.question.runs,
      signal: interrupt.signal,
      keep: keeperOf(ready, run, screen),
    };
    const end = await runSweep({
      ...sweep,
      looked: () => screen.step(),
      take(one, check) {
        tally.add(one);
        cleanAgain?.take(check);
        const badness = badnessOf(check, kind.failOn);
        if (badness > worst) worst = badness;
        if (shows && check.verdict.kind !== "clean") screen.found(one);
      },
    });
    screen.clear();
    const settled = await run.settle([]);
    const problems = [
      ...problemsOf({ ready, end, tally, interrupted: interrupt.signal.aborted, settled }),
      ...strays.problems(),
    ];
    if (end.lingering) leaveLingering(io);
    if (tally.counts.total === 0 && streams) return refuse(io, problems.join(" "));
    const model = tally.model({
      startedAt: new Date(startedAt).toISOString(),
      durationMs: Date.now() - startedAt,
      environment: environmentOf(ready),
      settlement: null,
      problems,
    });
    return await tell(model, {
      ready,
      screen,
      tally,
      worst: problems.length > 0 ? 2 : worst,
      more: cleanAgain?.drop() ?? [],
    });
  } finally {
    interrupt.release();
    strays.release();
  }
}

function keeperOf({ kind, io }: ReadySweep, run: CommandRun, screen: SweepScreen): Sweep["keep"] {
  const tell = (problem: string): void => {
    screen.clear();
    warn(io, problem);
  };
  return kind.keeps ? reviewKeeper(run, io, tell) : async (check) => Promise.resolve(check);
}

function countFiles(targets: readonly SweepTarget[]): number {
  return targets.reduce((sum, { directory, only }) => sum + (only === undefined ? countBaselines(directory) : 1), 0);
}

interface SweepOutcome {
  readonly ready: ReadySweep;
  readonly end: SweepEnd;
  readonly tally: SweepTally;
  readonly interrupted: boolean;
  readonly settled: Result<Settlement | undefined, string>;
}

/** Why what the sweep says is not all that was asked, a sentence each. */
function problemsOf({ ready: { request, runs }, end, tally, interrupted, settled }: SweepOutcome): string[] {
  const { total } = tally.counts;
  const problems = [...end.unknown];
  const asked = [...request.names, ...request.labels, ...request.facts].join(", ");
  if (interrupted)
    problems.push(`Interrupted: ${amount(total, "baseline was", "baselines were")} checked, the others were not.`);
  else if (total === 0 && problems.length === 0 && runs !== undefined)
    problems.push("The store has no such run of these steps: there is nothing to check. See: veritest runs list");
  else if (total === 0 && problems.length === 0)
    problems.push(`No baseline has all of this: ${asked || "there is none"}.`);
  if (!settled.ok) problems.push(settled.error);
  return problems;
}

interface Telling extends Pick<SweepOutcome, "ready" | "tally"> {
  readonly screen: SweepScreen;
  readonly worst: 0 | 1 | 2;
  /** What else there is to say, a sentence each. */
  readonly more: readonly string[];
}

async function tell(model: RunModel, { ready, screen, tally, worst, more }: Telling): Promise<ExitCode> {
  const { request, project, io } = ready;
  tellStrangers(ready);
  const target = { format: request.format, output: request.output, state: project.places.state };
  const streams = request.format === "text" && request.output === undefined;
  const written = streams ? ok(undefined) : await writeReport(model, target, io);
  // What came out is told all the same.
  if (!written.ok) warn(io, written.error);
  const report = written.ok && written.value !== undefined ? [`report: ${written.value}`] : [];
  if (streams || request.output !== undefined)
    screen.end(model, { steps: tally.steps, more: [...tally.tolerated(), ...more, ...report] });
  if (!written.ok) return EXIT.usage;
  return [EXIT.clean, EXIT.regressions, EXIT.usage][worst] ?? EXIT.usage;
}

function environmentOf({ question, io }: ReadySweep): ReportEnvironment {
  const { veritest, node, platform } = versions();
  return {
    veritest,
    runner: null,
    node,
    platform,
    ci: ciVariable(io.environment) !== undefined,
    adapters: question.adapters,
    shard: null,
  };
}

/** Which differences fail a sweep. What is damaged, failed, or refused by a schema always does. */
interface FailOn {
  /** Differences of outputs, events and inputs. */
  readonly diff: boolean;
  /** Differences of commands. */
  readonly commands: boolean;
  /** Outputs that break their schema, and requests nothing is recorded for. */
  readonly refusals: boolean;
}

/** How bad a check is for the exit code of a sweep: 0 not at all, 1 a regression, 2 nothing can be known. */
function badnessOf({ verdict }: Pick<Check, "verdict">, { diff, commands, refusals }: FailOn): 0 | 1 | 2 {
  switch (verdict.kind) {
    case "clean":
    case "obsolete":
      return 0;
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
      return verdict.changes.some(({ part }) => (part === "commands" ? commands : diff)) ? 1 : 0;
    case "schema_violation":
    case "request_changed":
      return refusals ? 1 : 0;
    case "missing":
    case "failed":
      return 1;
    case "broken":
      return 2;
  }
}
