import type { CallsDiff } from "../record/calls/diff-calls.ts";
import { stableStringify } from "../kernel/json/canonical-json.ts";
import { lossyPart } from "../kernel/json/lossy-part.ts";
import { err } from "../kernel/result.ts";
import { noteDetails } from "../baseline/baseline-of.ts";
import { type StepBaseline, snapshotOf } from "../baseline/baseline.ts";
import { type RecordingMiss, isMiss } from "../record/replay/recording-miss.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { missingTape } from "../record/interceptors/tapes.ts";
import { sameSecrets } from "../redact/comparable.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { RecordingSecrets, inRecording, secretsHere } from "../redact/recording-secrets.ts";
import { SecretNumbers } from "../redact/secret-numbers.ts";
import type { Artifact } from "../kernel/step/artifact.ts";
import { tallyReplayed } from "../kernel/telemetry/metrics.ts";
import { type StepError, kernelError } from "../kernel/step/fail.ts";
import type { Answers } from "./adapter-mode.ts";
import { CHECK_RUN_ID, type Case, type Check, type World, rulesOf } from "./check.ts";
import { compareCalls, costsOfCalls, declaredRoles, sameCalls, strictMiss } from "./compare-calls.ts";
import { keptInput } from "./find-case.ts";
import { type Change, DECIDED, compareStored, newCase, withCalls } from "./compare.ts";
import { type Budget, liveCosts, overBudget } from "./costs.ts";
import { type RanCase, type CaseTurn, proposalsOf, workflowOf } from "./propose-case.ts";
import { type ReplayVerdict, replay } from "./replay.ts";
import { reachedBy, refusedReach } from "./reached.ts";
import { type CaseRun, runCase } from "./run-case.ts";
import { askingContext, openSource, steadySource } from "./source.ts";
import { unresolvedRules } from "./unresolved-rules.ts";
import {
  type Verdict,
  hiddenError,
  needsLive,
  notStorable,
  verdictOf,
  verdictOfError,
  verdictOfMiss,
  withLossy,
} from "./verdict.ts";
import { hashedInput, hiddenInput, verifySnapshot } from "./verify-snapshot.ts";

/**
 * Checks one case, new or stored: runs it, compares the result with the baseline, and returns the verdict and the cause
 * of a change. Writes no file: `keep` handles the update.
 */
export async function checkCase(asked: Case, world: World, explain: (check: Check) => Promise<Check>): Promise<Check> {
  const started = performance.now();
  const found = await judgeCase(asked, world);
  const check = { ...found, ms: performance.now() - started };
  return check.run === undefined ? check : explain(check);
}

/** Secrets of a case that are known before its run. */
function secretsOf({ input, stored }: Case): RecordingSecrets {
  const baseline = stored?.baseline.ok === true ? stored.baseline.value : undefined;
  const numbers = new SecretNumbers({ stored: () => stored?.text, live: () => input?.whole });
  const secrets = input?.secrets.beside(numbers) ?? new RecordingSecrets(numbers);
  if (input !== undefined && baseline?.kind === "step") secrets.give(baseline.input, input.whole);
  return secrets;
}

/** The same check without its cause, which takes more runs. */
export function judgeCase(asked: Case, world: World): Promise<Check> {
  return inRecording(secretsOf(asked), async () => {
    noteDetails(asked.details ?? {});
    const found = await judgeAsked(asked, world);
    const { verdict } = found;
    const isNew = verdict.kind === "failed" && asked.stored === undefined;
    const check: Check = isNew ? { ...found, verdict: { ...verdict, isNew } } : found;
    const input = inputOf(asked, check.verdict);
    return input === undefined ? check : { ...check, input };
  });
}

function judgeAsked(asked: Case, world: World): Check | Promise<Check> {
  const { stored, step } = asked;
  if (stored === undefined) return captureCase(asked, world);
  if (!stored.baseline.ok) return ended(asked, { kind: "broken", problem: stored.baseline.error });
  const baseline = stored.baseline.value;
  if (baseline.kind !== "step") {
    const among = `it is a baseline of a value, found among those of step "${step.name}"`;
    const problem = `Cannot use ${asked.file}: ${among}. Delete it or move it.`;
    return ended(asked, { kind: "broken", problem });
  }
  if (world.exact === true) return replayCase(asked, baseline);
  const { answers } = world;
  if (answers.kind === "live" || answers.kind === "each") return runOnce({ asked, world, baseline, answers });
  const served = runOnce({ asked, world, baseline, answers: RECORDED });
  if (answers.kind !== "auto") return served;
  // All or no responses are live: a conversation of old and new responses never took place.
  return served.then((check) => (needsLive(check.verdict) ? runOnce({ asked, world, baseline, answers }) : check));
}

