import { createRoleResolver } from "../../record/calls/infer-role.ts";
import { type AdapterCall, isMethodCall } from "../../record/adapter-call.ts";
import { recordedCalls } from "../../record/read-snapshot.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import type { RunToExplain } from "../check.ts";
import { failureOfCall } from "../outages/failure-of-call.ts";
import { roleRulesOf } from "../step-call-rules.ts";
import type { ExplainableVerdict } from "../verdict.ts";
import type { OfflineRuns } from "./offline-runs.ts";
import type { ServiceFailure } from "./cause.ts";

/**
 * Returns the failure of the service that a live run called last before it failed. A step that reads the status of a
 * response throws an error without it, or fails because the body isn't the expected one. Undefined if the step also
 * fails with the recorded responses, or if the recording has the same failure: then the step is the cause. A service
 * that isn't a model may refuse a request because its data changed, as with the status 404.
 */
export function failureAtEnd(
  { step, snapshot, live }: RunToExplain,
  { verdict, runs }: { readonly verdict: ExplainableVerdict; readonly runs: OfflineRuns },
): ServiceFailure | undefined {
  if (live === undefined || verdict.kind !== "failed" || runs.current?.run.kind !== "ran") return undefined;
  const roleOf = createRoleResolver(...roleRulesOf(step));
  const known = new Set(recordedCalls(snapshot).filter(isFailed).map(identityOf));
  return lastCalls(live)
    .filter((call) => !known.has(identityOf(call)))
    .map((call) => ({ call, failure: failureOfCall(call) }))
    .find(
      ({ call, failure }) =>
        failure !== undefined && failure.kind !== "aborted" && (failure.kind !== "refused" || roleOf(call) === "model"),
    )?.failure;
}

/** Returns the last call, and those that still waited for a response when it was made. */
function lastCalls(calls: readonly AdapterCall[]): readonly AdapterCall[] {
  const all = calls.filter(isMethodCall);
  return all.slice(-1 - (all.at(-1)?.parallel ?? 0));
}

function isFailed(call: AdapterCall): boolean {
  return failureOfCall(call) !== undefined;
}

function identityOf({ adapter, request }: AdapterCall): string {
  return requestIdentity(adapter, request);
}
