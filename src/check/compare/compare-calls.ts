import { isDeepStrictEqual } from "node:util";
import type { CallsDiff } from "../../record/calls/diff-calls.ts";
import { type AdapterCall, isMethodCall, isToolList } from "../../record/adapter-call.ts";
import { withRecordedDetails } from "../../record/instance-details.ts";
import { isFailure } from "../../record/recorded-retries.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import { CallIndex } from "../../record/replay/call-index.ts";
import { type UnrecordedRequest, isUnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import { sameSecrets } from "../../redact/comparable.ts";
import { projectSettings } from "../../redact/project-settings.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import type { CheckContext } from "../check.ts";
import { loadCalls, roleRulesOf } from "../step-call-rules.ts";

/** Settings of the comparison of calls: the step, and the requirements of the check. */
export type CallRules = Pick<CheckContext, "calls" | "compare">;

/**
 * Returns the differences of a run's calls from the recorded ones. Undefined if the step, the check or the project
 * turns the comparison off. Also undefined if the run called a model, and the recording has no calls because its result
 * may have been stored without them.
 */
export async function compareCalls(
  recorded: readonly AdapterCall[],
  made: readonly AdapterCall[],
  {
    step,
    context,
    lacksCalls = true,
  }: {
    readonly step: Partial<Pick<AnyStep, "calls" | "compare" | "roles">>;
    readonly context: CallRules;
    /** False if a recording without calls is of a run without calls. */
    readonly lacksCalls?: boolean;
  },
): Promise<CallsDiff | undefined> {
  const scope = context.calls ?? step.calls ?? projectSettings().calls ?? "all";
  if (scope === "none") return undefined;
  const [before, after] = [recorded.filter(isCompared), made.filter(isCompared)];
  if (hasSameCalls(before, after) && hasSameLists(before, after) && hasSameRetries(before, after)) return SAME;
  const { diffCalls, createRoleResolver } = await loadCalls();
  const roleOf = createRoleResolver(...roleRulesOf(step));
  if (lacksCalls && recorded.length === 0 && after.some((call) => roleOf(call) === "model")) return undefined;
  return diffCalls(before, withRecordedDetails(before, after), {
    roleOf,
    scope,
    compare: context.compare ?? step.compare,
  });
}

/** Returns true if each list of tools is the recorded one itself, or equal to it. */
function hasSameLists(before: readonly AdapterCall[], after: readonly AdapterCall[]): boolean {
  return after.every((call, index) => {
    const known = before[index];
    return call === known || !isToolList(call) || isDeepStrictEqual(call.response, known?.response);
  });
}

/**
 * Returns true if two runs with the same requests also have the same retries: each call is the recorded one itself, or
 * neither failed. Two successful payments aren't a failed one and its retry.
 */
function hasSameRetries(before: readonly AdapterCall[], after: readonly AdapterCall[]): boolean {
  return after.every((call, index) => {
    const known = before[index];
    return call === known || !(isFailure(call) || (known !== undefined && isFailure(known)));
  });
}

/** Returns true if two runs sent the same requests in the same order with the same secrets. */
function hasSameCalls(before: readonly AdapterCall[], after: readonly AdapterCall[]): boolean {
  if (before.length !== after.length) return false;
  // Replayed calls are the recorded ones themselves: most checks end here.
  if (after.every((call, index) => call === before[index])) return true;
  const rules = recordingRules();
  return after.every(({ adapter, request }, index) => {
    const known = before[index];
    if (known?.adapter !== adapter) return false;
    // By identity: each recording numbers its own secrets. By the current rules: the recording may follow other ones.
    const [recorded, now] = [known.request, request].map((stored) => rules.request(adapter, stored));
    return requestIdentity(adapter, now) === requestIdentity(adapter, recorded) && sameSecrets(recorded, now);
  });
}

/**
 * Returns true if two runs sent the same requests, in any order: the order of parallel ones depends on their durations,
 * and recorded responses are found without it.
 */
export function sendsSameRequests(before: readonly AdapterCall[], after: readonly AdapterCall[]): boolean {
  if (before.length !== after.length) return false;
  if (hasSameCalls(before, after)) return true;
  const rules = recordingRules();
  const identityOf = ({ adapter, request }: AdapterCall): string =>
    requestIdentity(adapter, rules.request(adapter, request));
  const unmatched = Map.groupBy(before, identityOf);
  return withRecordedDetails(before, after).every((call) => {
    const same = unmatched.get(identityOf(call)) ?? [];
    const now = rules.request(call.adapter, call.request);
    const at = same.findIndex((known) => sameSecrets(rules.request(known.adapter, known.request), now));
    if (at >= 0) same.splice(at, 1);
    return at >= 0;
  });
}

/**
 * Returns the first request for which a replay in CI would have no response, if requests must match the recorded ones.
 * Undefined if they needn't, or each has a response.
 */
export function firstUnrecordedRequest(
  recorded: readonly AdapterCall[],
  live: readonly AdapterCall[],
  { strictRequests = projectSettings().strictRequests }: Pick<CheckContext, "strictRequests">,
): UnrecordedRequest | undefined {
  if (!strictRequests) return undefined;
  const index = new CallIndex(recorded);
  return live
    .filter(isMethodCall)
    .map(({ adapter, request }) => index.take(adapter, request))
    .find(isUnrecordedRequest);
}

const SAME: CallsDiff = { equal: true, entries: [], changes: [], rows: [], tolerated: [] };

function isCompared(call: AdapterCall): boolean {
  return isMethodCall(call) || isToolList(call);
}
