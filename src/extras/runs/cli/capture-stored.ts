import type { AnyStep } from "../../../kernel/step/define-step.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { groupOf } from "../../../baseline/baseline.ts";
import { type BaselineLibrary, openLibrary } from "../../../baseline/baseline-library.ts";
import { type Check, checkWithoutUpdate } from "../../../check/check.ts";
import { checkAll } from "../../../check-all/check-all.ts";
import { unknownStep } from "../../../check-all/find-targets.ts";
import { verdictOfNewCase } from "../../../check/compare/compare.ts";
import type { ConfiguredStep } from "../../../config/load-steps.ts";
import { plainCount, pendingLine } from "../../../explain/wording.ts";
import { targetName } from "../../../kernel/files/project-paths.ts";
import { kernelError } from "../../../kernel/step/fail.ts";
import { checkWithoutCause } from "../../../check/check-case.ts";
import { type StoredStep, storedHistories, storedSteps } from "../store/stored-steps.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { openToCapture } from "../../../cli/cases/capture-command.ts";
import { oneLine, printJson, printRefusal, printLines, printWarning, textIo } from "../../../cli/terminal/print.ts";
import { type CaptureChoices, captureOptions, captureDirectory } from "../../../cli/cases/capture-request.ts";
import { CommandRun } from "../../../cli/cases/command-run.ts";
import type { LoadedProject } from "../../../cli/cases/open-project.ts";
import { keepPendingCase } from "../../../cli/cases/keep-pending-case.ts";
import { onInterrupt } from "../../../cli/cases/process-lifetime.ts";
import { defaultTimeout } from "../../../cli/cases/check-request.ts";
import { CheckScreen } from "../../../cli/cases/check-screen.ts";
import { type StoredRuns, runWithStoredRuns } from "./run-with-store.ts";
import { type RunCase, caseOfRun } from "./case-of-run.ts";
import { type WholeRun, wholeRunOf } from "./whole-run.ts";

/** Options of a capture of stored runs. */
interface StoredRequest extends CaptureChoices {
  readonly step: string | undefined;
  readonly timeoutMs: number;
  /** True if each run is one case of its workflow's step, false if each of its steps is a case. */
  readonly isWhole: boolean;
}

/**
 * Captures the steps of stored runs. Each step runs on its recorded responses alone. Cases that replay become pending
 * additions: the output of a production run isn't a baseline until somebody has reviewed it.
 */
export async function captureStored(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const request = storedRequest(input);
  if (!request.ok) return printRefusal(io, request.error);
  const project = await openToCapture(request.value, io);
  if (!project.ok) return printRefusal(io, project.error.message, project.error.code);
  const locations = locationsOf(request.value, project.value);
  if (!locations.ok) return printRefusal(io, locations.error);
  return runWithStoredRuns(input, io, async (runs) =>
    new StoredCapture({ request: request.value, project: project.value, locations: locations.value, io }).of(runs),
  );
}

const NOT_WITH_FROM = ["name", "update", "input"] as const;

function storedRequest(input: CommandInput): Result<StoredRequest, string> {
  const odd = NOT_WITH_FROM.find(
    (name) => input.text(name) !== undefined || input.flag(name) || input.list(name).length > 0,
  );
  if (odd !== undefined || input.operands.length > 0)
    return err(`--store reads the inputs from stored runs. Remove ${odd === undefined ? "the files" : `--${odd}`}.`);
  const how = captureOptions(input);
  if (!how.ok) return how;
  const { timeoutMs = defaultTimeout("replay") } = how.value;
  return ok({ ...how.value, timeoutMs, step: input.text("step"), isWhole: input.flag("whole") });
}

/** A step, and the library that its new cases go into. */
interface StepLocation {
  readonly configured: ConfiguredStep;
  readonly library: BaselineLibrary;
}

function locationsOf(
  { step, isWhole }: StoredRequest,
  project: LoadedProject,
): Result<ReadonlyMap<string, StepLocation>, string> {
  if (step !== undefined && !project.steps.has(step)) return err(unknownStep(step, project.steps.keys()));
  const locations = new Map<string, StepLocation>();
  for (const [name, configured] of project.steps) {
    if ((step !== undefined && name !== step) || (isWhole && configured.step.repeating === undefined)) continue;
    const location = captureDirectory(configured, project.paths);
    if (!location.ok) return location;
    locations.set(name, { configured, library: openLibrary(location.value) });
  }
  return ok(locations);
}

