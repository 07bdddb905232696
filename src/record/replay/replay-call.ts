import { isObject, isPlainObject } from "../../kernel/json/plain-data.ts";
import { quote } from "../../kernel/text.ts";
import { type AdapterCall, adapterName, responsePath, isStreamResponse, joinPath } from "../adapter-call.ts";
import { isAsyncIterable, readableOf } from "../encode/builtins.ts";
import { type ResponseMembers, decode } from "../encode/decode.ts";
import { encodeArguments } from "../encode/encode.ts";
import { mirrorTraps, readBound, teeChunks } from "../proxy/mirror.ts";
import { headerPairs } from "../response-headers.ts";
import { type RecordingOptions, recordingRules } from "../recording-rules.ts";
import type { ReplaySource } from "../interceptors/recorders.ts";
import { isModelCall } from "../model-call.ts";
import { CallIndex, type RequestsBeforeEdits } from "./call-index.ts";
import { errorOrReason, untilAborted, untilStuck } from "./release-timers.ts";
import { type UnrecordedRequest, UnrecordedRequestError } from "./unrecorded-request.ts";
import { applyInjectedEnd, signalIn, injectedEnd } from "./injected-end.ts";

/** Context to replay a call. */
export interface ReplayContext {
  /** Creates the error for a wait for a part that the recording lacks. */
  readonly exhausted: (chunks: number) => Error;
  readonly paths: ResponsePaths;
  /** Signal by which the caller may abort the call. */
  readonly signal?: AbortSignal | undefined;
}

/** Recorded calls to replay, with the unrecorded requests in order. */
export interface ReplayedCalls extends ReplaySource {
  readonly unrecorded: readonly UnrecordedRequest[];
}

/** Options of a replay. */
interface ReplayControl {
  /** Selects adapters whose calls are replayed in order, whatever the requests are. */
  readonly isScripted?: ((adapter: string) => boolean) | undefined;
  /** Returns what an unrecorded request may have been before known edits. */
  readonly beforeEdits?: RequestsBeforeEdits | undefined;
  /** Called with the error of each unrecorded request. */
  readonly onError?: ((error: UnrecordedRequestError) => void) | undefined;
  readonly isAbandoned?: (() => boolean) | undefined;
}

/** Prepares recorded calls for replay. */
export function replayedCalls(
  calls: readonly AdapterCall[],
  options: RecordingOptions | undefined,
  { isScripted, beforeEdits, onError, isAbandoned = () => false }: ReplayControl = {},
): ReplayedCalls {
  const rules = recordingRules(options);
  const unrecorded: UnrecordedRequest[] = [];
  const onUnrecorded = (request: UnrecordedRequest): UnrecordedRequestError => {
    unrecorded.push(request);
    const error = new UnrecordedRequestError(request);
    onError?.(error);
    return error;
  };
  return {
    index: new CallIndex(calls, rules, { isScripted, beforeEdits }),
    rules,
    onUnrecorded,
    isAbandoned,
    unrecorded,
  };
}

/** Returns a promise that never resolves: the response to a request of an abandoned run. */
export async function never(): Promise<never> {
  return new Promise(() => undefined);
}

/**
 * Replays a request made outside the tree of adapters: by a tool or a model, whose responses are data. Throws a
 * `UnrecordedRequestError` if the request isn't recorded. `signal` may abort the call if the arguments have none.
 */
export function replayRequest(
  adapter: string,
  args: readonly unknown[],
  { signal, ...source }: ReplaySource & Pick<ReplayContext, "signal">,
): unknown {
  const { index, rules, onUnrecorded } = source;
  const request = rules.request(adapter, encodeArguments(args));
  const call = index.take(adapter, request);
  if ("reason" in call) throw onUnrecorded(call);
  return replayCall(call, {
    exhausted: exhaustedBy(source, { adapter, request, call }),
    signal: signal ?? signalIn(args, call),
    paths: { index, objectAt: () => ({}) },
  });
}

/**
 * Creates the function that logs a wait for a part that the recording lacks, and returns its error: a read past the
 * chunks of a stream, or a call without a response.
 */
