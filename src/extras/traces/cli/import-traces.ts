import { hashText } from "../../../kernel/json/hash.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { quote } from "../../../kernel/text.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { openLibrary } from "../../../baseline/baseline-library.ts";
import { parseBaseline } from "../../../baseline/parse-baseline.ts";
import { serializeBaseline } from "../../../baseline/serialize-baseline.ts";
import { TIMED_OUT, withTimeout } from "../../../check-all/check-with-timeout.ts";
import { unknownStep } from "../../../check-all/find-targets.ts";
import { makeAdapters } from "../../../config/load-steps.ts";
import { plainCount, pendingLine } from "../../../explain/wording.ts";
import { targetName } from "../../../kernel/files/project-paths.ts";
import { recordGlobalFetch } from "../../../record/interceptors/fetch-recorder.ts";
import { currentRedactor } from "../../../redact/current-redactor.ts";
import { readPending } from "../../../updates/pending/pending-store.ts";
import {
  type Grade,
  type GradeContext,
  type Refused,
  gradeRun,
  nameOfRun,
  traceCase,
} from "../capture-imported-run.ts";
import type { ImportedRun, StepOf } from "../runs-of-trace.ts";
import { type TraceFacts, factsOfTraces, importedRuns } from "../read-traces.ts";
import type { CommandInput } from "../../../cli/terminal/command-input.ts";
import { EXIT, type ExitCode } from "../../../cli/terminal/exit-code.ts";
import type { CliIo } from "../../../cli/terminal/io.ts";
import { oneLine, printRefusal, printLines, printWarning } from "../../../cli/terminal/print.ts";
import { openToCapture } from "../../../cli/cases/capture-command.ts";
import { captureDirectory } from "../../../cli/cases/capture-request.ts";
import { CommandRun } from "../../../cli/cases/command-run.ts";
import { keepPendingCase } from "../../../cli/cases/keep-pending-case.ts";
import type { LoadedProject } from "../../../cli/cases/open-project.ts";
import { onInterrupt, watchUncaught } from "../../../cli/cases/process-lifetime.ts";
import { CheckScreen } from "../../../cli/cases/check-screen.ts";
import { type ImportRequest, importRequest } from "./import-request.ts";

/** Maximum number of lines about runs that were refused, or pending without calls. */
const MAX_LINES = 20;
/** Number of span names shown if no span belongs to a step. */
const MAX_NAMES = 8;

/** Reads exported traces, grades the runs of steps in them, and adds the usable ones to the pending updates. */
export async function importTraces(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const request = importRequest(input, io);
  if (!request.ok) return printRefusal(io, request.error);
  // Done before steps are loaded: clients keep the fetch that exists then, and must not reach the network.
  const uninstall = recordGlobalFetch();
  try {
    const project = await openToCapture(request.value, io);
    if (!project.ok) return printRefusal(io, project.error.message, project.error.code);
    const steps = stepsOf(request.value, project.value);
    if (!steps.ok) return printRefusal(io, steps.error);
    return await new TraceImport({ request: request.value, project: project.value, stepOf: steps.value, io }).run();
  } finally {
    uninstall();
  }
}

/**
 * Returns a function that finds the step of a span: by its step attribute, by the configured names, then by the
 * step's own name. Returns a sentence if a step is unknown.
 */
function stepsOf({ step }: ImportRequest, { steps, config }: LoadedProject): Result<StepOf, string> {
  const named = new Map(Object.entries(config.traces?.steps ?? {}));
  const unknown = [...(step === undefined ? [] : [step]), ...named.values()].find((name) => !steps.has(name));
  if (unknown !== undefined) return err(unknownStep(unknown, steps.keys()));
  return ok(({ step: stepName, names }) => {
    if (stepName !== undefined && steps.has(stepName)) return stepName;
    return names
      .map((name) => named.get(name) ?? (steps.has(name) ? name : undefined))
      .find((match) => match !== undefined);
  });
}

