import type { AnyStep } from "../../../kernel/step/define-step.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { groupOf } from "../../../baseline/baseline.ts";
import { type BaselineLibrary, openLibrary } from "../../../baseline/library.ts";
import type { Check } from "../../../check/check.ts";
import { checkAll } from "../../../check-all/check-all.ts";
import { unknownStep } from "../../../check-all/find-targets.ts";
import { newCase } from "../../../check/compare.ts";
import type { ConfiguredStep } from "../../../config/load-steps.ts";
import { amount, waitingLine } from "../../../explain/wording.ts";
import { targetName } from "../../../kernel/files/places.ts";
import { kernelError } from "../../../kernel/step/fail.ts";
import { storedSteps } from "../store/stored-steps.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { openToCapture } from "../../../cli/sweep/capture-command.ts";
import { oneLine, refuse, say, warn } from "../../../cli/terminal/say.ts";
import { type CaptureChoices, captureOptions, capturePlace } from "../../../cli/sweep/capture-request.ts";
import { CommandRun } from "../../../cli/sweep/command-run.ts";
import type { SweepProject } from "../../../cli/sweep/open-project.ts";
import { holdCheck } from "../../../cli/sweep/hold-check.ts";
import { onInterrupt } from "../../../cli/sweep/stay-alive.ts";
import { usualTimeout } from "../../../cli/sweep/sweep-request.ts";
import { SweepScreen } from "../../../cli/sweep/sweep-screen.ts";
import { type StoredRuns, askStoredRuns } from "./ask-store.ts";
import { type RunCase, caseOfRun } from "./case-of-run.ts";

/** What of stored runs is to be captured. */
interface StoredRequest extends CaptureChoices {
  readonly step: string | undefined;
  readonly timeoutMs: number;
}

/**
 * Makes cases of the steps of stored runs, which are run on their recorded answers alone, and holds those for review
 * that replay: what a production run answered is no baseline before somebody has read it.
 */
export async function captureStored(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const request = storedRequest(input);
  if (!request.ok) return refuse(io, request.error);
  const project = await openToCapture(request.value, io);
  if (!project.ok) return refuse(io, project.error.message, project.error.code);
  const places = placesOf(request.value, project.value);
  if (!places.ok) return refuse(io, places.error);
  return askStoredRuns(input, io, async (runs) =>
    new StoredCapture({ request: request.value, project: project.value, places: places.value, io }).of(runs),
  );
}

const NOT_WITH_FROM = ["name", "update", "input"] as const;

function storedRequest(input: CommandInput): Result<StoredRequest, string> {
  const odd = NOT_WITH_FROM.find(
    (name) => input.text(name) !== undefined || input.flag(name) || input.list(name).length > 0,
  );
  if (odd !== undefined || input.operands.length > 0)
    return err(`--from takes the inputs of stored runs: leave out ${odd === undefined ? "the files" : `--${odd}`}.`);
  const how = captureOptions(input);
  if (!how.ok) return how;
  const { timeoutMs = usualTimeout("recorded") } = how.value;
  return ok({ ...how.value, timeoutMs, step: input.text("step") });
}

/** A step, and the baselines that a case of it would lie among. */
interface StepPlace {
  readonly configured: ConfiguredStep;
  readonly library: BaselineLibrary;
}

function placesOf({ step }: StoredRequest, project: SweepProject): Result<ReadonlyMap<string, StepPlace>, string> {
  if (step !== undefined && !project.steps.has(step)) return err(unknownStep(step, project.steps.keys()));
  const places = new Map<string, StepPlace>();
  for (const [name, configured] of project.steps) {
    if (step !== undefined && name !== step) continue;
    const place = capturePlace(configured, project.places);
    if (!place.ok) return place;
    places.set(name, { configured, library: openLibrary(place.value, new Map()) });
  }
  return ok(places);
}

/** Case of a stored run that has no baseline yet. */
interface NewCase {
  readonly runCase: RunCase;
  readonly place: StepPlace;
}

interface StoredCaptureOptions {
  readonly request: StoredRequest;
  readonly project: SweepProject;
  readonly places: ReadonlyMap<string, StepPlace>;
  readonly io: CliIo;
}

/** One capture of stored runs, and what came of it so far. */
class StoredCapture {
  readonly #options: StoredCaptureOptions;
  readonly #run: CommandRun;
  readonly #screen: SweepScreen;
  readonly #runs = new Set<string>();
  /** The cases that this capture has: of runs with one input the first is held. */
  readonly #taken = new Set<string>();
  /** Steps that the configuration does not name. */
  readonly #strangers = new Set<string>();
  readonly #counts = { steps: 0, held: 0, known: 0, twice: 0, refused: 0 };