export function exhaustedBy(
  { index, onUnrecorded }: ReplaySource,
  { adapter, request, call }: { readonly adapter: string; readonly request: unknown; readonly call: AdapterCall },
): (chunks: number) => Error {
  const recorded = index.callsOf(adapter).length;
  const reason = call.open === true ? "no_response" : "stream_exhausted";
  return (limit) => onUnrecorded({ adapter, request, reason, nearest: call, recorded, limit });
}

/** Returns or throws as the adapter did when the call was recorded. */
export function replayCall(call: AdapterCall, options: ReplayContext): unknown {
  const end = injectedEnd(call);
  // A stream that is returned directly ends that way when it is read.
  if (end === undefined || end.kind === "breaks" || call.returns === "stream") return replayRecorded(call, options);
  if (end.kind === "throws" && call.returns === "value") throw end.error();
  const ended = applyInjectedEnd(end, options.signal, () => replayRecorded(call, options));
  ended.catch(() => undefined);
  return withRecordedMethods(ended, call, options.paths);
}

function replayRecorded(call: AdapterCall, options: ReplayContext): unknown {
  const { paths } = options;
  const stream = (): unknown => withRecordedMethods(replayStream(call, options), call, paths);
  switch (call.returns) {
    case "value":
    case "property":
      return decodedResponse(call, options);
    case "promise":
      return withRecordedMethods(
        promiseInTurn(call, options, () => decodedResponse(call, options)),
        call,
        paths,
      );
    case "stream":
      return stream();
    case "promise-of-stream":
      return withRecordedMethods(promiseInTurn(call, options, stream), call, paths);
  }
}

/** Returns a promise of a response that resolves when it did in the recording. */
function promiseInTurn(
  call: AdapterCall,
  { paths: { index }, signal, exhausted }: ReplayContext,
  respond: () => unknown,
): Promise<unknown> {
  index.parallel.opened(call);
  const isLater = call.open === true || call.aborted === true || call.completed !== undefined;
  const response = isLater ? responseTurn(call, index, { signal, exhausted }).then(respond) : promiseOf(respond);
  const ended = (): void => index.parallel.ended(call);
  response.then(ended, ended);
  return response;
}

/**
 * Resolves when the response of a call came in the recording; for a call that its caller aborted, when it is aborted
 * again. Rejects for a call without a response once its signal is aborted, or the run only waits for this response.
 */
export async function responseTurn(
  call: AdapterCall,
  index: Pick<CallIndex, "order">,
  { signal, exhausted }: Pick<ReplayContext, "signal" | "exhausted">,
): Promise<void> {
  if (call.open === true) {
    await untilStuck(signal);
    throw exhausted(0);
  }
  if (call.aborted === true && signal !== undefined) await untilAborted(signal);
  if (call.completed !== undefined) await index.order.turn(call.completed);
}

/** Returns a promise of a response. It never counts as unhandled: a replay may reject it before the step handles it. */
export function promiseOf(respond: () => unknown): Promise<unknown> {
  const response = new Promise<unknown>((resolve) => resolve(respond()));
  response.catch(() => undefined);
  return response;
}

/** Returns the error of a call. It is the reason of the signal itself if the recorded one was. */
export function recordedError({ aborted: isAborted, error }: AdapterCall, signal: AbortSignal | undefined): unknown {
  return errorOrReason(decode(error), isAborted === true ? signal : undefined);
}

// Decoded at every use, so that a step that changes a response can't change later ones.
function decodedResponse(call: AdapterCall, { paths, signal }: Pick<ReplayContext, "paths" | "signal">): unknown {
  if (Object.hasOwn(call, "error")) throw recordedError(call, signal);
  const members = replayedMembers(call, paths);
  const response = decode(call.response, members);
  return members.haveMethods() && isObject(response) ? disposable(response) : response;
}

/** Adds a disposal to a replayed object, for `using`. It does nothing, because a replay has no resources. */
export function disposable(response: object): object {
  return Object.defineProperties(response, {
    [Symbol.dispose]: { value: () => undefined, configurable: true },
    [Symbol.asyncDispose]: { value: async () => undefined, configurable: true },
  });
}

/**
 * Returns the methods and getters of a recorded response. Those that the recorded run used are replayed; the others
 * throw an error with the reason.
 */
