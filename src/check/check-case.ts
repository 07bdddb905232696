import type { StepBaseline } from "../baseline/baseline.ts";
import { collectDetailSecrets } from "../baseline/create-baseline.ts";
import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import { kernelError } from "../kernel/step/fail.ts";
import { missingRecorderMessage } from "../record/interceptors/recorders.ts";
import { hiddenKinds } from "../redact/placeholder.ts";
import { projectSettings } from "../redact/project-settings.ts";
import { RevealedSecrets, withRevealedSecrets } from "../redact/revealed-secrets.ts";
import { SecretNumbers } from "../redact/secret-numbers.ts";
import type { ResponseSource } from "./adapter-mode.ts";
import { checkExecuted } from "./check-executed.ts";
import { type Case, type Check, type CheckContext, ended, isRebased, withFindings } from "./check.ts";
import { type CaseExecution, executeCase, isInputOf } from "./execute-case.ts";
import { storedFormOfInput } from "./find-case.ts";
import { rebaseCase } from "./rebase-case.ts";
import { replayCase } from "./replay-case.ts";
import { type Verdict, needsLiveAdapters } from "./verdict.ts";

/**
 * Checks one case, new or stored: runs it, compares the result with the baseline, and returns the verdict and the cause
 * of a change, which `findCause` finds. Writes no file: `handleUpdate` stages the update, which the run's end writes.
 */
export async function checkCase(
  request: Case,
  context: CheckContext,
  findCause: (check: Check) => Promise<Check>,
): Promise<Check> {
  const started = performance.now();
  const compared = await checkWithoutCause(request, context);
  const check = withFindings(compared, { ms: performance.now() - started });
  return check.runToExplain === undefined ? check : findCause(check);
}

/** Secrets of a case that are known before its run. */
export function caseSecrets({ input, stored }: Case): RevealedSecrets {
  const baseline = stored?.baseline.ok === true ? stored.baseline.value : undefined;
  const numbers = new SecretNumbers({ stored: () => stored?.text, live: () => input?.value });
  const secrets = input?.secrets.beside(numbers) ?? new RevealedSecrets(numbers);
  if (input !== undefined && baseline?.kind === "step") secrets.give(baseline.input, input.value);
  return secrets;
}

/** Checks a case as `checkCase` does, without a search for the cause: that search runs the step again. */
export function checkWithoutCause(request: Case, context: CheckContext): Promise<Check> {
  return withRevealedSecrets(caseSecrets(request), async () => {
    collectDetailSecrets(request.details ?? {});
    const compared = await checkStoredOrNew(request, context);
    const { verdict } = compared;
    const isNew = verdict.kind === "failed" && request.stored === undefined;
    const check: Check = isNew ? { ...compared, verdict: { ...verdict, isNew } } : compared;
    const input = inputOf(request, check.verdict);
    return input === undefined ? check : { ...check, input };
  });
}

function checkStoredOrNew(request: Case, context: CheckContext): Check | Promise<Check> {
  const { stored, step } = request;
  if (stored === undefined) return captureCase(request, context);
  if (!stored.baseline.ok) return ended(request, { kind: "broken", problem: stored.baseline.error });
  const baseline = stored.baseline.value;
  if (baseline.kind !== "step") {
    const among = `it is a baseline of a value in the directory of step "${step.name}"`;
    const problem = `Cannot use ${request.file}: ${among}. Delete it or move it.`;
    return ended(request, { kind: "broken", problem });
  }
  if (context.isByteExact === true) return replayCase(request, baseline);
  const { responses } = context;
  const execution = { request, context, baseline, responses: RECORDED };
  const harmless = [...projectSettings().harmless, ...(context.harmless ?? [])];
  const checkRecorded = (): Promise<Check> => {
    const recorded = runOnce(execution);
    return harmless.length === 0 ? recorded : recorded.then((check) => rebased(check, execution, harmless));
  };
  if (needsRecordedResponses(request, baseline) && (responses.kind === "live" || responses.kind === "auto"))
    return checkRecorded().then((check) =>
      responses.kind === "live" ? withFindings(check, { notLive: true }) : check,
    );
  if (responses.kind === "live" || responses.kind === "each") return runOnce({ request, context, baseline, responses });
  if (responses.kind !== "auto") return checkRecorded();
  // Never mix recorded and live responses in one run: such a conversation never took place.
  return checkRecorded().then((check) =>
    needsLiveAdapters(check.verdict) && !isRebased(check) ? runOnce({ request, context, baseline, responses }) : check,
  );
}

async function rebased(
  check: Check,
  execution: CaseExecution & { readonly baseline: StepBaseline },
  harmless: readonly IgnoreRule[],
): Promise<Check> {
  return rebaseCase(check, {
    baseline: execution.baseline,
    harmless,
    checkOn: async (baseline) => runOnce({ ...execution, baseline, writesRequests: true }),
  });
}

/**
 * Returns true if live adapters would get placeholders of secrets, because only the stored input is known: it would pay
 * for a model's response to a placeholder. Such a case is checked on its recorded responses.
 */
function needsRecordedResponses({ input }: Case, baseline: StepBaseline): boolean {
  return input === undefined && baseline.calls.length > 0 && hiddenKinds(baseline.input).length > 0;
}

const RECORDED: ResponseSource = { kind: "recorded", given: false };

/**
 * Runs a new case to get a result to store. The verdict is `missing`. If it fails and the run of tests can't write,
 * creating the update reports the error.
 */
async function captureCase(request: Case, context: CheckContext): Promise<Check> {
  if (context.capture === undefined) return ended(request, { kind: "missing" });
  const { responses, reviewOnly } = context.capture;
  const captured = await runOnce({ request, context, baseline: undefined, responses });
  if (!reviewOnly) return captured;
  const input = request.input === undefined ? undefined : storedFormOfInput(request.input).hidden;
  if (captured.verdict.kind !== "failed") return { ...captured, input };
  // If the run can't write, the case is missing first. The error of its run says why no result is stored.
  const { code, message } = captured.verdict.error;
  const propose = (): never => {
    throw new Error(`its run ended in ${code}: ${message}`);
  };
  return { ...captured, verdict: { kind: "missing" }, update: { propose }, input };
}

/** Runs a case once with one source of responses, and returns its check. */
async function runOnce(execution: CaseExecution): Promise<Check> {
  const { request, baseline } = execution;
  const usesStoredInput = baseline !== undefined && isInputOf(baseline, request.input);
  const missing = usesStoredInput ? missingRecorderMessage(baseline.calls) : undefined;
  if (missing !== undefined) {
    const error = kernelError("recorder_missing", `${request.file}: ${missing}.`);
    return ended(request, { kind: "failed", error });
  }
  return checkExecuted(await executeCase(execution));
}

/** Returns the input of a case that needs review. Most don't, and hiding secrets takes time. */
function inputOf(request: Case, { kind }: Verdict): unknown {
  if (kind === "clean" || kind === "missing" || kind === "broken") return undefined;
  const baseline = request.stored?.baseline.ok === true ? request.stored.baseline.value : undefined;
  if (baseline?.kind === "step" && isInputOf(baseline, request.input)) return baseline.input;
  return request.input === undefined ? undefined : storedFormOfInput(request.input).hidden;
}
