import { isDeepStrictEqual } from "node:util";
import type * as callsPart from "../../record/calls/calls-entry.ts";
import type { CallsDiff } from "../../record/calls/diff-calls.ts";
import type { CallRole, RoleRules } from "../../kernel/call-role.ts";
import { importSequentially } from "../../kernel/import-sequentially.ts";
import { type AdapterCall, isToolList } from "../../record/adapter-call.ts";
import { modelCallUsages } from "../../record/model-usage.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import { CallIndex } from "../../record/replay/call-index.ts";
import { type UnrecordedRequest, isUnrecordedRequest } from "../../record/replay/unrecorded-request.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import { sameSecrets } from "../../redact/comparable.ts";
import { projectSettings } from "../../redact/project-settings.ts";
import type { AnyStep } from "../../kernel/step/define-step.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";
import type { CheckContext } from "../check.ts";
import type { AdapterSource } from "../run/adapter-source.ts";
import type { RecordedCosts } from "../run/costs.ts";

/** Settings of the comparison of calls: the step, and the requirements of the check. */
export type CallRules = Pick<CheckContext, "calls" | "compare">;

/**
 * Returns the differences of a run's calls from the recorded ones. Undefined if the step, the check or the project
 * turns the comparison off. Also undefined if the run called a model and the recording has no calls: then the earlier
 * requests are unknown.
 */
export async function compareCalls(
  recorded: readonly AdapterCall[],
  made: readonly AdapterCall[],
  {
    step,
    context,
  }: { readonly step: Partial<Pick<AnyStep, "calls" | "compare" | "roles">>; readonly context: CallRules },
): Promise<CallsDiff | undefined> {
  const scope = context.calls ?? step.calls ?? projectSettings().calls ?? "all";
  if (scope === "none") return undefined;
  const [before, after] = [recorded.filter(isCompared), made.filter(isCompared)];
  if (hasSameCalls(before, after) && hasSameLists(before, after)) return SAME;
  const { diffCalls, createRoleResolver } = await loadCalls();
  const roleOf = createRoleResolver(...rolesOf(step));
  if (recorded.length === 0 && after.some((call) => roleOf(call) === "model")) return undefined;
  return diffCalls(before, after, { roleOf, scope, compare: context.compare ?? step.compare });
}

/** Returns true if each list of tools is the recorded one itself, or equal to it. */
function hasSameLists(before: readonly AdapterCall[], after: readonly AdapterCall[]): boolean {
  return after.every((call, index) => {
    const known = before[index];
    return call === known || !isToolList(call) || isDeepStrictEqual(call.response, known?.response);
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
  const left = Map.groupBy(before, identityOf);
  return after.every((call) => {
    const same = left.get(identityOf(call)) ?? [];
    const now = rules.request(call.adapter, call.request);
    const at = same.findIndex((known) => sameSecrets(rules.request(known.adapter, known.request), now));
    return at >= 0 && same.splice(at, 1).length === 1;
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
    .filter(isCall)
    .map(({ adapter, request }) => index.take(adapter, request))
    .find(isUnrecordedRequest);
}

/** Returns a function for the declared roles of calls; undefined if neither the step nor the project declares any. */
export async function declaredRoleResolver(
  step: AnyStep,
): Promise<((call: Pick<AdapterCall, "adapter" | "request">) => CallRole | undefined) | undefined> {
  const rules = rolesOf(step);
  if (rules.every((each) => Object.keys(each).length === 0)) return undefined;
  const { createDeclaredRoles } = await loadCalls();
  return createDeclaredRoles(...rules);
}

/** Returns the error of a call that a run made before one that the step's order puts first. */
export async function orderError(
  calls: readonly AdapterCall[],
  { order }: Pick<AnyStep, "order">,
): Promise<StepError | undefined> {
  if (order === undefined) return undefined;
  const problem = (await loadCalls()).orderProblem(calls, order);
  return problem === undefined ? undefined : kernelError("out_of_order", problem);
}

/** Returns the costs of a run's calls: of the live and the replayed ones if it has both. */
export async function costsOfCalls(
  source: Pick<AdapterSource, "calls" | "isLive">,
  step: AnyStep,
): Promise<RecordedCosts> {
  const { costsOfRecording } = await loadCalls();
  const roles = rolesOf(step);
  const { replayed: replayedCalls = [], live: liveCalls = [] } = Object.groupBy(source.calls(), ({ adapter }) =>
    source.isLive?.(adapter) === false ? "replayed" : "live",
  );
  const live = costsOfRecording(liveCalls, ...roles);
  const replayed = costsOfRecording(replayedCalls, ...roles);
  // A live call that reports tokens costs money, also without the role of a model.
  const modelCalls =
    live.modelCalls.length > 0 || replayed.modelCalls.length === 0 ? live.modelCalls : modelCallUsages(liveCalls);
  return { modelCalls, replayed: replayed.modelCalls, toolCalls: live.toolCalls + replayed.toolCalls };
}

/** Returns the declared roles, the step's own first. */
export function rolesOf(step: Partial<Pick<AnyStep, "roles">>): readonly RoleRules[] {
  return [step.roles ?? {}, projectSettings().roles];
}

const SAME: CallsDiff = { equal: true, entries: [], changes: [], rows: [], tolerated: [] };

async function loadCalls(): Promise<typeof callsPart> {
  return importSequentially(async () => import("../../record/calls/calls-entry.ts"));
}

function isCompared(call: AdapterCall): boolean {
  return isCall(call) || isToolList(call);
}

function isCall({ returns }: AdapterCall): boolean {
  return returns !== "property";
}