function replayedMembers(
  call: AdapterCall,
  { index, objectAt }: ResponsePaths,
): ResponseMembers & { readonly haveMethods: () => boolean } {
  let path: string | undefined;
  let haveMethods = false;
  const member = (name: string, what: string): unknown => {
    path ??= responsePath(call);
    if (!index.paths.has(`${path}.${name}`)) throw notReplayable(call.adapter, `${what} ${quote(name)}`);
    return Reflect.get(objectAt(path), name);
  };
  return {
    haveMethods: () => haveMethods,
    getter: (name) => () => member(name, "getter"),
    method: (name) => {
      haveMethods = true;
      return (...args) => {
        const method = member(name, "method");
        const response: unknown = typeof method === "function" ? Reflect.apply(method, undefined, args) : undefined;
        return response;
      };
    },
  };
}

/** Returns stubs for the methods of a stream's chunks, whose use isn't recorded. */
function refusedMembers(adapter: string): ResponseMembers {
  const refuse = (name: string) => (): never => {
    throw notReplayable(adapter, `member ${quote(name)}`);
  };
  return { getter: refuse, method: refuse };
}

function notReplayable(adapter: string, member: string): TypeError {
  return new TypeError(
    `The recorded run didn't use ${member} of the response of ${adapterName(adapter)}, so it can't be replayed. ` +
      "Record again, or read the data of the response.",
  );
}

function replayStream(call: AdapterCall, options: ReplayContext): unknown {
  const { response } = call;
  if (!isStreamResponse(response) || response.readable !== true) return replayChunks(call, options);
  const left = new AbortController();
  const signal = options.signal === undefined ? left.signal : AbortSignal.any([options.signal, left.signal]);
  const chunks = replayChunks(call, { ...options, signal });
  // A pipe reads ahead: only its cancel shows that it stopped where it did in the recorded run.
  const cancel = async (): Promise<IteratorResult<unknown, unknown>> => {
    left.abort();
    return chunks.return(undefined);
  };
  return readableOf({ [Symbol.asyncIterator]: () => ({ next: async () => chunks.next(), return: cancel }) });
}

async function* replayChunks(
  call: AdapterCall,
  { exhausted, signal, paths }: ReplayContext,
): AsyncGenerator<unknown, unknown, unknown> {
  const { response } = call;
  const end = injectedEnd(call);
  if (!isStreamResponse(response))
    throw new TypeError(`the recorded stream of ${adapterName(call.adapter)} has no chunks`);
  if (end !== undefined && call.returns === "stream") await applyInjectedEnd(end, signal, () => undefined);
  const path = paths.index.paths.hasUses(call.adapter) ? responsePath(call) : undefined;
  for (const [at, chunk] of response.chunks.entries()) {
    const decoded = decode(chunk, refusedMembers(call.adapter));
    yield path === undefined ? decoded : withUsedMembers(decoded, `${path}.${at}`, paths);
  }
  if (end?.kind === "breaks") throw end.error();
  const isCutOff = !response.done && !Object.hasOwn(call, "error");
  if (response.open === true) await untilStuck(signal);
  else if (signal !== undefined && (call.aborted === true || isCutOff))
    await untilAborted(signal, call.aborted === true);
  if (Object.hasOwn(call, "error")) throw recordedError(call, signal);
  if (!response.done && signal?.aborted === true) throw signal.reason;
  if (!response.done) throw exhausted(response.chunks.length);
  return decode(response.returned, refusedMembers(call.adapter));
}

/** Adds to a chunk the methods that the recorded run called. */
function withUsedMembers(chunk: unknown, path: string, { index, objectAt }: ResponsePaths): unknown {
  if (!isObject(chunk) || !index.paths.has(path)) return chunk;
  for (const key of index.paths.keysBelow(path)) {
    const get = (): unknown => Reflect.get(objectAt(path), key);
    Object.defineProperty(chunk, key, { get, configurable: true });
  }
  return chunk;
}

// Members that streams of provider SDKs have in addition to chunks. They can be replayed only if the recorded run used
// them.
const HELPERS = /^(?:final[A-Z]\w*|total[A-Z]\w*|abort|done|emitted|off|on|once|toReadableStream)$/;

