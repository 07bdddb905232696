import { TAG, isArray, isObject, isPlainObject } from "../kernel/json/plain-data.ts";

/** `Headers` of any realm or client. */
interface HeaderList extends Iterable<readonly [name: string, value: string]> {
  getSetCookie?(): readonly string[];
}

/** Returns true for a list of headers that can be iterated and read by name. */
export function isHeaderList(value: unknown): value is HeaderList {
  return isObject(value) && Symbol.iterator in value && "get" in value;
}

/** Returns the headers of a response by name, with separate cookies. */
export function recordedHeaders(headers: HeaderList): Record<string, string | readonly string[]> {
  const fields: Record<string, string | readonly string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie?.() ?? [];
  if (cookies.length > 1) fields["set-cookie"] = cookies;
  return fields;
}

/** Returns a pair for each value: a name with several values, such as `set-cookie`, has several pairs. */
export function headerPairs(recorded: unknown): [name: string, value: string][] {
  return Object.entries(isPlainObject(recorded) ? recorded : {}).flatMap(([name, value]) =>
    (isArray(value) ? value : [value]).map((item): [string, string] => [name, String(item)]),
  );
}

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
export const REQUEST_ID: RegExp = /^(?:x-)?request-id$/;

/** Cookies that a proxy sets to recognize clients. */
const PROXY_COOKIE = /^(?:__cf_bm|_cfuvid|__cflb|AWSALB\w*|awselb|incap_ses\w*|visid_incap\w*)=/i;

/**
 * Returns the headers of a response without those that vary. `made` is the text of the step's result: a header whose
 * value is in it stays.
 */
export function stableHeaders(
  headers: Readonly<Record<string, unknown>>,
  made: string,
): Readonly<Record<string, unknown>> {
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

/** Returns true if a text contains a value that isn't empty, or a part of a longer word or number. */
function reads(text: string, value: unknown): boolean {
  const word = String(value);
  if (word === "") return false;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!/[\w.-]/.test(text[at - 1] ?? "") && !/[\w.-]/.test(text[at + word.length] ?? "")) return true;
  return false;
}

/**
 * Returns a recorded error of an SDK with its headers as those of a response: without those that vary. The headers may
 * be plain data, and in a cause.
 */
export function withStableHeaders(error: unknown, made: () => string): unknown {
  if (isArray(error)) return mapped(error, (item) => withStableHeaders(item, made));
  if (!isPlainObject(error)) return error;
  const { [TAG]: tag, v: pairs, headers } = error;
  if (tag === "headers" && isArray(pairs)) {
    const kept = pairs.filter((pair) => !isHeaderPair(pair) || isStable(pair, made));
    return kept.length === pairs.length ? error : { ...error, v: kept };
  }
  const isPlain = isPlainObject(headers) && !Object.hasOwn(headers, TAG);
  const stable = isPlain ? { ...error, headers: keptHeaders(headers, made) } : error;
  const fields = Object.entries(stable).map(([name, item]) => [name, withStableHeaders(item, made)] as const);
  return fields.every(([name, item]) => item === error[name]) ? error : Object.fromEntries(fields);
}

function mapped(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const changed = items.map(map);
  return changed.every((item, at) => item === items[at]) ? items : changed;
}

function keptHeaders(headers: Readonly<Record<string, unknown>>, made: () => string): typeof headers {
  const kept = Object.entries(headers).filter(([name, value]) => isStable([name.toLowerCase(), value], made));
  return kept.length === Object.keys(headers).length ? headers : Object.fromEntries(kept);
}

function isStable([name, value]: readonly [string, unknown], made: () => string): boolean {
  return (
    Object.keys(stableHeaders({ [name]: value }, "")).length > 0 || (isVarying(name, value) && reads(made(), value))
  );
}

/** Returns true for a name and a value, as recorded Headers have them. */
export function isHeaderPair(pair: unknown): pair is readonly [name: string, value: string] {
  return isArray(pair) && pair.length === 2 && pair.every((part) => typeof part === "string");
}
