import type { CallChange } from "../../record/calls/diff-calls.ts";
import { createRoleResolver } from "../../record/calls/infer-role.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { LIST_OF_TOOLS } from "../../record/adapter-call.ts";
import { recordedCalls } from "../../record/read-snapshot.ts";
import { RevealedSecrets, withRevealedSecrets } from "../../redact/revealed-secrets.ts";
import type { Cause, Evidence } from "./cause.ts";
import {
  type LiveRun,
  type DriftedResponse,
  headerEvidence,
  liveDrift,
  runOnNewResponses,
  responseChanges,
  toolListEvidence,
} from "./live-drift.ts";
import { type PartDiff, type ComparisonRules, RESULT_PARTS, diffOutcomes, storedOutcome } from "../compare/compare.ts";
import type { OfflineRun } from "./replay-with-stubs.ts";
import { type OfflineRuns, explainableRuns } from "./offline-runs.ts";
import { withFurtherCalls } from "./new-calls.ts";
import { evidencePastNewCall, runPastNewCall } from "./new-call-evidence.ts";
import { recountedCalls } from "./recounted-calls.ts";
import { roleRulesOf } from "../step-call-rules.ts";
import { followingCalls } from "./following-calls.ts";
import { failureAtEnd } from "./failure-at-end.ts";
import { isOutage, serviceFailureOf } from "../outages/failure-of-check.ts";
import { type Check, type RunToExplain, withFindings } from "../check.ts";
import { type ExplainableVerdict, type Verdict, canHaveCause } from "../verdict.ts";
import { withLocalEvidence } from "./local-evidence.ts";
import { decisiveResponses, responseEvidence } from "./response-evidence.ts";
import { sortRequestChanges } from "./request-changes.ts";
import { codeEvidence } from "./code-evidence.ts";
import { schemaEvidence, unchangedViolations } from "./schema-evidence.ts";
import { secretChanges, secretEvidence } from "./secret-evidence.ts";
import { undeclaredCalls } from "./undeclared-model.ts";

/** Finds the cause of a check with `runToExplain`. A clean check has a cause if its requests changed. */
export async function explainCheck({ runToExplain, ...check }: Check): Promise<Check> {
  const { verdict } = check;
  if (runToExplain === undefined || isOutage(check) || !canHaveCause(verdict)) return check;
  return withRevealedSecrets(runToExplain.secrets ?? new RevealedSecrets(), async () => {
    const runs = await explainableRuns(runToExplain);
    if (runs === undefined) return check;
    const serviceFailure = serviceFailureOf(check) ?? failureAtEnd(runToExplain, { verdict, runs });
    const ended = serviceFailure === undefined ? check : withFindings(check, { serviceFailure });
    if (isOutage(ended)) return ended;
    const isRefused = serviceFailure?.kind === "refused";
    const cause = await findCause(runToExplain, { verdict, isRefused, runs });
    const explained = cause === undefined ? verdict : { ...verdict, cause };
    return { ...ended, verdict: withoutRefutedRemark(explained, runToExplain, runs) };
  });
}

/**
 * Removes the remark on other requests if a replay passes: a live run also sends other requests because an earlier
 * response differs.
 */
function withoutRefutedRemark(verdict: ExplainableVerdict, run: RunToExplain, runs: OfflineRuns): Verdict {
  if (verdict.kind !== "clean" || !replaysClean(run, runs)) return verdict;
  const { hasOtherRequests: _refuted, ...clean } = verdict;
  return clean;
}

/** Returns true if the current code sends the recorded requests and has the recorded result on recorded responses. */
function replaysClean(explained: RunToExplain, { current }: OfflineRuns): boolean {
  const run = current?.run;
  if (run?.kind !== "ran" || run.changes.length > 0) return false;
  return diffOutcomes(storedOutcome(explained.snapshot), run.outcome, rulesOf(explained)).length === 0;
}

function rulesOf({ step, compare = step.compare }: RunToExplain): ComparisonRules {
  return { parts: RESULT_PARTS, keyBy: step.keyBy, compare };
}

/**
 * Finds the cause of a case's change by varying one thing at a time, in runs that reach no adapter:
 *
 * - The current code on the recorded responses and the input as parsed at capture. A different result is code. A
 *   different request to a model is prompt or model, one to another host is environment, and any other is code.
 * - The same on the input as parsed now, if that differs. A difference between both runs is schema.
 * - For a live check, the code on the recorded responses, and on live ones for new requests only (`liveDrift`). If its
 *   result isn't the live one, the changed responses matter. Then the code on one changed response at a time, which
 *   finds those with an effect (`decisiveResponses`): model or response.
 * - The code with other time zones, locales and times (`withLocalEvidence`): environment or code.
 *
 * Undefined if the causes can't be separated: the baseline lacks the output, the calls or part of the input.
 */
