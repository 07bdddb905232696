import { inCheckSpan } from "../../check/check-span.ts";
import { isObject } from "../../kernel/json/plain-data.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { type CaseDetails, noteSecrets } from "../../baseline/baseline-of.ts";
import type { BaselineMeta } from "../../baseline/baseline.ts";
import type { BaselineLibrary, StoredCase } from "../../baseline/library.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { parsedInputArtifact } from "../../check/cause/parsed-input.ts";
import { checkCase } from "../../check/check-case.ts";
import { replayProblem } from "../../check/keepable.ts";
import type { Case, Check } from "../../check/check.ts";
import { newCase } from "../../check/compare.ts";
import { findInput, keptInput, placeOf } from "../../check/find-case.ts";
import { keptBaseline, proposalOf } from "../../check/propose.ts";
import { type EffectGate, withEffects, withHandlers } from "../../record/interceptors/recording-scope.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
import { inRecording } from "../../redact/recording-secrets.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { DIALECTS, type AnswerDialect } from "./answer-shapes.ts";
import { importedWorld } from "./imported-adapters.ts";
import { ImportedAnswers } from "./imported-answers.ts";
import type { ImportedRun } from "./imported-run.ts";
import { fittingValue, isWritten } from "./value-guesses.ts";

/** A run of a trace as a case that may become a baseline. */
export interface TraceCase {
  readonly run: ImportedRun;
  readonly input: NonNullable<Case["input"]>;
  /** Where its baseline would be. */
  readonly path: string;
  /** What is there already. */
  readonly known: StoredCase | undefined;
}

/** What an imported run is good for. */
export type Grade =
  /** Today's step makes what it made then of the answers it got then: the check proposes that with its calls. */
  | { readonly kind: "replayable"; readonly check: Check }
  /** The input and the output are there, and not every call: the check proposes those two alone. */
  | { readonly kind: "compare-only"; readonly check: Check; readonly missing: readonly string[] }
  | { readonly kind: "refused"; readonly reason: string };

/** Where imported cases go, and how they are described. */
export interface GradePlace {
  readonly step: AnyStep;
  readonly library: BaselineLibrary;
  /** Today's adapters: their data are read, and none of them is called. */
  readonly today: BaseAdapters | undefined;
  /** The name of the source, as it stands before a trace's id. */
  readonly source: string;
  readonly labels: readonly string[] | undefined;
  readonly meta: BaselineMeta | undefined;
}

/** The case of a run: its input as the step's schema takes it. A sentence where it has none. */
export async function traceCase(
  run: ImportedRun,
  { step, library }: Pick<GradePlace, "step" | "library">,
): Promise<TraceCase | string> {
  if (run.input === undefined) return "its input is not in the trace";
  const fitting = await fittingValue(step.inputSchema, run.input, "user");
  if (fitting === undefined) return `its input is none that step "${step.name}" takes`;
  const { value } = fitting;
  try {
    // Not by the trace: the same input is the same case, whichever trace it comes from.
    const { input, path, stored } = findInput(step.name, { input: value, details: {}, label: "trace" }, library);
    return { run, input, path, known: stored };
  } catch (thrown) {
    return `its input cannot be stored: ${messageOf(thrown)}`;
  }
}

/** Name of a run where it stands in for a file, and in receipts: `otlp/4bf92f3577b34da6a3ce929d0e0e4736`. */
export function nameOfRun({ trace }: Pick<ImportedRun, "trace">, source: string): string {
  return currentRedactor().redactText(`${source}/${trace}`);
}

/**
 * Runs today's step on the answers that the trace holds, and says what the run is good for. Nothing outside is reached:
 * what the trace does not answer ends the run. Nothing is written.
 */
export async function gradeRun(found: TraceCase, place: GradePlace): Promise<Grade> {
  const { run } = found;
  if (run.output === undefined) return { kind: "refused", reason: "its output is not in the trace" };
  const missing = [...run.missing];
  if (missing.length === 0) {
    const played = await replayed(found, place);
    if (played.kind === "same") return { kind: "replayable", check: played.check };
    missing.push(played.why);
  }
  const output = await fittingValue(place.step.outputSchema, run.output, "assistant");
  if (output === undefined || !isObject(output.value))
    return {
      kind: "refused",
      reason: `its output is none that step "${place.step.name}" gives, and it does not replay: ${missing.join(", ")}`,
    };
  return { kind: "compare-only", missing, check: await comparedCheck(found, { place, output: output.value, missing }) };
}

type Played = { readonly kind: "same"; readonly check: Check } | { readonly kind: "other"; readonly why: string };

