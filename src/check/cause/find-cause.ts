import type { CallChange } from "../../record/calls/diff-calls.ts";
import { createRoleResolver } from "../../record/calls/infer-role.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { checkedOutputSchema } from "../../kernel/step/define-step.ts";
import { issuePath, parseWith } from "../../kernel/step/schema.ts";
import { formatPath } from "../../kernel/text.ts";
import { LIST_OF_TOOLS } from "../../record/adapter-call.ts";
import type { UnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { storedForm } from "../../record/encode/encode.ts";
import { outputContent, recordedCalls } from "../../record/read-snapshot.ts";
import { currentRedactor } from "../../redact/current-redactor.ts";
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
import {
  type PartDiff,
  type ComparisonRules,
  RESULT_PARTS,
  type Outcome,
  diffOutcomes,
  storedOutcome,
} from "../compare/compare.ts";
import { droppedField } from "../compare/unnamed-fields.ts";
import type { OfflineRun } from "./replay-with-stubs.ts";
import { type OfflineRuns, explainableRuns } from "./offline-runs.ts";
import { withFurtherCalls } from "./new-calls.ts";
import { evidenceDespiteNewCall, runDespiteNewCall } from "./new-call-evidence.ts";
import { recountedCalls } from "./recounted-calls.ts";
import { roleRulesOf } from "../step-call-rules.ts";
import { followingCalls } from "./following-calls.ts";
import { failureAtEnd } from "./failure-at-end.ts";
import { isOutage, serviceFailureOf } from "../outages/failure-of-check.ts";
import { type Check, type RunToExplain, withFindings } from "../check.ts";
import { type ExplainableVerdict, type Verdict, canHaveCause } from "../verdict.ts";
import { withLocalEvidence } from "./local-evidence.ts";
import { decisiveResponses, responseEvidence } from "./response-evidence.ts";
import { type RequestChanges, hasOtherForm, schemaProperties, sortRequestChanges } from "./request-changes.ts";
import type { SchemaViolation } from "../run/run-case.ts";
import { secretChanges, secretEvidence } from "./secret-evidence.ts";
import { type CallRoles, toolRequestEvidence, undeclaredCalls } from "./undeclared-model.ts";

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
  const despite = await runDespiteNewCall(onCapturedInput, current?.options);
  const recorded = recordedCalls(snapshot);
  const made = withFurtherCalls(onCapturedInput?.changes ?? [], { recorded, further: onNewResponses ?? despite });
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
      stored,
      rules,
      unstable: drift?.unstable ?? unstableDifferences(run, current?.run, rules),
      sent,
      recounted,
      failure: failureOf(verdict),
      isUndeclared,
    }),
    ...(await evidenceDespiteNewCall(onCapturedInput, { despite, options: current?.options, stored, rules })),
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

const FAILS = "it fails with the recorded responses";

/** Returns evidence of code that waits for a part that the recorded run left; undefined for other requests. */
function missingPartEvidence({ reason }: UnrecordedRequest): Evidence[] | undefined {
  if (reason !== "stream_exhausted" && reason !== "no_response") return undefined;
  const part = reason === "no_response" ? "waits for a response that the recorded run didn't wait for" : PAST_END;
  return [{ kind: "code", entries: [], ended: `it ${part}` }];
}

const PAST_END = "reads past the end of the recorded stream";

function failureOf(verdict: ExplainableVerdict): string | undefined {
  return verdict.kind === "failed" ? `${verdict.error.code}: ${verdict.error.message}` : undefined;
}

function codeEvidence(
  run: OfflineRun | undefined,
  {
    stored,
    rules,
    unstable,
    sent,
    recounted,
    failure,
    isUndeclared,
  }: {
    readonly stored: Outcome;
    readonly rules: ComparisonRules;
    readonly unstable: readonly DiffEntry[];
    readonly sent: RequestChanges;
    readonly recounted: Evidence[];
    readonly failure: string | undefined;
    readonly isUndeclared: CallRoles["isUndeclared"];
  },
): Evidence[] {
  if (sent.code.length > 0) return [toolRequestEvidence(sent.code, isUndeclared)];
  if (recounted.length > 0) return recounted;
  const varyingCode =
    unstable.length === 0 ? [] : [{ kind: "code", entries: unstable, unstable: true, uses: run?.uses } as const];
  const isOtherForm = run !== undefined && expectsOtherForm(run);
  switch (run?.kind) {
    case undefined:
      return varyingCode;
    case "network_reached":
      return [];
    case "unrecorded":
      return missingPartEvidence(run.unrecorded) ?? varyingCode;
    case "failed":
      if (isOtherForm) return varyingCode;
      // A schema that refuses a recorded response changed.
      if (run.violations.length > 0) return varyingCode;
      // If the case failed in the same way, its verdict has the error.
      return [{ kind: "code", entries: [], ended: `${FAILS}${run.message === failure ? "" : `: ${run.message}`}` }];
    case "ran": {
      // Without a response that was there before, a changed request leads to another result.
      if (isOtherForm || run.changes.some(({ kind }) => kind === "dropped")) return varyingCode;
      const unstablePaths = new Set(unstable.map(({ path }) => JSON.stringify(path)));
      const properties = schemaProperties(sent.schema);
      const entries = diffOutcomes(stored, run.outcome, rules).filter(
        ({ path }) => !unstablePaths.has(JSON.stringify(path)) && !path.some((key) => properties.has(key)),
      );
      const { unnamed = {} } = run.outcome;
      const ofSchema = parseDifferences(run, rules);
      // The baseline numbers the secrets of a dropped field differently, so its name counts.
      const isOfSchema = (entry: DiffEntry): boolean =>
        ofSchema.has(textOf(entry)) || droppedField(entry, unnamed) !== undefined;
      const outputs = entries.filter(isOfSchema);
      const own = entries.filter((entry) => !isOfSchema(entry));
      return [
        ...(own.length === 0 ? varyingCode : [{ kind: "code", entries: own } as const]),
        ...(outputs.length === 0 ? [] : [{ kind: "schema", entries: [], violations: [], outputs } as const]),
      ];
    }
  }
}

