import { installOnce } from "../../kernel/install-once.ts";
import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import type { AdapterCall } from "../adapter-call.ts";
import { decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
import { type DescribedRequest, bodyInit, describeRequest, readBody } from "./http-message.ts";
import type { CallRecorder } from "../proxy/call-recorder.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { type FetchHandler, currentInterceptors, inAdapter } from "./recording-scope.ts";
import { applyInjectedEnd, injectedEnd } from "../replay/injected-end.ts";
import type { UnrecordedRequestError } from "../replay/unrecorded-request.ts";
import { FETCH, type Recorder, registerRecorder } from "./recorders.ts";

const KEY = Symbol.for("veritest.fetch");

/**
 * Replaces `globalThis.fetch` by one that `recordFetch` and `replayFetch` can answer, and that the matchers record and
 * replay; outside of recorded runs it works as before. Call it before clients are built: most keep the `fetch` of that
 * moment. The returned function removes it again, once it has been called as often as this one.
 */
export function recordGlobalFetch(): () => void {
  return installOnce(KEY, replaceFetch);
}

/** Returns true if `fetch` is replaced. */
export function isFetchInstalled(): boolean {
  return Reflect.has(globalThis, KEY);
}

function replaceFetch(): () => void {
  const original = globalThis.fetch;
  const remove = registerRecorder(FETCH, FETCH_RECORDER);
  const replaced: typeof fetch = async (input, init) => {
    const handler = currentInterceptors().fetch;
    return handler === undefined ? original(input, init) : handler(input, init, original);
  };
  globalThis.fetch = replaced;
  return () => {
    remove();
    // Whoever replaced it again meanwhile must put it back himself.
    if (globalThis.fetch === replaced) globalThis.fetch = original;
  };
}

// Headers that clients act on. Others describe time, machines and routes, and would differ in every recording.
const HEADERS: readonly string[] = [
  "content-type",
  "link",
  "location",
  "request-id",
  "retry-after",
  "retry-after-ms",
  "x-request-id",
  "x-should-retry",
];

/** Recorder of `fetch`. An unrecorded request gets status 422, which no client retries. */
export const FETCH_RECORDER: Recorder = {
  record: ({ log, rules }) => {
    const bodies = new Set<Promise<void>>();
    const send = beyondHere();
    const record: FetchHandler = async (input, init, original) => {
      const request = await describeRequest(input, init);
      if (request === undefined) return original(input, init);
      const recorder = log.begin(FETCH, [request.data]);
      recorder?.promised();
      return follow(() => send(...request.send, original), { recorder, bodies, rules });
    };
    // Its clocks are its own affair, as an adapter's are.
    const fetch: FetchHandler = (input, init, original) => inAdapter(() => record(input, init, original));
    return { handlers: { fetch }, done: async () => allRead(bodies) };
  },
  replay: ({ index, rules, onUnrecorded }) => {
    const serve: FetchHandler = async (input, init, original) => {
      const request = await describeRequest(input, init);
      if (request === undefined) return original(input, init);
      request.signal?.throwIfAborted();
      const call = index.take(FETCH, rules.request(FETCH, encode([request.data], { opaque: "omit" })));
      if ("reason" in call) return unrecordedResponse(onUnrecorded(call));
      const end = injectedEnd(call);
      if (end !== undefined) await applyInjectedEnd(end, request.signal ?? undefined, () => undefined);
      return responseOf(call, request);
    };
    const fetch: FetchHandler = (input, init, original) => inAdapter(() => serve(input, init, original));
    return { handlers: { fetch } };
  },
};

/** Target of a request that is recorded here: the outer handler, if a replay is recorded, or the network. */
function beyondHere(): FetchHandler {
  const outer = currentInterceptors().fetch;
  return async (input, init, original) => (outer === undefined ? original(input, init) : outer(input, init, original));
}

interface Following {
  readonly recorder: CallRecorder | undefined;
  readonly bodies: Set<Promise<void>>;
  readonly rules: RecordingRules;
}

async function follow(send: () => Promise<Response>, { recorder, bodies, rules }: Following): Promise<Response> {
  let response: Response;
  try {
    response = await send();
  } catch (error) {
    recorder?.threw(error);
    throw error;
  }
  if (recorder !== undefined) {
    // A copy, so that the complete body is recorded, however much the client reads.
    const body = recordBody(response.clone(), recorder, rules);
    bodies.add(body);
    void body.finally(() => bodies.delete(body));
  }
  return response;
}

async function recordBody(response: Response, recorder: CallRecorder, rules: RecordingRules): Promise<void> {
  const body = await readBody(response);
  const { status, statusText, headers } = response;
  const kept = HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)] as const] : []));
  // Chunks are redacted as one text before they become a part of the answer.
  const written =
    body !== undefined && "chunks" in body ? { ...body, chunks: redactedChunks(body.chunks, rules) } : body;
  recorder.returned({
    status,
    ...(statusText !== "" && { statusText }),
    headers: Object.fromEntries(kept),
    ...(written !== undefined && { body: written }),
  });
}

function redactedChunks(chunks: readonly unknown[], rules: RecordingRules): readonly unknown[] {
  const encoded = encode(chunks);
  return isArray(encoded) ? rules.chunks(FETCH, encoded).map((chunk) => decode(chunk)) : [];
}

/** Waits for bodies that are being read, but not for unread ones, which may never end. */
async function allRead(bodies: ReadonlySet<Promise<void>>): Promise<void> {
  for (let turn = 0; bodies.size > 0 && turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

function responseOf(call: AdapterCall, { data }: DescribedRequest): Response {
  if (Object.hasOwn(call, "error")) throw decode(call.error);
  const recorded = decode(call.response);
  if (!isPlainObject(recorded) || typeof recorded["status"] !== "number")
    throw new TypeError("the recorded response has no status");
  const { status, statusText = "", headers, body } = recorded;
  const response = new Response(bodyInit(body), {
    status,
    statusText: String(statusText),
    headers: headersOf(headers),
  });
  return Object.defineProperty(response, "url", {
    value: `${data.origin}${data.path}${data.query === undefined ? "" : `?${data.query}`}`,
  });
}

function headersOf(headers: unknown): Record<string, string> {
  return isPlainObject(headers)
    ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
    : {};
}

function unrecordedResponse({ message }: UnrecordedRequestError): Response {
  const body = JSON.stringify({ error: { type: "unrecorded_request", code: "unrecorded_request", message } });
  return new Response(body, {
    status: 422,
    headers: { "content-type": "application/json", "x-should-retry": "false" },
  });
}
