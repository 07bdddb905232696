import { inCheckSpan } from "../../check/check-span.ts";
import { isObject } from "../../kernel/json/plain-data.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type CaseDetails, collectResultSecrets } from "../../baseline/create-baseline.ts";
import type { BaselineMeta, StepBaseline } from "../../baseline/baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import type { BaselineLibrary, StoredCase } from "../../baseline/baseline-library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { parsedInputArtifact } from "../../check/compare/parsed-input.ts";
import { checkCase } from "../../check/check-case.ts";
import { replayProblem } from "../../check/update/verify-update.ts";
import { type Case, type Check, withFindings } from "../../check/check.ts";
import { verdictOfNewCase } from "../../check/compare/compare.ts";
import { locateInput, storedFormOfInput, newCasePath } from "../../check/find-case.ts";
import { baselineToStore, createUpdate } from "../../check/update/create-update.ts";
import { type WriteInterceptor, skippingWrites, withInterceptors } from "../../record/interceptors/recording-scope.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { withRevealedSecrets } from "../../redact/revealed-secrets.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { DIALECTS, type ResponseDialect } from "./response-shapes.ts";
import { importedContext } from "./imported-adapters.ts";
import { ImportedResponses } from "./imported-responses.ts";
import type { ImportedRun } from "./runs-of-trace.ts";
import { parseWith } from "../../kernel/step/schema.ts";
import { unpacked } from "./json-items.ts";
import { fittingValue, isWritten } from "./value-guesses.ts";

/** A run of a trace as a case that may become a baseline. */
export interface TraceCase {
  readonly run: ImportedRun;
  readonly input: NonNullable<Case["input"]>;
  /** Path of its baseline. */
  readonly path: string;
  /** The existing baseline. */
  readonly known: StoredCase | undefined;
}

/** Grade of an imported run. */
export type Grade =
  /** The current step makes the recorded output from the recorded responses; the check proposes it with its calls. */
  | ({ readonly kind: "replayable" } & Replayed)
  /** The same, but the current step sends other requests than the traced ones; the check proposes it with its calls. */
  | ({ readonly kind: "request-differs" } & Replayed)
  /** Input and output are known, but not every call: the check proposes only those two. */
  | { readonly kind: "compare-only"; readonly check: Check; readonly missing: readonly string[] }
  | Refused;

/** A check that proposes a run, with what is known about its requests. */
interface Replayed {
  readonly check: Check;
  readonly differences: readonly string[];
  /** Parts of requests that couldn't be compared, because the trace doesn't have them. */
  readonly uncompared: readonly string[];
}

/** `isUnwritten`: the tracer didn't write a part, which one of its settings changes. */
export interface Refused {
  readonly kind: "refused";
  readonly reason: string;
  readonly isUnwritten?: boolean;
}

/** Location of imported cases, and their labels. */
export interface GradeContext {
  readonly step: AnyStep;
  readonly library: BaselineLibrary;
  /** Current adapters. Their data is read, but they are never called. */
  readonly today: BaseAdapters | undefined;
  /** Name of the source, which precedes a trace's id. */
  readonly source: string;
  readonly labels: readonly string[] | undefined;
  readonly meta: BaselineMeta | undefined;
}

/**
 * Returns the case of a run, with its input as the step's schema takes it, or the reason why there is none.
 */
export async function traceCase(
  run: ImportedRun,
  { step, library }: Pick<GradeContext, "step" | "library">,
): Promise<TraceCase | Refused> {
  if (run.input === undefined && run.inputBelow === undefined)
    return { kind: "refused", reason: "the trace doesn't have its input", isUnwritten: true };
  const below = run.inputBelow === undefined ? undefined : await fittingValue(step.inputSchema, run.inputBelow, "user");
  const fitting = below ?? (await fittingValue(step.inputSchema, run.input, "user"));
  if (fitting === undefined) {
    const parsed = await parseWith(step.inputSchema, unpacked(run.input));
    const why = parsed.ok ? "" : ` (${parsed.error.message})`;
    return { kind: "refused", reason: `step "${step.name}" doesn't accept its input${why}` };
  }
  const { value } = fitting;
  try {
    // Not by the trace: the same input is the same case, whichever trace it comes from.
    const { input, path, stored } = locateInput(step.name, { input: value, details: {}, label: "trace" }, library);
    return { run, input, path, known: stored };
  } catch (thrown) {
    return { kind: "refused", reason: `its input can't be stored: ${messageOf(thrown)}` };
  }
}

