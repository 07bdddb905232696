import { isPlainObject } from "../base/plain-data.ts";
import { type AdapterCall, answerPath } from "./adapter-call.ts";
import { joinPath } from "./adapter-name.ts";
import type { CallIndex } from "./call-index.ts";
import { isAsyncIterable } from "./record-stream.ts";
import { mirrorTraps, readBound } from "./mirror-traps.ts";

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
export function withRecordedMethods(answer: unknown, call: AdapterCall, places: AnswerPlaces): unknown {
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
