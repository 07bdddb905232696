import { isBusyStatus } from "../kernel/busy-status.ts";
import { isPlainObject, memberOf } from "../kernel/json/plain-data.ts";
import { type AdapterCall, FETCH, MODEL_PATHS, isMethodCall } from "./adapter-call.ts";
import { requestIdentity } from "./request-keys.ts";

/**
 * Returns the calls to store, without failed attempts of `fetch` and the AI SDK that the same run made again with
 * success: a replay would wait as long as the retry did. If the baseline has a failed attempt, the step reads the
 * failure, so the attempts stay. Calls are compared by a stricter rule, see `lastAttempts`.
 */
export function withoutRetries(
  calls: readonly AdapterCall[],
  recorded: readonly AdapterCall[] = [],
): readonly AdapterCall[] {
  if (!calls.some(isFailedAttempt)) return calls;
  const identityOf = ({ adapter, request }: AdapterCall): string => requestIdentity(adapter, request);
  const stored = new Set(recorded.filter(isFailedAttempt).map(identityOf));
  const attempts = calls
    .filter(isMethodCall)
    .map((call, index) => ({ call, index }))
    .filter(({ call }) => isRetried(call));
  const repeated = new Set(succeededLater(attempts, ({ call }) => isFailedAttempt(call)).map(({ call }) => call));
  return recounted(
    calls.filter((call) => !repeated.has(call) || stored.has(identityOf(call))),
    calls,
  );
}

/**
 * Returns the failed attempts that were sent again, and then succeeded. `index` is the one among all calls of methods:
 * an equal request that was sent in parallel isn't a repeated one.
 */
export function succeededLater<T extends { readonly call: AdapterCall; readonly index: number }>(
  attempts: readonly T[],
  hasFailed: (attempt: T) => boolean,
): readonly T[] {
  // For each request that succeeded, the number of calls that had a response when it was sent.
  const succeeded = new Map<string, number>();
  return attempts.toReversed().filter((attempt) => {
    const { call, index } = attempt;
    const identity = requestIdentity(call.adapter, call.request);
    const before = succeeded.get(identity) ?? 0;
    if (hasFailed(attempt)) return before > index;
    succeeded.set(identity, Math.max(before, index - (call.parallel ?? 0)));
    return false;
  });
}

/** Returns the kept calls with numbers of parallel calls that don't count those that were left out. */
function recounted(kept: readonly AdapterCall[], all: readonly AdapterCall[]): readonly AdapterCall[] {
  const keptCalls = new Set(kept);
  const calls = all.filter(isMethodCall);
  return kept.map((call) => {
    const { parallel: counted, ...rest } = call;
    if (counted === undefined) return call;
    const at = calls.indexOf(call);
    const parallel = calls.slice(at - counted, at).filter((earlier) => keptCalls.has(earlier)).length;
    return parallel === counted ? call : { ...rest, ...(parallel > 0 && { parallel }) };
  });
}

/** Returns true for a request that the program sent by `fetch`. */
export function isFetch({ adapter }: AdapterCall): boolean {
  return adapter === FETCH;
}

/** Returns true for a request that clients send again after a failure: of `fetch`, or to a model of the AI SDK. */
function isRetried(call: AdapterCall): boolean {
  return isFetch(call) || MODELS.has(call.adapter);
}

const MODELS: ReadonlySet<string> = new Set(Object.values(MODEL_PATHS));

/** Returns true for a request whose outcome makes clients send it again. */
function isFailedAttempt(call: AdapterCall): boolean {
  // The AI SDK says in its errors if it sends a request again.
  if (MODELS.has(call.adapter)) return memberOf(memberOf(memberOf(call.error, "v"), "data"), "isRetryable") === true;
  if (!isFetch(call)) return false;
  return Object.hasOwn(call, "error") || (isPlainObject(call.response) && isBusyStatus(call.response["status"]));
}

/** A call as it is compared, with its index among all calls of its run. */
export interface CallAttempt {
  readonly call: AdapterCall;
  readonly index: number;
  /** Equal for equal requests of one adapter. */
  readonly identity: string;
}

/**
 * Leaves out failed calls that were retried: only the last attempt counts, with the number of attempts. A retry is the
 * next call of the same adapter with the same request after the failure, without another call of the run in between, of
 * whatever role. Any other call counts: an agent that repeats a failed call after something else has decided to.
 */
export function lastAttempts<T extends CallAttempt>(
  attempts: readonly T[],
  calls: readonly AdapterCall[],
): readonly (T & { readonly attempts: number })[] {
  const byIndex = new Map(attempts.map((attempt) => [attempt.index, attempt]));
  const nextOf = ({ index }: T): T | undefined => {
    const next = calls.findIndex((call, position) => position > index && isMethodCall(call));
    // A call that was sent before the failure doesn't retry it.
    return (calls[next]?.parallel ?? 0) === 0 ? byIndex.get(next) : undefined;
  };
  let earlier = 0;
  return attempts.flatMap((attempt) => {
    earlier += 1;
    if (isFailure(attempt.call) && nextOf(attempt)?.identity === attempt.identity) return [];
    const count = earlier;
    earlier = 0;
    return [{ ...attempt, attempts: count }];
  });
}

/**
 * Returns true for a call that failed, so that the next call may be its retry: it threw an error, `fetch` got status
 * 400 or above, or the tool of an MCP server returned `isError`.
 */
export function isFailure(call: AdapterCall): boolean {
  if (Object.hasOwn(call, "error")) return true;
  if (!isPlainObject(call.response)) return false;
  const { status, isError } = call.response;
  return isFetch(call) ? typeof status === "number" && status >= 400 : isError === true;
}
