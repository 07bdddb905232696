import { stableStringify } from "../base/canonical-json.ts";
import type { CompareBy } from "../base/compare-rules.ts";
import type { Result } from "../base/result.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import type { CaseDetails } from "../baseline/baseline-of.ts";
import type { StoredCase } from "../baseline/library.ts";
import { snapshotOf } from "../baseline/snapshot-of.ts";
import { NO_DIFFERENCES } from "../diff/types.ts";
import { requestIdentity } from "../record/adapter-call.ts";
import { recordingRules } from "../record/recording-rules.ts";
import type { Snapshot } from "../record/snapshot.ts";
import { missingTape } from "../record/tape/tapes.ts";
import { parsedInputArtifact } from "./cause/parsed-input.ts";
import { type RecomputeResult, recompute } from "./recompute.ts";
import type { Artifact } from "../step/artifact.ts";
import type { BaseAdapters } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { type StepError, kernelError } from "../step/fail.ts";
import type { AdapterMode } from "./adapter-mode.ts";
import { type AdapterSource, RecordedSource, askingStep, openAdapters } from "./source.ts";
import { type Budget, liveCosts, overBudget } from "./costs.ts";
import type { Check } from "./check.ts";
import { CHECK_RUN_ID } from "./check-run-id.ts";
import { keptBaseline, proposalOf } from "./propose.ts";
import { type Verdict, missVerdict, verdictOfChanges, verdictOfError } from "./verdict.ts";
import { rulesOf } from "./rules-of.ts";
import { stepBaseline } from "./step-baseline.ts";

/** How a stored case is recomputed. */
export interface RecomputeQuestion {
  readonly root: string;
  /** Today's adapters. */
  readonly adapters?: BaseAdapters | undefined;
  /** The input of the case as the test gave it; the stored one, without its secrets, where undefined. */
  readonly whole?: { readonly whole: unknown } | undefined;
  /** Default: live where adapters are given, else recorded. */
  readonly mode?: AdapterMode | undefined;
  readonly validate?: boolean | undefined;
  readonly strictOutput?: boolean | undefined;
  /** What the model calls of each run may cost. */
  readonly within?: Budget | undefined;
  /** What is tolerated; the step's own rules where undefined. */
  readonly compare?: CompareBy | undefined;
  /** New labels and meta for the case; those stored are kept where undefined. */
  readonly details?: CaseDetails | undefined;
}

/** One run of a stored case, recomputed or replayed: how it came out, and what it takes to say why. */
export interface RecomputedCase {
  readonly check: Check;
  /** Undefined where the step was not run: then there is nothing to explain. */
  readonly run: ExplainableRun | undefined;
}

/** What a run of a stored case left, as far as the cause of a change is sought in it. */
export interface ExplainableRun {
  readonly step: AnyStep;
  readonly question: Pick<RecomputeQuestion, "validate" | "strictOutput" | "compare">;
  readonly baseline: StepBaseline;
  readonly snapshot: Snapshot;
  readonly source: Pick<AdapterSource, "kind" | "calls">;
  readonly result: Result<RecomputeResult, StepError>;
}

/** All that a run of a stored case left. */
interface RecomputedRun extends ExplainableRun {
  readonly stored: StoredCase;
  readonly question: RecomputeQuestion;
  readonly source: AdapterSource;
  /** Artifacts the adapters emitted. */
  readonly artifacts: readonly Artifact[];
}

/** Recomputes one stored case, with the adapters of the question where it has some, else from its recorded calls. */
export async function recomputeOnce(
  step: AnyStep,
  stored: StoredCase,
  question: RecomputeQuestion,
): Promise<RecomputedCase> {
  const { file, path } = stored;
  const baseline = stepBaseline(stored, step);
  if (!baseline.ok)
    return {
      check: { file, path, verdict: { kind: "broken", problem: baseline.error }, propose: undefined },
      run: undefined,
    };
  const problem = missingTape(baseline.value.calls);
  if (problem !== undefined)
    return {
      check: {
        file,
        path,
        verdict: { kind: "failed", error: kernelError("tape_missing", `${file}: ${problem}.`) },
        propose: undefined,
      },
      run: undefined,
    };
  const source =
    question.adapters === undefined ? new RecordedSource(baseline.value.calls) : openAdapters(question.adapters);
  const artifacts: Artifact[] = [];
  const { validate, strictOutput, compare } = question;
  const snapshot = snapshotOf(baseline.value);
  const result = await recompute(snapshot, askingStep(step, source), {
    runId: CHECK_RUN_ID,
    validate,
    strictOutput,
    compare,
    input: question.whole,
    onArtifact: (artifact) => void artifacts.push(artifact),
  });
  const run = { step, stored, question, baseline: baseline.value, snapshot, source, artifacts, result };
  return {
    check: {
      ...(await judge(run)),
      source: source.kind,
      ...spent(run),
      ...notMade(run),
      ...rulesOf(question.compare ?? step.compare),
    },
    run,
  };
}

