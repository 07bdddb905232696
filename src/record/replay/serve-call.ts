import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { quote } from "../../kernel/text.ts";
import { type AdapterCall, adapterName, answerPath, isStreamResponse, joinPath } from "../adapter-call.ts";
import { isAsyncIterable, readableOf } from "../encode/builtins.ts";
import { type AnswerMembers, decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
import { mirrorTraps, readBound } from "../proxy/mirror.ts";
import { type RecordingOptions, recordingRules } from "../recording-rules.ts";
import type { TapeAnswers } from "../interceptors/tapes.ts";
import { CallIndex } from "./call-index.ts";
import { type RecordingMiss, RecordingMissError } from "./recording-miss.ts";
import { endStaged, signalIn, stagedEnd } from "./staged-end.ts";

/** What answering needs beside the call. */
interface ServeOptions {
  /** Makes the error for reading past a stream's chunks. */
  readonly exhausted: (chunks: number) => Error;
  readonly places: AnswerPlaces;
  /** What the caller may give up by. */
  readonly signal?: AbortSignal | undefined;
}

/** Recorded calls to answer from, what was asked for and not found among them noted in order. */
export interface ServedCalls extends TapeAnswers {
  readonly misses: readonly RecordingMiss[];
}

/** Takes recorded calls to answer from; `isScripted` tells which are given in their order, whatever is asked. */
export function answersFrom(
  calls: readonly AdapterCall[],
  options: RecordingOptions | undefined,
  isScripted?: (adapter: string) => boolean,
): ServedCalls {
  const rules = recordingRules(options);
  const misses: RecordingMiss[] = [];
  const miss = (missed: RecordingMiss): RecordingMissError => {
    misses.push(missed);
    return new RecordingMissError(missed);
  };
  return { index: new CallIndex(calls, rules, isScripted), rules, miss, misses };
}

/**
 * Answers what is asked past the tree of adapters: a tool, or a model, whose answers are data. Throws the miss where
 * nothing like it was recorded. `signal` is what the caller may give up by, where that is not among the arguments.
 */
export function serveRequest(
  adapter: string,
  args: readonly unknown[],
  { index, rules, miss, signal }: TapeAnswers & Pick<ServeOptions, "signal">,
): unknown {
  const request = rules.request(adapter, encode(args, { opaque: "omit" }));
  const call = index.take(adapter, request);
  if ("reason" in call) throw miss(call);
  const recorded = index.callsOf(adapter).length;
  const exhausted = (limit: number): Error =>
    miss({ adapter, request, reason: "stream_exhausted", nearest: call, recorded, limit });
  return serveCall(call, { exhausted, signal: signal ?? signalIn(args), places: { index, place: () => ({}) } });
}

/** Answers as the adapter did when the call was recorded. */
export function serveCall(call: AdapterCall, options: ServeOptions): unknown {
  const end = stagedEnd(call);
  // What is a stream at once ends so when it is read.
  if (end === undefined || end.kind === "breaks" || call.returns === "stream") return serveRecorded(call, options);
  if (end.kind === "throws" && call.returns === "value") throw end.error();
  const ended = endStaged(end, options.signal, () => serveRecorded(call, options));
  ended.catch(() => undefined);
  return withRecordedMethods(ended, call, options.places);
}

function serveRecorded(call: AdapterCall, options: ServeOptions): unknown {
  const { places } = options;
  const stream = (): unknown => withRecordedMethods(serveStream(call, options), call, places);
  switch (call.returns) {
    case "value":
    case "property":
      return settle(call, places);
    case "promise":
      return withRecordedMethods(
        promiseOf(() => settle(call, places)),
        call,
        places,
      );
    case "stream":
      return stream();
    case "promise-of-stream":
      return withRecordedMethods(promiseOf(stream), call, places);
  }
}

/** A promise of an answer. It never counts as unhandled: on replay it may reject earlier than the step looks at it. */
export function promiseOf(answer: () => unknown): Promise<unknown> {
  const answered = new Promise<unknown>((resolve) => resolve(answer()));
  answered.catch(() => undefined);
  return answered;
}

// Decoded at every use, so that a step that changes what it got cannot change what comes later.
function settle(call: AdapterCall, places: AnswerPlaces): unknown {
  if (Object.hasOwn(call, "error")) throw decode(call.error);
  return decode(call.response, servingMembers(call, places));
}

/**
 * The methods and getters of a recorded answer: those that the recorded run used answer again, the others say why
 * they cannot.
 */
function servingMembers(call: AdapterCall, { index, place }: AnswerPlaces): AnswerMembers {
  let path: string | undefined;
  const member = (name: string, what: string): unknown => {
    path ??= answerPath(call);
    if (!index.knows(`${path}.${name}`)) throw cannotServe(call.adapter, `${what} ${quote(name)}`);
    return Reflect.get(place(path), name);
  };
  return {
    getter: (name) => () => member(name, "getter"),
    method:
      (name) =>
      (...args) => {
        const method = member(name, "method");
        const answer: unknown = typeof method === "function" ? Reflect.apply(method, undefined, args) : undefined;
        return answer;
      },
  };
}

/** What stands for the methods of a stream's chunks, whose use is not recorded. */
function refusing(adapter: string): AnswerMembers {
  const refuse = (name: string) => (): never => {
    throw cannotServe(adapter, `member ${quote(name)}`);
  };
  return { getter: refuse, method: refuse };
}

function cannotServe(adapter: string, member: string): TypeError {
  return new TypeError(
    `The recorded answer of ${adapterName(adapter)} cannot serve its ${member}, ` +
      "which the recorded run did not use. Record again, or read the data.",
  );
}

function serveStream(call: AdapterCall, options: ServeOptions): unknown {
  const chunks = serveChunks(call, options);
  return isStreamResponse(call.response) && call.response.readable ? readableOf(chunks) : chunks;
}

async function* serveChunks(
  call: AdapterCall,
  { exhausted, signal }: ServeOptions,
): AsyncGenerator<unknown, unknown, unknown> {
  const { response } = call;
  const end = stagedEnd(call);
  if (!isStreamResponse(response))
    throw new TypeError(`the recorded stream of ${adapterName(call.adapter)} has no chunks`);
  if (end !== undefined && call.returns === "stream") await endStaged(end, signal, () => undefined);
  for (const chunk of response.chunks) yield decode(chunk, refusing(call.adapter));
  if (end?.kind === "breaks") throw end.error();
  if (Object.hasOwn(call, "error")) throw decode(call.error);
  if (!response.done) throw exhausted(response.chunks.length);
  return decode(response.returned, refusing(call.adapter));
}

// What the streams of provider SDKs offer beside their chunks. A recorded run that did not use one has no answer for
// it.
const HELPERS = /^(?:final[A-Z]\w*|total[A-Z]\w*|abort|controller|done|emitted|off|on|once|tee|toReadableStream)$/;

/** Where uses of answers are served from. */
export interface AnswerPlaces {
  readonly index: CallIndex;
  /** The stand-in for what stood at a path. */
  readonly place: (path: string) => object;
}

/**
 * Gives a served answer the methods that the recorded run used of it: `finalMessage()` of a stream, `withResponse()`
 * of a promise.
 */
function withRecordedMethods(answer: unknown, call: AdapterCall, places: AnswerPlaces): unknown {
  if (answer instanceof Promise)
    return places.index.knowsUses(call.adapter) ? withPromiseMethods(answer, answerPath(call), places) : answer;
  return isPlainStream(answer) ? withStreamMethods(answer, answerPath(call), places) : answer;
}

function isPlainStream(answer: unknown): answer is AsyncGenerator<unknown, unknown, unknown> {
  return isAsyncIterable(answer) && "next" in answer;
}

function withStreamMethods(
  stream: AsyncGenerator<unknown, unknown, unknown>,
  path: string,
  { index, place }: AnswerPlaces,
): unknown {
  const read = (key: string | symbol): unknown => {
    const isOwn = typeof key === "symbol" || key in stream;
    if (isOwn || !(index.knows(joinPath(path, key)) || HELPERS.test(key))) return readBound(stream, key);
    return Reflect.get(place(path), key);
  };
  return new Proxy<object>({}, mirrorTraps(stream, read));
}

function withPromiseMethods(promise: Promise<unknown>, path: string, { index, place }: AnswerPlaces): Promise<unknown> {
  if (!index.knows(`${path}.withResponse`)) return promise;
  const withResponse = async (): Promise<unknown> => {
    const recorded: unknown = Reflect.get(place(path), "withResponse");
    const about: unknown = typeof recorded === "function" ? await Reflect.apply(recorded, undefined, []) : undefined;
    const { request_id, status } = isPlainObject(about) ? about : {};
    const response = new Response(null, { status: typeof status === "number" ? status : 200 });
    return { data: await promise, response, request_id: request_id ?? null };
  };
  return Object.defineProperty(promise, "withResponse", { value: withResponse, configurable: true });
}
