import { TAG, isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { type AdapterCall, isOlderRecording } from "./adapter-call.ts";
import { isOfConnection } from "./encode/errors.ts";
import { changeCalls } from "./redact-calls.ts";
import { REQUEST_ID, isHeaderPair, stableHeaders, withStableHeaders } from "./response-headers.ts";
import { isFetch, withoutRetries } from "./recorded-retries.ts";

/**
 * Returns the calls with the parts of HTTP responses that the step can use: without attempts that failed and were
 * made again, varying headers, and the packets in which a stream arrived. Errors of any adapter lose varying headers,
 * too. `made` is the text of the step's result; headers whose value is in it stay.
 */
export function stableResponses(
  calls: readonly AdapterCall[],
  made: () => string,
  recorded: readonly AdapterCall[],
): readonly AdapterCall[] {
  return stableHttpResponses(withStableErrors(calls, made), made, recorded);
}

function withStableErrors(calls: readonly AdapterCall[], made: () => string): readonly AdapterCall[] {
  if (!calls.some(({ error }) => error !== undefined)) return calls;
  const stable = calls.map((call) => {
    const error = withStableHeaders(call.error, made);
    return error === call.error ? call : { ...call, error };
  });
  return stable.every((call, at) => call === calls[at]) ? calls : stable;
}

function stableHttpResponses(
  calls: readonly AdapterCall[],
  made: () => string,
  recorded: readonly AdapterCall[],
): readonly AdapterCall[] {
  const last = withoutRetries(calls, recorded);
  if (last === calls && !calls.some(isHttp)) return calls;
  const text = made();
  const stable = last.map((call) => stableResponse(call, text));
  const isShorter = last.length < calls.length;
  if (isShorter) return changeCalls(stable, { request: (_adapter, request) => request });
  return stable.every((call, at) => call === calls[at]) ? calls : stable;
}

/** Returns true for a response with headers: of `fetch`, or an SDK's `withResponse()`. */
function isHttp(call: AdapterCall): boolean {
  return isFetch(call) || call.adapter.endsWith(").withResponse");
}

function stableResponse(call: AdapterCall, made: string): AdapterCall {
  const { response } = call;
  if (!isHttp(call) || !isPlainObject(response)) return call;
  const { headers, body } = response;
  const stable = {
    ...response,
    ...(isPlainObject(headers) && { headers: stableHeaders(headers, made) }),
    ...(isPlainObject(body) && { body: withoutPackets(body) }),
  };
  const isSame = stable.body === body && sameJson(stable.headers, headers);
  return isSame ? call : { ...call, response: stable };
}

function withoutPackets(body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.hasOwn(body, "packets")) return body;
  const { packets: _packets, ...stable } = body;
  return stable;
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Outcome of a call. */
type Outcome = Pick<AdapterCall, "response" | "error">;

/**
 * Returns the comparable outcomes of a recorded call and a call of now. A response of `fetch` is compared with its JSON
 * as data however it is written, a stream as one text, and without varying headers. Headers that only one of the
 * recordings has aren't compared.
 */
export function comparableOutcomes(recorded: AdapterCall, now: AdapterCall): readonly [Outcome, Outcome] {
  const isOlder = [recorded, now].some(isOlderRecording);
  const hasHeaders = [recorded, now].every(
    ({ response }) => isPlainObject(response) && isPlainObject(response["headers"]),
  );
  const hasErrorHeaders = [recorded, now].every(({ error }) => !containsOmittedHeaders(error));
  const outcome = (call: AdapterCall): Outcome => ({
    response: comparable(call, { isOlder, hasHeaders }),
    error: comparableError(call.error, hasErrorHeaders),
  });
  return [outcome(recorded), outcome(now)];
}

function isOmittedHeaders(value: unknown): boolean {
  return isPlainObject(value) && value[TAG] === "omitted" && value["v"] === "Headers";
}

/** Recordings of earlier versions have no headers of errors. */
function containsOmittedHeaders(error: unknown): boolean {
  if (isArray(error)) return error.some(containsOmittedHeaders);
  return isPlainObject(error) && (isOmittedHeaders(error) || Object.values(error).some(containsOmittedHeaders));
}

function comparableError(error: unknown, hasHeaders: boolean): unknown {
  const compare = (value: unknown): unknown => {
    if (isArray(value)) return value.map(compare);
    if (!isPlainObject(value)) return value;
    const { [TAG]: tag, v: pairs } = value;
    if (!hasHeaders && (tag === "headers" || isOmittedHeaders(value))) return null;
    if (tag === "headers" && isArray(pairs))
      return { ...value, v: pairs.filter((pair) => !isHeaderPair(pair) || !REQUEST_ID.test(pair[0])) };
    // Recordings of earlier versions have the socket.
    const fields = Object.entries(value).filter(([name, item]) => !isOfConnection(name, item));
    return Object.fromEntries(fields.map(([name, item]) => [name, compare(item)]));
  };
  return error === undefined ? undefined : compare(withStableHeaders(error, () => ""));
}

/** Headers that recordings without the type of a response keep. */
const OLDER_HEADERS = /^(?:content-type|link|location|retry-after(?:-ms)?|x-should-retry)$/;

function comparable(
  call: AdapterCall,
  { isOlder, hasHeaders }: { readonly isOlder: boolean; readonly hasHeaders: boolean },
): unknown {
  const { response } = call;
  if (!isHttp(call) || !isPlainObject(response)) return response;
  const { status, statusText, body, headers, request_id: _id, ...facts } = response;
  const kept = Object.entries(stableHeaders(isPlainObject(headers) ? headers : {}, "")).filter(
    ([name]) => !REQUEST_ID.test(name) && (!isOlder || OLDER_HEADERS.test(name)),
  );
  return {
    status,
    ...(statusText !== undefined && { statusText }),
    ...(!isOlder && facts),
    headers: hasHeaders ? Object.fromEntries(kept) : {},
    ...(isPlainObject(body) && { body: comparableBody(body) }),
  };
}

function comparableBody(body: Readonly<Record<string, unknown>>): unknown {
  const { json, text, chunks, error } = body;
  if (json !== undefined) return { json };
  const data = typeof text === "string" ? parsedJson(text) : undefined;
  if (isArray(data) || isPlainObject(data)) return { json: data };
  if (!isArray(chunks) || !chunks.every((chunk) => typeof chunk === "string")) return withoutPackets(body);
  return { chunks: eventsOf(chunks.join("")), ...(error !== undefined && { error }) };
}

function eventsOf(text: string): readonly string[] {
  return text.split(/(?<=\n\n|\r\n\r\n)/);
}
