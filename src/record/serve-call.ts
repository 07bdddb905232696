import { type AdapterCall, isStreamResponse } from "./adapter-call.ts";
import { adapterName } from "./adapter-name.ts";
import { decode } from "./decode.ts";
import { readableOf } from "./readable-of.ts";

/** Answers as the adapter did when the call was recorded. `exhausted` makes the error for reading past a stream's chunks. */
export function serveCall(call: AdapterCall, exhausted: (chunks: number) => Error): unknown {
  switch (call.returns) {
    case "value":
    case "property":
      return settle(call);
    case "promise":
      return promise(() => settle(call));
    case "stream":
      return serveStream(call, exhausted);
    case "promise-of-stream":
      return promise(() => serveStream(call, exhausted));
  }
}

/** A promise of an answer. It never counts as unhandled: on replay it may reject earlier than the step looks at it. */
export function promise(answer: () => unknown): Promise<unknown> {
  const answered = new Promise<unknown>((resolve) => resolve(answer()));
  answered.catch(() => undefined);
  return answered;
}

// Decoded at every use, so that a step that changes what it got cannot change what comes later.
function settle(call: AdapterCall): unknown {
  if (Object.hasOwn(call, "error")) throw decode(call.error);
  return decode(call.response);
}

function serveStream(call: AdapterCall, exhausted: (chunks: number) => Error): unknown {
  const chunks = serveChunks(call, exhausted);
  return isStreamResponse(call.response) && call.response.readable ? readableOf(chunks) : chunks;
}

async function* serveChunks(call: AdapterCall, exhausted: (chunks: number) => Error): AsyncGenerator<unknown, unknown, unknown> {
  const { response } = call;
  if (!isStreamResponse(response)) throw new TypeError(`the recorded stream of ${adapterName(call.adapter)} has no chunks`);
  for (const chunk of response.chunks) yield decode(chunk);
  if (Object.hasOwn(call, "error")) throw decode(call.error);
  if (!response.done) throw exhausted(response.chunks.length);
  return decode(response.returned);
}
