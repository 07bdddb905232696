import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import { type AdapterCall, FETCH, isMethodCall, responsePath, isStreamResponse } from "./adapter-call.ts";
import { requestIdentity } from "./request-keys.ts";
import { type RecordingRules, recordingRules } from "./recording-rules.ts";
import { publicHeaders } from "./request-headers.ts";

/**
 * Calls that were recorded elsewhere, as this project would record them: without its secrets, and without the parts
 * that it ignores in requests. Requests that become equal are counted again, and the use of a response stays with its
 * call.
 */
export function redactCalls(calls: readonly AdapterCall[]): readonly AdapterCall[] {
  const rules = recordingRules();
  return changeCalls(calls, {
    request: (adapter, request) => rules.request(adapter, request),
    outcome: (call, adapter) => ({
      ...outcomeOf(call, adapter, rules),
      ...(call.headers !== undefined && { headers: publicHeaders(call.headers, rules) }),
    }),
  });
}

/** Changes to the parts of a call. */
interface CallChange {
  readonly request: (adapter: string, request: unknown, call: AdapterCall) => unknown;
  /** Default: unchanged. */
  readonly outcome?: (call: AdapterCall, adapter: string) => Pick<AdapterCall, "response" | "error" | "headers">;
}

/**
 * Calls with other requests and outcomes: requests that become equal are counted again, and the use of a response stays
 * with its call.
 */
export function changeCalls(calls: readonly AdapterCall[], change: CallChange): readonly AdapterCall[] {
  const equal = new Map<string, number>();
  const renamed: (readonly [from: string, to: string])[] = [];
  return calls.map((call) => {
    const [from, to] = renamed.findLast(([old]) => `${call.adapter}.`.startsWith(`${old}.`)) ?? ["", ""];
    const adapter = `${to}${call.adapter.slice(from.length)}`;
    const request = change.request(adapter, call.request, call);
    const identity = requestIdentity(adapter, request);
    const isProperty = !isMethodCall(call);
    const occurrence = isProperty ? call.occurrence : (equal.get(identity) ?? 0);
    if (!isProperty) equal.set(identity, occurrence + 1);
    const kept = { ...call, adapter, request, occurrence };
    const [before, after] = [responsePath(call), responsePath(kept)];
    if (before !== after) renamed.push([before, after]);
    return { ...kept, ...change.outcome?.(call, adapter) };
  });
}

function outcomeOf(
  { response, error }: AdapterCall,
  adapter: string,
  rules: RecordingRules,
): Pick<AdapterCall, "response" | "error"> {
  return {
    ...(response === undefined ? {} : { response: hiddenResponse(response, adapter, rules) }),
    ...(error === undefined ? {} : { error: rules.error(adapter, error) }),
  };
}

/** A secret may be cut across the chunks of a stream, or of the body of a response. */
function hiddenResponse(response: unknown, adapter: string, rules: RecordingRules): unknown {
  if (isStreamResponse(response)) {
    const { chunks, returned } = response;
    return {
      ...response,
      chunks: rules.chunks(adapter, chunks),
      ...(returned === undefined ? {} : { returned: rules.response(adapter, returned) }),
    };
  }
  const body = adapter === FETCH && isPlainObject(response) ? response["body"] : undefined;
  if (!isPlainObject(response) || !isPlainObject(body) || !isArray(body["chunks"]))
    return rules.response(adapter, response);
  const joined = { ...response, body: { ...body, chunks: rules.chunks(adapter, body["chunks"]) } };
  return rules.response(adapter, joined);
}
