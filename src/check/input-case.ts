import { type Result, err, ok } from "../base/result.ts";
import { type BaselineLibrary, type CaseLookup, displayPath } from "../baseline/library.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import type { RecordingMiss } from "../record/serve/recording-miss.ts";
import { type AdapterServer, serveAdapters } from "../record/serve/serve-adapters.ts";
import { inputHashOf } from "../record/snapshot.ts";
import { withReplay } from "../record/with-replay.ts";
import { parsedInputArtifact } from "./cause/parsed-input.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import type { BaseAdapters } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { type StepError, kernelError } from "../step/fail.ts";
import { messageOf } from "../base/thrown.ts";
import type { Check } from "./check.ts";
import { CHECK_RUN_ID } from "./check-run-id.ts";
import { compareBaselines } from "./compare-baselines.ts";
import { fileLabel } from "./file-label.ts";
import { describeCase, keptBaseline, proposalOf } from "./propose.ts";
import { hiddenError, missVerdict, needsLive } from "./verdict.ts";
import { liveCosts, overBudget } from "./costs.ts";
import { recomputeCase } from "./recompute-case.ts";
import type { RecomputeQuestion, RecomputedCase } from "./recompute-once.ts";

/** A step and one input whose result is to match its baseline. */
export interface InputQuestion extends Omit<RecomputeQuestion, "root"> {
  readonly input: unknown;
  /** Names the file of a new case that has no name of its own. */
  readonly label: string;
  /** False where a new case could not be kept anyway: then the step is not run for one. */
  readonly mayCapture: boolean;
  /** True where somebody asked for recorded answers: then a new case has none, and no live adapter is called for it. */
  readonly neverLive?: boolean | undefined;
  /** True where a new case is only kept for review: then it stays missing, however its run ends. */
  readonly reviewOnly?: boolean | undefined;
}

/**
 * Runs a step on an input for its baseline, without asking for the cause of a change yet; for the first time where
 * there is none.
 */
export async function inputCase(
  step: AnyStep,
  question: InputQuestion,
  library: BaselineLibrary,
): Promise<RecomputedCase> {
  const { input, details, label, mayCapture, adapters, neverLive = false } = question;
  const inputHash = caseHashOf(input);
  if (!inputHash.ok)
    return unexplained({
      file: step.name,
      path: library.root,
      verdict: { kind: "failed", error: inputHash.error },
      propose: undefined,
    });
  const identity = details?.name === undefined ? { inputHash: inputHash.value } : { name: details.name };
  const lookup = library.find(step.name, identity, details?.name ?? fileLabel(label));
  const { stored, path } = lookup;
  const file = displayPath(path);
  if (stored === undefined && !mayCapture)
    return unexplained({ file, path, verdict: { kind: "missing" }, propose: undefined });
  if (stored === undefined) {
    const captured = await runNow(step, question, {
      lookup,
      root: library.root,
      recorded: adapters === undefined || neverLive ? [] : undefined,
    });
    return unexplained(question.reviewOnly === true ? onlyMissing(captured) : captured);
  }
  const { baseline } = stored;
  if (!baseline.ok || baseline.value.kind !== "step" || baseline.value.inputHash === inputHash.value) {
    return recomputeCase(step, stored, { ...question, root: library.root, whole: { whole: input } });
  }
  return unexplained(
    await runOnNewInput(step, question, { lookup, root: library.root, recorded: baseline.value.calls }),
  );
}

/** A case that has no cause to ask for: it is new, or its input is another. */
function unexplained(check: Check): RecomputedCase {
  return { check, run: undefined };
}

/** A named case whose input is another by now. */
async function runOnNewInput(
  step: AnyStep,
  question: InputQuestion,
  place: Place & { readonly recorded: readonly AdapterCall[] },
): Promise<Check> {
  const { adapters, mode = adapters === undefined ? "recorded" : "live" } = question;
  if (mode === "live") return runNow(step, question, { ...place, recorded: undefined });
  const served = await runNow(step, question, place);
  const again = mode === "auto" && needsLive(served.verdict);
  return again ? runNow(step, question, { ...place, recorded: undefined }) : served;
}

