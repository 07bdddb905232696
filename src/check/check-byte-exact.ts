import { type StepBaseline, snapshotOf } from "../baseline/baseline.ts";
import { isUnrecordedRequest } from "../record/replay/unrecorded-request.ts";
import { currentRevealedSecrets } from "../redact/revealed-secrets.ts";
import { CHECK_RUN_ID, type Case, type Check, checkWithoutUpdate } from "./check.ts";
import type { PartDiff } from "./compare/compare.ts";
import { onlyMatched, ruleMatches } from "./compare/unmatched-rules.ts";
import { orderMatches } from "./step-call-rules.ts";
import { type ReplayVerdict, replay } from "./replay.ts";
import { type Verdict, verdictOf, verdictOfError, verdictOfUnrecorded } from "./verdict.ts";

/**
 * Replays a stored case on its stored input, even if the test passes one, without an update. If the same responses lead
 * to other bytes, no cause is searched, because it's most likely the code. A cause is searched only for an unrecorded
 * request.
 */
export async function checkByteExact(stepCase: Case, baseline: StepBaseline): Promise<Check> {
  const check = await replayedCheck(stepCase, baseline);
  // A replay needs no rules, but the baseline may be the only one of the run that they match.
  const results = { outputs: [baseline.output], events: [baseline.events], calls: baseline.calls };
  const matches = [...(await orderMatches(baseline.calls, stepCase.step)), ...ruleMatches(stepCase.step, results)];
  return { ...check, findings: onlyMatched(matches) };
}

async function replayedCheck(stepCase: Case, baseline: StepBaseline): Promise<Check> {
  const { step, file } = stepCase;
  const snapshot = snapshotOf(baseline);
  const replayed = await replay(snapshot, step, { runId: CHECK_RUN_ID });
  if (replayed.ok) return checkWithoutUpdate(stepCase, verdictOfReplay(replayed.value));
  const { cause } = replayed.error;
  if (!isUnrecordedRequest(cause)) return checkWithoutUpdate(stepCase, verdictOfError(replayed.error, file));
  const check = checkWithoutUpdate(stepCase, verdictOfUnrecorded(cause, baseline));
  if (check.verdict.kind !== "request_changed") return check;
  return {
    ...check,
    runToExplain: { step, snapshot, outcome: undefined, live: undefined, secrets: currentRevealedSecrets() },
  };
}

function verdictOfReplay(replayed: ReplayVerdict): Verdict {
  if (replayed.kind === "identical") return { kind: "clean" };
  const { changedParts, diffs } = replayed;
  const compared = changedParts.map((part): PartDiff => {
    if (part === "calls")
      return { part, diff: diffs.calls ?? { equal: false, entries: [], changes: [], rows: [], tolerated: [] } };
    return { part, diff: diffs[part] ?? { equal: false, entries: [] } };
  });
  return verdictOf({ compared, tolerated: [] });
}
