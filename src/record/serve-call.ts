import { quote } from "../base/text.ts";
import { type AdapterCall, answerPath, isStreamResponse } from "./adapter-call.ts";
import { adapterName } from "./adapter-name.ts";
import { type AnswerMembers, decode } from "./decode.ts";
import { readableOf } from "./readable-of.ts";
import { type AnswerPlaces, withRecordedMethods } from "./served-answer.ts";

/** What answering needs beside the call. */
export interface ServeOptions {
  /** Makes the error for reading past a stream's chunks. */
  readonly exhausted: (chunks: number) => Error;
  readonly places: AnswerPlaces;
}

/** Answers as the adapter did when the call was recorded. */
export function serveCall(call: AdapterCall, { exhausted, places }: ServeOptions): unknown {
  const stream = (): unknown => withRecordedMethods(serveStream(call, exhausted), call, places);
  switch (call.returns) {
    case "value":
    case "property":
      return settle(call, places);
    case "promise":
      return withRecordedMethods(
        promise(() => settle(call, places)),
        call,
        places,
      );
    case "stream":
      return stream();
    case "promise-of-stream":
      return withRecordedMethods(promise(stream), call, places);
  }
}

/** A promise of an answer. It never counts as unhandled: on replay it may reject earlier than the step looks at it. */
export function promise(answer: () => unknown): Promise<unknown> {
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
    `The recorded answer of ${adapterName(adapter)} cannot serve its ${member}, which the recorded run did not use. Record again, or read the data.`,
  );
}

function serveStream(call: AdapterCall, exhausted: (chunks: number) => Error): unknown {
  const chunks = serveChunks(call, exhausted);
  return isStreamResponse(call.response) && call.response.readable ? readableOf(chunks) : chunks;
}

async function* serveChunks(
  call: AdapterCall,
  exhausted: (chunks: number) => Error,
): AsyncGenerator<unknown, unknown, unknown> {
  const { response } = call;
  if (!isStreamResponse(response))
    throw new TypeError(`the recorded stream of ${adapterName(call.adapter)} has no chunks`);
  for (const chunk of response.chunks) yield decode(chunk, refusing(call.adapter));
  if (Object.hasOwn(call, "error")) throw decode(call.error);
  if (!response.done) throw exhausted(response.chunks.length);
  return decode(response.returned, refusing(call.adapter));
}