/** Returns true if the response that a changed request got has another form than the step expects of it. */
function expectsOtherForm({ changes }: OfflineRun): boolean {
  return changes.some(({ entries, call }) => entries.some((entry) => hasOtherForm(entry, call.request)));
}

/** Returns texts of the differences that the schema makes between the output as returned and as parsed. */
function parseDifferences(
  { returned, outcome }: Extract<OfflineRun, { readonly kind: "ran" }>,
  rules: ComparisonRules,
): ReadonlySet<string> {
  return new Set(diffOutcomes({ output: returned }, { output: outcome.output }, rules).map(textOf));
}

function textOf(entry: DiffEntry): string {
  return stableStringify(storedForm(entry));
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

function schemaEvidence(
  refused: readonly SchemaViolation[],
  { runs, rules, sent }: { readonly runs: OfflineRuns; readonly rules: ComparisonRules; readonly sent: RequestChanges },
): Evidence[] {
  const parsed = runs.parse === "refused" || (runs.parse === "other" && parseMatters(runs, rules));
  // A response that the code got to another request may not fit the schema.
  const { onCapturedInput: run } = runs;
  const thrown = run?.kind === "failed" && sent.code.length === 0 && !expectsOtherForm(run) ? run.violations : [];
  const violations = [...refused, ...thrown];
  const requests = sent.schema;
  return parsed || violations.length + requests.length > 0
    ? [{ kind: "schema", entries: parsed ? runs.entries : [], violations, ...(requests.length > 0 && { requests }) }]
    : [];
}

/** Another parse causes only the changes it makes: a new default that the code doesn't read changes no result. */
function parseMatters({ onCapturedInput, current }: OfflineRuns, rules: ComparisonRules): boolean {
  if (onCapturedInput === undefined || current === undefined) return true;
  const { run } = current;
  if (stableStringify(onCapturedInput.changes) !== stableStringify(run.changes) || onCapturedInput.kind !== run.kind)
    return true;
  return (
    onCapturedInput.kind === "ran" &&
    run.kind === "ran" &&
    diffOutcomes(onCapturedInput.outcome, run.outcome, rules).length > 0
  );
}

/**
 * Returns the violations at values that are unchanged since they were accepted: there the schema changed, not the
 * value. A run that ends at an unrecorded request has no output, so the output on the recorded responses counts. A
 * value that is missing in both outputs counts only if the schema refuses the recorded one too: another field can
 * require it, such as the type of a union.
 */
async function unchangedViolations(
  { step, snapshot, outcome }: RunToExplain,
  verdict: ExplainableVerdict,
  offline: OfflineRun | undefined,
): Promise<readonly SchemaViolation[]> {
  const ofOffline = verdict.kind === "request_changed" && offline?.kind === "ran" ? offline : undefined;
  const violations = verdict.kind === "schema_violation" ? verdict.violations : (ofOffline?.violations ?? []);
  const output = ofOffline === undefined ? outcome?.output : ofOffline.outcome.output;
  const before = outputContent(snapshot)?.output;
  // Paths and stored values contain no secrets.
  const after = currentRedactor().redact(output, ["output"]).value;
  const unchanged = violations.filter(({ path, isInput }) => {
    // The baseline stores an input unparsed, so a violation in it is new: an earlier schema accepted the value.
    if (isInput === true) return true;
    // A Date is stored as the text that it was before.
    const value = valueAt(output, path);
    const isConverted = typeof value === "object" && value !== null && "toJSON" in value;
    return !isConverted && sameAt(path, before, after);
  });
  const isMissing = ({ path, isInput }: SchemaViolation): boolean =>
    isInput !== true && valueAt(before, path) === undefined;
  if (!unchanged.some(isMissing)) return unchanged;
  const parsed = await parseWith(checkedOutputSchema(step), before);
  const refused = new Set(parsed.ok ? [] : parsed.error.issues.map((issue) => formatPath(issuePath(issue))));
  return unchanged.filter((violation) => !isMissing(violation) || refused.has(formatPath(violation.path)));
}

function sameAt(path: SchemaViolation["path"], before: unknown, after: unknown): boolean {
  const [valueBefore, valueAfter] = [valueAt(before, path), valueAt(after, path)];
  if ((valueBefore === undefined) !== (valueAfter === undefined)) return false;
  return stableStringify(valueBefore) === stableStringify(valueAfter);
}

function valueAt(root: unknown, path: SchemaViolation["path"]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
    root,
  );
}