function spent({ artifacts, result, source }: RecomputedRun): Pick<Check, "costs"> {
  return liveCosts({ artifacts, events: result.ok ? result.value.events : [] }, source.kind);
}

/** A run that did not come to its end has not come to the later calls: they say nothing. */
function notMade({ source, result }: RecomputedRun): Pick<Check, "unused"> {
  const unused = !result.ok || source.misses().length > 0 ? [] : source.unused();
  return unused.length === 0 ? {} : { unused };
}

/** Waits only where there is something to propose: most runs have nothing. */
function judge(run: RecomputedRun): Check | Promise<Check> {
  const { stored, source, question, baseline, result } = run;
  const { file, path } = stored;
  const [miss] = source.misses();
  if (miss !== undefined) return { file, path, verdict: missVerdict(miss, baseline.calls.length), propose: undefined };
  if (!result.ok) return { file, path, verdict: verdictOfError(result.error, file), propose: undefined };
  const error = overBudget(
    { artifacts: run.artifacts, events: result.value.events },
    { within: question.within, source: source.kind },
  );
  if (error !== undefined) return { file, path, verdict: { kind: "failed", error }, propose: undefined };
  const verdict = verdictOf(result.value);
  if (verdict.kind === "schema_violation") return { file, path, verdict, propose: undefined };
  const differs = verdict.kind !== "clean" || worthUpdating(run);
  if (!differs) return { file, path, verdict, propose: undefined };
  if (source.problems().length > 0) {
    const error = kernelError("recording_failed", source.problems().join("\n"));
    return { file, path, verdict: verdict.kind === "clean" ? verdict : { kind: "failed", error }, propose: undefined };
  }
  return proposing(run, verdict, result.value);
}

async function proposing(run: RecomputedRun, verdict: Verdict, result: RecomputeResult): Promise<Check> {
  const { step, stored, question, baseline } = run;
  const { file, path } = stored;
  const parsedInput = await parsedInputArtifact(step, baseline.input, baseline.inputHash);
  const next = (): StepBaseline => updated(run, result, parsedInput);
  return { file, path, verdict, step, propose: () => proposalOf(next(), { root: question.root, path, stored }) };
}

function verdictOf({ outputDiff, commandsDiff, schemaViolations, tolerated }: RecomputeResult): Verdict {
  const compared = verdictOfChanges(
    [
      { part: "output", diff: outputDiff ?? NO_DIFFERENCES },
      { part: "commands", diff: commandsDiff ?? NO_DIFFERENCES },
    ],
    tolerated,
  );
  if (schemaViolations.length === 0) return compared;
  const changes = "changes" in compared ? compared.changes : [];
  return { kind: "schema_violation", violations: schemaViolations, changes };
}

/**
 * A clean case is rewritten on acceptance only when it would no longer replay (other requests) or is described anew.
 */
function worthUpdating(run: RecomputedRun): boolean {
  const { baseline, source, question } = run;
  const { labels, meta } = question.details ?? {};
  // Most checks say nothing of either, and writing both down was a twentieth of a sweep.
  const isDescribed = labels !== undefined || meta !== undefined;
  if (
    isDescribed &&
    stableStringify([labels ?? baseline.labels, meta ?? baseline.meta]) !==
      stableStringify([baseline.labels, baseline.meta])
  )
    return true;
  return source.kind === "live" && !sameRequests(run);
}

/** Tells whether a run asked for just what was recorded, in the same order. */
export function sameRequests({ baseline, source }: Pick<ExplainableRun, "baseline" | "source">): boolean {
  const made = source.calls();
  if (made.length !== baseline.calls.length) return false;
  const rules = recordingRules();
  return made.every(({ adapter, request }, index) => {
    const recorded = baseline.calls[index];
    if (recorded?.adapter !== adapter) return false;
    // By identity: a secret is hidden under another salt on another machine. By today's rules: it may be recorded by
    // others.
    return requestIdentity(adapter, request) === requestIdentity(adapter, rules.request(adapter, recorded.request));
  });
}

function updated(run: RecomputedRun, result: RecomputeResult, parsedInput: Artifact | undefined): StepBaseline {
  const {
    step,
    baseline,
    source,
    artifacts,
    question: { details },
  } = run;
  const { name, workflow, input } = baseline;
  const kept = {
    input,
    output: result.parsedOutput ?? objectOf(result.rawOutput),
    events: result.events,
    ...(result.commands === undefined ? {} : { commands: result.commands }),
    artifacts: parsedInput === undefined ? artifacts : [parsedInput, ...artifacts],
    stepName: step.name,
    workflowId: workflow.id,
    workflowVersion: workflow.version,
  };
  const { labels = baseline.labels, meta = baseline.meta } = details ?? {};
  return keptBaseline(kept, source.calls(), { name, labels, meta });
}

/** Unvalidated output (`validate: false`) that is no object has no place in a baseline of a step. */
function objectOf(output: unknown): object {
  return typeof output === "object" && output !== null ? output : {};
}
