import { tallyReplayed } from "../kernel/telemetry/metrics.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { CallsDiff } from "../record/calls/diff-calls.ts";
import { type AdapterCall, adapterName } from "../record/adapter-call.ts";
import { comparedForm } from "../record/encode/decode.ts";
import { withRecordedDetails } from "../record/instance-details.ts";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { KEY_MISSING, NO_KEY } from "../kernel/missing-key.ts";
import { NO_MODEL_RECORDER, RECORDER_MISSING } from "../record/interceptors/recorders.ts";
import type { UnrecordedRequest } from "../record/replay/unrecorded-request.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import { hidesStoredSecret, updateOfRun } from "./update/update-of-run.ts";
import { type Check, checkWithoutUpdate } from "./check.ts";
import { compareCalls, firstUnrecordedRequest, sendsSameRequests } from "./compare/compare-calls.ts";
import { mayLackCalls } from "./compare/parsed-input.ts";
import { orderError } from "./step-call-rules.ts";
import { modelFailedError } from "./outages/lost-model-responses.ts";
import { hasOtherDetails } from "./update/create-update.ts";
import { RESULT_PARTS, addCallsDiff, compareStored, verdictOfNewCase } from "./compare/compare.ts";
import { callUsage } from "./run/call-usage.ts";
import { budgetError } from "./run/costs.ts";
import type { ExecutedCase } from "./run/execute-case.ts";
import { blockedNetworkError } from "./run/network-access.ts";
import { clientWithoutKeyError } from "./outages/client-without-key.ts";
import { notStorable } from "./not-storable.ts";
import type { CaseRun } from "./run/run-case.ts";
import { findingsOfRun } from "./run-findings.ts";
import {
  type Verdict,
  canHaveCause,
  redactedError,
  verdictOf,
  verdictOfError,
  verdictOfUnrecorded,
} from "./verdict.ts";

/** Returns the check of an executed case: its verdict, and an update if there is one. */
export function evaluateRun(executed: ExecutedCase): Promise<Check> {
  if (executed.source.kind === "recorded") tallyReplayed(() => executed.source.calls());
  return verdictAndUpdate(executed).catch((thrown: unknown) => refusedByRedaction(executed, thrown));
}

/**
 * Decides in this order: failures of the run (`failureOfRun`), the step's error, the budget, the comparison, and
 * requests that `strictRequests` refuses. If there is an update, then an outage of a model and calls that couldn't be
 * recorded.
 */
async function verdictAndUpdate(executed: ExecutedCase): Promise<Check> {
  const { stepCase, result } = executed;
  const { file, path } = stepCase;
  const common = { file, path, findings: await findingsOfRun(executed) };
  const withoutUpdate = (verdict: Verdict): Check =>
    withRunIfExplainable({ ...common, verdict, update: undefined }, { ...executed, hasOtherRequests: false });
  const failure = await failureOfRun(executed);
  if (failure !== undefined) return withoutUpdate(failure);
  if (!result.ok) return withoutUpdate(verdictOfRunError(result.error, executed));
  const overBudget = await budgetFailure(executed, result.value);
  if (overBudget !== undefined) return withoutUpdate(overBudget);
  const outcomeVerdict = await compareRun(executed, result.value);
  const hasOtherRequests = outcomeVerdict.kind === "clean" && sendsOtherRequests(executed);
  const verdict = hasOtherRequests ? failIfStrict(outcomeVerdict, executed) : outcomeVerdict;
  return withUpdate({ ...common, verdict, update: undefined }, { ...executed, hasOtherRequests }, result.value);
}

/** An executed case after its comparison. */
interface ComparedCase extends ExecutedCase {
  /** True if the result is clean, and the live run sent other requests than the recording has. */
  readonly hasOtherRequests: boolean;
}

/** Adds the update to a check if there is one, and the data that finding its cause needs. */
async function withUpdate(check: Check, compared: ComparedCase, run: CaseRun): Promise<Check> {
  const { source, hasOtherRequests } = compared;
  const { verdict } = check;
  const withoutUpdate = (ended: Verdict): Check => withRunIfExplainable({ ...check, verdict: ended }, compared);
  const isClean = verdict.kind === "clean";
  // A clean case has an update if its file has other requests than the run, or other labels and metadata than the test.
  const hasUpdate =
    isStorableChange(verdict) ||
    hasOtherRequests ||
    (isClean && (compared.updatesIfClean === true || hasNewDetails(compared) || hidesStoredSecret(compared)));
  // A scripted response doesn't belong to the request, so it must not be written.
  if (!hasUpdate || source.isScripted) return withoutUpdate(verdict);
  const modelFailed = await modelFailedError(compared);
  if (modelFailed !== undefined) return withoutUpdate(isClean ? verdict : { kind: "failed", error: modelFailed });
  // A clean case stays clean without an update: only its file can't be renewed.
  const problems = source.problems();
  if (problems.length > 0) return withoutUpdate(isClean ? verdict : failed("recording_failed", problems.join("\n")));
  // Only an update can store other requests, so the remark is for a check that has one.
  const remarked: Verdict = hasOtherRequests && isClean ? { ...verdict, hasOtherRequests: true } : verdict;
  const update = await updateOfRun(compared, run);
  return withRunIfExplainable({ ...check, verdict: remarked, ...update }, compared);
}

