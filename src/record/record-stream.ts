import type { CallTape } from "./call-tape.ts";
import { classTag } from "./encode-builtin.ts";
import { mirrorTraps, readBound } from "./mirror-traps.ts";
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
 * anything else keeps its other members, whose use is not recorded.
 */
export function recordStream(stream: AsyncIterable<unknown, unknown, unknown>, tape: CallTape): unknown {
  if (classTag(stream) !== "ReadableStream") return mirrorStream(stream, tape.streams(false));
  return readableOf(recordIteration(stream[Symbol.asyncIterator](), tape.streams(true)));
}

function mirrorStream(stream: AsyncIterable<unknown, unknown, unknown>, tape: StreamTape): unknown {
  let first: { readonly source: Source; readonly iteration: Source } | undefined;
  const iterate = (): Source => {
    const source = stream[Symbol.asyncIterator]();
    if (first !== undefined && first.source !== source) tape.reopen();
    first ??= { source, iteration: recordIteration(source, tape) };
    return first.source === source ? first.iteration : source;
  };
  const isGenerator = "next" in stream;
  const read = (key: string | symbol): unknown => {
    if (key === Symbol.asyncIterator) return iterate;
    const member = isGenerator && (key === "next" || key === "return" || key === "throw");
    return readBound(member ? iterate() : stream, key);
  };
  return new Proxy<object>({}, mirrorTraps(stream, read));
}

function recordIteration(source: Source, tape: StreamTape): AsyncIterableIterator<unknown, unknown, unknown> {
  return {
    next: (...args) => tape.follow(() => source.next(...args)),
    return: async (value) => {
      tape.close();
      return source.return === undefined ? { done: true, value: await value } : source.return(value);
    },
    throw: (error: unknown) => tape.follow(() => throwInto(source, error)),
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

async function throwInto(source: Source, error: unknown): Promise<IteratorResult<unknown, unknown>> {
  if (source.throw === undefined) throw error;
  return source.throw(error);
}
