import { stableStringify } from "../../kernel/json/canonical-json.ts";
import { sameSecrets } from "../../redact/comparable.ts";
import { inOrderOfSecrets } from "../../redact/placeholder.ts";
import { diff } from "../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../kernel/diff/entries.ts";
import { type AdapterCall, LIST_OF_TOOLS, isMethodCall } from "../../record/adapter-call.ts";
import { lastAttempts } from "../../record/recorded-retries.ts";
import { requestIdentity } from "../../record/request-keys.ts";
import { changedHeaders } from "../../record/request-headers.ts";
import { comparableOutcomes } from "../../record/stable-responses.ts";
import { recordingRules } from "../../record/recording-rules.ts";
import type { Evidence, ResponseChange } from "./cause.ts";
import { type PartDiff, type ComparisonRules, type Outcome, diffOutcomes } from "../compare/compare.ts";
import { type OfflineRunOptions, type OfflineRun, replayWithStubs } from "./replay-with-stubs.ts";

/** A run with live adapters: its calls and its outcome. */
export interface LiveRun {
  readonly calls: readonly AdapterCall[];
  readonly outcome: Outcome;
}

/** A request with another response than recorded, and its live call. */
export interface DriftedResponse extends ResponseChange {
  /** Key of the request among the recorded calls (`withIdentityKeys`). */
  readonly key: string;
  readonly before: AdapterCall;
  readonly liveCall: AdapterCall;
  /** Names of headers that the live request sent with another value, or that only one of both sent. */
  readonly headers: readonly string[];
  /** True if the live request sent another secret. */
  readonly hasOtherSecrets: boolean;
}

/** Changes of live responses beyond the recorded ones. */
export interface LiveDrift {
  readonly responses: readonly DriftedResponse[];
  /** Differences between two runs on the same responses: the step itself causes them. */
  readonly unstable: readonly DiffEntry[];
}

/** Runs the current step on the recorded responses, and on live ones only for new requests. */
export async function runOnNewResponses(
  live: LiveRun,
  { options, run }: { readonly options: OfflineRunOptions; readonly run: OfflineRun },
): Promise<OfflineRun> {
  return run.changes.length === 0 ? run : rerunOnNewResponses(live, options);
}

function rerunOnNewResponses(live: LiveRun, options: OfflineRunOptions): Promise<OfflineRun> {
  return replayWithStubs({ ...options, calls: mixedCalls(options.calls, live.calls), usesNearestResponse: false });
}

/**
 * Decides if changed responses to unchanged requests matter: compares the live run with one on the recorded responses,
 * and on live ones only for new requests (`runOnNewResponses`). Undefined if they don't matter or that can't be
 * determined.
 */
export async function liveDrift(
  live: LiveRun,
  offlineRun: {
    readonly options: OfflineRunOptions;
    readonly onNewResponses: OfflineRun;
    readonly stored: Outcome;
    readonly rules: ComparisonRules;
  },
): Promise<LiveDrift | undefined> {
  const { options, onNewResponses, stored, rules } = offlineRun;
  const responses = responseChanges(options.calls, live.calls);
  // The offline run's requests on the recorded responses differ from those on the live ones, so the responses matter.
  // A failure before a retry only matters to the result.
  if (onNewResponses.kind === "unrecorded") {
    const isSame = diffOutcomes(stored, live.outcome, rules).length === 0;
    const counted = isSame ? withoutRetried(responses, [options.calls, live.calls]) : responses;
    return counted.length === 0 ? undefined : { responses: counted, unstable: [] };
  }
  if (onNewResponses.kind === "failed" || onNewResponses.kind === "network_reached") return undefined;
  const differences = diffOutcomes(onNewResponses.outcome, live.outcome, rules);
  if (differences.length === 0) return undefined;
  const second = await rerunOnNewResponses(live, options);
  const unstable = second.kind === "ran" ? diffOutcomes(onNewResponses.outcome, second.outcome, rules) : [];
  const unstablePaths = new Set(unstable.map(pathKey));
  const stableDifferences = differences.filter((entry) => !unstablePaths.has(pathKey(entry)));
  if (responses.length === 0) {
    const unseen = unstable.length === 0 ? await unseenChanges(live, { options, rules }) : [];
    // With the same responses to all requests the difference can't come from outside.
    return unseen.length === 0 ? { responses, unstable: differences } : { responses: unseen, unstable };
  }
  return stableDifferences.length === 0 ? { responses: [], unstable } : { responses, unstable };
}

/**
 * Returns responses with a change that their comparison ignores, but that changes the live result: an id of a request
 * that the step returns, or else the order of keys or the whitespace of JSON that it writes as text. Empty if the step
 * has another result when it runs on the live responses again.
 */
async function unseenChanges(
  live: LiveRun,
  { options, rules }: { readonly options: OfflineRunOptions; readonly rules: ComparisonRules },
): Promise<DriftedResponse[]> {
  const again = await replayWithStubs({ ...options, calls: live.calls, usesNearestResponse: false });
  if (again.kind !== "ran" || diffOutcomes(again.outcome, live.outcome, rules).length > 0) return [];
  const result = stableStringify(live.outcome);
  const isReturned = ({ after }: DiffEntry): boolean => typeof after === "string" && result.includes(after);
  const outcomeOf = ({ response, error }: AdapterCall): object => ({ response, error });
  const written = equalRequests(options.calls, live.calls).flatMap(({ key, before, liveCall }) => {
    const [endBefore, endAfter] = [outcomeOf(before), outcomeOf(liveCall)];
    const entries = diff(endBefore, endAfter).entries.filter(isReturned);
    const response = { adapter: liveCall.adapter, entries, key, before, liveCall, headers: [], hasOtherSecrets: false };
    return JSON.stringify(endBefore) === JSON.stringify(endAfter) ? [] : [response];
  });
  const withIds = written.filter(({ entries }) => entries.length > 0);
  return withIds.length > 0 ? withIds : written;
}