/** Case of a stored run that has no baseline yet. */
interface NewCase {
  readonly runCase: RunCase;
  readonly location: StepLocation;
  /** The complete run that the case is, if it isn't a step of one. */
  readonly whole: WholeRun["run"] | undefined;
}

interface StoredCaptureOptions {
  readonly request: StoredRequest;
  readonly project: LoadedProject;
  readonly locations: ReadonlyMap<string, StepLocation>;
  readonly io: CliIo;
}

/** One capture of stored runs, and its counts so far. */
class StoredCapture {
  readonly #options: StoredCaptureOptions;
  readonly #run: CommandRun;
  readonly #screen: CheckScreen;
  /** Prints for people; nothing if the output is JSON. */
  readonly #text: CliIo;
  /** Cases that a dry run would add, for JSON. */
  readonly #listed: object[] = [];
  readonly #runs = new Set<string>();
  /** Keys of the cases captured so far: of runs with the same input, the first one is captured. */
  readonly #captured = new Set<string>();
  /** Steps that the configuration doesn't name. */
  readonly #unknownSteps = new Set<string>();
  readonly #counts = { steps: 0, pending: 0, known: 0, twice: 0, refused: 0 };

  constructor(options: StoredCaptureOptions) {
    this.#options = options;
    this.#run = new CommandRun({ ...options, title: "veritest capture --store" });
    this.#text = textIo(options.io, options.request.json);
    this.#screen = new CheckScreen(this.#text, () => 0);
  }

  async of(runs: StoredRuns): Promise<ExitCode> {
    const { request, io } = this.#options;
    const interrupt = onInterrupt(io);
    try {
      const { signal } = interrupt;
      const { concurrency } = request;
      const outcomes = checkAll(this.#newCases(runs), async (stored) => this.#addPending(stored), {
        concurrency,
        signal,
      });
      for await (const isPending of outcomes) this.#counts[isPending ? "pending" : "refused"] += 1;
      this.#screen.clear();
      const applied = await this.#run.applyUpdates([]);
      if (!applied.ok) return printRefusal(io, applied.error);
      if (signal.aborted) printWarning(io, "The capture was interrupted. Runs that were already read are pending.");
      return this.#report(signal.aborted, applied.value?.earlier);
    } finally {
      interrupt.release();
    }
  }

  /** Yields a case for each input that has no baseline and wasn't yielded before. */
  async *#newCases({ store, filter }: StoredRuns): AsyncGenerator<NewCase, void, undefined> {
    const { request, locations } = this.#options;
    const cases = request.isWhole ? wholeRuns({ store, filter }) : eachStep({ store, filter });
    for await (const { stored, run: whole } of cases) {
      const { stepName } = stored.entry;
      this.#runs.add(`${stored.run.workflowId}\0${stored.run.runId}`);
      const location = locations.get(stepName);
      if (location === undefined) {
        this.#noteUnknown(stepName);
        continue;
      }
      this.#counts.steps += 1;
      const runCase = await caseOfRun(stored, location.configured.step, {
        library: location.library,
        labels: request.labels,
        meta: (run) => ({ ...request.meta, run }),
      });
      const key = `${stepName}\0${runCase.input.hash}`;
      if (runCase.known !== undefined) this.#counts.known += 1;
      else if (this.#captured.has(key)) this.#counts.twice += 1;
      else {
        this.#captured.add(key);
        yield { runCase, location, whole };
      }
    }
  }

  #noteUnknown(step: string): void {
    const known = this.#options.project.steps.get(step)?.step;
    const isKnown = this.#options.request.isWhole ? known?.repeating !== undefined : known !== undefined;
    if (!isKnown) this.#unknownSteps.add(step);
  }

  /** Adds a case to the pending updates; returns false if that fails. */
  async #addPending({ runCase, location: { configured, library }, whole }: NewCase): Promise<boolean> {
    const { request, project } = this.#options;
    const { root } = project.paths;
    const { step } = configured;
    const { file, path } = runCase.stored;
    if (request.dryRun) {
      const target = targetName(root, path);
      this.#listed.push({ action: "add", input: file, target });
      printLines(this.#text, [oneLine(`would add  ${file} → ${target}`)]);
      return true;
    }
    const check = checkOf(runCase, { step, root: library.root });
    return keepPendingCase(whole === undefined ? check : await repeatedCheck(runCase, { check, step, whole }), {
      run: this.#run,
      screen: this.#screen,
      root,
      step: step.name,
      file,
      timeoutMs: request.timeoutMs,
    });
  }

  #report(interrupted: boolean, earlier: number = 0): ExitCode {
    const { io, request } = this.#options;
    const { steps, pending: added, known, twice, refused } = this.#counts;
    if (this.#unknownSteps.size > 0) {
      const names = [...this.#unknownSteps].toSorted().join(", ");
      const missing = request.isWhole ? "a workflowStep of this name" : "the step";
      printWarning(io, oneLine(`Not captured, because the configuration doesn't have ${missing}: ${names}.`));
    }
    if (steps === 0 && !interrupted) {
      const reason =
        this.#runs.size === 0
          ? "The store has no such run"
          : `No step of ${plainCount(this.#runs.size, "run")} matches`;
      return printRefusal(io, `${reason}. See: veritest runs list`);
    }
    if (request.json)
      printJson(
        io,
        request.dryRun ? this.#listed : { runs: this.#runs.size, steps, pending: added, known, twice, refused },
      );
    const parts = [
      `${added} ${request.dryRun ? "would be pending" : "pending"}`,
      ...(known === 0 ? [] : [`${known} with a baseline`]),
      ...(twice === 0 ? [] : [`${twice} of the same input`]),
      ...(refused === 0 ? [] : [`${refused} refused`]),
    ];
    printLines(this.#text, [
      `${plainCount(this.#runs.size, "run")}, ${plainCount(steps, "step")}: ${parts.join(", ")}`,
    ]);
    if (added > 0 && !request.dryRun) printLines(this.#text, [pendingLine(added, "project", earlier)]);
    if (interrupted) return EXIT.usage;
    return refused > 0 ? EXIT.regressions : EXIT.clean;
  }
}

