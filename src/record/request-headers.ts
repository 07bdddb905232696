import { createHash } from "node:crypto";
import { isPlainObject } from "../kernel/json/plain-data.ts";
import { type AdapterCall, isOlderRecording } from "./adapter-call.ts";
import type { RecordingRules } from "./recording-rules.ts";

/** Headers of a request that are compared, by name. A secret is `{ hash }` of 16 bits. */
export type ComparedHeaders = Readonly<Record<string, string | { readonly hash: string }>>;

/** Headers that name the operation of a request: DynamoDB and other services of AWS have one URL for all of them. */
const OPERATIONS = ["x-amz-target", "soapaction", "x-http-method-override"] as const;

/**
 * Returns the headers that `matchHeaders` names, and those that name the operation. A secret becomes the first 16 bits
 * of its hash: enough to tell one token from another, but 65,536 tokens have the same.
 */
export function comparedHeaders(headers: Headers, rules: RecordingRules): ComparedHeaders | undefined {
  const named = [...new Set([...OPERATIONS, ...rules.matchHeaders])].flatMap((name) => {
    const value = headers.get(name);
    if (value === null) return [];
    return [[name, publicHeaders({ [name]: value }, rules)?.[name] ?? { hash: hashOf(name, value) }] as const];
  });
  return named.length === 0 ? undefined : Object.fromEntries(named);
}

function hashOf(name: string, value: string): string {
  return createHash("sha256").update(`${name}\n${value}`).digest("hex").slice(0, 4);
}

/** Headers that clients, tracers and the transport add, and that don't change a response. */
const UNINFORMATIVE: readonly RegExp[] = [
  /^(?:accept|accept-encoding|connection|content-length|content-type|date|host|keep-alive|transfer-encoding)$/,
  /^(?:baggage|idempotency-key|sentry-trace|traceparent|tracestate|user-agent|x-goog-api-client)$/,
  /^(?:sec|x-amz|x-b3|x-client|x-datadog|x-retry|x-stainless)-/,
  /-(?:request|trace|correlation)-id$/,
];

/** Headers whose values are never stored. Finding them as secrets takes a third of the time of a replayed request. */
const CREDENTIALS = /^(?:authorization|cookie|proxy-authorization|(?:x-)?(?:goog-)?api-key)$/;

/** Values that differ each time: ids, times, signatures. */
const VARYING = /\d{6}|[0-9a-f]{8}-[0-9a-f]{4}-|[\w+/=-]{24}/i;

/**
 * Returns the headers of a request that may explain another response: without secrets, and without those that clients
 * and tracers add. Undefined if there are none.
 */
export function sentHeaders(headers: Headers, rules: RecordingRules): AdapterCall["headers"] {
  const entries = [...headers].filter(([name, value]) => isInformative(name) && !VARYING.test(value));
  return publicHeaders(Object.fromEntries(entries), rules);
}

/** Finds the secrets in a request's credentials, so that a response that repeats one is stored without it. */
export function noteCredentials(headers: Headers, rules: RecordingRules): void {
  const entries = [...headers].filter(([name]) => CREDENTIALS.test(name));
  if (entries.length > 0) rules.headers(Object.fromEntries(entries));
}

function isInformative(name: string): boolean {
  return !CREDENTIALS.test(name) && !UNINFORMATIVE.some((pattern) => pattern.test(name));
}

/** Returns the headers without secrets; undefined if there are none. */
export function publicHeaders(
  headers: Readonly<Record<string, string>>,
  rules: RecordingRules,
): AdapterCall["headers"] {
  const redacted = rules.headers(headers);
  const kept = Object.entries(headers).filter(([name, value]) => isPlainObject(redacted) && redacted[name] === value);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/**
 * Returns the names of the headers that a request sends with another value than the recorded one, or that only one of
 * both has. Empty for a call of an earlier version, which recorded none.
 */
export function changedHeaders(call: AdapterCall, now: AdapterCall["headers"] = {}): readonly string[] {
  if (isOlderRecording(call)) return [];
  const { headers: before = {} } = call;
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => before[name] !== now[name]).toSorted();
}
