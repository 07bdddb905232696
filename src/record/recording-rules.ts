import { TAG, isArray, isPlainObject } from "../kernel/json/plain-data.ts";
import type { Redactor } from "../redact/create-redactor.ts";
import { type CheckRules, type NormalizeRequest, currentCheckRules, matchedIgnores } from "../redact/check-rules.ts";
import { currentRedactor } from "../redact/current-redactor.ts";
import { projectSettings } from "../redact/project-settings.ts";
import { FETCH, adapterSegments, isResponseKey, withoutResponse } from "./adapter-call.ts";
import { withHttpFields } from "./http-fields.ts";
import { ignoredPartsRemover } from "./ignored-parts.ts";
import { normalizerOf } from "./request-normalizers.ts";

/**
 * Options that decide which parts of requests and responses are stored and compared. They're added to the project's
 * configuration and to the options of the running check. Pass the same options to the recording and the replay.
 */
export interface RecordingOptions extends Pick<CheckRules, "matchHeaders" | "normalizeRequest"> {
  /** Redactor that hides secrets before hashing and storing. `false` keeps everything. Default: `createRedactor()`. */
  readonly redact?: Redactor | false | undefined;
  /**
   * Paths of parts to ignore in requests, such as ids, timestamps and idempotency keys. A path consists of the
   * adapter's path, the argument's index, and the path in the argument: `llm.complete[0].metadata.requestId`. `*`
   * matches one name or index, `**` any number of them. With `match`, only the matching parts of a string are ignored.
   */
  readonly ignore?: CheckRules["ignore"];
}

/** Changes to encoded values before they are hashed, compared or stored. Applying them twice has the same result. */
export interface RecordingRules {
  /** A request without secrets and without ignored parts. */
  readonly request: (adapter: string, request: unknown) => unknown;
  /** A response, or a property's value, without secrets. */
  readonly response: (adapter: string, response: unknown) => unknown;
  /** A thrown value without secrets. */
  readonly error: (adapter: string, error: unknown) => unknown;
  /**
   * Redacts the chunks of a stream, including secrets that are split between chunks. Returns the same number of chunks.
   */
  readonly chunks: (adapter: string, chunks: readonly unknown[]) => readonly unknown[];
  /** A message without secrets. */
  readonly text: (text: string) => string;
  /** Headers of a request of `fetch` without secrets. */
  readonly headers: (headers: Readonly<Record<string, string>>) => unknown;
  /** Names of the request headers that are compared, in lower case. */
  readonly matchHeaders: readonly string[];
}

/** Makes the rules of options, of the check that runs here, and of the project. */
export function recordingRules({ redact, ...options }: RecordingOptions = {}): RecordingRules {
  const names = [projectSettings(), currentCheckRules(), options].flatMap((rules) => rules?.matchHeaders ?? []);
  const matchHeaders = [...new Set(names.map((name) => name.toLowerCase()))];
  if (redact === false) {
    return {
      matchHeaders,
      request: normalizing(options, undefined),
      response: (_adapter, value) => value,
      error: (_adapter, value) => value,
      chunks: (_adapter, chunks) => chunks,
      text: (text) => text,
      headers: (headers) => headers,
    };
  }
  const redactor = redact ?? currentRedactor();
  const drop = normalizing(options, redactor);
  const locationOf = remembered(findPath);
  const segmentsOf = remembered(adapterSegments);
  const result = (adapter: string, value: unknown, part: string): unknown =>
    redactResult(redactor, { path: locationOf(adapter), part, value });
  return {
    matchHeaders,
    // Ignored parts of a request aren't part of its hash either.
    request: (adapter, request) => redactRequest(redactor, drop(adapter, request), [...segmentsOf(adapter), "request"]),
    response: (adapter, response) => result(adapter, response, "response"),
    error: (adapter, error) => result(adapter, error, "error"),
    chunks: (adapter, chunks) => redactor.redactChunks(chunks, [...locationOf(adapter), "response"]).value,
    text: (text) => redactor.redactText(text),
    headers: (headers) => redactor.redact(headers, [FETCH, "request", 0, "headers"]).value,
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

/** Makes the function that returns the compared part of a request: with fields, normalized, without ignored parts. */
function normalizing(
  { ignore = [], normalizeRequest }: Omit<RecordingOptions, "redact">,
  redactor: Redactor | undefined,
): (adapter: string, request: unknown) => unknown {
  const check = currentCheckRules();
  const ignored = [...projectSettings().ignore, ...(check?.ignore ?? []), ...ignore];
  const without = ignoredPartsRemover(ignored, (rule) => {
    matchedIgnores.add(rule);
    check?.matchedIgnores.add(rule);
  });
  const own = [check?.normalizeRequest, normalizeRequest].filter((normalize) => normalize !== undefined);
  return (adapter, stated) => {
    const fields = adapter === FETCH ? withHttpFields(stated) : withoutUnusedArguments(stated);
    const ofRecorder = normalizerOf(adapter);
    const all = ofRecorder === undefined ? own : [ofRecorder, ...own];
    if (all.length + ignored.length === 0) return fields;
    const hidden = redactor === undefined || adapter !== FETCH ? fields : withoutUrlSecrets(fields, redactor);
    const request = all.reduce((last, normalize) => normalized(last, { adapter, normalize }), hidden);
    return ignored.length === 0 ? request : without(request, adapterSegments(adapter));
  };
}

const URL_PARTS = ["origin", "path", "query", "form"];

/** Hides the secrets of a request's URL while it has an origin, without which its path may not show them. */
function withoutUrlSecrets(request: unknown, redactor: Redactor): unknown {
  const [first, ...rest] = isArray(request) ? request : [];
  if (!isPlainObject(first)) return request;
  const parts = Object.fromEntries(
    URL_PARTS.flatMap((name) => (Object.hasOwn(first, name) ? [[name, first[name]]] : [])),
  );
  const { value } = redactor.redact(parts);
  return value === parts ? request : [{ ...first, ...Object(value) }, ...rest];
}

function normalized(
  request: unknown,
  { adapter, normalize }: { readonly adapter: string; readonly normalize: NormalizeRequest },
): unknown {
  if (!isArray(request)) return request;
  const isLone = request.length === 1;
  const changed = normalize(isLone ? request[0] : request, adapter);
  return isLone ? [changed] : changed;
}

/** Removes arguments at the end that are undefined: `ask(prompt, options)` without options is `ask(prompt)`. */
function withoutUnusedArguments(request: unknown): unknown {
  const isUnused = (value: unknown): boolean => isPlainObject(value) && value[TAG] === "undefined";
  if (!isArray(request) || !isUnused(request.at(-1))) return request;
  return request.slice(0, request.findLastIndex((value) => !isUnused(value)) + 1);
}