async function findCause(
  run: RunToExplain,
  {
    verdict,
    isRefused,
    runs,
  }: { readonly verdict: ExplainableVerdict; readonly isRefused: boolean; readonly runs: OfflineRuns },
): Promise<Cause | undefined> {
  const { step, snapshot, outcome } = run;
  const stored = storedOutcome(snapshot);
  const rules = rulesOf(run);
  const { onCapturedInput, current } = runs;
  // Something that isn't in the recording may have changed. Then no cause can be named.
  if (onCapturedInput?.kind === "network_reached" || current?.run.kind === "network_reached") return undefined;
  // A step that sends other requests each time has no further cause.
  const { uses, varying } = current?.run ?? {};
  if (varying !== undefined) return causeOf([{ kind: "code", entries: [], varying, uses }]);
  const live = run.live === undefined || outcome === undefined ? undefined : { calls: run.live, outcome };
  const onNewResponses = live && current && (await runOnNewResponses(live, current));
  const drift =
    live && current && onNewResponses && (await liveDrift(live, { ...current, onNewResponses, stored, rules }));
  const roleOf = createRoleResolver(...roleRulesOf(step));
  const isUndeclared = undeclaredCalls(roleRulesOf(step), [...recordedCalls(snapshot), ...(run.live ?? [])]);
  const pastNewCall = await runPastNewCall(onCapturedInput, current?.options);
  const recorded = recordedCalls(snapshot);
  const made = withFurtherCalls(onCapturedInput?.changes ?? [], { recorded, further: onNewResponses ?? pastNewCall });
  const sent = sortRequestChanges(made, { recorded, roleOf });
  const callChanges = callChangesOf(verdict);
  const secrets = secretChanges(callChanges);
  const recounted = sent.code.length > 0 ? [] : recountedCalls(onCapturedInput, { snapshot, callChanges, roleOf });
  const codeChangesCalls = sent.code.length + recounted.length > 0;
  const following = live && !codeChangesCalls ? followingCalls({ run, callChanges, secrets, live, roleOf }) : undefined;
  const ofFailedRun = !isRefused && current?.run.kind === "ran" ? responsesOfFailure(run, verdict) : [];
  const ofService = withoutOtherSecrets(drift?.responses ?? following?.responses ?? ofFailedRun, secrets);
  const responses = await decisiveResponses(ofService, current, { rules, isFailed: verdict.kind === "failed" });
  const evidenceOfRuns = [
    ...headerEvidence(responses),
    ...(sent.code.length > 0 ? [] : secretEvidence(secrets)),
    ...codeEvidence(onCapturedInput, {
      snapshot,
      rules,
      unstable: drift?.unstable ?? unstableDifferences(run, current?.run, rules),
      sent,
      recounted,
      failure: failureOf(verdict),
      isUndeclared,
    }),
    ...(await evidencePastNewCall(onCapturedInput, { pastNewCall, options: current?.options, stored, rules })),
    ...(sent.prompt.length === 0 ? [] : [{ kind: "prompt", requests: sent.prompt } as const]),
    ...responseEvidence(sent.model, responses, { follows: following?.calls, roleOf, isUndeclared }),
    ...toolListEvidence("changes" in verdict ? verdict.changes : [], responses),
    ...schemaEvidence(await unchangedViolations(run, verdict, onCapturedInput), { runs, rules, sent }),
    ...(sent.environment.length === 0 ? [] : [{ kind: "environment", requests: sent.environment } as const]),
  ];
  // Local settings are tried on the input as parsed now, so the schema must not be a cause itself.
  const evidence =
    current === undefined || runs.parse === "other"
      ? evidenceOfRuns
      : await withLocalEvidence(evidenceOfRuns, { ...current, stored, rules });
  return evidence.length > 0
    ? causeOf(evidence)
    : causeOfRest(verdict, { run: onCapturedInput, responses, live, uses });
}

/** Leaves out responses to requests with another secret: they don't show a change of the service. */
function withoutOtherSecrets(
  changed: readonly DriftedResponse[],
  secrets: ReturnType<typeof secretChanges>,
): readonly DriftedResponse[] {
  return secrets.length === 0 ? changed : changed.filter(({ hasOtherSecrets }) => !hasOtherSecrets);
}

/** Returns the cause of a change that no other run shows. */
function causeOfRest(
  verdict: ExplainableVerdict,
  {
    run,
    responses,
    live,
    uses,
  }: {
    readonly run: OfflineRun | undefined;
    readonly responses: readonly DriftedResponse[];
    readonly live: LiveRun | undefined;
    readonly uses: readonly string[] | undefined;
  },
): Cause | undefined {
  // For example, a text became a Date: on the same responses the output has a type that JSON doesn't show.
  if (verdict.kind === "schema_violation" && run?.kind === "ran" && responses.length === 0)
    return causeOf([{ kind: "code", entries: [] }]);
  // It changed, and another run on the same responses did not: the code isn't deterministic.
  return "changes" in verdict && verdict.changes.length > 0 && live === undefined
    ? causeOf([{ kind: "code", entries: [], unstable: true, uses }])
    : undefined;
}

/** Returns the differences between two runs of a case on the same recorded responses: the step itself causes them. */
function unstableDifferences(
  { live, outcome }: RunToExplain,
  again: OfflineRun | undefined,
  rules: ComparisonRules,
): readonly DiffEntry[] {
  const isSame = live === undefined && outcome !== undefined && again?.kind === "ran" && again.changes.length === 0;
  return isSame ? diffOutcomes(again.outcome, outcome, rules) : [];
}

function causeOf(evidence: readonly Evidence[]): Cause {
  const kinds = new Set(evidence.map(({ kind }) => kind));
  const [first] = kinds;
  return { kind: kinds.size === 1 && first !== undefined ? first : "mixed", evidence };
}

function failureOf(verdict: ExplainableVerdict): string | undefined {
  return verdict.kind === "failed" ? `${verdict.error.code}: ${verdict.error.message}` : undefined;
}

/** Returns the changed responses of a failed live run. They count if the step has a result with the recorded ones. */
function responsesOfFailure({ snapshot, live }: RunToExplain, { kind }: ExplainableVerdict): DriftedResponse[] {
  return kind === "failed" && live !== undefined ? responseChanges(recordedCalls(snapshot), live) : [];
}

function callChangesOf(verdict: ExplainableVerdict): readonly CallChange[] {
  return "changes" in verdict ? verdict.changes.flatMap(callChanges) : [];
}

function callChanges(change: PartDiff): readonly CallChange[] {
  return change.part === "calls" ? change.diff.changes.filter(({ adapter }) => !LIST_OF_TOOLS.test(adapter)) : [];
}