/**
 * Returns the verdict on a run with a model without its recorder, a blocked or an unrecorded request, a request without
 * a key, a write without a response, or calls in the wrong order. The step may have caught the error, so its result
 * doesn't count.
 */
async function failureOfRun(executed: ExecutedCase): Promise<Verdict | undefined> {
  const { stepCase, baseline, source, result } = executed;
  if (!result.ok && result.error.message === NO_MODEL_RECORDER)
    return failed(RECORDER_MISSING, `${stepCase.file}: ${NO_MODEL_RECORDER}.`);
  const blocked = blockedNetworkError(source.networkAccess());
  if (blocked !== undefined) return { kind: "failed", error: blocked };
  const [unrecorded] = source.unrecorded();
  if (unrecorded !== undefined && baseline !== undefined) return verdictOfUnrecorded(unrecorded, baseline);
  if (unrecorded !== undefined) return { kind: "failed", error: noResponseError(unrecorded, executed) };
  const keyMissing = missingKeyOf(executed);
  if (keyMissing !== undefined) return keyMissing;
  const [unanswered] = source.skippedWrites?.unanswered ?? [];
  if (unanswered !== undefined) return failed("effect_unanswered", unanswered);
  const { step } = stepCase;
  const outOfOrder = step.order === undefined ? undefined : await orderError(source.callsInOrder(), step);
  return outOfOrder === undefined ? undefined : { kind: "failed", error: outOfOrder };
}

/**
 * Returns the failure of a run that sent a request without a key: the step may have caught the error of the client, so
 * that its result would be that of a failure.
 */
function missingKeyOf({ source, result }: ExecutedCase): Verdict | undefined {
  if (source.kind === "recorded") return undefined;
  const thrown = result.ok ? undefined : result.error.message;
  // A client that is an adapter throws an error with the message of the response.
  const errors = source.calls().flatMap(({ error }) => (error === undefined ? [] : [stableStringify(error)]));
  return [thrown, ...source.problems(), ...errors].some((text) => text?.includes(NO_KEY))
    ? failed(KEY_MISSING, NO_KEY)
    : undefined;
}

function failed(code: string, message: string): Verdict {
  return { kind: "failed", error: kernelError(code, message) };
}

/** Returns the error of a new case that called an adapter while no live adapter could respond. */
function noResponseError({ adapter }: UnrecordedRequest, { stepCase, responses }: ExecutedCase): StepError {
  const missing =
    responses.kind === "recorded" && !responses.hasAdapters
      ? "but no adapters were passed. Pass them ({} for a step without adapters): toMatchBaseline({ input, adapters })."
      : "but a new case has no recorded calls, and this run doesn't call live adapters. " +
        "Capture the case once on your machine, without CI=1 or --ci, and with VERITEST_MODE=live.";
  return kernelError("no_adapters", `Step "${stepCase.step.name}" called adapter "${adapter}", ${missing}`);
}

/** Returns the verdict on a clean result with changed requests: under `strictRequests`, a new request changes it. */
function failIfStrict(compared: Verdict, { baseline, source, context }: ExecutedCase): Verdict {
  const unrecorded =
    baseline === undefined ? undefined : firstUnrecordedRequest(baseline.calls, source.calls(), context);
  return unrecorded === undefined || baseline === undefined ? compared : verdictOfUnrecorded(unrecorded, baseline);
}

/** Returns the verdict on a run whose model calls exceed the budget. */
async function budgetFailure(executed: ExecutedCase, { events }: CaseRun): Promise<Verdict | undefined> {
  const { source, artifacts, stepCase, context } = executed;
  if (context.budget === undefined) return undefined;
  const recorded = await callUsage(source, stepCase.step);
  const error = budgetError({ artifacts, events }, { budget: context.budget, source: source.kind, recorded });
  return error === undefined ? undefined : { kind: "failed", error };
}

/**
 * Returns the verdict on an error of the run. If a test passes a new input that the schema refuses, the test is at
 * fault.
 */
function verdictOfRunError(thrown: StepError, executed: ExecutedCase): Verdict {
  const { stepCase, usesStoredInput, source } = executed;
  const error =
    thrown.code === "execution_failed"
      ? (clientWithoutKeyError(thrown, executed) ?? withMissingAdapter(thrown, source.calls().at(-1)))
      : thrown;
  return usesStoredInput || error.code !== "input_validation"
    ? verdictOfError(error, stepCase.file)
    : { kind: "failed", error: redactedError(error) };
}

