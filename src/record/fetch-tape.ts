import { isArray } from "../base/is-array.ts";
import { isPlainObject } from "../base/is-plain-object.ts";
import type { AdapterCall } from "./adapter-call.ts";
import { CallIndex } from "./call-index.ts";
import { CallLog } from "./call-log.ts";
import type { CallTape } from "./call-tape.ts";
import { decode } from "./decode.ts";
import { encode } from "./encode.ts";
import { type DescribedRequest, describeRequest } from "./fetch-request.ts";
import { bodyInit, readBody } from "./http-body.ts";
import { isFetchInstalled } from "./install-fetch.ts";
import { type RecordingMiss, RecordingMissError } from "./recording-miss.ts";
import { type RecordingOptions, type RecordingRules, recordingRules } from "./recording-rules.ts";
import { type FetchHandler, inTape } from "./recording-scope.ts";

/** The adapter's path under which requests are recorded. */
const ADAPTER = "fetch";

// Those that clients act on. Others tell of time, machines and routes, and would differ in every recording.
const HEADERS: readonly string[] = ["content-type", "link", "location", "request-id", "retry-after", "retry-after-ms", "x-request-id", "x-should-retry"];

/** What a recorded run gave, and its requests. */
export interface RecordedFetch<T> {
  readonly source: "live";
  readonly value: T;
  readonly calls: readonly AdapterCall[];
  /** One sentence for each request that a replay could not answer. */
  readonly problems: readonly string[];
}

/**
 * Runs something and records the requests that it, and all it starts, makes by `fetch`: no change to clients or
 * adapters. Requests inside adapters that are recorded themselves are left to those. Rejects with what `run` throws, or
 * with a TypeError when `installFetch` was not called.
 */
export async function recordFetch<T>(run: () => T | PromiseLike<T>, options?: RecordingOptions): Promise<RecordedFetch<T>> {
  checkInstalled("recordFetch");
  const rules = recordingRules(options);
  const log = new CallLog(rules);
  const bodies = new Set<Promise<void>>();
  const handler: FetchHandler = async (input, init, original) => {
    const request = await describeRequest(input, init);
    if (request === undefined) return original(input, init);
    const tape = log.begin(ADAPTER, [request.data]);
    tape?.promised();
    return follow(() => original(...request.send), { tape, bodies, rules });
  };
  const value = await inTape(handler, async () => run());
  await settled(bodies);
  return { source: "live", value, calls: log.calls(), problems: log.problems() };
}

interface Following {
  readonly tape: CallTape | undefined;
  readonly bodies: Set<Promise<void>>;
  readonly rules: RecordingRules;
}

async function follow(send: () => Promise<Response>, { tape, bodies, rules }: Following): Promise<Response> {
  let response: Response;
  try {
    response = await send();
  } catch (error) {
    tape?.threw(error);
    throw error;
  }
  if (tape !== undefined) {
    // A copy, so that the whole body is recorded, whatever the client reads of it.
    const body = recordBody(response.clone(), tape, rules);
    bodies.add(body);
    void body.finally(() => bodies.delete(body));
  }
  return response;
}

async function recordBody(response: Response, tape: CallTape, rules: RecordingRules): Promise<void> {
  const body = await readBody(response);
  const { status, statusText, headers } = response;
  const kept = HEADERS.flatMap((name) => (headers.has(name) ? [[name, headers.get(name)] as const] : []));
  // Chunks are redacted as one text before they become a part of the answer.
  const written = body !== undefined && "chunks" in body ? { ...body, chunks: redactedChunks(body.chunks, rules) } : body;
  tape.returned({ status, ...(statusText !== "" && { statusText }), headers: Object.fromEntries(kept), ...(written !== undefined && { body: written }) });
}

function redactedChunks(chunks: readonly unknown[], rules: RecordingRules): readonly unknown[] {
  const encoded = encode(chunks);
  return isArray(encoded) ? rules.chunks(ADAPTER, encoded).map((chunk) => decode(chunk)) : [];
}

/** Waits for bodies whose end is due, but not for ones that nobody reads and that may never end. */
async function settled(bodies: ReadonlySet<Promise<void>>): Promise<void> {
  for (let turn = 0; bodies.size > 0 && turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** What a served run gave, and how its requests were answered. */
export interface ServedFetch<T> {
  readonly source: "recorded";
  readonly value: T;
  readonly served: number;
  readonly misses: readonly RecordingMiss[];
  readonly unused: readonly AdapterCall[];
}

/**
 * Runs something whose requests by `fetch` are answered from a recording; none reaches the network. A request that was
 * not recorded gets an answer with status 422, which no client sends again, and is in `misses`. Rejects like `recordFetch`.
 */
export async function serveFetch<T>(calls: readonly AdapterCall[], run: () => T | PromiseLike<T>, options?: RecordingOptions): Promise<ServedFetch<T>> {
  checkInstalled("serveFetch");
  const rules = recordingRules(options);
  const index = new CallIndex(calls, rules);
  const misses: RecordingMiss[] = [];
  const handler: FetchHandler = async (input, init, original) => {
    const request = await describeRequest(input, init);
    if (request === undefined) return original(input, init);
    request.signal?.throwIfAborted();
    const call = index.take(ADAPTER, rules.request(ADAPTER, encode([request.data], { opaque: "omit" })));
    if (!("reason" in call)) return responseOf(call, request);
    misses.push(call);
    return missResponse(call);
  };
  const value = await inTape(handler, async () => run());
  return { source: "recorded", value, served: index.served(), misses, unused: index.unused() };
}

function responseOf(call: AdapterCall, { data }: DescribedRequest): Response {
  if (Object.hasOwn(call, "error")) throw decode(call.error);
  const recorded = decode(call.response);
  if (!isPlainObject(recorded) || typeof recorded["status"] !== "number") throw new TypeError("the recorded response has no status");
  const { status, statusText = "", headers, body } = recorded;
  const response = new Response(bodyInit(body), { status, statusText: String(statusText), headers: headersOf(headers) });
  return Object.defineProperty(response, "url", { value: `${data.origin}${data.path}${data.query === undefined ? "" : `?${data.query}`}` });
}

function headersOf(headers: unknown): Record<string, string> {
  return isPlainObject(headers) ? Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])) : {};
}

function missResponse(miss: RecordingMiss): Response {
  const { message } = new RecordingMissError(miss);
  const body = JSON.stringify({ error: { type: "recording_miss", code: "recording_miss", message } });
  return new Response(body, { status: 422, headers: { "content-type": "application/json", "x-should-retry": "false" } });
}

function checkInstalled(name: string): void {
  if (!isFetchInstalled()) throw new TypeError(`${name}: call installFetch() first, before the clients are built.`);
}
