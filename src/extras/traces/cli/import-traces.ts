import { hashText } from "../../../kernel/json/hash.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import { openLibrary } from "../../../baseline/library.ts";
import { parseBaseline } from "../../../baseline/parse-baseline.ts";
import { serializeBaseline } from "../../../baseline/serialize-baseline.ts";
import { TIMED_OUT, withTimeout } from "../../../check-all/check-in-time.ts";
import { unknownStep } from "../../../check-all/find-targets.ts";
import { makeAdapters } from "../../../config/load-steps.ts";
import { amount, waitingLine } from "../../../explain/wording.ts";
import { targetName } from "../../../kernel/files/places.ts";
import { installFetch } from "../../../record/interceptors/fetch-tape.ts";
import { currentRedactor } from "../../../redact/current-redactor.ts";
import { readPending } from "../../../updates/pending/pending.ts";
import { type Grade, type GradePlace, gradeRun, nameOfRun, traceCase } from "../grade-run.ts";
import type { ImportedRun, StepOf } from "../imported-run.ts";
import { type TraceFacts, factsOfTraces, importedRuns } from "../read-traces.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { oneLine, refuse, say, warn } from "../../../cli/terminal/say.ts";
import { openToCapture } from "../../../cli/sweep/capture-command.ts";
import { capturePlace } from "../../../cli/sweep/capture-request.ts";
import { CommandRun } from "../../../cli/sweep/command-run.ts";
import { holdCheck } from "../../../cli/sweep/hold-check.ts";
import type { SweepProject } from "../../../cli/sweep/open-project.ts";
import { onInterrupt, watchStrays } from "../../../cli/sweep/stay-alive.ts";
import { SweepScreen } from "../../../cli/sweep/sweep-screen.ts";
import { type ImportRequest, importRequest } from "./import-request.ts";

/** Runs told one by one, of those that are held without calls or not at all. */
const MAX_TOLD = 20;
/** Names of spans shown where none is of a step. */
const MAX_NAMES = 8;

/** Reads exported traces, and holds the runs of steps in them for review, each graded by what it is good for. */
export async function importTraces(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const request = importRequest(input, io);
  if (!request.ok) return refuse(io, request.error);
  // Before steps are loaded: clients keep the fetch they find, and none is to reach the network.
  const uninstall = installFetch();
  try {
    const project = await openToCapture(request.value, io);
    if (!project.ok) return refuse(io, project.error.message, project.error.code);
    const steps = stepsOf(request.value, project.value);
    if (!steps.ok) return refuse(io, steps.error);
    return await new TraceImport({ request: request.value, project: project.value, stepOf: steps.value, io }).run();
  } finally {
    uninstall();
  }
}

/**
 * How steps are found: by what a span says, by the configuration's names, by their own; a sentence where one is
 * unknown.
 */
function stepsOf({ step }: ImportRequest, { steps, config }: SweepProject): Result<StepOf, string> {
  const named = new Map(Object.entries(config.traces?.steps ?? {}));
  const unknown = [...(step === undefined ? [] : [step]), ...named.values()].find((name) => !steps.has(name));
  if (unknown !== undefined) return err(unknownStep(unknown, steps.keys()));
  return ok(({ step: told, names }) => {
    if (told !== undefined && steps.has(told)) return told;
    return names
      .map((name) => named.get(name) ?? (steps.has(name) ? name : undefined))
      .find((found) => found !== undefined);
  });
}

interface ImportOptions {
  readonly request: ImportRequest;
  readonly project: SweepProject;
  readonly stepOf: StepOf;
  readonly io: CliIo;
}

/** One import, and what came of it so far. */
class TraceImport {
  readonly #options: ImportOptions;
  readonly #run: CommandRun;
  readonly #screen: SweepScreen;
  readonly #places = new Map<string, GradePlace>();
  /** How often each case of this import was seen, by its target. */
  readonly #seen = new Map<string, number>();
  /** What waits already, by target. */
  readonly #waiting: ReadonlySet<string>;
  readonly #names = new Set<string>();
  readonly #problems = new Set<string>();
  readonly #counts = { runs: 0, replayable: 0, compareOnly: 0, known: 0, waiting: 0, twice: 0, refused: 0 };
  #told = 0;

  constructor(options: ImportOptions) {
    const { project, io, request } = options;
    this.#options = options;
    this.#run = new CommandRun({ ...options, title: `veritest import ${request.name}` });
    this.#screen = new SweepScreen(io, () => 0);
    this.#waiting = new Set(readPending(project.places.state).changes.map(({ target }) => target));
  }