/** Tries the ways in which a method of unknown kind may have answered, as long as there is one. */
async function replayed(found: TraceCase, place: GradePlace): Promise<Played> {
  let first: Played | undefined;
  for (const dialect of DIALECTS) {
    const { played, isSettled } = await playedIn(dialect, found, place);
    if (played.kind === "same" || isSettled) return played.kind === "same" ? played : (first ?? played);
    // What the likeliest way came to tells most.
    first ??= played;
  }
  return first ?? { kind: "other", why: "today's step makes something else of it" };
}

/** No write is held: a trace answers them all. With a gate a tool past the recording is refused before it runs. */
const OPEN: EffectGate = { hold: () => undefined };

async function playedIn(
  dialect: AnswerDialect,
  found: TraceCase,
  place: GradePlace,
): Promise<{ readonly played: Played; readonly isSettled: boolean }> {
  const { step, library, today } = place;
  const answers = new ImportedAnswers(found.run.calls);
  const world = importedWorld(answers, { today, dialect });
  const asked: Case = {
    step,
    file: nameOfRun(found.run, place.source),
    path: found.path,
    stored: undefined,
    input: found.input,
    details: detailsOf(found, { place, more: { grade: "replayable" } }),
  };
  const live = { kind: "live" as const, adapters: world.adapters };
  const check = await withHandlers(world.handlers, async () =>
    withEffects(OPEN, async () =>
      inCheckSpan(step.name, async () =>
        checkCase(
          asked,
          { root: library.root, answers: live, runsWrites: true, capture: { answers: live, reviewOnly: false } },
          async (one) => Promise.resolve(one),
        ),
      ),
    ),
  );
  return { played: await judged(check, { answers, found, place }), isSettled: !world.guessed() };
}

async function judged(
  check: Check,
  {
    answers,
    found,
    place,
  }: { readonly answers: ImportedAnswers; readonly found: TraceCase; readonly place: GradePlace },
): Promise<Played> {
  const [miss] = answers.misses();
  if (miss !== undefined) return { kind: "other", why: `today's step ${miss}` };
  if (check.verdict.kind === "failed")
    return { kind: "other", why: `today's step ends in ${check.verdict.error.code}: ${check.verdict.error.message}` };
  const [left] = answers.left();
  if (left !== undefined)
    return { kind: "other", why: `today's step does not ask for all of it: ${answers.left().join(", ")}` };
  const { propose } = check;
  if (propose === undefined) return { kind: "other", why: "today's step makes nothing that can be kept" };
  try {
    const proposal = { ...propose(), from: nameOfRun(found.run, place.source) };
    const made = parseBaseline(proposal.after ?? "", check.file);
    if (!made.ok || made.value.kind !== "step")
      return { kind: "other", why: "what today's step makes cannot be read back" };
    const written = currentRedactor().redact(found.run.output, ["output"]).value;
    if (!isWritten(made.value.output, written) && !isWritten(made.value.output, found.run.output))
      return { kind: "other", why: "today's step makes something else of the same answers" };
    const problem = await replayProblem(place.step, proposal.after ?? "");
    if (problem !== undefined) return { kind: "other", why: `it does not replay: ${problem}` };
    // Not `live`: nothing was asked of anybody.
    return {
      kind: "same",
      check: { ...check, source: undefined, proof: { step: place.step }, propose: () => proposal },
    };
  } catch (thrown) {
    return { kind: "other", why: messageOf(thrown) };
  }
}

function detailsOf(
  { run }: TraceCase,
  { place, more }: { readonly place: GradePlace; readonly more: BaselineMeta },
): CaseDetails {
  const { labels, meta, source } = place;
  return { labels, meta: { ...meta, trace: nameOfRun(run, source), ...more } };
}

/** A case of input and output alone: it does not replay, and is compared with what today's adapters answer. */
async function comparedCheck(
  found: TraceCase,
  {
    place,
    output,
    missing,
  }: { readonly place: GradePlace; readonly output: object; readonly missing: readonly string[] },
): Promise<Check> {
  const { step, library, source } = place;
  const { run, input } = found;
  const { hidden, hash } = inRecording(input.secrets, () => {
    noteSecrets({ outcome: { output }, events: [], artifacts: [] });
    return keptInput(input);
  });
  const path = placeOf(found, hash);
  const parsed = await parsedInputArtifact(step, hidden, hash);
  const from = nameOfRun(run, source);
  const details = detailsOf(found, {
    place,
    more: { grade: "compare-only", missing: currentRedactor().redactText(missing.join(", ")) },
  });
  const result = {
    input: input.whole,
    output,
    events: [],
    artifacts: parsed === undefined ? [] : [parsed],
    stepName: step.name,
    workflowId: step.name,
    workflowVersion: "0.0.0",
  };
  const propose = (): ReturnType<typeof proposalOf> => ({
    ...inRecording(input.secrets, () =>
      proposalOf(keptBaseline(result, [], details), { root: library.root, path, stored: undefined }),
    ),
    from,
  });
  return { file: from, path, verdict: newCase(output, step.keyBy), propose };
}
