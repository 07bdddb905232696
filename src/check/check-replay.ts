import { isPlainObject } from "../base/is-plain-object.ts";
import type { StoredCase } from "../baseline/library.ts";
import { snapshotOf } from "../baseline/snapshot-of.ts";
import type { RecordingMiss } from "../record/serve-adapters.ts";
import { type ReplayVerdict, replay } from "../replay/replay.ts";
import type { AnyStep } from "../step/define-step.ts";
import type { Check } from "./check.ts";
import { CHECK_RUN_ID } from "./check-run-id.ts";
import { stepBaseline } from "./step-baseline.ts";
import { type Verdict, verdictOfChanges } from "./verdict.ts";
import { verdictOfError } from "./verdict-of-error.ts";

/** Asks of one stored case: does today's code, given the recorded answers, write the same bytes? Never proposes a change. */
export async function checkReplay(step: AnyStep, stored: StoredCase): Promise<Check> {
  const { file, path } = stored;
  const baseline = stepBaseline(stored, step);
  if (!baseline.ok) return { file, path, verdict: { kind: "broken", problem: baseline.error }, propose: undefined };
  const replayed = await replay(snapshotOf(baseline.value), step, { runId: CHECK_RUN_ID });
  if (replayed.ok) return { file, path, verdict: verdictOf(replayed.value), propose: undefined };
  const { cause } = replayed.error;
  const verdict: Verdict = isMiss(cause)
    ? { kind: "request_changed", miss: cause, recorded: baseline.value.calls.length }
    : verdictOfError(replayed.error, file);
  return { file, path, verdict, propose: undefined };
}

function isMiss(cause: unknown): cause is RecordingMiss {
  return isPlainObject(cause) && "adapter" in cause && "request" in cause && "reason" in cause && "recorded" in cause;
}

function verdictOf(replayed: ReplayVerdict): Verdict {
  if (replayed.kind === "identical") return { kind: "clean" };
  return verdictOfChanges(replayed.differs.map((part) => ({ part, diff: replayed.diffs[part] ?? { equal: false, entries: [] } })));
}
