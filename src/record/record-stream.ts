import type { CallTape } from "./call-tape.ts";
import { classTag } from "./encode-builtin.ts";
import { registerAnswerMirror } from "./adapter-proxy.ts";
import { mirrorTraps, readBound } from "./mirror-traps.ts";
import { inAdapter } from "./recording-scope.ts";
import { type RecordMember, recordAnswerUse } from "./record-answer.ts";
import type { StreamTape } from "./stream-tape.ts";
import { readableOf } from "./readable-of.ts";

type Source = AsyncIterator<unknown, unknown, unknown>;

/** Tells whether a value can be consumed with `for await`; ReadableStreams can. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown, unknown, unknown> {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return typeof Reflect.get(value, Symbol.asyncIterator) === "function";
}

/**
 * Records a stream chunk by chunk as the step consumes it. A ReadableStream becomes a real one (all its readers work);
 * anything else keeps its other members: calls of an SDK's `finalMessage()` and the like are recorded, too.
 */
export function recordStream(
  stream: AsyncIterable<unknown, unknown, unknown>,
  tape: CallTape,
  member: RecordMember,
): unknown {
  return classTag(stream) === "ReadableStream" ? recordReadable(stream, tape) : mirrorStream(stream, tape, member);
}

/** Records a ReadableStream; the answer is one, too. */
export function recordReadable(stream: AsyncIterable<unknown, unknown, unknown>, tape: CallTape): object {
  return readableOf(recordIteration(stream[Symbol.asyncIterator](), tape.streams(true)));
}

function mirrorStream(stream: AsyncIterable<unknown, unknown, unknown>, tape: CallTape, member: RecordMember): unknown {
  const streamTape = tape.streams(false);
  let first: { readonly source: Source; readonly iteration: Source } | undefined;
  const iterate = (): Source => {
    const source = stream[Symbol.asyncIterator]();
    if (first !== undefined && first.source !== source) streamTape.reopen();
    first ??= { source, iteration: recordIteration(source, streamTape) };
    return first.source === source ? first.iteration : source;
  };
  const isGenerator = "next" in stream;
  // Objects such as a controller are no data of the stream's.
  const isField = (key: string): boolean => typeof Reflect.get(stream, key) === "object" || !(key in stream);
  const read = (key: string | symbol): unknown => {
    if (key === Symbol.asyncIterator) return iterate;
    if (isGenerator && (key === "next" || key === "return" || key === "throw")) return readBound(iterate(), key);
    if (typeof key === "symbol" || isGenerator) return readBound(stream, key);
    return recordAnswerUse(stream, key, { tape, member, used: () => streamTape.used(), isField });
  };
  const mirror = new Proxy<object>({}, mirrorTraps(stream, read));
  registerAnswerMirror(mirror, stream);
  return mirror;
}

function recordIteration(source: Source, tape: StreamTape): AsyncIterableIterator<unknown, unknown, unknown> {
  return {
    next: (...args) => tape.follow(() => inAdapter(() => source.next(...args))),
    return: async (value) => {
      tape.close();
      return source.return === undefined
        ? { done: true, value: await value }
        : inAdapter(async () => source.return?.(value) ?? { done: true, value });
    },
    throw: (error: unknown) => tape.follow(() => inAdapter(() => throwInto(source, error))),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function throwInto(source: Source, error: unknown): Promise<IteratorResult<unknown, unknown>> {
  if (source.throw === undefined) throw error;
  return source.throw(error);
}