/** Name of a run, used instead of a file name and in receipts: `otlp/4bf92f3577b34da6a3ce929d0e0e4736`. */
export function nameOfRun({ trace }: Pick<ImportedRun, "trace">, source: string): string {
  return currentRedactor().redactText(`${source}/${trace}`);
}

/**
 * Runs the current step on the responses in the trace, and grades the run. Reaches no external service: a call that
 * the trace doesn't have ends the run. Writes nothing.
 */
export async function gradeRun(candidate: TraceCase, context: GradeContext): Promise<Grade> {
  const { run } = candidate;
  if (run.output === undefined)
    return { kind: "refused", reason: "the trace doesn't have its output", isUnwritten: true };
  const missing = [...run.missing];
  if (missing.length === 0) {
    const played = await replayed(candidate, context);
    if (played.kind === "same")
      return { ...played, kind: played.differences.length === 0 ? "replayable" : "request-differs" };
    missing.push(played.why);
  }
  const output = await fittingValue(context.step.outputSchema, run.output, "assistant");
  if (output === undefined || !isObject(output.value))
    return {
      kind: "refused",
      reason:
        `step "${context.step.name}" doesn't accept the output of the trace, and the trace can't be replayed: ` +
        missing.join(", "),
    };
  return {
    kind: "compare-only",
    missing,
    check: await comparedCheck(candidate, { context, output: output.value, missing }),
  };
}

type Played = ({ readonly kind: "same" } & Replayed) | { readonly kind: "other"; readonly why: string };

/** Tries the shapes in which a method of unknown kind may have responded, until one replays. */
async function replayed(candidate: TraceCase, context: GradeContext): Promise<Played> {
  let first: Played | undefined;
  for (const dialect of DIALECTS) {
    const { played, isFinal } = await playedIn(dialect, candidate, context);
    if (played.kind === "same" || isFinal) return played.kind === "same" ? played : (first ?? played);
    // The most likely shape has the best explanation.
    first ??= played;
  }
  return first ?? { kind: "other", why: "the current step returns a different result" };
}

/**
 * Skips no write, because the trace has all responses. With a gate, a tool that bypasses the recording is refused
 * before it runs.
 */
const OPEN: WriteInterceptor = { intercept: () => undefined };

async function playedIn(
  dialect: ResponseDialect,
  candidate: TraceCase,
  context: GradeContext,
): Promise<{ readonly played: Played; readonly isFinal: boolean }> {
  const { step, library, today } = context;
  const answers = new ImportedResponses(candidate.run.calls);
  const imported = importedContext(answers, { today, dialect });
  const gradedCase: Case = {
    step,
    file: nameOfRun(candidate.run, context.source),
    path: candidate.path,
    stored: undefined,
    input: candidate.input,
    details: detailsOf(candidate, { context, more: { grade: "replayable" } }),
  };
  const live = { kind: "live" as const, adapters: imported.adapters };
  const capture = { responses: live, reviewOnly: false };
  const check = await withInterceptors(imported.handlers, async () =>
    skippingWrites(OPEN, async () =>
      inCheckSpan(step.name, async () =>
        checkCase(gradedCase, { root: library.root, responses: live, executesWrites: true, capture }, async (check) =>
          Promise.resolve(check),
        ),
      ),
    ),
  );
  return { played: await judged(check, { answers, candidate, context }), isFinal: !imported.isGuessed() };
}