/** Where nothing may be written the case is missing first of all; how its run failed says why nothing is kept of it. */
function onlyMissing(check: Check): Check {
  const { verdict } = check;
  if (verdict.kind !== "failed") return check;
  const { code, message } = verdict.error;
  const refuse = (): never => {
    throw new Error(`its run ended in ${code}: ${message}`);
  };
  return { ...check, verdict: { kind: "missing" }, propose: refuse };
}

interface Place {
  readonly lookup: CaseLookup;
  readonly root: string;
  /**
   * What is served: the calls of the stored case, none for a new one; undefined where the adapters of the question
   * are called.
   */
  readonly recorded: readonly AdapterCall[] | undefined;
}

/** Runs the step on the given input: a new case, or a named one whose input is another by now. */
async function runNow(step: AnyStep, question: InputQuestion, { lookup, root, recorded }: Place): Promise<Check> {
  const { input, adapters, details = {}, compare = step.compare } = question;
  const { path, stored } = lookup;
  const file = displayPath(path);
  const served = recorded === undefined ? undefined : serveAdapters(recorded);
  const source = served === undefined ? "live" : "recorded";
  const { result, calls } = await record(
    step,
    input,
    served ?? { adapters: adapters ?? {}, within: async (body) => body() },
  );
  const [miss] = served?.misses() ?? [];
  if (miss !== undefined && stored === undefined) {
    return {
      file,
      path,
      verdict: { kind: "failed", error: noAdapters(step, miss, adapters !== undefined) },
      propose: undefined,
    };
  }
  if (miss !== undefined)
    return { file, path, source, verdict: missVerdict(miss, recorded?.length ?? 0), propose: undefined };
  if (!result.ok)
    return { file, path, source, verdict: { kind: "failed", error: hiddenError(result.error) }, propose: undefined };
  const error = overBudget(result.value, { within: question.within, source });
  const costs = liveCosts(result.value, source);
  if (error !== undefined)
    return { file, path, source, ...costs, verdict: { kind: "failed", error }, propose: undefined };
  const made = keptBaseline(result.value, calls, details);
  const parsedInput = await parsedInputArtifact(step, made.input, made.inputHash);
  const next = describeCase(
    parsedInput === undefined ? made : { ...made, artifacts: [parsedInput, ...made.artifacts] },
    details,
    stored,
  );
  const propose = (): ReturnType<typeof proposalOf> => proposalOf(next, { root, path, stored });
  if (stored === undefined) return { file, path, source, ...costs, verdict: { kind: "missing" }, propose, step };
  return {
    file,
    path,
    step,
    source,
    ...costs,
    ...compareBaselines({ stored, next, keyBy: step.keyBy, compare, propose }),
  };
}

function noAdapters(step: AnyStep, { adapter }: RecordingMiss, given: boolean): StepError {
  const missing = given
    ? "but a new case has no recorded calls, and only those may be used here. Capture it with live adapters once: VERITEST_ADAPTERS=live."
    : "but no adapters were given. Give them ({} where the step takes none): toMatchBaseline({ input, adapters }).";
  const message = `Step "${step.name}" called adapter "${adapter}", ${missing}`;
  return kernelError("no_adapters", message);
}

async function record(
  step: AnyStep,
  input: unknown,
  { adapters, within }: Pick<AdapterServer, "within"> & { readonly adapters: BaseAdapters },
): ReturnType<typeof withReplay> {
  return within(() => withReplay(step, input, { adapters, runId: CHECK_RUN_ID }));
}

/** The hash of the input as a baseline keeps it, without secrets. */
function caseHashOf(input: unknown): Result<string, StepError> {
  try {
    return ok(inputHashOf(currentRedactor().redact(input, ["input"]).value));
  } catch (cause) {
    return err(kernelError("input_validation", `The input cannot be stored: ${messageOf(cause)}`, cause));
  }
}
