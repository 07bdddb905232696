import { hashValueSync } from "../base/hash.ts";
import { type Result, err, ok } from "../base/result.ts";
import { baselineOf } from "../baseline/baseline-of.ts";
import { type BaselineLibrary, type CaseLookup, displayPath } from "../baseline/library.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { type RecordingMiss, serveAdapters } from "../record/serve-adapters.ts";
import { withReplay } from "../record/with-replay.ts";
import type { BaseAdapters } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { type StepError, kernelError, messageOf } from "../step/step-error.ts";
import type { Check } from "./check.ts";
import { CHECK_RUN_ID, type RecomputeQuestion, checkRecompute } from "./check-recompute.ts";
import { compareBaselines } from "./compare-baselines.ts";
import { describeCase } from "./describe-case.ts";
import { proposalOf } from "./propose.ts";

/** A step and one input whose result is to match its baseline. */
export interface InputQuestion extends Omit<RecomputeQuestion, "root"> {
  readonly input: unknown;
  /** Names the file of a new case that has no name of its own. */
  readonly label: string;
  /** False where a new case could not be kept anyway: then the step is not run for one. */
  readonly mayCapture: boolean;
}

/** Asks: does the step, on this input, decide as its baseline says? Runs it for the first time where there is none. */
export async function checkInput(step: AnyStep, question: InputQuestion, library: BaselineLibrary): Promise<Check> {
  const { input, details, label, mayCapture } = question;
  const inputHash = hashOf(input);
  if (!inputHash.ok) return { file: step.name, path: library.root, verdict: { kind: "failed", error: inputHash.error }, propose: undefined };
  const identity = details?.name === undefined ? { inputHash: inputHash.value } : { name: details.name };
  const lookup = library.find(step.name, identity, details?.name ?? label);
  const { stored, path } = lookup;
  const file = displayPath(path);
  if (stored === undefined && !mayCapture) return { file, path, verdict: { kind: "missing" }, propose: undefined };
  if (stored === undefined) {
    const recorded = question.adapters === undefined ? [] : undefined;
    return runNow(step, question, { lookup, root: library.root, recorded });
  }
  const { baseline } = stored;
  if (!baseline.ok || baseline.value.kind !== "step" || baseline.value.inputHash === inputHash.value) {
    return checkRecompute(step, stored, { ...question, root: library.root });
  }
  const recorded = question.adapters === undefined ? baseline.value.calls : undefined;
  return runNow(step, question, { lookup, root: library.root, recorded });
}

interface Place {
  readonly lookup: CaseLookup;
  readonly root: string;
  /** What is served where no adapters were given: the calls of the stored case, none for a new one. */
  readonly recorded: readonly AdapterCall[] | undefined;
}

/** Runs the step on the given input: a new case, or a named one whose input is another by now. */
async function runNow(step: AnyStep, { input, adapters, details = {} }: InputQuestion, { lookup, root, recorded }: Place): Promise<Check> {
  const { path, stored } = lookup;
  const file = displayPath(path);
  const served = recorded === undefined ? undefined : serveAdapters(recorded);
  const { result, calls } = await record(step, input, served?.adapters ?? adapters ?? {});
  const [miss] = served?.misses() ?? [];
  if (miss !== undefined && stored === undefined) return { file, path, verdict: { kind: "failed", error: noAdapters(step, miss) }, propose: undefined };
  if (miss !== undefined) return { file, path, verdict: { kind: "request_changed", miss, recorded: recorded?.length ?? 0 }, propose: undefined };
  if (!result.ok) return { file, path, verdict: { kind: "failed", error: result.error }, propose: undefined };
  const next = describeCase(baselineOf(result.value, calls, details), details, stored);
  const propose = (): ReturnType<typeof proposalOf> => proposalOf(next, { root, path, stored });
  if (stored === undefined) return { file, path, verdict: { kind: "missing" }, propose };
  return { file, path, ...compareBaselines({ stored, next, keyBy: step.keyBy, propose }) };
}

function noAdapters(step: AnyStep, { adapter }: RecordingMiss): StepError {
  const message = `Step "${step.name}" called adapter "${adapter}", but no adapters were given. Give them: toMatchBaseline({ input, adapters }).`;
  return kernelError("no_adapters", message);
}

async function record(step: AnyStep, input: unknown, adapters: BaseAdapters): ReturnType<typeof withReplay> {
  return withReplay(step, input, { adapters, runId: CHECK_RUN_ID });
}

function hashOf(input: unknown): Result<string, StepError> {
  try {
    return ok(hashValueSync(input));
  } catch (cause) {
    return err(kernelError("input_validation", `The input cannot be stored: ${messageOf(cause)}`, cause));
  }
}