  async run(): Promise<ExitCode> {
    const { request, io } = this.#options;
    const interrupt = onInterrupt(io);
    const strays = watchStrays();
    try {
      for await (const run of this.#runs(await this.#facts())) {
        if (interrupt.signal.aborted || this.#counts.runs >= request.limit) break;
        await this.#take(run);
      }
      this.#screen.clear();
      this.#run.amend((change) => this.#counted(change.target, change.text));
      const settled = await this.#run.settle([]);
      if (!settled.ok) return refuse(io, settled.error);
      for (const problem of strays.problems()) warn(io, problem);
      return this.#tell(interrupt.signal.aborted);
    } finally {
      interrupt.release();
      strays.release();
    }
  }

  /** What a first reading tells of the traces that are asked for; undefined where there can be but one. */
  async #facts(): Promise<ReadonlyMap<string, TraceFacts> | undefined> {
    const { request, stepOf } = this.#options;
    if (!request.isRereadable) return undefined;
    const isOfStep = (observation: Parameters<StepOf>[0]): boolean =>
      request.step !== undefined || stepOf(observation) !== undefined;
    const reading = { source: request.source, tell: (problem: string) => this.#problem(problem) };
    const all = await factsOfTraces(request.files, {
      ...reading,
      isOfStep: (one) => this.#named(one) && isOfStep(one),
    });
    const asked = [...all].filter(
      ([, { isOfStep: is, at }]) => is && (request.since === undefined || at >= request.since),
    );
    return new Map(sampled(asked, request));
  }

  /** Remembers names to show where none is that of a step. */
  #named({ names }: { readonly names: readonly string[] }): true {
    if (this.#names.size < MAX_NAMES) for (const name of names.slice(0, 1)) this.#names.add(name);
    return true;
  }

  #problem(problem: string): void {
    if (this.#problems.has(problem)) return;
    this.#problems.add(problem);
    warn(this.#options.io, problem);
  }

  async *#runs(facts: ReadonlyMap<string, TraceFacts> | undefined): AsyncGenerator<ImportedRun, void> {
    const { request, stepOf } = this.#options;
    const { source, files, step, since } = request;
    const told: StepOf = (one) => {
      this.#named(one);
      return stepOf(one);
    };
    const reading = { source, facts, stepOf: told, fallback: step, tell: (problem: string) => this.#problem(problem) };
    for await (const run of importedRuns(files, reading)) {
      if (step !== undefined && run.step !== step) continue;
      if (since === undefined || run.at >= since) yield run;
    }
  }

  async #take(run: ImportedRun): Promise<void> {
    const { request, project } = this.#options;
    this.#counts.runs += 1;
    const place = await this.#placeOf(run.step);
    if (typeof place === "string") return this.#refused(run, place);
    const found = await traceCase(run, place);
    if (typeof found === "string") return this.#refused(run, found);
    const target = targetName(project.places.root, found.path);
    const before = this.#seen.get(target) ?? 0;
    this.#seen.set(target, before + 1);
    if (found.known !== undefined) this.#counts.known += 1;
    else if (before > 0) this.#counts.twice += 1;
    else if (this.#waiting.has(target)) this.#counts.waiting += 1;
    else {
      const graded = await withTimeout(gradeSafely(found, place), request.timeoutMs);
      await this.#graded(
        run,
        graded === TIMED_OUT ? { kind: "refused", reason: "today's step does not come to an end on it" } : graded,
      );
      // Of a run that is good for nothing another with the same input may be better.
      if (graded === TIMED_OUT || graded.kind === "refused") this.#seen.delete(target);
    }
  }

  async #placeOf(name: string): Promise<GradePlace | string> {
    const { project, request, io } = this.#options;
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const configured = project.steps.get(name);
    if (configured === undefined) return unknownStep(name, project.steps.keys());
    const root = capturePlace(configured, project.places);
    if (!root.ok) return root.error;
    const made = await makeAdapters(configured);
    // They are not called; without them their shape is guessed.
    if (!made.ok) warn(io, made.error);
    const { labels, meta } = request;
    const today = made.ok ? made.value : undefined;
    const place = {
      step: configured.step,
      library: openLibrary(root.value, new Map()),
      today,
      source: request.name,
      labels,
      meta,
    };
    this.#places.set(name, place);
    return place;
  }

