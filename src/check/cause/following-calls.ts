import type { CallRole } from "../../kernel/call-role.ts";
import { stableStringify } from "../../kernel/json/canonical-json.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import type { CallChange } from "../../record/calls/diff-calls.ts";
import { recordedCalls } from "../../record/read-snapshot.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import type { RunToExplain } from "../check.ts";
import type { FollowingCalls, RequestChange } from "./cause.ts";
import { type DriftedResponse, type LiveRun, responseChanges } from "./live-drift.ts";
import { matchCalls } from "./new-calls.ts";
import type { OfflineChange } from "./stubbed-calls.ts";

/**
 * Returns calls of a live run that the current code doesn't make on the recorded responses, and the changed responses.
 * Those of models come first, since a model's response leads to other tool calls.
 */
export function followingCalls({ run, callChanges, secrets, live, roleOf }: LiveCalls): Following | undefined {
  const known = new Set(secrets.map(({ entries }) => entries));
  const changes = callChanges.filter((change) => change.kind !== "changed" || !known.has(change.entries));
  const responses = responseChanges(recordedCalls(run.snapshot), live.calls);
  if (changes.length === 0 || responses.length === 0) return undefined;
  const modelRequests = live.calls.filter((call) => roleOf(call) === "model");
  const drifted = modelRequests.filter((call) => responses.some(({ liveCall }) => liveCall === call));
  // A response's id and time change each time. Among the changed responses, the one before the new call led to it.
  const made = firstNew(
    recordedCalls(run.snapshot),
    live.calls.filter((call) => roleOf(call) !== "model"),
  );
  const before =
    made === undefined ? [] : drifted.filter((call) => live.calls.indexOf(call) < live.calls.indexOf(made));
  const cause = before.at(-1) ?? drifted[0];
  return { responses, calls: { nth: cause === undefined ? undefined : modelRequests.indexOf(cause) + 1, changes } };
}

/** Returns the first call that is made more often than it is recorded. */
function firstNew(recorded: readonly AdapterCall[], made: readonly AdapterCall[]): AdapterCall | undefined {
  const rules = recordingRules();
  const keyOf = ({ adapter, request }: AdapterCall): string =>
    stableStringify([adapter, rules.request(adapter, request)]);
  return matchCalls(made, recorded, keyOf).rest[0];
}

interface LiveCalls {
  readonly run: RunToExplain;
  readonly callChanges: readonly CallChange[];
  /** Those of `callChanges` with another secret. */
  readonly secrets: readonly RequestChange[];
  readonly live: LiveRun;
  readonly roleOf: (call: OfflineChange["call"]) => CallRole;
}

interface Following {
  readonly responses: readonly DriftedResponse[];
  readonly calls: FollowingCalls;
}