interface ImportOptions {
  readonly request: ImportRequest;
  readonly project: LoadedProject;
  readonly stepOf: StepOf;
  readonly io: CliIo;
}

/** One import, and its counts so far. */
class TraceImport {
  readonly #options: ImportOptions;
  readonly #run: CommandRun;
  readonly #screen: CheckScreen;
  readonly #contexts = new Map<string, GradeContext>();
  /** Number of times each case of this import was seen, by its target. */
  readonly #seen = new Map<string, number>();
  /** Targets of pending updates. */
  readonly #pending: ReadonlySet<string>;
  readonly #names = new Set<string>();
  readonly #problems = new Set<string>();
  readonly #counts = { runs: 0, replayable: 0, compareOnly: 0, differs: 0, known: 0, pending: 0, twice: 0, refused: 0 };
  /** Number of runs whose requests couldn't be compared in a part. */
  readonly #uncompared = new Map<string, number>();
  #lines = 0;

  constructor(options: ImportOptions) {
    const { project, io, request } = options;
    this.#options = options;
    this.#run = new CommandRun({ ...options, title: `veritest import ${request.name}` });
    this.#screen = new CheckScreen(io, () => 0);
    this.#pending = new Set(readPending(project.paths.state).changes.map(({ target }) => target));
  }

  async run(): Promise<ExitCode> {
    const { request, io } = this.#options;
    const interrupt = onInterrupt(io);
    const asyncErrors = watchUncaught();
    try {
      for await (const run of this.#runs(await this.#facts())) {
        if (interrupt.signal.aborted || this.#counts.runs >= request.limit) break;
        await this.#take(run);
      }
      this.#screen.clear();
      this.#run.amend((change) => this.#counted(change.target, change.text));
      const applied = await this.#run.applyUpdates([]);
      if (!applied.ok) return printRefusal(io, applied.error);
      for (const problem of asyncErrors.problems()) printWarning(io, problem);
      return this.#report(interrupt.signal.aborted, applied.value?.earlier);
    } finally {
      interrupt.release();
      asyncErrors.release();
    }
  }

  /** Reads the facts of the selected traces; undefined if the files can be read only once. */
  async #facts(): Promise<ReadonlyMap<string, TraceFacts> | undefined> {
    const { request, stepOf } = this.#options;
    if (!request.isRereadable) return undefined;
    const isOfStep = (observation: Parameters<StepOf>[0]): boolean =>
      request.step !== undefined || stepOf(observation) !== undefined;
    const reading = { source: request.source, onProblem: (problem: string) => this.#problem(problem) };
    const all = await factsOfTraces(request.files, {
      ...reading,
      isOfStep: (trace) => this.#named(trace) && isOfStep(trace),
    });
    const selected = [...all].filter(
      ([, { isOfStep: is, at }]) => is && (request.since === undefined || at >= request.since),
    );
    return new Map(sampled(selected, request));
  }

  /** Records names to show if no span belongs to a step. */
  #named({ names }: { readonly names: readonly string[] }): true {
    if (this.#names.size < MAX_NAMES) for (const name of names.slice(0, 1)) this.#names.add(name);
    return true;
  }

  #problem(problem: string): void {
    if (this.#problems.has(problem)) return;
    this.#problems.add(problem);
    printWarning(this.#options.io, problem);
  }

  async *#runs(facts: ReadonlyMap<string, TraceFacts> | undefined): AsyncGenerator<ImportedRun, void> {
    const { request, stepOf } = this.#options;
    const { source, files, step, since } = request;
    const namedStepOf: StepOf = (trace) => {
      this.#named(trace);
      return stepOf(trace);
    };
    const reading = {
      source,
      facts,
      stepOf: namedStepOf,
      fallback: step,
      onProblem: (problem: string) => this.#problem(problem),
    };
    for await (const run of importedRuns(files, reading)) {
      if (step !== undefined && run.step !== step) continue;
      if (since === undefined || run.at >= since) yield run;
    }
  }

  async #take(run: ImportedRun): Promise<void> {
    const { request, project } = this.#options;
    this.#counts.runs += 1;
    const context = await this.#contextOf(run.step);
    if (typeof context === "string") return this.#refused(run, { kind: "refused", reason: context });
    const candidate = await traceCase(run, context);
    if ("kind" in candidate) return this.#refused(run, candidate);
    const target = targetName(project.paths.root, candidate.path);
    const before = this.#seen.get(target) ?? 0;
    this.#seen.set(target, before + 1);
    if (candidate.known !== undefined) this.#counts.known += 1;
    else if (before > 0) this.#counts.twice += 1;
    else if (this.#pending.has(target)) this.#counts.pending += 1;
    else {
      const graded = await withTimeout(gradeSafely(candidate, context), request.timeoutMs);
      await this.#graded(
        run,
        graded === TIMED_OUT
          ? { kind: "refused", reason: "the current step doesn't finish with this input before --timeout" }
          : graded,
      );
      // After an unusable run, another run with the same input may be usable.
      if (graded === TIMED_OUT || graded.kind === "refused") this.#seen.delete(target);
    }
  }