async function judged(
  check: Check,
  {
    answers,
    candidate,
    context,
  }: { readonly answers: ImportedResponses; readonly candidate: TraceCase; readonly context: GradeContext },
): Promise<Played> {
  const [firstUnrecorded] = answers.unrecorded();
  if (firstUnrecorded !== undefined) return { kind: "other", why: `the current step ${firstUnrecorded}` };
  if (check.verdict.kind === "failed")
    return {
      kind: "other",
      why: `the current step ends with ${check.verdict.error.code}: ${check.verdict.error.message}`,
    };
  const [unused] = answers.left();
  if (unused !== undefined)
    return {
      kind: "other",
      why: `the current step doesn't send all requests of the trace: ${answers.left().join(", ")}`,
    };
  if (check.update === undefined)
    return { kind: "other", why: "the current step didn't return a result that can be stored" };
  try {
    const change = { ...check.update.propose(), from: nameOfRun(candidate.run, context.source) };
    const differences = answers.differences().map((words) => currentRedactor().redactText(words));
    const made = parseBaseline(change.after ?? "", check.file);
    if (!made.ok || made.value.kind !== "step")
      return {
        kind: "other",
        why: "veritest created a baseline that it can't read (internal error). Please report it with the trace",
      };
    const uncompared = answers.uncompared();
    const update = { ...change, after: withFacts(made.value, { differences, uncompared }) ?? change.after };
    const written = currentRedactor().redact(candidate.run.output, ["output"]).value;
    if (!isWritten(made.value.output, written) && !isWritten(made.value.output, candidate.run.output))
      return { kind: "other", why: "the current step returns a different result from the same responses" };
    const problem = await replayProblem(context.step, update.after ?? "");
    if (problem !== undefined) return { kind: "other", why: `it isn't reproducible: ${problem}` };
    // Not `live`: no service was called.
    return {
      kind: "same",
      check: {
        ...withFindings(check, { source: undefined }),
        update: { propose: () => update, verification: { step: context.step } },
      },
      differences,
      uncompared,
    };
  } catch (thrown) {
    return { kind: "other", why: messageOf(thrown) };
  }
}

/** Adds to a baseline how its requests differ from the traced ones, so that whoever accepts it accepts that too. */
function withFacts(
  baseline: StepBaseline,
  { differences, uncompared }: Pick<Replayed, "differences" | "uncompared">,
): string | undefined {
  if (differences.length + uncompared.length === 0) return undefined;
  const text = differences.slice(0, MAX_SHOWN).join("; ");
  const meta = {
    ...baseline.meta,
    ...(differences.length === 0 ? {} : { grade: "request-differs", differences: text }),
    ...(uncompared.length === 0 ? {} : { notCompared: uncompared.join(", ") }),
  };
  return serializeBaseline({ ...baseline, meta });
}

/** Maximum number of differences in a baseline's facts. */
const MAX_SHOWN = 5;

function detailsOf(
  { run }: TraceCase,
  { context, more }: { readonly context: GradeContext; readonly more: BaselineMeta },
): CaseDetails {
  const { labels, meta, source } = context;
  return { labels, meta: { ...meta, trace: nameOfRun(run, source), ...more } };
}

/**
 * Creates a case of only input and output. It can't be replayed; it's compared with the responses of current adapters.
 */
async function comparedCheck(
  candidate: TraceCase,
  {
    context,
    output,
    missing,
  }: { readonly context: GradeContext; readonly output: object; readonly missing: readonly string[] },
): Promise<Check> {
  const { step, library, source } = context;
  const { run, input } = candidate;
  const { hidden, hash } = withRevealedSecrets(input.secrets, () => {
    collectResultSecrets({ outcome: { output }, events: [], artifacts: [] });
    return storedFormOfInput(input);
  });
  const path = newCasePath(candidate, hash);
  const parsed = await parsedInputArtifact(step, hidden, hash);
  const from = nameOfRun(run, source);
  const details = detailsOf(candidate, {
    context,
    more: { grade: "compare-only", missing: currentRedactor().redactText(missing.join(", ")) },
  });
  const result = {
    input: input.value,
    output,
    events: [],
    artifacts: parsed === undefined ? [] : [parsed],
    stepName: step.name,
    workflowId: step.name,
    workflowVersion: "0.0.0",
  };
  const propose = (): ReturnType<typeof createUpdate> => ({
    ...withRevealedSecrets(input.secrets, () =>
      createUpdate(baselineToStore(result, [], details), { root: library.root, path, stored: undefined }),
    ),
    from,
  });
  return { file: from, path, verdict: verdictOfNewCase(output, step.keyBy), findings: {}, update: { propose } };
}
