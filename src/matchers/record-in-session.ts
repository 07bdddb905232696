import { openLibrary } from "../baseline/baseline-library.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import { RecordedSource } from "../check/run/adapter-source.ts";
import { caseSecrets } from "../check/check-case.ts";
import { CHECK_RUN_ID, type Case } from "../check/check.ts";
import { liveCosts } from "../check/run/costs.ts";
import { findCase } from "../check/find-case.ts";
import { blockedNetworkError } from "../check/run/network-access.ts";
import { unrecordedError } from "../check/replay.ts";
import { importSequentially } from "../kernel/import-sequentially.ts";
import type { AnyStep } from "../kernel/step/define-step.ts";
import { missingRecorderMessage } from "../record/interceptors/recorders.ts";
import { type Recording, recordStepRun } from "../record/with-replay.ts";
import { withCheckRules } from "../redact/check-rules.ts";
import { withRevealedSecrets } from "../redact/revealed-secrets.ts";
import { modeOf } from "./matcher-mode.ts";
import { errorText } from "./matcher-text.ts";
import type { StepToRecord } from "./step-to-record.ts";
import type { TestSession } from "./test-session.ts";

/**
 * Runs a step for a matcher that stores no baseline, by the rules of those that do: a case with a baseline is replayed,
 * live adapters are called for one without (in CI only if a mode requests it), and under `-u` for one with an
 * unrecorded request. Throws an error that says how to record the run.
 */
export async function recordInSession(run: StepToRecord, session: TestSession): Promise<Recording> {
  return withCheckRules(run.options, async () => record(run, session));
}

async function record(run: StepToRecord, session: TestSession): Promise<Recording> {
  const { step, options } = run;
  const { mode, isExplicit } = modeOf(options, session);
  const stored = caseOf(run, session);
  if (mode === "live") return recordLive(run, session);
  if (stored !== undefined) {
    const replayed = await replayStored(step, stored);
    if (replayed.problem === undefined) return replayed.recording;
    if (mode === "auto") return recordLive(run, session);
    throw new Error(`${run.matcher}: ${replayed.problem} ${renew(stored.request.file)}`);
  }
  const isLive = options.adapters !== undefined && (isExplicit ? mode === "auto" : !session.isCi);
  if (isLive) return recordLive(run, session);
  const { recording, problem } = await replayStored(step, { request: undefined, input: options.input, calls: [] });
  if (problem === undefined) return recording;
  throw new Error(`${run.matcher}: ${noBaseline(step.name)}`);
}

function renew(file: string): string {
  return `It was replayed from ${file}. Record that case again with -u in the test that captures it.`;
}

function noBaseline(step: string): string {
  return [
    `step "${step}" has no baseline for this input, and this run doesn't call live adapters.`,
    "Capture it in this test file, on your machine: await expect(step).toMatchBaseline({ input, adapters }).",
    'If the adapters are stubs, pass mode: "live", or use expect(await withReplay(step, input, { adapters })).',
  ].join("\n  ");
}

/** A stored case; a case without a baseline has no calls. */
type StoredRun = Pick<StepBaseline, "calls"> & { readonly input: unknown } & (
    | { readonly request: Case }
    | { readonly request: undefined }
  );

/** Finds the baseline of an input, also of one that has a name. */
function caseOf(
  { step, options: { input } }: StepToRecord,
  { testName, root, staged }: TestSession,
): (StoredRun & { readonly request: Case }) | undefined {
  const library = openLibrary(root, staged);
  const unnamed = findCase(step, { input, details: {}, label: testName }, library);
  if (!unnamed.ok) return undefined;
  const request = unnamed.value;
  const hash = request.input?.hash;
  const candidates = request.stored === undefined ? library.each(step.name) : [request.stored];
  for (const stored of candidates) {
    const baseline = stored.baseline.ok ? stored.baseline.value : undefined;
    if (baseline?.kind !== "step") continue;
    if (request.stored === stored || baseline.inputHash === hash)
      return { request: { ...request, stored, file: stored.file, path: stored.path }, input, calls: baseline.calls };
  }
  return undefined;
}

interface ReplayedRun {
  readonly recording: Recording;
  /** Reason why it isn't the recorded run; undefined if it is. */
  readonly problem: string | undefined;
}

async function replayStored(step: AnyStep, { request, input, calls }: StoredRun): Promise<ReplayedRun> {
  const lacking = missingRecorderMessage(calls);
  if (lacking !== undefined) throw new Error(`Step "${step.name}" can't be replayed: ${lacking}.`);
  const replay = async (): Promise<ReplayedRun> => {
    const source = new RecordedSource(calls);
    const recording = await recordStepRun({ step, input, options: { runId: CHECK_RUN_ID } }, source);
    const problem =
      unrecordedError(source, { step, recorded: calls.length }) ?? blockedNetworkError(source.networkAccess());
    return { recording, problem: problem && errorText(problem) };
  };
  return request === undefined ? replay() : withRevealedSecrets(caseSecrets(request), replay);
}

async function recordLive({ step, options }: StepToRecord, session: TestSession): Promise<Recording> {
  const { recordSkippingWrites } = await importSequentially(async () => import("../record/calls/calls-entry.ts"));
  const started = performance.now();
  const recording = await recordSkippingWrites(step, options.input, options);
  const { calls, artifacts, result } = recording;
  const run = { artifacts, events: result.ok ? result.value.events : [] };
  session.noteLive({ ms: performance.now() - started, ...liveCosts(run, calls) });
  return recording;
}
