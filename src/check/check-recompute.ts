import { stableStringify } from "../base/canonical-json.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import { type CaseDetails, baselineOf } from "../baseline/baseline-of.ts";
import type { StoredCase } from "../baseline/library.ts";
import { snapshotOf } from "../baseline/snapshot-of.ts";
import { type RecomputeResult, recompute } from "../replay/recompute.ts";
import type { Artifact } from "../step/artifact.ts";
import type { BaseAdapters } from "../step/context.ts";
import type { AnyStep } from "../step/define-step.ts";
import { kernelError } from "../step/step-error.ts";
import { type AdapterSource, openAdapters } from "./adapter-source.ts";
import type { Check } from "./check.ts";
import { proposalOf } from "./propose.ts";
import { stepBaseline } from "./step-baseline.ts";
import { type Verdict, verdictOfChanges } from "./verdict.ts";
import { verdictOfError } from "./verdict-of-error.ts";

/** The run id steps see under a check: constant, so that a step that uses it answers the same each time. */
export const CHECK_RUN_ID = "baseline";

/** How a stored case is recomputed. */
export interface RecomputeQuestion {
  readonly root: string;
  /** Live adapters; without them the recorded calls are served. */
  readonly adapters?: BaseAdapters | undefined;
  readonly validate?: boolean | undefined;
  readonly strictOutput?: boolean | undefined;
  /** New labels and meta for the case; those stored are kept where undefined. */
  readonly details?: CaseDetails | undefined;
}

/** Asks of one stored case: does today's code, with these adapters, still decide the same? */
export async function checkRecompute(step: AnyStep, stored: StoredCase, question: RecomputeQuestion): Promise<Check> {
  const { file, path } = stored;
  const baseline = stepBaseline(stored, step);
  if (!baseline.ok) return { file, path, verdict: { kind: "broken", problem: baseline.error }, propose: undefined };
  const source = openAdapters(question.adapters, baseline.value.calls);
  const artifacts: Artifact[] = [];
  const { validate, strictOutput } = question;
  const result = await recompute(snapshotOf(baseline.value), step, {
    adapters: source.adapters,
    runId: CHECK_RUN_ID,
    validate,
    strictOutput,
    onArtifact: (artifact) => void artifacts.push(artifact),
  });
  const [miss] = source.misses();
  if (miss !== undefined) {
    return { file, path, verdict: { kind: "request_changed", miss, recorded: baseline.value.calls.length }, propose: undefined };
  }
  if (!result.ok) return { file, path, verdict: verdictOfError(result.error, file), propose: undefined };
  return judge({ step, stored, question, baseline: baseline.value, source, result: result.value, artifacts });
}

interface Recomputed {
  readonly step: AnyStep;
  readonly stored: StoredCase;
  readonly question: RecomputeQuestion;
  readonly baseline: StepBaseline;
  readonly source: AdapterSource;
  readonly result: RecomputeResult;
  readonly artifacts: readonly Artifact[];
}

function judge(recomputed: Recomputed): Check {
  const { stored, source, question } = recomputed;
  const { file, path } = stored;
  const verdict = verdictOf(recomputed.result);
  if (verdict.kind === "schema_violation") return { file, path, verdict, propose: undefined };
  const differs = verdict.kind !== "clean" || worthUpdating(recomputed);
  if (!differs) return { file, path, verdict, propose: undefined };
  if (source.problems().length > 0) {
    const error = kernelError("recording_failed", source.problems().join("\n"));
    return { file, path, verdict: verdict.kind === "clean" ? verdict : { kind: "failed", error }, propose: undefined };
  }
  return { file, path, verdict, propose: () => proposalOf(updated(recomputed), { root: question.root, path, stored }) };
}

function verdictOf({ outputDiff, commandsDiff, schemaViolations }: RecomputeResult): Verdict {
  const same = { equal: true, entries: [] };
  const compared = verdictOfChanges([
    { part: "output", diff: outputDiff ?? same },
    { part: "commands", diff: commandsDiff ?? same },
  ]);
  if (schemaViolations.length === 0) return compared;
  const changes = "changes" in compared ? compared.changes : [];
  return { kind: "schema_violation", violations: schemaViolations, changes };
}

/** A clean case is rewritten on acceptance only when it would no longer replay (other requests) or is described anew. */
function worthUpdating({ baseline, source, question: { details } }: Recomputed): boolean {
  const { labels = baseline.labels, meta = baseline.meta } = details ?? {};
  if (stableStringify([labels, meta]) !== stableStringify([baseline.labels, baseline.meta])) return true;
  const requests = (calls: StepBaseline["calls"]): string => stableStringify(calls.map(({ adapter, request }) => [adapter, request]));
  return source.kind === "live" && requests(source.calls()) !== requests(baseline.calls);
}

function updated({ step, baseline, source, result, artifacts, question: { details } }: Recomputed): StepBaseline {
  const { name, workflow, input } = baseline;
  const kept = {
    input,
    output: result.parsedOutput ?? objectOf(result.rawOutput),
    events: result.events,
    ...(result.commands === undefined ? {} : { commands: result.commands }),
    artifacts,
    stepName: step.name,
    workflowId: workflow.id,
    workflowVersion: workflow.version,
  };
  const { labels = baseline.labels, meta = baseline.meta } = details ?? {};
  return baselineOf(kept, source.calls(), { name, labels, meta });
}

/** Unvalidated output (`validate: false`) that is no object has no place in a baseline of a step. */
function objectOf(output: unknown): object {
  return typeof output === "object" && output !== null ? output : {};
}