const RECORDED: Answers = { kind: "recorded", given: false };

/** A new case is missing, whatever its run's result, which may be stored. */
async function captureCase(asked: Case, world: World): Promise<Check> {
  if (world.capture === undefined) return ended(asked, { kind: "missing" });
  const { answers, reviewOnly } = world.capture;
  const captured = await runOnce({ asked, world, baseline: undefined, answers });
  if (!reviewOnly || captured.verdict.kind !== "failed") return captured;
  // If the run can't write, the case is missing first. The error of its run says why no result is stored.
  const { code, message } = captured.verdict.error;
  const refuse = (): never => {
    throw new Error(`its run ended in ${code}: ${message}`);
  };
  return { ...captured, verdict: { kind: "missing" }, propose: refuse };
}

/** Run → compare → verdict. */
async function runOnce(turn: CaseTurn): Promise<Check> {
  const { asked, world, baseline, answers } = turn;
  const { step, input, file } = asked;
  const stands = baseline !== undefined && (input === undefined || input.hash === baseline.inputHash);
  const tape = stands ? missingTape(baseline.calls) : undefined;
  if (tape !== undefined)
    return ended(asked, { kind: "failed", error: kernelError("tape_missing", `${file}: ${tape}.`) });
  const snapshot = baseline === undefined ? undefined : snapshotOf(baseline);
  const roleOf = answers.kind === "recorded" ? undefined : await declaredRoles(step);
  const source = openSource(answers, baseline?.calls ?? [], {
    run: world.runsWrites === true,
    roleOf,
  });
  const artifacts: Artifact[] = [];
  const problem = snapshot === undefined ? undefined : (problemOf(snapshot, asked) ?? liveProblem(snapshot, turn));
  const workflow = workflowOf(asked, stands ? baseline : undefined);
  const result =
    problem === undefined
      ? await runCase(step, input === undefined ? baseline?.input : input.whole, {
          contextFactory: askingContext(source),
          within: (run) => source.within(run),
          workflowId: workflow.id,
          workflowVersion: workflow.version,
          runId: CHECK_RUN_ID,
          onArtifact: (artifact) => void artifacts.push(artifact),
          // A captured result must be one that `run` would return.
          ...(stands ? { validate: world.validate, strictOutput: world.strictOutput } : { refuses: true }),
        })
      : err(problem);
  const steady = steadySource(source, result);
  const isRun = problem === undefined;
  const ran = { ...turn, snapshot, stands, source: steady, artifacts, result, isRun };
  const check = await judge(ran).catch((thrown: unknown) => refusedByJson(ran, thrown));
  const verdict = withLossy(check.verdict, () => (result.ok ? lossyPart(result.value.outcome.output) : undefined));
  return verdict === check.verdict ? check : { ...check, verdict };
}

/**
 * Returns the step's failure if its result can't be serialized (a bigint, a Map, a thousand levels). Rethrows any other
 * error.
 */
function refusedByJson({ asked, result }: RanCase, thrown: unknown): Check {
  try {
    const { outcome, events, commands } = result.ok ? result.value : {};
    const written = { output: outcome?.output, events, commands };
    stableStringify(written);
    currentRedactor().redact(written);
  } catch (refusal) {
    return ended(asked, { kind: "failed", error: notStorable("result", refusal) });
  }
  throw thrown;
}

/** Returns the error that prevents running or comparing the stored case; undefined if there isn't one. */
function problemOf(snapshot: Snapshot, { step, input }: Case): StepError | undefined {
  const verified = verifySnapshot(snapshot, step);
  if (!verified.ok) return verified.error;
  return input === undefined ? hashedInput(snapshot) : undefined;
}

/** A case that calls no adapter may run on the stored part of its input. */
function liveProblem(snapshot: Snapshot, { asked, answers, baseline }: CaseTurn): StepError | undefined {
  if (asked.input !== undefined || answers.kind !== "live" || baseline?.calls.length === 0) return undefined;
  return hiddenInput(snapshot);
}

