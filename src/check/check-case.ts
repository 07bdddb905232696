import type { CallsDiff } from "../record/calls/diff-calls.ts";
import { err } from "../kernel/result.ts";
import { collectDetailSecrets } from "../baseline/create-baseline.ts";
import { type StepBaseline, snapshotOf } from "../baseline/baseline.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { missingRecorderMessage } from "../record/interceptors/recorders.ts";
import type { IgnoreRule } from "../kernel/ignore-rule.ts";
import { sameSecrets } from "../redact/comparable.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { hiddenKinds } from "../redact/placeholder.ts";
import { projectSettings } from "../redact/project-settings.ts";
import { RevealedSecrets, withRevealedSecrets, currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import { SecretNumbers } from "../redact/secret-numbers.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import { tallyReplayed } from "../kernel/telemetry/metrics.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { ResponseSource } from "./adapter-mode.ts";
import { CHECK_RUN_ID, type Case, type Check, type CheckContext, ended, isRebased, withFindings } from "./check.ts";
import {
  compareCalls,
  costsOfCalls,
  declaredRoleResolver,
  orderError,
  sendsSameRequests,
  firstUnrecordedRequest,
} from "./compare-calls.ts";
import { storedFormOfInput } from "./find-case.ts";
import { DECIDING_PARTS, compareStored, verdictOfNewCase, addCallsDiff } from "./compare.ts";
import { type Budget, budgetError } from "./costs.ts";
import { type ExecutedCase, type CaseExecution, updateOf, workflowOf } from "./case-update.ts";
import { rebaseCase } from "./rebase-case.ts";
import { replayCase } from "./replay-case.ts";
import { blockedNetworkError } from "./network-access.ts";
import { type CaseRun, runCase } from "./run-case.ts";
import { lazyAdapterContext, openSource, stableSource } from "./adapter-source.ts";
import { findingsOf } from "./run-findings.ts";
import {
  type Verdict,
  redactedError,
  needsLiveAdapters,
  verdictOf,
  verdictOfError,
  verdictOfUnrecorded,
} from "./verdict.ts";
import { notStorable } from "./not-storable.ts";
import { noResponseError, withMissingAdapter } from "./no-response-error.ts";
import { hashOnlyInputError, verifySnapshot } from "./snapshot-integrity.ts";

/**
 * Checks one case, new or stored: runs it, compares the result with the baseline, and returns the verdict and the cause
 * of a change, which `explain` finds. Writes no file: `handleUpdate` stages the update, which the run's end writes.
 */
export async function checkCase(
  request: Case,
  context: CheckContext,
  explain: (check: Check) => Promise<Check>,
): Promise<Check> {
  const started = performance.now();
  const compared = await checkWithoutCause(request, context);
  const check = withFindings(compared, { ms: performance.now() - started });
  return check.run === undefined ? check : explain(check);
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
  const turn = { request, context, baseline, responses: RECORDED };
  const harmless = [...projectSettings().harmless, ...(context.harmless ?? [])];
  const checkRecorded = (): Promise<Check> => {
    const recorded = runOnce(turn);
    return harmless.length === 0 ? recorded : recorded.then((check) => rebased(check, turn, harmless));
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
  turn: CaseExecution & { readonly baseline: StepBaseline },
  harmless: readonly IgnoreRule[],
): Promise<Check> {
  return rebaseCase(check, {
    baseline: turn.baseline,
    harmless,
    checkOn: async (baseline) => runOnce({ ...turn, baseline, writesRequests: true }),
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
async function runOnce(turn: CaseExecution): Promise<Check> {
  const { request, context, baseline, responses } = turn;
  const { step, input, file } = request;
  const isStored = baseline !== undefined && (input === undefined || input.hash === baseline.inputHash);
  const missing = isStored ? missingRecorderMessage(baseline.calls) : undefined;
  if (missing !== undefined)
    return ended(request, { kind: "failed", error: kernelError("recorder_missing", `${file}: ${missing}.`) });
  const snapshot = baseline === undefined ? undefined : snapshotOf(baseline);
  const roleOf = responses.kind === "recorded" ? undefined : await declaredRoleResolver(step);
  const source = openSource(responses, baseline?.calls ?? [], {
    executes: context.executesWrites === true,
    roleOf,
  });
  const artifacts: Artifact[] = [];
  const problem = snapshot === undefined ? undefined : storedCaseError(snapshot, request);
  const workflow = workflowOf(request, isStored ? baseline : undefined);
  const result =
    problem === undefined
      ? await runCase(step, input === undefined ? baseline?.input : input.value, {
          contextFactory: lazyAdapterContext(source),
          within: (run) => source.within(run),
          workflowId: workflow.id,
          workflowVersion: workflow.version,
          runId: CHECK_RUN_ID,
          onArtifact: (artifact) => void artifacts.push(artifact),
          // Capture enforces the output's schema: a captured result must be one that `run` would return.
          ...(isStored
            ? { validate: context.validate, strictOutput: context.strictOutput }
            : { onInvalidOutput: "fail" }),
        })
      : err(problem);
  const steady = stableSource(source, result, baseline?.calls);
  const isRun = problem === undefined;
  const ran = { ...turn, snapshot, usedStoredInput: isStored, source: steady, artifacts, result, wasRun: isRun };
  return judge(ran).catch((thrown: unknown) => refusedByRedaction(ran, thrown));
}

/** Returns the step's failure if its result can't be redacted. Rethrows any other error. */
function refusedByRedaction({ request, result }: ExecutedCase, thrown: unknown): Check {
  try {
    currentRedactor().redact(result.ok ? result.value.outcome : undefined);
  } catch (refusal) {
    return ended(request, { kind: "failed", error: notStorable("result", refusal) });
  }
  throw thrown;
}

/** Returns the error that prevents running or comparing the stored case; undefined if there isn't one. */
function storedCaseError(snapshot: Snapshot, { step, input }: Case): StepError | undefined {
  const verified = verifySnapshot(snapshot, step);
  if (!verified.ok) return verified.error;
  return input === undefined ? hashOnlyInputError(snapshot) : undefined;
}

/** Returns the check of a case that ran, or whose run was prevented, and its possible update. */
async function judge(ran: ExecutedCase): Promise<Check> {
  const { request, baseline, source, result, context } = ran;
  const { file, path } = request;
  const common = { file, path, findings: findingsOf(ran) };
  if (source.kind === "recorded") tallyReplayed(() => source.calls());
  const withoutUpdate = (verdict: Verdict): Check => explainable({ ...common, verdict, update: undefined }, ran);
  const blocked = blockedNetworkError(source.networkAccess());
  if (blocked !== undefined) return withoutUpdate({ kind: "failed", error: blocked });
  const [unrecordedRequest] = source.unrecorded();
  if (unrecordedRequest !== undefined && baseline !== undefined)
    return withoutUpdate(verdictOfUnrecorded(unrecordedRequest, baseline.calls.length));
  if (unrecordedRequest !== undefined)
    return ended(request, { kind: "failed", error: noResponseError(unrecordedRequest, ran) });
  // A skipped write without a recorded response fails the check, even if the step caught the error.
  const [unanswered] = source.skippedWrites?.unanswered ?? [];
  if (unanswered !== undefined)
    return withoutUpdate({ kind: "failed", error: kernelError("effect_unanswered", unanswered) });
  const outOfOrder =
    request.step.order === undefined ? undefined : await orderError(source.requestedCalls(), request.step);
  if (outOfOrder !== undefined) return withoutUpdate({ kind: "failed", error: outOfOrder });
  if (!result.ok) return withoutUpdate(verdictOfRunError(result.error, ran));
  const error = context.budget === undefined ? undefined : await costError(ran, result.value, context.budget);
  if (error !== undefined) return withoutUpdate({ kind: "failed", error });
  const compared = await compare(ran, result.value);
  const onlyRequestsChanged = compared.kind === "clean" && hasChangedRequests(ran);
  const unrecorded =
    onlyRequestsChanged && baseline !== undefined
      ? firstUnrecordedRequest(baseline.calls, source.calls(), context)
      : undefined;
  const verdict =
    unrecorded === undefined || baseline === undefined
      ? compared
      : verdictOfUnrecorded(unrecorded, baseline.calls.length);
  // A clean case has an update only if its file would no longer replay (other requests) or its description changed.
  const isKept =
    isWorthKeeping(verdict) ||
    onlyRequestsChanged ||
    (verdict.kind === "clean" && (ran.writesRequests === true || hasNewDetails(ran)));
  if (!isKept) return withoutUpdate(verdict);
  // A scripted response doesn't belong to the request, so it must not be written.
  if (source.scripted !== undefined) return withoutUpdate(verdict);
  const problems = source.problems();
  if (problems.length > 0)
    return withoutUpdate(
      verdict.kind === "clean"
        ? verdict
        : { kind: "failed", error: kernelError("recording_failed", problems.join("\n")) },
    );
  const reported: Verdict =
    onlyRequestsChanged && verdict.kind === "clean" ? { ...verdict, hasOtherRequests: true } : verdict;
  return explainable({ ...common, verdict: reported, ...(await updateOf(ran, result.value)) }, ran);
}

async function costError(ran: ExecutedCase, { events }: CaseRun, within: Budget): Promise<StepError | undefined> {
  const { source, artifacts, request } = ran;
  const recorded = await costsOfCalls(source.calls(), request.step);
  return budgetError({ artifacts, events }, { within, source: source.kind, recorded });
}

/** If a test passes a new input, a schema violation in it is the test's mistake. */
function verdictOfRunError(thrown: StepError, { request, usedStoredInput, source }: ExecutedCase): Verdict {
  const error = thrown.code === "execution_failed" ? withMissingAdapter(thrown, source.calls().at(-1)) : thrown;
  return usedStoredInput || error.code !== "input_validation"
    ? verdictOfError(error, request.file)
    : { kind: "failed", error: redactedError(error) };
}

const NOTHING_COMPARED = { compared: [], tolerated: [] };

async function compare(ran: ExecutedCase, { output, outcome }: CaseRun): Promise<Verdict> {
  const { request, context, snapshot, usedStoredInput } = ran;
  const { step, file, input } = request;
  if (snapshot === undefined) return verdictOfNewCase(outcome.output, step.keyBy);
  const comparison = compareStored(
    snapshot,
    { ...outcome, input: input?.value },
    {
      parts: usedStoredInput ? DECIDING_PARTS : ["input", ...DECIDING_PARTS],
      keyBy: step.keyBy,
      compare: context.compare ?? step.compare,
    },
  );
  if (!comparison.ok && output.violations.length > 0) return verdictOf(NOTHING_COMPARED, output.violations);
  if (!comparison.ok) return verdictOfError(comparison.error, file);
  return verdictOf(
    hasCalls(ran) ? addCallsDiff(comparison.value, await callsDiffOf(ran)) : comparison.value,
    output.violations,
  );
}

/** A step without any request has no calls to compare. */
function hasCalls({ baseline, source }: ExecutedCase): boolean {
  return (baseline?.calls.length ?? 0) > 0 || source.requestedCalls().length > 0;
}

/** Returns the changes of calls. Another input is expected to have other calls. */
async function callsDiffOf({
  request: { step },
  context,
  baseline,
  source,
  usedStoredInput,
}: ExecutedCase): Promise<CallsDiff | undefined> {
  return usedStoredInput && baseline !== undefined
    ? compareCalls(baseline.calls, source.requestedCalls(), { step, context })
    : undefined;
}

/** Returns true for a verdict on a result that differs from the baseline and can be stored. */
function isWorthKeeping(verdict: Verdict): boolean {
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

function hasNewDetails({ request, baseline }: ExecutedCase): boolean {
  const { labels, meta } = request.details ?? {};
  // Most checks mention neither, and serializing both was a twentieth of a check of all cases.
  if (baseline === undefined || (labels === undefined && meta === undefined)) return false;
  const current = { labels: labels ?? baseline.labels, meta: meta ?? baseline.meta };
  const now = currentRedactor().redact(current).value;
  return !sameSecrets({ labels: baseline.labels, meta: baseline.meta }, now);
}

/** Returns true if a live run's requests differ from the recorded ones, in content or number. */
function hasChangedRequests({ baseline, source }: ExecutedCase): boolean {
  if (baseline === undefined || source.kind === "recorded") return false;
  return !sendsSameRequests(baseline.calls, source.calls());
}

/** Returns a check with the data that finding its cause needs, if it can have one. */
function explainable(check: Check, ran: ExecutedCase): Check {
  const { request, context, snapshot, usedStoredInput, source, result } = ran;
  if (!usedStoredInput || snapshot === undefined || !hasCause(check.verdict, ran)) return check;
  const { validate, strictOutput, compare: rules } = context;
  const live = source.kind === "live" ? source.calls() : undefined;
  const outcome = result.ok ? result.value.outcome : undefined;
  const secrets = currentRevealedSecrets();
  return {
    ...check,
    run: { step: request.step, snapshot, validate, strictOutput, compare: rules, outcome, live, secrets },
  };
}

/** A clean case has a cause if its requests changed. */
function hasCause({ kind }: Verdict, ran: ExecutedCase): boolean {
  switch (kind) {
    case "clean":
      return hasChangedRequests(ran);
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
    case "schema_violation":
    case "request_changed":
      return true;
    case "failed":
      // The failure has a cause if the step itself ended in it, not if stored or passed data prevented its run.
      return ran.wasRun && !ran.result.ok && blockedNetworkError(ran.source.networkAccess()) === undefined;
    case "missing":
    case "obsolete":
    case "broken":
      return false;
  }
}

/** Returns the input of a case that needs review. Most don't, and hiding secrets takes time. */
function inputOf(request: Case, { kind }: Verdict): unknown {
  if (kind === "clean" || kind === "missing" || kind === "broken") return undefined;
  const baseline = request.stored?.baseline.ok === true ? request.stored.baseline.value : undefined;
  if (baseline?.kind === "step" && (request.input === undefined || request.input.hash === baseline.inputHash))
    return baseline.input;
  return request.input === undefined ? undefined : storedFormOfInput(request.input).hidden;
}