/** Context to replay uses of responses. */
export interface ResponsePaths {
  readonly index: CallIndex;
  /** Returns the stub for a path. */
  readonly objectAt: (path: string) => object;
}

/**
 * Adds to a replayed response the methods that the recorded run used: `finalMessage()` of a stream, `withResponse()` of
 * a promise.
 */
function withRecordedMethods(response: unknown, call: AdapterCall, paths: ResponsePaths): unknown {
  if (response instanceof Promise) {
    // The response of a failed call isn't recorded: a step that requests it gets the same error.
    if (Object.hasOwn(call, "error") && hasResponseMethod(call)) return withMethod(response, async () => response);
    return paths.index.paths.hasUses(call.adapter) ? withPromiseMethods(response, responsePath(call), paths) : response;
  }
  return isPlainStream(response) ? withStreamMethods(response, responsePath(call), paths) : response;
}

/** Returns true for a failed call of a client whose promises have `withResponse`: a model's, or of OpenAI's SDK. */
function hasResponseMethod(call: AdapterCall): boolean {
  return isModelCall(call) || JSON.stringify(call.error).includes('"requestID"');
}

function isPlainStream(response: unknown): response is AsyncGenerator<unknown, unknown, unknown> {
  return isAsyncIterable(response) && "next" in response;
}

function withStreamMethods(
  source: AsyncGenerator<unknown, unknown, unknown>,
  path: string,
  { index, objectAt, controller = new AbortController() }: ResponsePaths & { readonly controller?: AbortController },
): unknown {
  const stream = abortingOnExit(source, controller);
  const read = (key: string | symbol): unknown => {
    if (typeof key === "symbol") return readBound(stream, key);
    if (key === "withResponse") return replayedWithResponse(path, { index, objectAt }, () => proxy);
    // A cursor has its own `next`.
    if (index.paths.has(joinPath(path, key))) return Reflect.get(objectAt(path), key);
    if (key in stream) return readBound(stream, key);
    if (HELPERS.test(key)) return Reflect.get(objectAt(path), key);
    if (key === "controller") return controller;
    if (key !== "tee") return undefined;
    return () => teeChunks(stream).map((branch) => withStreamMethods(branch, path, { index, objectAt, controller }));
  };
  const proxy = new Proxy<object>({}, mirrorTraps(stream, read));
  return proxy;
}

/** Streams of SDKs abort their request if the step leaves them before their end. */
async function* abortingOnExit(
  stream: AsyncGenerator<unknown, unknown, unknown>,
  controller: AbortController,
): AsyncGenerator<unknown, unknown, unknown> {
  let isDone = false;
  try {
    const returned = yield* stream;
    isDone = true;
    return returned;
  } finally {
    if (!isDone) controller.abort();
  }
}

function withPromiseMethods(promise: Promise<unknown>, path: string, paths: ResponsePaths): Promise<unknown> {
  const withResponse = replayedWithResponse(path, paths, () => promise);
  return withResponse === undefined ? promise : withMethod(promise, withResponse);
}

function withMethod(promise: Promise<unknown>, withResponse: () => Promise<unknown>): Promise<unknown> {
  return Object.defineProperty(promise, "withResponse", { value: withResponse, configurable: true });
}

/** Returns the `withResponse` of a promise or stream; undefined if the recorded run didn't use it. */
function replayedWithResponse(
  path: string,
  { index, objectAt }: ResponsePaths,
  data: () => unknown,
): (() => Promise<unknown>) | undefined {
  if (!index.paths.has(`${path}.withResponse`)) return undefined;
  return async () => {
    const recorded: unknown = Reflect.get(objectAt(path), "withResponse");
    const recordedResponse: unknown =
      typeof recorded === "function" ? await Reflect.apply(recorded, undefined, []) : undefined;
    const { request_id, status, headers } = isPlainObject(recordedResponse) ? recordedResponse : {};
    const response = new Response(null, {
      status: typeof status === "number" ? status : 200,
      headers: headerPairs(headers),
    });
    return { data: await data(), response, request_id: request_id ?? null };
  };
}
