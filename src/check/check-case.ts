// From the outside in: checkCase adds the cause, checkWithoutCause the known secrets. checkNewCase and checkByPlan
// choose the responses, checkRecorded rebases, and checkOnce runs the step once. evaluateRun then finds the verdict.

import type { StepBaseline } from "../baseline/baseline.ts";
import { type StoredCase, storedBaselineOf } from "../baseline/baseline-library.ts";
import { collectDetailSecrets } from "../baseline/create-baseline.ts";
import { NO_KEY } from "../kernel/missing-key.ts";
import { kernelError } from "../kernel/step/fail.ts";
import { RECORDER_MISSING, missingRecorderMessage } from "../record/interceptors/recorders.ts";
import { hiddenKinds } from "../redact/placeholder.ts";
import { projectSettings } from "../redact/project-settings.ts";
import { RevealedSecrets, withRevealedSecrets } from "../redact/revealed-secrets.ts";
import { PlaceholderNumbers } from "../redact/placeholder-numbers.ts";
import type { RunPlan } from "./run/adapter-mode.ts";
import { evaluateRun } from "./evaluate-run.ts";
import { type Case, type Check, type CheckContext, checkWithoutUpdate, isRebased, withFindings } from "./check.ts";
import { type CaseExecution, executeCase, isStoredInput } from "./run/execute-case.ts";
import { storedFormOfInput } from "./find-case.ts";
import { rebaseCase } from "./rebase-case.ts";
import { checkByteExact } from "./check-byte-exact.ts";
import { needsLiveAdapters } from "./verdict.ts";

/**
 * Checks one case, new or stored: runs it, compares the result with the baseline, and returns the verdict. `explain`
 * adds the cause of a change; it's passed in, so that clean tests don't load its code. Writes no file: `stageUpdate`
 * stages the update, and it's written when the test run ends.
 */
export async function checkCase(
  stepCase: Case,
  context: CheckContext,
  explain: (check: Check) => Promise<Check>,
): Promise<Check> {
  const started = performance.now();
  const unexplained = await checkWithoutCause(stepCase, context);
  const check = withFindings(unexplained, { ms: performance.now() - started });
  return check.runToExplain === undefined ? check : explain(check);
}

/**
 * Secrets of a case that are known before its run. A secret keeps the number of its placeholder in the stored file.
 * Inside `withRevealedSecrets` they are hidden wherever data is redacted or hashed.
 */
export function caseSecrets({ input, stored }: Case): RevealedSecrets {
  const baseline = storedBaselineOf(stored);
  const numbers = new PlaceholderNumbers({ stored: () => stored?.text, live: () => input?.value });
  const secrets = input?.secrets.withNumbers(numbers) ?? new RevealedSecrets(numbers);
  if (input !== undefined && baseline?.kind === "step") secrets.pairInput(baseline.input, input.value);
  return secrets;
}

/** Checks a case as `checkCase` does, without a search for the cause: that search runs the step again. */
export function checkWithoutCause(stepCase: Case, context: CheckContext): Promise<Check> {
  return withRevealedSecrets(caseSecrets(stepCase), async () => {
    collectDetailSecrets(stepCase.details ?? {});
    const check =
      stepCase.stored === undefined
        ? await checkNewCase(stepCase, context)
        : await checkByPlan(stepCase, stepCase.stored, context);
    // Only checks that need review get the input, because redacting it takes time.
    const { kind } = check.verdict;
    if (kind === "clean" || kind === "missing" || kind === "broken") return check;
    const input = inputOf(stepCase);
    return input === undefined ? check : { ...check, input };
  });
}

/**
 * Checks a stored case by the context's plan: on recorded responses, on live ones, with a mode for each adapter, or
 * (`auto`) on recorded responses and then, if necessary, again on live ones.
 */