/** Check of a new case that hasn't been reviewed. */
function checkOf({ stored, from }: RunCase, { step, root }: { readonly step: AnyStep; readonly root: string }): Check {
  const { baseline, file, path, text } = stored;
  if (!baseline.ok) {
    const error = kernelError("not_storable", baseline.error);
    return checkWithoutUpdate({ file, path }, { kind: "failed", error });
  }
  const { value } = baseline;
  const verdict =
    value.kind === "step" ? verdictOfNewCase(value.output, step?.keyBy ?? {}) : { kind: "missing" as const };
  const change = { kind: "add", root, path, group: groupOf(value), before: undefined, after: text, from } as const;
  const update = { propose: () => change, verification: { step } };
  return { file, path, verdict, findings: {}, update: verdict.kind === "missing" ? update : undefined };
}

async function* eachStep({
  store,
  filter,
}: StoredRuns): AsyncGenerator<{ readonly stored: StoredStep; readonly run?: undefined }> {
  for await (const stored of storedSteps(store, filter)) yield { stored };
}

/** Yields the runs that have ended well, or wait for a person. */
async function* wholeRuns({ store, filter }: StoredRuns): AsyncGenerator<WholeRun> {
  for await (const history of storedHistories(store, filter)) {
    const { status } = history.run;
    const whole = status === "completed" || status === "blocked" ? await wholeRunOf(store, history) : undefined;
    if (whole !== undefined) yield whole;
  }
}

/**
 * Checks a complete run: the workflow runs again, on the run's own calls and decisions, and must return the outputs
 * that the store has. Its result becomes the baseline.
 */
async function repeatedCheck(
  { stored, input, from }: RunCase,
  { check, step, whole }: { readonly check: Check; readonly step: AnyStep; readonly whole: WholeRun["run"] },
): Promise<Check> {
  const { update, file, path } = check;
  if (update === undefined) return check;
  const root = update.propose().root;
  const request = { step: step.repeating?.(whole) ?? step, file, path, stored, input };
  const repeated = await checkWithoutCause(request, { root, responses: { kind: "recorded", hasAdapters: false } });
  const { update: next, verdict } = repeated;
  if (next === undefined || verdict.kind === "failed") return repeated;
  const propose: typeof next.propose = () => ({ ...next.propose(), kind: "add", path, before: undefined, from });
  return {
    ...repeated,
    path,
    verdict: { kind: "missing" },
    update: { ...next, propose, verification: { ...next.verification, step } },
  };
}