  async #contextOf(name: string): Promise<GradeContext | string> {
    const { project, request, io } = this.#options;
    const known = this.#contexts.get(name);
    if (known !== undefined) return known;
    const configured = project.steps.get(name);
    if (configured === undefined) return unknownStep(name, project.steps.keys());
    const root = captureDirectory(configured, project.paths);
    if (!root.ok) return root.error;
    const made = await makeAdapters(configured);
    // The adapters are never called; without them their shape is guessed.
    if (!made.ok) printWarning(io, made.error);
    const { labels, meta } = request;
    const today = made.ok ? made.value : undefined;
    const context = {
      step: configured.step,
      library: openLibrary(root.value),
      today,
      source: request.name,
      labels,
      meta,
    };
    this.#contexts.set(name, context);
    return context;
  }

  async #graded(run: ImportedRun, grade: Grade): Promise<void> {
    for (const part of "uncompared" in grade ? grade.uncompared : [])
      this.#uncompared.set(part, (this.#uncompared.get(part) ?? 0) + 1);
    switch (grade.kind) {
      case "refused":
        return this.#refused(run, grade);
      case "replayable":
        return this.#addPending(run, grade.check, "replayable");
      case "request-differs": {
        await this.#addPending(run, grade.check, "differs");
        return this.#line(`request differs  ${this.#nameOf(run)}: ${grade.differences.join("; ")}`);
      }
      case "compare-only": {
        await this.#addPending(run, grade.check, "compareOnly");
        return this.#line(`compare-only  ${this.#nameOf(run)}: ${grade.missing.join(", ")}`);
      }
    }
  }

  async #addPending(
    run: ImportedRun,
    check: Extract<Grade, { check: unknown }>["check"],
    count: "replayable" | "compareOnly" | "differs",
  ): Promise<void> {
    const { request, project } = this.#options;
    const { root } = project.paths;
    const staging = {
      run: this.#run,
      screen: this.#screen,
      root,
      step: run.step,
      file: this.#nameOf(run),
      timeoutMs: request.timeoutMs,
    };
    const isPending = request.dryRun || (await keepPendingCase(check, staging));
    this.#counts[isPending ? count : "refused"] += 1;
    if (request.dryRun) this.#line(`would add     ${this.#nameOf(run)} → ${targetName(root, check.path)}`);
  }

  #refused(run: ImportedRun, { reason, isUnwritten = false }: Refused): void {
    this.#counts.refused += 1;
    const fix = isUnwritten ? ` Fix: ${this.#options.request.source.setting}.` : "";
    this.#line(`refused       ${this.#nameOf(run)}: ${currentRedactor().redactText(reason)}.${fix}`);
  }

  #line(line: string): void {
    this.#lines += 1;
    if (this.#lines <= MAX_LINES) printLines(this.#options.io, [oneLine(line)]);
  }

  #nameOf(run: ImportedRun): string {
    return `${nameOfRun(run, this.#options.request.name)} ${run.step}`;
  }

  /** Returns the text of a case with the number of times it was seen; undefined if that is one. */
  #counted(target: string, text: string | undefined): string | undefined {
    const count = this.#seen.get(target) ?? 1;
    const parsed = count > 1 && text !== undefined ? parseBaseline(text, target) : undefined;
    if (parsed?.ok !== true) return undefined;
    return serializeBaseline({ ...parsed.value, meta: { ...parsed.value.meta, seen: count } });
  }

  #report(interrupted: boolean, earlier: number = 0): ExitCode {
    const { io, request } = this.#options;
    const { runs, replayable, compareOnly, differs, known, pending, twice, refused } = this.#counts;
    if (this.#lines > MAX_LINES)
      printLines(io, [`… and ${plainCount(this.#lines - MAX_LINES, "more line")} of that kind`]);
    if (interrupted) printWarning(io, "The import was interrupted. Runs that were already read are pending.");
    if (runs === 0 && !interrupted && this.#problems.size === 0) return printRefusal(io, this.#noRuns());
    const added = replayable + compareOnly + differs;
    const kinds = [
      ...(compareOnly === 0 ? [] : [`${compareOnly} without calls`]),
      ...(differs === 0 ? [] : [`${differs} with requests that differ from the trace`]),
    ];
    const parts = [
      `${added} ${request.dryRun ? "would be " : ""}pending${kinds.length === 0 ? "" : ` (${kinds.join(", ")})`}`,
      ...(known === 0 ? [] : [`${known} with a baseline`]),
      ...(pending === 0 ? [] : [`${pending} already pending`]),
      ...(twice === 0 ? [] : [`${twice} of the same input`]),
      ...(refused === 0 ? [] : [`${refused} refused`]),
    ];
    const gaps = [...this.#uncompared].map(([part, count]) => `${part} (${plainCount(count, "run")})`).join(", ");
    if (gaps !== "") printWarning(io, `Not compared, because the trace doesn't have them: ${gaps}`);
    printLines(io, [`${plainCount(runs, "run")}: ${parts.join(", ")}`]);
    if (added > 0 && !request.dryRun) printLines(io, [pendingLine(added, "project", earlier)]);
    if (interrupted || this.#problems.size > 0) return EXIT.usage;
    return refused > 0 ? EXIT.regressions : EXIT.clean;
  }

  #noRuns(): string {
    const { request, project } = this.#options;
    const names = [...this.#names];
    const { title, setting } = request.source;
    if (names.length === 0)
      return (
        `veritest can't run a step from this export, because it doesn't contain complete runs of ${title}. To get ` +
        `them, ${setting}.`
      );
    const [name = "", ...rest] = names.map((step) => quote(currentRedactor().redactText(step)));
    const [step = ""] = project.steps.keys();
    return (
      `No selected trace belongs to a step. The traces contain the names ${[name, ...rest].join(", ")}. Set ` +
      "the step: " +
      `traces: { steps: { ${name}: ${quote(step)} } }, or --step ${step}.`
    );
  }
}

/** Catches an error that a step throws although it should not. */
async function gradeSafely(candidate: Parameters<typeof gradeRun>[0], context: GradeContext): Promise<Grade> {
  try {
    return await gradeRun(candidate, context);
  } catch (thrown) {
    return { kind: "refused", reason: `it can't be compared: ${messageOf(thrown)}` };
  }
}

/** Samples traces with equal probability; the same seed gives the same sample. */
function sampled<T>(
  traces: readonly (readonly [string, T])[],
  { sample, seed }: ImportRequest,
): readonly (readonly [string, T])[] {
  if (sample === undefined) return traces;
  const chosen = traces
    .map((entry) => ({ one: entry, by: hashText(`${seed}\0${entry[0]}`) }))
    .toSorted((a, b) => (a.by < b.by ? -1 : 1));
  return chosen.slice(0, sample).map(({ one: entry }) => entry);
}
