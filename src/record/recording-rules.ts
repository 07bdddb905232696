import { isArray, isPlainObject, setOwnField } from "../kernel/json/plain-data.ts";
import type { Redactor } from "../redact/create-redactor.ts";
import { currentCheckRules } from "../redact/check-rules.ts";
import { currentRedactor, projectSettings } from "../redact/current-redactor.ts";
import { type PathSegment, pathMatcher } from "../redact/path-pattern.ts";
import { isResponseKey, withoutResponse } from "./adapter-call.ts";
import { tagged } from "./encode/tagged.ts";

/**
 * What is left out of a recording, beside what the project's configuration and the check that runs say. The same
 * options must be given when it is served.
 */
export interface RecordingOptions {
  /** What hides secrets before anything is hashed or kept. Default: `createRedactor()`; `false` keeps everything. */
  readonly redact?: Redactor | false | undefined;
  /**
   * Paths in requests that are no part of them, such as ids, timestamps and idempotency keys: the adapter's path, the
   * argument's index, and the way into it, `llm.complete[0].metadata.requestId`; `*` is one name or index, `**` any
   * number of them: `**.idempotencyKey`.
   */
  readonly ignore?: readonly string[] | undefined;
}

/** What becomes of encoded values before they are hashed, compared or kept. Doing it twice is doing it once. */
export interface RecordingRules {
  /** A request without secrets and without what is ignored. */
  readonly request: (adapter: string, request: unknown) => unknown;
  /** A response, or what a property held, without secrets. */
  readonly response: (adapter: string, response: unknown) => unknown;
  /** A thrown value without secrets. */
  readonly error: (adapter: string, error: unknown) => unknown;
  /** A stream's chunks without secrets, also those split between chunks; as many as were given. */
  readonly chunks: (adapter: string, chunks: readonly unknown[]) => readonly unknown[];
  /** A message without secrets. */
  readonly text: (text: string) => string;
}

/** Makes the rules of options, of the check that runs here, and of the project. */
export function recordingRules({ redact, ignore = [] }: RecordingOptions = {}): RecordingRules {
  const drop = ignoring([...projectSettings().ignore, ...(currentCheckRules()?.ignore ?? []), ...ignore]);
  if (redact === false) {
    return {
      request: drop,
      response: (_adapter, value) => value,
      error: (_adapter, value) => value,
      chunks: (_adapter, chunks) => chunks,
      text: (text) => text,
    };
  }
  const redactor = redact ?? currentRedactor();
  const placeOf = remembered(findPath);
  const segmentsOf = remembered(segments);
  const result = (adapter: string, value: unknown, part: string): unknown =>
    redactResult(redactor, { path: placeOf(adapter), part, value });
  return {
    // What is no part of a request is none of what is hashed of it.
    request: (adapter, request) => redactRequest(redactor, drop(adapter, request), [...segmentsOf(adapter), "request"]),
    response: (adapter, response) => result(adapter, response, "response"),
    error: (adapter, error) => result(adapter, error, "error"),
    chunks: (adapter, chunks) => redactor.redactChunks(chunks, [...placeOf(adapter), "response"]).value,
    text: (text) => redactor.redactText(text),
  };
}

/** A text that an adapter gives stands under the adapter's name: `auth.accessToken`, `vault.getSecret()`. */
function redactResult(
  redactor: Redactor,
  { path, part, value }: { readonly path: readonly string[]; readonly part: string; readonly value: unknown },
): unknown {
  const name = path.at(-1);
  if (typeof value !== "string" || name === undefined) return redactor.redact(value, [...path, part]).value;
  const { value: named } = redactor.redact({ [name]: value }, path.slice(0, -1));
  // Where a path names all that stands there, nothing is left to name.
  return redactor.redact(isPlainObject(named) ? Object.values(named)[0] : value, [...path, part]).value;
}

/** A request is a list of arguments: one that a path names as a whole is hidden argument by argument. */
function redactRequest({ redact }: Redactor, request: unknown, at: readonly string[]): unknown {
  const { value } = redact(request, at);
  return isArray(value) || !isArray(request)
    ? value
    : request.map((argument, index) => redact(argument, [...at, index]).value);
}

/** The names on the way to an adapter, whichever call's answer they go through. */
function segments(adapter: string): readonly string[] {
  return adapter === "" ? [] : adapter.split(".").map(withoutResponse);
}

/**
 * What was done with an answer stands under that answer: `llm.stream(9f31c2d8#0).finalMessage` in
 * `llm.stream.response`.
 */
function findPath(adapter: string): readonly string[] {
  if (adapter === "") return [];
  return adapter.split(".").flatMap((key) => (isResponseKey(key) ? [withoutResponse(key), "response"] : [key]));
}

/** The few adapters of a run are asked about all the time. */
function remembered<T>(find: (adapter: string) => T): (adapter: string) => T {
  const known = new Map<string, T>();
  return (adapter) => {
    const found = known.get(adapter) ?? find(adapter);
    // Each use of an answer has a path of its own.
    if (known.size < 100) known.set(adapter, found);
    return found;
  };
}

function ignoring(patterns: readonly string[]): (adapter: string, request: unknown) => unknown {
  if (patterns.length === 0) return (_adapter, request) => request;
  const isIgnored = pathMatcher(patterns);
  return (adapter, request) => without(request, [...segments(adapter)], isIgnored);
}

/** A copy without what is ignored: fields are dropped, what stands in a list leaves its place. */
function without(value: unknown, path: PathSegment[], isIgnored: (path: readonly PathSegment[]) => boolean): unknown {
  const inner = (item: unknown, key: PathSegment): { readonly kept: boolean; readonly value: unknown } => {
    path.push(key);
    const ignored = isIgnored(path);
    const kept = ignored ? undefined : without(item, path, isIgnored);
    path.pop();
    return { kept: !ignored, value: kept };
  };
  if (isArray(value)) {
    return value.map((item, index) => {
      const { kept, value: copy } = inner(item, index);
      return kept ? copy : tagged("omitted", "ignored");
    });
  }
  if (!isPlainObject(value)) return value;
  const fields: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    const { kept, value: copy } = inner(item, name);
    if (kept) setOwnField(fields, name, copy);
  }
  return fields;
}