/** Names the adapter that a step called and that doesn't exist: a model may request an unknown tool. */
function withMissingAdapter(error: StepError, last: AdapterCall | undefined): StepError {
  // The proxy of the adapters returns undefined, and the step throws the engine's own error.
  if (last?.returns !== "property" || !error.message.endsWith(" is not a function")) return error;
  if (comparedForm(last.response) !== undefined) return error;
  return { ...error, message: `${error.message}: there is no ${adapterName(last.adapter)}` };
}

const NOTHING_COMPARED = { compared: [], tolerated: [] };

async function compareRun(executed: ExecutedCase, { checkedOutput, outcome }: CaseRun): Promise<Verdict> {
  const { stepCase, context, snapshot, usesStoredInput } = executed;
  const { step, file, input } = stepCase;
  if (snapshot === undefined) return verdictOfNewCase(outcome.output, step.keyBy);
  const comparison = compareStored(
    snapshot,
    { ...outcome, input: input?.value },
    {
      parts: usesStoredInput ? RESULT_PARTS : ["input", ...RESULT_PARTS],
      keyBy: step.keyBy,
      compare: context.compare ?? step.compare,
    },
  );
  if (!comparison.ok && checkedOutput.violations.length > 0)
    return verdictOf(NOTHING_COMPARED, checkedOutput.violations);
  if (!comparison.ok) return verdictOfError(comparison.error, file);
  return verdictOf(
    hasCalls(executed) ? addCallsDiff(comparison.value, await callsDiffOf(executed)) : comparison.value,
    checkedOutput.violations,
  );
}

/** A step without any request has no calls to compare. */
function hasCalls({ baseline, source }: ExecutedCase): boolean {
  return (baseline?.calls.length ?? 0) > 0 || source.sentCalls().length > 0;
}

/** Returns the changes of calls. Another input is expected to have other calls. */
async function callsDiffOf({
  stepCase: { step },
  context,
  baseline,
  source,
  usesStoredInput,
}: ExecutedCase): Promise<CallsDiff | undefined> {
  return usesStoredInput && baseline !== undefined
    ? compareCalls(baseline.calls, source.sentCalls(), { step, context, lacksCalls: mayLackCalls(baseline) })
    : undefined;
}

/** Returns true for a verdict on a result that differs from the baseline and can be stored. */
function isStorableChange(verdict: Verdict): boolean {
  switch (verdict.kind) {
    case "missing":
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
      return true;
    case "clean":
    case "schema_violation":
    case "request_changed":
    case "failed":
    case "obsolete":
    case "broken":
      return false;
  }
}

function hasNewDetails({ stepCase, baseline }: ExecutedCase): boolean {
  return baseline !== undefined && hasOtherDetails(baseline, stepCase.details ?? {});
}

/** Returns true if a live run's requests differ from the recorded ones, in content or number. */
function sendsOtherRequests({ baseline, source }: ExecutedCase): boolean {
  if (baseline === undefined || source.kind === "recorded") return false;
  return !sendsSameRequests(baseline.calls, source.calls());
}

/** Returns a check with the data that finding its cause needs, if `shouldSearchCause` allows the search. */
function withRunIfExplainable(check: Check, compared: ComparedCase): Check {
  const { stepCase, context, snapshot, source, result, baseline } = compared;
  if (snapshot === undefined || !shouldSearchCause(check.verdict, compared)) return check;
  const { validate, strictOutput, compare: rules } = context;
  const live = source.kind === "live" ? withRecordedDetails(baseline?.calls ?? [], source.calls()) : undefined;
  const outcome = result.ok ? result.value.outcome : undefined;
  const secrets = currentRevealedSecrets();
  return {
    ...check,
    runToExplain: { step: stepCase.step, snapshot, validate, strictOutput, compare: rules, outcome, live, secrets },
  };
}

/**
 * Returns true if the cause of a verdict on the stored input is searched: of a clean one only if its live run sent
 * other requests, and of a failure only if the step itself ended in it.
 */
function shouldSearchCause(
  verdict: Verdict,
  { source, result, ranStep, usesStoredInput, hasOtherRequests }: ComparedCase,
): boolean {
  if (!usesStoredInput) return false;
  if (verdict.kind === "clean") return hasOtherRequests;
  if (verdict.kind !== "failed") return canHaveCause(verdict);
  if ([KEY_MISSING, RECORDER_MISSING].includes(verdict.error.code)) return false;
  return ranStep && !result.ok && blockedNetworkError(source.networkAccess()) === undefined;
}

/**
 * Returns a failed check if redacting the result is what threw: it redacts the result again to find out. Rethrows any
 * other error.
 */
function refusedByRedaction({ stepCase, result }: ExecutedCase, thrown: unknown): Check {
  try {
    currentRedactor().redact(result.ok ? result.value.outcome : undefined);
  } catch (refusal) {
    return checkWithoutUpdate(stepCase, { kind: "failed", error: notStorable("result", refusal) });
  }
  throw thrown;
}
