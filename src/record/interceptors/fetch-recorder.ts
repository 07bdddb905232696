import { parseUrl } from "../../kernel/parse-url.ts";
import { isLocalHost } from "./network-guard.ts";
import { NO_KEY } from "../../kernel/missing-key.ts";
import { PLACEHOLDER_KEY } from "../../kernel/placeholder-keys.ts";
import { installOnce } from "../../kernel/install-once.ts";
import { FETCH } from "../adapter-call.ts";
import { decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
import { type DescribedRequest, describeRequest, requestName } from "./http-message.ts";
import { type ResponseContext, recordedResponse, responseFrom } from "./http-response.ts";
import type { CallRecorder } from "../proxy/call-recorder.ts";
import { registerResponseProxy } from "../proxy/mirror.ts";
import { setRequestNormalizer } from "../request-normalizers.ts";
import type { NormalizeRequest } from "../../redact/check-rules.ts";
import type { RecordingRules } from "../recording-rules.ts";
import {
  type FetchHandler,
  type FetchInput,
  currentInterceptors,
  failOwnRun,
  inAdapter,
  inOwnRun,
  skippedWrite,
} from "./recording-scope.ts";
import { applyInjectedEnd, injectedEnd } from "../replay/injected-end.ts";
import { exhaustedBy, never, recordedError, responseTurn } from "../replay/replay-call.ts";
import type { UnrecordedRequestError } from "../replay/unrecorded-request.ts";
import { changedHeaders, comparedHeaders, noteCredentials, sentHeaders } from "../request-headers.ts";
import { type Recorder, registerRecorder } from "./recorders.ts";
import { WatchedBody } from "./watched-body.ts";

const KEY = Symbol.for("veritest.fetch");

/** Options for recording `fetch`. */
export interface RecordFetchOptions {
  /**
   * Changes each request before it is stored and compared. It gets the method, origin, path, query, form and body as
   * data, and the headers that `matchHeaders` names. A later call replaces the function.
   */
  readonly normalizeRequest?: NormalizeRequest;
}

/**
 * Replaces `globalThis.fetch` with a function that `recordFetch`, `replayFetch` and the matchers can record and replay.
 * Outside recorded runs, it works as before. Call it before you create clients, because most clients keep the `fetch`
 * of that moment. The returned function restores the original, once it was called as often as this one.
 */
export function recordGlobalFetch({ normalizeRequest }: RecordFetchOptions = {}): () => void {
  if (normalizeRequest !== undefined) setRequestNormalizer(FETCH, normalizeRequest);
  return installOnce(KEY, replaceFetch);
}

/** Returns true if `fetch` is replaced. */
export function isFetchInstalled(): boolean {
  return Reflect.has(globalThis, KEY);
}

function replaceFetch(): () => void {
  const original = globalThis.fetch;
  const unregister = registerRecorder(FETCH, FETCH_RECORDER);
  const remove = (): void => {
    unregister();
    setRequestNormalizer(FETCH, undefined);
  };
  const replaced: typeof fetch = async (input, options) => {
    const init = withReadHeaders(options);
    return inOwnRun(
      () => `sent ${requestName(input, init)}`,
      () => {
        const handler = currentInterceptors().fetch;
        if (handler !== undefined) return handler(input, init, original);
        // A request of a client that a test passes as an adapter.
        return needsKey(headersOf(input, init), input) ? refuseWithoutKey() : original(input, init);
      },
    );
  };
  globalThis.fetch = replaced;
  return () => {
    remove();
    // Whoever replaced it again meanwhile must put it back himself.
    if (globalThis.fetch === replaced) globalThis.fetch = original;
  };
}

/** Copies headers that can be read only once, such as `map.entries()`: they are read before the request is sent. */
function withReadHeaders(init: RequestInit | undefined): RequestInit | undefined {
  const headers: unknown = init?.headers;
  return isIterator(headers) ? { ...init, headers: [...headers] } : init;
}

function isIterator(value: unknown): value is Iterable<[string, string]> {
  return typeof value === "object" && value !== null && "next" in value && Symbol.iterator in value;
}

/** Recorder of `fetch`. An unrecorded request gets status 400, which no client retries. */
export const FETCH_RECORDER: Recorder = {
  record: ({ log, rules }) => {
    const bodies = new Map<WatchedBody, Promise<void>>();
    const send = beyondHere();
    const record: FetchHandler = async (input, init, original) => {
      const request = await describeRequest(input, init);
      if (request === undefined) return original(input, init);
      // It isn't sent, so there is no call. A replay throws here too.
      request.signal?.throwIfAborted();
      const compared = comparedRequest(request, rules);
      const recorder = log.begin(FETCH, [compared]);
      if (needsKey(request.headers, request.href)) {
        recorder?.failed(new Error(NO_KEY));
        return refuseWithoutKey();
      }
      recorder?.markPromise();
      recorder?.setSignal(request.signal ?? undefined);
      recorder?.setHeaders(sentHeaders(request.headers, rules));
      noteCredentials(request.headers, rules);
      const { href } = request;
      const skipped = skippedWrite({ adapter: FETCH, args: [compared], facts: undefined });
      const respond = async (): Promise<Response> =>
        skipped === undefined ? send(...request.send, original) : responseFrom(await skipped(), href);
      return follow(respond, { recorder, bodies, rules, href, signal: request.signal ?? undefined });
    };
    // Its clocks are its own affair, as an adapter's are.
    const fetch: FetchHandler = (input, init, original) => inAdapter(() => record(input, init, original));
    return { handlers: { fetch }, done: async () => allRead(bodies) };
  },
  replay: (source) => {
    const { index, rules, onUnrecorded, isAbandoned } = source;
    const serve: FetchHandler = async (input, init, original) => {
      const request = await describeRequest(input, init);
      if (request === undefined) return original(input, init);
      request.signal?.throwIfAborted();
      const compared = rules.request(FETCH, encode([comparedRequest(request, rules)], { opaque: "omit" }));
      const call = index.take(FETCH, compared);
      if ("reason" in call) return isAbandoned() ? never() : unrecordedResponse(onUnrecorded(call));
      const headers = changedHeaders(call, sentHeaders(request.headers, rules));
      // The others are part of the request. After a rebase, they differ from those of the recording.
      index.noteHeaders(headers.filter((name) => !rules.matchHeaders.includes(name)));
      const end = injectedEnd(call);
      const signal = request.signal ?? undefined;
      const context = { signal, exhausted: exhaustedBy(source, { adapter: FETCH, request: compared, call }) };
      index.parallel.opened(call);
      try {
        if (end !== undefined) await applyInjectedEnd(end, signal, () => undefined);
        await responseTurn(call, index, context);
        if (Object.hasOwn(call, "error")) throw recordedError(call, signal);
        return responseFrom(decode(call.response), request.href, context);
      } finally {
        index.parallel.ended(call);
      }
    };
    const fetch: FetchHandler = (input, init, original) => inAdapter(() => serve(input, init, original));
    return { handlers: { fetch } };
  },
};

/** Returns true for a request with a placeholder in place of its key, but not to this machine: it may need no key. */
function needsKey(headers: Headers, input: FetchInput): boolean {
  const isPlaceholder = ["authorization", "x-api-key", "x-goog-api-key"].some((name) =>
    headers.get(name)?.endsWith(PLACEHOLDER_KEY),
  );
  return isPlaceholder && !isToLocalHost(input);
}

function comparedRequest({ data, headers }: DescribedRequest, rules: RecordingRules): object {
  const compared = comparedHeaders(headers, rules);
  return compared === undefined ? data : { ...data, headers: compared };
}

/** Returns the headers of a request that no recorder describes. */
function headersOf(input: FetchInput, init: RequestInit | undefined): Headers {
  return new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
}

function isToLocalHost(input: FetchInput): boolean {
  const url = parseUrl(input instanceof Request ? input.url : String(input));
  return url !== undefined && isLocalHost(url.host);
}

/** Returns the response to a request without a key, and fails the run: a step or an adapter may hide the error. */
function refuseWithoutKey(): Response {
  failOwnRun(new Error(NO_KEY));
  return errorResponse(401, { type: "authentication_error", message: NO_KEY });
}

/** Target of a request that is recorded here: the outer handler, if a replay is recorded, or the network. */
function beyondHere(): FetchHandler {
  const outer = currentInterceptors().fetch;
  return async (input, init, original) => (outer === undefined ? original(input, init) : outer(input, init, original));
}

interface Following extends ResponseContext {
  readonly recorder: CallRecorder | undefined;
  /** Bodies that haven't ended, with the recordings of their responses. */
  readonly bodies: Map<WatchedBody, Promise<void>>;
}

async function follow(send: () => Promise<Response>, { recorder, bodies, ...to }: Following): Promise<Response> {
  let response: Response;
  try {
    response = await send();
  } catch (error) {
    recorder?.threw(error);
    throw error;
  }
  if (recorder === undefined) return response;
  recorder.markResponded();
  const note = async (body: WatchedBody | undefined): Promise<void> => {
    try {
      recorder.returned(await recordedResponse(response, body, to));
    } catch (error) {
      recorder.failed(error);
    }
  };
  if (response.body === null) {
    await note(undefined);
    return response;
  }
  const watched = new WatchedBody(response.body, to.signal);
  const record = async (): Promise<void> => {
    await watched.end;
    recorder.markComplete();
    // The step goes on first: redaction takes much longer than reading.
    await nextTurn();
    await note(watched);
    bodies.delete(watched);
  };
  bodies.set(watched, record());
  const readable = watched.responseLike(response);
  registerResponseProxy(readable, readable);
  if (readable.body !== null) registerResponseProxy(readable.body, readable.body);
  return readable;
}

/** Taken before a test fakes its timers. */
const { setImmediate: onNextTurn } = globalThis;

async function nextTurn(): Promise<void> {
  return new Promise((resolve) => onNextTurn(resolve));
}

/** Waits for bodies, also for unread ones. It ends those that go on: the step left them, and they may never end. */
async function allRead(bodies: ReadonlyMap<WatchedBody, Promise<void>>): Promise<void> {
  for (const body of bodies.keys()) void body.drain();
  for (let turn = 0; bodies.size > 0 && turn < 100; turn += 1) await nextTurn();
  for (const body of bodies.keys()) body.leave();
  await Promise.all(bodies.values());
}

function unrecordedResponse({ message }: UnrecordedRequestError): Response {
  return errorResponse(400, { type: "unrecorded_request", code: "unrecorded_request", message });
}

/** A response that SDKs make an error of with this message, and don't retry. */
function errorResponse(status: number, error: Readonly<Record<string, string>>): Response {
  return new Response(JSON.stringify({ error }), {
    status,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
  });
}
