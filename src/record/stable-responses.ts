import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { type AdapterCall, isOlderRecording } from "./adapter-call.ts";
import { changeCalls } from "./redact-calls.ts";
import { isFetch, withoutRetries } from "./retries.ts";

/**
 * Response headers that differ from one response to the next and say nothing about its content: time, connection,
 * route, server, request ids, remaining quota. docs/recording.md lists them.
 */
const VARYING_HEADERS: readonly RegExp[] = [
  /^(?:age|alt-svc|connection|date|expires|keep-alive|nel|report-to|reporting-endpoints|server|server-timing|via)$/,
  /^(?:content-encoding|content-length|transfer-encoding)$/,
  /^(?:cf-|fly-|fastly-|x-(?:amz-cf-|amzn-|b3-|cache|cloud-trace|datadog-|envoy-|fastly-|kong-))/,
  /^x-(?:served-by|timer|vercel-)/,
  /(?:^|-)(?:request|trace|correlation|transaction|invocation|span|upload)-?id$/,
  /^(?:traceparent|tracestate|x-(?:response-time|runtime|process-time|azure-ref|guploader-uploadid))$/,
  /(?:-processing-ms|-duration-ms|-latency|-compute-time|-inference-time|-queue-time)$/,
  /ratelimit.*(?:remaining|reset)/,
];

/** Ids that get a placeholder, so that clients still read one. */
const REQUEST_ID = /^(?:x-)?request-id$/;

/** Cookies that a proxy sets to recognize clients. */
const PROXY_COOKIE = /^(?:__cf_bm|_cfuvid|__cflb|AWSALB\w*|awselb|incap_ses\w*|visid_incap\w*)=/i;

/**
 * Returns the calls with the parts of `fetch` responses that the step can use: without attempts that failed and were
 * made again, varying headers, and the packets in which a stream arrived. `made` is the text of the step's result;
 * headers whose value is in it stay.
 */
export function stableResponses(
  calls: readonly AdapterCall[],
  made: () => string,
  recorded: readonly AdapterCall[],
): readonly AdapterCall[] {
  if (!calls.some(isFetch)) return calls;
  const text = made();
  const last = withoutRetries(calls, recorded);
  const stable = last.map((call) => stableResponse(call, text));
  const isShorter = last.length < calls.length;
  if (isShorter) return changeCalls(stable, { request: (_adapter, request) => request });
  return stable.every((call, at) => call === calls[at]) ? calls : stable;
}

function stableResponse(call: AdapterCall, made: string): AdapterCall {
  const { response } = call;
  if (!isFetch(call) || !isPlainObject(response)) return call;
  const { headers, body } = response;
  const stable = {
    ...response,
    ...(isPlainObject(headers) && { headers: stableHeaders(headers, made) }),
    ...(isPlainObject(body) && { body: withoutPackets(body) }),
  };
  const isSame = stable.body === body && sameJson(stable.headers, headers);
  return isSame ? call : { ...call, response: stable };
}

function stableHeaders(headers: Readonly<Record<string, unknown>>, made: string): Readonly<Record<string, unknown>> {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, unknown][] => {
    if (name !== "set-cookie") return isVarying(name, value) && !reads(made, value) ? [] : [[name, value]];
    const cookies = (isArray(value) ? value : [value]).filter((cookie) => !PROXY_COOKIE.test(String(cookie)));
    return cookies.length === 0 ? [] : [[name, cookies.length === 1 ? cookies[0] : cookies]];
  });
  return Object.fromEntries(kept);
}

function isVarying(name: string, value: unknown): boolean {
  const hasPlaceholder = REQUEST_ID.test(name) && String(value).length >= SHORTEST_ID;
  return !hasPlaceholder && VARYING_HEADERS.some((pattern) => pattern.test(name));
}

/** Shorter ids get no placeholder: they are as likely to be something else. */
const SHORTEST_ID = 6;

/** Returns true if a text contains a value that isn't a part of a longer word or number. */
function reads(text: string, value: unknown): boolean {
  const word = String(value);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/[\w.-]/.test(text[at - 1] ?? "") && !/[\w.-]/.test(text[at + word.length] ?? "")) return true;
  return false;
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
 * as data however it is written, a stream as one text, and without varying headers.
 */
export function comparableOutcomes(recorded: AdapterCall, now: AdapterCall): readonly [Outcome, Outcome] {
  const isOlder = [recorded, now].some(isOlderRecording);
  const outcome = (call: AdapterCall): Outcome => ({ response: comparable(call, isOlder), error: call.error });
  return [outcome(recorded), outcome(now)];
}

/** Headers that recordings without the type of a response keep. */
const OLDER_HEADERS = /^(?:content-type|link|location|retry-after(?:-ms)?|x-should-retry)$/;

function comparable(call: AdapterCall, isOlder: boolean): unknown {
  const { response } = call;
  if (!isFetch(call) || !isPlainObject(response)) return response;
  const { status, statusText, body, headers, ...facts } = response;
  const kept = Object.entries(stableHeaders(isPlainObject(headers) ? headers : {}, "")).filter(
    ([name]) => !REQUEST_ID.test(name) && (!isOlder || OLDER_HEADERS.test(name)),
  );
  return {
    status,
    ...(statusText !== undefined && { statusText }),
    ...(!isOlder && facts),
    headers: Object.fromEntries(kept),
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
