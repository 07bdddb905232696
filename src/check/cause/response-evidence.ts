import type { AdapterCall } from "../../record/adapter-call.ts";
import { exactPattern } from "../../record/model-call.ts";
import { type ComparisonRules, diffOutcomes } from "../compare/compare.ts";
import type { Evidence, FollowingCalls, RequestChange, ResponseChange } from "./cause.ts";
import { type DriftedResponse, withIdentityKeys } from "./live-drift.ts";
import { type OfflineRunOptions, type OfflineRun, replayWithStubs } from "./replay-with-stubs.ts";
import { type CallRoles, mayBeModel } from "./undeclared-model.ts";

/** Maximum number of changed responses that are tried one by one: each takes a run. */
const MAX_TRIED = 20;

/**
 * Returns the changed responses that change the result or the calls of the current step if the others stay as recorded.
 * A model's texts differ in each run, so a text without an effect isn't the cause if another response has one. If the
 * live run failed, only those count with which the step has no result. All of them if none decides alone, or if there
 * are more than {@link MAX_TRIED}.
 */
export async function decisiveResponses(
  responses: readonly DriftedResponse[],
  current: { readonly options: OfflineRunOptions; readonly run: OfflineRun } | undefined,
  { rules, isFailed }: { readonly rules: ComparisonRules; readonly isFailed: boolean },
): Promise<readonly DriftedResponse[]> {
  if (current === undefined || responses.length < 2 || responses.length > MAX_TRIED) return responses;
  const { options, run } = current;
  const runOn = async (calls: readonly AdapterCall[]): Promise<OfflineRun> =>
    replayWithStubs({ ...options, calls, usesNearestResponse: false });
  const recorded = run.changes.length === 0 ? run : await runOn(options.calls);
  if (recorded.kind !== "ran") return responses;
  const recordedCalls = withIdentityKeys(options.calls);
  const decisive: DriftedResponse[] = [];
  const failing: DriftedResponse[] = [];
  for (const response of responses) {
    const alone = await runOn(recordedCalls.map(([key, call]) => (key === response.key ? response.liveCall : call)));
    const isSame =
      alone.kind === "ran" &&
      alone.changes.length === recorded.changes.length &&
      diffOutcomes(recorded.outcome, alone.outcome, rules).length === 0;
    if (!isSame) decisive.push(response);
    if (isFailed && alone.kind !== "ran") failing.push(response);
  }
  if (failing.length > 0) return failing;
  return decisive.length === 0 ? responses : decisive;
}

/** Returns the evidence of changed responses: those of models, with changed names of models, and those of others. */
export function responseEvidence(
  requests: readonly RequestChange[],
  all: readonly DriftedResponse[],
  { follows, ...roles }: { readonly follows: FollowingCalls | undefined } & CallRoles,
): Evidence[] {
  const responses = all.filter(({ headers }) => headers.length === 0);
  const ofModels = responses.filter(({ liveCall }) => mayBeModel(liveCall, roles));
  const ofOthers = responses.filter((response) => !ofModels.includes(response));
  const changesOf = (list: readonly DriftedResponse[]): ResponseChange[] =>
    list.map(({ adapter, entries, liveCall }) => {
      const url = exactPattern(liveCall);
      return { adapter, entries, ...(url !== undefined && { url }) };
    });
  const ofModel: Evidence = {
    kind: "model",
    requests,
    responses: changesOf(ofModels),
    ...(follows !== undefined && { follows }),
  };
  // A model's response leads to other requests, and so to other responses of tools.
  const ofOther: Evidence = {
    kind: "response",
    requests: [],
    responses: changesOf(ofOthers),
    ...(ofModels.length === 0 && follows !== undefined && { follows: { ...follows, nth: undefined } }),
  };
  return [...(requests.length + ofModels.length > 0 ? [ofModel] : []), ...(ofOthers.length > 0 ? [ofOther] : [])];
}