/**
 * Returns the calls of the live run, each with the recorded response if the recording has the same request, and then
 * the remaining recorded calls.
 */
function mixedCalls(recorded: readonly AdapterCall[], live: readonly AdapterCall[]): readonly AdapterCall[] {
  const known = new Map(withIdentityKeys(recorded));
  const made = withIdentityKeys(live);
  const liveKeys = new Set(made.map(([key]) => key));
  return [
    ...made.map(([key, call]) => known.get(key) ?? call),
    ...[...known].flatMap(([key, call]) => (liveKeys.has(key) ? [] : [call])),
  ];
}

/** Returns the requests that are recorded with another response. */
export function responseChanges(recorded: readonly AdapterCall[], live: readonly AdapterCall[]): DriftedResponse[] {
  const rules = recordingRules();
  const requestOf = ({ adapter, request }: AdapterCall): unknown => rules.request(adapter, request);
  return equalRequests(recorded, live).flatMap(({ key, before, liveCall }) => {
    const [recordedOutcome, outcome] = comparableOutcomes(before, liveCall);
    if (inOrderOfSecrets(stableStringify(recordedOutcome)) === inOrderOfSecrets(stableStringify(outcome))) return [];
    const headers = changedHeaders(before, liveCall.headers);
    return [
      {
        adapter: liveCall.adapter,
        entries: diff(recordedOutcome, outcome).entries,
        key,
        before,
        liveCall,
        headers,
        hasOtherSecrets: !sameSecrets(requestOf(before), requestOf(liveCall)),
      },
    ];
  });
}

/** Returns the changed responses to calls that both runs count: neither is a failure before its retry. */
function withoutRetried(
  responses: readonly DriftedResponse[],
  runs: readonly (readonly AdapterCall[])[],
): readonly DriftedResponse[] {
  const counted = new Set(runs.flatMap(countedCalls));
  return responses.filter(({ before, liveCall }) => counted.has(before) && counted.has(liveCall));
}

function countedCalls(calls: readonly AdapterCall[]): readonly AdapterCall[] {
  const identityOf = ({ adapter, request }: AdapterCall): string => requestIdentity(adapter, request);
  const attempts = calls.map((call, index) => ({ call, index, identity: identityOf(call) }));
  return lastAttempts(attempts, calls).map(({ call }) => call);
}

/** A request of a live run, and the recorded call of the same request. */
interface EqualRequest {
  /** Key among the recorded calls (`withIdentityKeys`). */
  readonly key: string;
  readonly before: AdapterCall;
  readonly liveCall: AdapterCall;
}

function equalRequests(recorded: readonly AdapterCall[], live: readonly AdapterCall[]): readonly EqualRequest[] {
  const known = new Map(withIdentityKeys(recorded));
  return withIdentityKeys(live).flatMap(([key, liveCall]) => {
    const before = known.get(key);
    return before === undefined ? [] : [{ key, before, liveCall }];
  });
}

/**
 * Returns the evidence of request headers that the code changed; empty without any. A response to a request with other
 * headers doesn't show a change of the service.
 */
export function headerEvidence(responses: readonly DriftedResponse[]): Evidence[] {
  const headers = [...new Set(responses.flatMap((response) => response.headers))];
  return headers.length === 0 ? [] : [{ kind: "code", entries: [], headers }];
}

/**
 * Returns the evidence of servers that offer other tools than recorded; empty without any. Ignores servers of the
 * responses in `known`, because these have their own evidence.
 */
export function toolListEvidence(changes: readonly PartDiff[], known: readonly DriftedResponse[]): Evidence[] {
  const lists = changes
    .flatMap((change) => (change.part === "calls" ? change.diff.changes : []))
    .flatMap((change) => (change.kind === "changed" && LIST_OF_TOOLS.test(change.adapter) ? [change] : []))
    .filter(({ adapter }) => known.every((response) => response.adapter !== adapter));
  const responses = lists.map(({ adapter, entries }) => ({ adapter, entries }));
  return responses.length === 0 ? [] : [{ kind: "response", requests: [], responses }];
}

/**
 * Returns calls with a key of identity and occurrence, which is the same for the same request in two recordings. Each
 * recording numbers its own secrets. By the current rules, requests may be equal that weren't equal when recorded, so
 * they are counted again.
 */
export function withIdentityKeys(calls: readonly AdapterCall[]): readonly (readonly [string, AdapterCall])[] {
  const rules = recordingRules();
  const counts = new Map<string, number>();
  return calls.map((call) => {
    const identity = requestIdentity(call.adapter, rules.request(call.adapter, call.request));
    if (!isMethodCall(call)) return [`${identity}@${call.occurrence}`, call] as const;
    const occurrence = counts.get(identity) ?? 0;
    counts.set(identity, occurrence + 1);
    return [`${identity}#${occurrence}`, call] as const;
  });
}

function pathKey({ path }: DiffEntry): string {
  return JSON.stringify(path);
}
