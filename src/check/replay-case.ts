import { isPlainObject } from "../base/plain-data.ts";
import type { StepBaseline } from "../baseline/baseline.ts";
import type { StoredCase } from "../baseline/library.ts";
import { snapshotOf } from "../baseline/snapshot-of.ts";
import type { RecordingMiss } from "../record/serve/recording-miss.ts";
import { type ReplayVerdict, replay } from "./replay.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { StepError } from "../step/fail.ts";
import type { Check } from "./check.ts";
import { CHECK_RUN_ID } from "./check-run-id.ts";
import { type Verdict, missVerdict, verdictOfChanges, verdictOfError } from "./verdict.ts";
import type { RecomputedCase } from "./recompute-once.ts";
import { stepBaseline } from "./step-baseline.ts";

/** Replays one stored case, without asking for the cause yet. Never proposes a change. */
export async function replayCase(step: AnyStep, stored: StoredCase): Promise<RecomputedCase> {
  const { file, path } = stored;
  const found = stepBaseline(stored, step);
  if (!found.ok)
    return {
      check: { file, path, verdict: { kind: "broken", problem: found.error }, propose: undefined },
      run: undefined,
    };
  const baseline = found.value;
  const snapshot = snapshotOf(baseline);
  const replayed = await replay(snapshot, step, { runId: CHECK_RUN_ID });
  const verdict = replayed.ok ? verdictOf(replayed.value) : verdictOfReplayError(replayed.error, { file, baseline });
  const check: Check = { file, path, verdict, propose: undefined };
  // Other bytes from the same answers to the same requests have one cause: the code.
  if (replayed.ok || verdict.kind !== "request_changed") return { check, run: undefined };
  return {
    check,
    run: { step, baseline, snapshot, question: {}, source: { kind: "recorded", calls: () => [] }, result: replayed },
  };
}

function verdictOfReplayError(
  error: StepError,
  { file, baseline }: { readonly file: string; readonly baseline: StepBaseline },
): Verdict {
  return isMiss(error.cause) ? missVerdict(error.cause, baseline.calls.length) : verdictOfError(error, file);
}

function isMiss(cause: unknown): cause is RecordingMiss {
  return isPlainObject(cause) && "adapter" in cause && "request" in cause && "reason" in cause && "recorded" in cause;
}

function verdictOf(replayed: ReplayVerdict): Verdict {
  if (replayed.kind === "identical") return { kind: "clean" };
  return verdictOfChanges(
    replayed.differs.map((part) => ({ part, diff: replayed.diffs[part] ?? { equal: false, entries: [] } })),
  );
}
