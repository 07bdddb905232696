import { isArray, isPlainObject, setOwnField } from "../kernel/json/plain-data.ts";
import type { Redactor } from "../redact/create-redactor.ts";
import { currentCheckRules } from "../redact/check-rules.ts";
import { currentRedactor, projectSettings } from "../redact/current-redactor.ts";
import { type PathSegment, pathMatcher } from "../redact/path-pattern.ts";
import { isResponseKey, withoutResponse } from "./adapter-call.ts";
import { tagged } from "./encode/tagged.ts";

/**
 * Parts to leave out of a recording, in addition to the project's configuration and the running check's options. A
 * replay needs the same options.
 */
export interface RecordingOptions {
  /** Redactor that hides secrets before hashing and storing. Default: `createRedactor()`; `false` keeps everything. */
  readonly redact?: Redactor | false | undefined;
  /**
   * Paths in requests that aren't part of them, such as ids, timestamps and idempotency keys: the adapter's path, the
   * argument's index, and the path in it, `llm.complete[0].metadata.requestId`; `*` is one name or index, `**` any
   * number of them: `**.idempotencyKey`.
   */
  readonly ignore?: readonly string[] | undefined;
}

/** Changes to encoded values before they are hashed, compared or stored. Applying them twice has the same result. */
export interface RecordingRules {
  /** A request without secrets and without ignored parts. */
  readonly request: (adapter: string, request: unknown) => unknown;
  /** A response, or a property's value, without secrets. */
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
  const locationOf = remembered(findPath);
  const segmentsOf = remembered(segments);
  const result = (adapter: string, value: unknown, part: string): unknown =>
    redactResult(redactor, { path: locationOf(adapter), part, value });
  return {
    // Ignored parts of a request aren't part of its hash either.
    request: (adapter, request) => redactRequest(redactor, drop(adapter, request), [...segmentsOf(adapter), "request"]),
    response: (adapter, response) => result(adapter, response, "response"),
    error: (adapter, error) => result(adapter, error, "error"),
    chunks: (adapter, chunks) => redactor.redactChunks(chunks, [...locationOf(adapter), "response"]).value,
    text: (text) => redactor.redactText(text),
  };
}

/** A text that an adapter returns has the adapter's name: `auth.accessToken`, `vault.getSecret()`. */
function redactResult(
  redactor: Redactor,
  { path, part, value }: { readonly path: readonly string[]; readonly part: string; readonly value: unknown },
): unknown {
  const name = path.at(-1);
  if (typeof value !== "string" || name === undefined) return redactor.redact(value, [...path, part]).value;
  const { value: named } = redactor.redact({ [name]: value }, path.slice(0, -1));
  // If a path names the complete value, no field is left to name.
  return redactor.redact(isPlainObject(named) ? Object.values(named)[0] : value, [...path, part]).value;
}

/** A request is a list of arguments: if a path names the complete request, each argument is redacted. */
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
 * The use of a response has the path of that response: `llm.stream(9f31c2d8#0).finalMessage` in `llm.stream.response`.
 */
function findPath(adapter: string): readonly string[] {
  if (adapter === "") return [];
  return adapter.split(".").flatMap((key) => (isResponseKey(key) ? [withoutResponse(key), "response"] : [key]));
}

/** A run has few adapters, and looks each of them up often. */
function remembered<T>(find: (adapter: string) => T): (adapter: string) => T {
  const known = new Map<string, T>();
  return (adapter) => {
    const value = known.get(adapter) ?? find(adapter);
    // Each use of a response has a different path.
    if (known.size < 100) known.set(adapter, value);
    return value;
  };
}

function ignoring(patterns: readonly string[]): (adapter: string, request: unknown) => unknown {
  if (patterns.length === 0) return (_adapter, request) => request;
  const isIgnored = pathMatcher(patterns);
  return (adapter, request) => without(request, [...segments(adapter)], isIgnored);
}

/** A copy without ignored parts: fields are dropped, elements of a list are replaced. */
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