  constructor(options: StoredCaptureOptions) {
    this.#options = options;
    this.#run = new CommandRun({ ...options, title: "veritest capture --from" });
    this.#screen = new SweepScreen(options.io, () => 0);
  }

  async of(runs: StoredRuns): Promise<ExitCode> {
    const { request, io } = this.#options;
    const interrupt = onInterrupt(io);
    try {
      const { signal } = interrupt;
      const { concurrency } = request;
      const isHeld = checkAll(this.#newCases(runs), async (one) => this.#hold(one), { concurrency, signal });
      for await (const held of isHeld) this.#counts[held ? "held" : "refused"] += 1;
      this.#screen.clear();
      const settled = await this.#run.settle([]);
      if (!settled.ok) return refuse(io, settled.error);
      if (signal.aborted) warn(io, "The capture was interrupted: what was read so far is held.");
      return this.#tell(signal.aborted);
    } finally {
      interrupt.release();
    }
  }

  /** Yields a case for each input that neither has a baseline nor came before. */
  async *#newCases({ store, filter }: StoredRuns): AsyncGenerator<NewCase, void, undefined> {
    const { request, places, project } = this.#options;
    for await (const one of storedSteps(store, filter)) {
      const { stepName } = one.entry;
      this.#runs.add(`${one.run.workflowId}\0${one.run.runId}`);
      const place = places.get(stepName);
      if (place === undefined) {
        if (!project.steps.has(stepName)) this.#strangers.add(stepName);
        continue;
      }
      this.#counts.steps += 1;
      const runCase = await caseOfRun(one, place.configured.step, {
        library: place.library,
        labels: request.labels,
        meta: (run) => ({ ...request.meta, run }),
      });
      const key = `${stepName}\0${runCase.input.hash}`;
      if (runCase.known !== undefined) this.#counts.known += 1;
      else if (this.#taken.has(key)) this.#counts.twice += 1;
      else {
        this.#taken.add(key);
        yield { runCase, place };
      }
    }
  }

  /** Holds a case for review; returns false if it can't be held. */
  async #hold({ runCase, place: { configured, library } }: NewCase): Promise<boolean> {
    const { request, project, io } = this.#options;
    const { root } = project.places;
    const { step } = configured;
    const { file, path } = runCase.stored;
    if (request.dryRun) {
      say(io, [oneLine(`would hold  ${file} → ${targetName(root, path)}`)]);
      return true;
    }
    return holdCheck(checkOf(runCase, { step, root: library.root }), {
      run: this.#run,
      screen: this.#screen,
      root,
      step: step.name,
      file,
      timeoutMs: request.timeoutMs,
    });
  }

  #tell(interrupted: boolean): ExitCode {
    const { io, request } = this.#options;
    const { steps, held, known, twice, refused } = this.#counts;
    if (this.#strangers.size > 0) {
      const names = [...this.#strangers].toSorted().join(", ");
      warn(io, oneLine(`Not captured, because the configuration does not name the step: ${names}.`));
    }
    if (steps === 0 && !interrupted) {
      const left =
        this.#runs.size === 0 ? "The store has no such run" : `No step of ${amount(this.#runs.size, "run")} fits`;
      return refuse(io, `${left}: there is nothing to capture. See: veritest runs list`);
    }
    const parts = [
      `${held} ${request.dryRun ? "to be held" : "held"}`,
      ...(known === 0 ? [] : [`${known} with a baseline`]),
      ...(twice === 0 ? [] : [`${twice} of the same input`]),
      ...(refused === 0 ? [] : [`${refused} refused`]),
    ];
    say(io, [`${amount(this.#runs.size, "run")}, ${amount(steps, "step")}: ${parts.join(", ")}`]);
    if (held > 0 && !request.dryRun) say(io, [waitingLine(held, "project")]);
    if (interrupted) return EXIT.usage;
    return refused > 0 ? EXIT.regressions : EXIT.clean;
  }
}

/** A new case, which nobody has decided on. */
function checkOf({ stored, from }: RunCase, { step, root }: { readonly step: AnyStep; readonly root: string }): Check {
  const { baseline, file, path, text } = stored;
  if (!baseline.ok) {
    const error = kernelError("not_storable", baseline.error);
    return { file, path, verdict: { kind: "failed", error }, propose: undefined };
  }
  const { value } = baseline;
  const verdict = value.kind === "step" ? newCase(value.output, step?.keyBy ?? {}) : { kind: "missing" as const };
  const proposal = { kind: "add", root, path, group: groupOf(value), before: undefined, after: text, from } as const;
  return { file, path, proof: { step }, verdict, propose: verdict.kind === "missing" ? () => proposal : undefined };
}