/** Returns the check of a finished run and its possible update. */
async function judge(ran: RanCase): Promise<Check> {
  const { asked, baseline, source, result, world } = ran;
  const { file, path } = asked;
  const told = { file, path, source: source.kind, ...findingsOf(ran), ...reachedBy(source) };
  if (source.kind === "recorded") tallyReplayed(() => source.calls());
  const refused = (verdict: Verdict): Check => explainable({ ...told, verdict, propose: undefined }, ran);
  const shut = refusedReach(source.reached());
  if (shut !== undefined) return refused({ kind: "failed", error: shut });
  const [missed] = source.misses();
  if (missed !== undefined && baseline !== undefined) return refused(verdictOfMiss(missed, baseline.calls.length));
  if (missed !== undefined) return ended(asked, { kind: "failed", error: noAdapters(missed, ran) });
  // Applies even if the step handled the error as a response, or failed with its own error because of it.
  const [unanswered] = source.held?.unanswered ?? [];
  if (unanswered !== undefined) return refused({ kind: "failed", error: kernelError("effect_unanswered", unanswered) });
  if (!result.ok) return refused(verdictOfRun(result.error, ran));
  const error = world.within === undefined ? undefined : await costError(ran, result.value, world.within);
  if (error !== undefined) return refused({ kind: "failed", error });
  const found = await compare(ran, result.value);
  const others = found.kind === "clean" && asksForOthers(ran);
  const miss = others && baseline !== undefined ? strictMiss(baseline.calls, source.calls(), world) : undefined;
  const verdict = miss === undefined || baseline === undefined ? found : verdictOfMiss(miss, baseline.calls.length);
  // A scripted response doesn't belong to the request, so it must not be written.
  const isKept = isWorthKeeping(verdict) || others || (verdict.kind === "clean" && isDescribedAnew(ran));
  if (!isKept || source.scripted !== undefined) return refused(verdict);
  const problems = source.problems();
  if (problems.length > 0)
    return refused(
      verdict.kind === "clean"
        ? verdict
        : { kind: "failed", error: kernelError("recording_failed", problems.join("\n")) },
    );
  const proposed: Verdict = others && verdict.kind === "clean" ? { ...verdict, asksOtherwise: true } : verdict;
  return explainable({ ...told, verdict: proposed, ...(await proposalsOf(ran, result.value)) }, ran);
}

async function costError(ran: RanCase, { events }: CaseRun, within: Budget): Promise<StepError | undefined> {
  const { source, artifacts, asked } = ran;
  const recorded = await costsOfCalls(source.calls(), asked.step);
  return overBudget({ artifacts, events }, { within, source: source.kind, recorded });
}

/** Details of a run besides its verdict. */
function findingsOf({ asked, world, artifacts, source, stands, baseline, result }: RanCase): Partial<Check> {
  const proposed = source.held?.proposed ?? 0;
  const costs = {
    ...(source.kind === "live" &&
      liveCosts({ artifacts, events: result.ok ? result.value.events : [] }, source.calls())),
    ...(proposed > 0 && { held: proposed }),
    ...(source.scripted !== undefined && { scripted: source.scripted() }),
  };
  if (baseline === undefined) return costs;
  const [compare, keyBy] = [world.compare ?? asked.step.compare, asked.step.keyBy];
  const now = result.ok ? result.value.outcome : undefined;
  const unresolved = unresolvedRules(
    { compare, keyBy },
    [baseline.output, now?.output],
    [baseline.events, now?.events],
  );
  const rules = { ...rulesOf(compare, keyBy), ...unresolved };
  // A run that didn't finish hasn't reached its later calls, so they aren't reported.
  const unused = !stands || !result.ok || source.misses().length > 0 ? [] : source.unused();
  return { ...costs, ...rules, ...(unused.length === 0 ? {} : { unused }) };
}

/** If a test passes a new input, a schema violation in it is the test's mistake. */
function verdictOfRun(error: StepError, { asked, stands }: RanCase): Verdict {
  return stands || error.code !== "input_validation"
    ? verdictOfError(error, asked.file)
    : { kind: "failed", error: hiddenError(error) };
}

const NOTHING_COMPARED = { compared: [], tolerated: [] };

async function compare(ran: RanCase, { observed, outcome }: CaseRun): Promise<Verdict> {
  const { asked, world, snapshot, stands } = ran;
  const { step, file, input } = asked;
  if (snapshot === undefined) return newCase(outcome.output, step.keyBy);
  const found = compareStored(
    snapshot,
    { ...outcome, input: input?.whole },
    { parts: stands ? DECIDED : ["input", ...DECIDED], keyBy: step.keyBy, compare: world.compare ?? step.compare },
  );
  if (!found.ok && observed.violations.length > 0) return verdictOf(NOTHING_COMPARED, observed.violations);
  if (!found.ok) return verdictOfError(found.error, file);
  return verdictOf(callsMade(ran) ? withCalls(found.value, await callsOf(ran)) : found.value, observed.violations);
}

/** A step without any request has no calls to compare. */
function callsMade({ baseline, source }: RanCase): boolean {
  return (baseline?.calls.length ?? 0) > 0 || source.asked().length > 0;
}

/** Returns the changes of calls. Another input is expected to have other calls. */
async function callsOf({ asked: { step }, world, baseline, source, stands }: RanCase): Promise<CallsDiff | undefined> {
  return stands && baseline !== undefined ? compareCalls(baseline.calls, source.asked(), { step, world }) : undefined;
}