  async #graded(run: ImportedRun, grade: Grade): Promise<void> {
    switch (grade.kind) {
      case "refused":
        return this.#refused(run, grade.reason);
      case "replayable":
        return this.#hold(run, grade.check, "replayable");
      case "compare-only": {
        await this.#hold(run, grade.check, "compareOnly");
        return this.#line(`compare-only  ${this.#nameOf(run)}: ${grade.missing.join(", ")}`);
      }
    }
  }

  async #hold(
    run: ImportedRun,
    check: Extract<Grade, { check: unknown }>["check"],
    count: "replayable" | "compareOnly",
  ): Promise<void> {
    const { request, project } = this.#options;
    const { root } = project.places;
    const holding = {
      run: this.#run,
      screen: this.#screen,
      root,
      step: run.step,
      file: this.#nameOf(run),
      timeoutMs: request.timeoutMs,
    };
    const isHeld = request.dryRun || (await holdCheck(check, holding));
    this.#counts[isHeld ? count : "refused"] += 1;
    if (request.dryRun) this.#line(`would hold    ${this.#nameOf(run)} → ${targetName(root, check.path)}`);
  }

  #refused(run: ImportedRun, reason: string): void {
    this.#counts.refused += 1;
    const { setting } = this.#options.request.source;
    this.#line(
      `refused       ${this.#nameOf(run)}: ${currentRedactor().redactText(reason)}. What would help: ${setting}.`,
    );
  }

  #line(line: string): void {
    this.#told += 1;
    if (this.#told <= MAX_TOLD) say(this.#options.io, [oneLine(line)]);
  }

  #nameOf(run: ImportedRun): string {
    return `${nameOfRun(run, this.#options.request.name)} ${run.step}`;
  }

  /** The text of a case with how often it was seen; undefined where that is once. */
  #counted(target: string, text: string | undefined): string | undefined {
    const count = this.#seen.get(target) ?? 1;
    const parsed = count > 1 && text !== undefined ? parseBaseline(text, target) : undefined;
    if (parsed?.ok !== true) return undefined;
    return serializeBaseline({ ...parsed.value, meta: { ...parsed.value.meta, seen: count } });
  }

  #tell(interrupted: boolean): ExitCode {
    const { io, request } = this.#options;
    const { runs, replayable, compareOnly, known, waiting, twice, refused } = this.#counts;
    if (this.#told > MAX_TOLD) say(io, [`… and ${amount(this.#told - MAX_TOLD, "more line")} of that kind`]);
    if (interrupted) warn(io, "The import was interrupted: what was read so far is held.");
    if (runs === 0 && !interrupted && this.#problems.size === 0) return refuse(io, this.#nothing());
    const held = replayable + compareOnly;
    const parts = [
      `${held} ${request.dryRun ? "to be held" : "held"}${compareOnly === 0 ? "" : ` (${compareOnly} without calls)`}`,
      ...(known === 0 ? [] : [`${known} with a baseline`]),
      ...(waiting === 0 ? [] : [`${waiting} waiting already`]),
      ...(twice === 0 ? [] : [`${twice} of the same input`]),
      ...(refused === 0 ? [] : [`${refused} refused`]),
    ];
    say(io, [`${amount(runs, "run")}: ${parts.join(", ")}`]);
    if (held > 0 && !request.dryRun) say(io, [waitingLine(held, "project")]);
    if (interrupted || this.#problems.size > 0) return EXIT.usage;
    return refused > 0 ? EXIT.regressions : EXIT.clean;
  }

  #nothing(): string {
    const { request, project } = this.#options;
    const names = [...this.#names];
    const { title, setting } = request.source;
    if (names.length === 0)
      return `Nothing of ${title} is in there that a step could be run of. What would help: ${setting}.`;
    const [name = "", ...others] = names.map((one) => quote(currentRedactor().redactText(one)));
    const [step = ""] = project.steps.keys();
    return (
      `No trace that is asked for is of a step. They name ${[name, ...others].join(", ")}: say which is one, ` +
      `traces: { steps: { ${name}: ${quote(step)} } }, or --step ${step}.`
    );
  }
}

/** What a step may throw that no step should. */
async function gradeSafely(found: Parameters<typeof gradeRun>[0], place: GradePlace): Promise<Grade> {
  try {
    return await gradeRun(found, place);
  } catch (thrown) {
    return { kind: "refused", reason: `it cannot be graded: ${messageOf(thrown)}` };
  }
}

/** So many of the traces, each as likely as the others and always the same for a seed. */
function sampled<T>(
  traces: readonly (readonly [string, T])[],
  { sample, seed }: ImportRequest,
): readonly (readonly [string, T])[] {
  if (sample === undefined) return traces;
  const drawn = traces
    .map((one) => ({ one, by: hashText(`${seed}\0${one[0]}`) }))
    .toSorted((a, b) => (a.by < b.by ? -1 : 1));
  return drawn.slice(0, sample).map(({ one }) => one);
}