async function checkByPlan(stepCase: Case, stored: StoredCase, context: CheckContext): Promise<Check> {
  if (!stored.baseline.ok) return checkWithoutUpdate(stepCase, { kind: "broken", problem: stored.baseline.error });
  const baseline = stored.baseline.value;
  if (baseline.kind !== "step") {
    const reason = `it is a baseline of a value in the directory of step "${stepCase.step.name}"`;
    return checkWithoutUpdate(stepCase, {
      kind: "broken",
      problem: `Cannot use ${stepCase.file}: ${reason}. Delete it or move it.`,
    });
  }
  if (context.isByteExact === true) return checkByteExact(stepCase, baseline);
  const { responses } = context;
  const execution = { stepCase, context, baseline };
  const recorded = { ...execution, responses: RECORDED };
  const canRunLive = !hasOnlyPlaceholders(stepCase, baseline);
  switch (responses.kind) {
    case "recorded":
      return checkRecorded(recorded);
    case "perAdapter": {
      if (responses.callsLiveAdapters && canRunLive) return checkOnce({ ...execution, responses });
      // Scripted adapters stay scripted.
      const check = await checkRecorded({ ...execution, responses: { ...responses, callsLiveAdapters: false } });
      return responses.callsLiveAdapters ? withFindings(check, { notLive: true }) : check;
    }
    case "live":
      if (!canRunLive) return withFindings(await checkRecorded(recorded), { notLive: true });
      return checkOnce({ ...execution, responses });
    case "auto": {
      // `auto` never mixes recorded and live responses in one run: such a conversation never took place.
      const check = await checkRecorded(recorded);
      if (!needsLiveAdapters(check.verdict) || isRebased(check)) return check;
      if (!canRunLive) return withFindings(check, { notLive: true });
      return checkOnce({ ...execution, responses: { ...responses, kind: "live" } });
    }
  }
}

/**
 * Returns true if live adapters would get placeholders for secrets, because only the stored input is known: you would
 * pay for a model's response to a placeholder. Such a case is checked on its recorded responses.
 */
function hasOnlyPlaceholders({ input }: Case, baseline: StepBaseline): boolean {
  return input === undefined && baseline.calls.length > 0 && hiddenKinds(baseline.input).length > 0;
}

const RECORDED: RunPlan = { kind: "recorded", hasAdapters: false };

/** Checks a case on its recorded responses, and rebases it if only harmless parts of requests changed. */
async function checkRecorded(execution: CaseExecution & { readonly baseline: StepBaseline }): Promise<Check> {
  const check = await checkOnce(execution);
  const harmless = [...projectSettings().harmless, ...(execution.context.harmless ?? [])];
  if (harmless.length === 0) return check;
  return rebaseCase(check, {
    baseline: execution.baseline,
    harmless,
    checkOn: async (baseline) => checkOnce({ ...execution, baseline, updatesIfClean: true }),
  });
}

/** Checks a case without a baseline: runs it to get a result to store, if this run can store one. */
async function checkNewCase(stepCase: Case, context: CheckContext): Promise<Check> {
  if (context.capture === undefined) return checkWithoutUpdate(stepCase, { kind: "missing" });
  const { responses, reviewOnly } = context.capture;
  const captured = await checkOnce({ stepCase, context, baseline: undefined, responses });
  const { verdict } = captured;
  // True only for a request with a placeholder as its key: the advice on the case names the variables of such keys.
  const needsKey = verdict.kind === "failed" && verdict.error.message === NO_KEY;
  if (!reviewOnly && !needsKey)
    return verdict.kind === "failed" ? { ...captured, verdict: { ...verdict, isNew: true } } : captured;
  const input = inputOf(stepCase);
  if (verdict.kind !== "failed") return { ...captured, input };
  // If the test run can't write or record, the case counts as missing, not as failed: its test or step may have been
  // renamed, or its input changed. The error says why no result is stored.
  const { code, message } = verdict.error;
  const propose = (): never => {
    throw new Error(`its run failed with ${code}: ${message}`);
  };
  return { ...captured, verdict: { kind: "missing", ...(needsKey && { needsKey }) }, update: { propose }, input };
}

async function checkOnce(execution: CaseExecution): Promise<Check> {
  const { stepCase, baseline } = execution;
  const usesStoredInput = baseline !== undefined && isStoredInput(baseline, stepCase.input);
  const missing = usesStoredInput ? missingRecorderMessage(baseline.calls) : undefined;
  if (missing !== undefined) {
    const error = kernelError(RECORDER_MISSING, `${stepCase.file}: ${missing}.`);
    return checkWithoutUpdate(stepCase, { kind: "failed", error });
  }
  return evaluateRun(await executeCase(execution));
}

/** Returns the input of a case in its stored form, without secrets; undefined if it's unknown. */
function inputOf({ stored, input }: Case): unknown {
  const baseline = storedBaselineOf(stored);
  if (baseline?.kind === "step" && isStoredInput(baseline, input)) return baseline.input;
  return input === undefined ? undefined : storedFormOfInput(input).hidden;
}