/** A clean case has no update, unless it would no longer replay (other requests) or its description changed. */
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

function isDescribedAnew({ asked, baseline }: RanCase): boolean {
  const { labels, meta } = asked.details ?? {};
  // Most checks mention neither, and serializing both was a twentieth of a check of all cases.
  if (baseline === undefined || (labels === undefined && meta === undefined)) return false;
  const given = { labels: labels ?? baseline.labels, meta: meta ?? baseline.meta };
  const now = currentRedactor().redact(given).value;
  return !sameSecrets({ labels: baseline.labels, meta: baseline.meta }, now);
}

/** Returns true if a live run's requests differ from the recorded ones, in content or order. */
function asksForOthers({ baseline, source }: RanCase): boolean {
  if (baseline === undefined || source.kind === "recorded") return false;
  return !sameCalls(baseline.calls, source.calls());
}

/** Returns a check with the data that finding its cause needs, if it can have one. */
function explainable(check: Check, ran: RanCase): Check {
  const { asked, world, snapshot, stands, source, result } = ran;
  if (!stands || snapshot === undefined || !hasCause(check.verdict, ran)) return check;
  const { validate, strictOutput, compare: rules } = world;
  const live = source.kind === "live" ? source.calls() : undefined;
  const outcome = result.ok ? result.value.outcome : undefined;
  const secrets = secretsHere();
  return {
    ...check,
    run: { step: asked.step, snapshot, validate, strictOutput, compare: rules, outcome, live, secrets },
  };
}

/** A clean case has a cause if its requests changed. */
function hasCause({ kind }: Verdict, ran: RanCase): boolean {
  switch (kind) {
    case "clean":
      return asksForOthers(ran);
    case "value_changed":
    case "commands_changed":
    case "calls_changed":
    case "events_changed":
    case "schema_violation":
    case "request_changed":
      return true;
    case "failed":
      // This is about the end of a run, not about errors that prevent a verdict.
      return ran.isRun && !ran.result.ok && refusedReach(ran.source.reached()) === undefined;
    case "missing":
    case "obsolete":
    case "broken":
      return false;
  }
}

/** Returns the input of a case that needs review. Most don't, and hiding secrets takes time. */
function inputOf(asked: Case, { kind }: Verdict): unknown {
  if (kind === "clean" || kind === "missing" || kind === "broken") return undefined;
  const baseline = asked.stored?.baseline.ok === true ? asked.stored.baseline.value : undefined;
  if (baseline?.kind === "step" && (asked.input === undefined || asked.input.hash === baseline.inputHash))
    return baseline.input;
  return asked.input === undefined ? undefined : keptInput(asked.input).hidden;
}

function noAdapters({ adapter }: RecordingMiss, { asked, answers }: CaseTurn): StepError {
  const missing =
    answers.kind === "recorded" && !answers.given
      ? "but no adapters were given. Give them ({} where the step takes none): toMatchBaseline({ input, adapters })."
      : "but a new case has no recorded calls, and only those may be used here. " +
        "Capture it with live adapters once: VERITEST_ADAPTERS=live.";
  return kernelError("no_adapters", `Step "${asked.step.name}" called adapter "${adapter}", ${missing}`);
}

/** Replays a stored case without an update. If the same responses lead to other bytes, the cause is the code. */
async function replayCase(asked: Case, baseline: StepBaseline): Promise<Check> {
  const { step, file } = asked;
  const snapshot = snapshotOf(baseline);
  const replayed = await replay(snapshot, step, { runId: CHECK_RUN_ID });
  if (replayed.ok) return ended(asked, verdictOfReplay(replayed.value));
  const { cause } = replayed.error;
  if (!isMiss(cause)) return ended(asked, verdictOfError(replayed.error, file));
  const check = ended(asked, verdictOfMiss(cause, baseline.calls.length));
  if (check.verdict.kind !== "request_changed") return check;
  return { ...check, run: { step, snapshot, outcome: undefined, live: undefined, secrets: secretsHere() } };
}

function verdictOfReplay(replayed: ReplayVerdict): Verdict {
  if (replayed.kind === "identical") return { kind: "clean" };
  const { differs, diffs } = replayed;
  const compared = differs.map((part): Change => {
    if (part === "calls")
      return { part, diff: diffs.calls ?? { equal: false, entries: [], changes: [], rows: [], tolerated: [] } };
    return { part, diff: diffs[part] ?? { equal: false, entries: [] } };
  });
  return verdictOf({ compared, tolerated: [] });
}

/** Returns a finished check without an update. */
function ended({ file, path }: Case, verdict: Verdict): Check {
  return { file, path, verdict, propose: undefined };
}
