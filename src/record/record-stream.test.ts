import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { expect, test } from "vitest";
import { recordAdapters } from "./record-adapters.ts";

async function* tokens(log: string[] = []): AsyncGenerator<string, string, undefined> {
  try {
    yield "a";
    yield "b";
    return "end";
  } finally {
    log.push("closed");
  }
}

async function collect(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test("records a stream chunk by chunk, with what it returns", async () => {
  const { adapters, calls, problems } = recordAdapters({ stream: (_prompt: string) => tokens() });
  expect(await collect(adapters.stream("p"))).toStrictEqual(["a", "b"]);
  expect(calls()).toStrictEqual([
    {
      adapter: "stream",
      occurrence: 0,
      returns: "stream",
      request: ["p"],
      response: { chunks: ["a", "b"], done: true, returned: "end" },
    },
  ]);
  expect(problems()).toStrictEqual([]);
});

test("an early break keeps what was read and closes the source", async () => {
  const log: string[] = [];
  const { adapters, calls, problems } = recordAdapters({ stream: () => tokens(log) });
  for await (const token of adapters.stream()) {
    expect(token).toBe("a");
    break;
  }
  expect(log).toStrictEqual(["closed"]);
  expect(calls()).toMatchObject([{ returns: "stream", response: { chunks: ["a"], done: false } }]);
  expect(problems()).toStrictEqual([]);
});

test("an error in mid-stream keeps the chunks and the error", async () => {
  const { adapters, calls } = recordAdapters({
    stream: async function* (): AsyncGenerator<number> {
      yield 1;
      throw new RangeError("cut");
    },
  });
  await expect(collect(adapters.stream())).rejects.toStrictEqual(new RangeError("cut"));
  expect(calls()).toMatchObject([
    {
      returns: "stream",
      response: { chunks: [1], done: false },
      error: { $t: "error", v: { class: "RangeError", message: "cut" } },
    },
  ]);
});

test("a promise of a stream is recorded as such, and its other members stay usable", async () => {
  const { adapters, calls } = recordAdapters({
    create: async () => ({
      model: "m",
      stop: () => "stopped",
      async *[Symbol.asyncIterator]() {
        yield 1;
      },
    }),
  });
  const stream = await adapters.create();
  expect([stream.model, stream.stop(), await collect(stream)]).toStrictEqual(["m", "stopped", [1]]);
  expect(calls()).toMatchObject([
    { adapter: "create", returns: "promise-of-stream", response: { chunks: [1], done: true } },
    { adapter: expect.stringMatching(/^create\([0-9a-f]{8}#0\)\.model$/), returns: "property", response: "m" },
    { adapter: expect.stringMatching(/^create\([0-9a-f]{8}#0\)\.stop$/), returns: "value", response: "stopped" },
  ]);
});

test("a generator can be driven by hand", async () => {
  const { adapters, calls } = recordAdapters({ stream: () => tokens() });
  const stream = adapters.stream();
  expect(await stream.next()).toStrictEqual({ done: false, value: "a" });
  expect(await stream.return("enough")).toStrictEqual({ done: true, value: "enough" });
  expect(await stream.next()).toStrictEqual({ done: true, value: undefined });
  expect(calls()).toMatchObject([{ response: { chunks: ["a"], done: false } }]);
});

test("a ReadableStream stays one, whatever reads it, and gives the source's chunks on demand", async () => {
  let pulled = 0;
  const { adapters, calls } = recordAdapters({
    download: () =>
      new ReadableStream<Uint8Array>(
        { pull: (controller) => controller.enqueue(new Uint8Array([(pulled += 1)])) },
        { highWaterMark: 0 },
      ),
  });
  const stream = adapters.download();
  expect(stream).toBeInstanceOf(ReadableStream);
  const reader = stream.getReader();
  expect(await reader.read()).toStrictEqual({ done: false, value: new Uint8Array([1]) });
  await reader.cancel();
  expect(pulled).toBe(1);
  expect(calls()).toStrictEqual([
    {
      adapter: "download",
      occurrence: 0,
      returns: "stream",
      request: [],
      response: { chunks: [{ $t: "bytes", v: { kind: "Uint8Array", base64: "AQ==" } }], done: false, readable: true },
    },
  ]);
});

test("a node stream is recorded as the step iterates it", async () => {
  const { adapters, calls } = recordAdapters({ open: () => Readable.from(["x", "y"]) });
  expect(await collect(adapters.open())).toStrictEqual(["x", "y"]);
  expect(calls()).toMatchObject([{ returns: "stream", response: { chunks: ["x", "y"], done: true } }]);
});

test("names streams that were not consumed, are still read, were read twice, hold no data or were left in the middle", async () => {
  const again = {
    async *[Symbol.asyncIterator](): AsyncGenerator<number> {
      yield 1;
    },
  };
  const { adapters, problems } = recordAdapters({
    ignored: () => tokens(),
    stuck: async function* (): AsyncGenerator<number> {
      await new Promise(() => {});
      yield 1;
    },
    twice: () => again,
    odd: async function* () {
      yield { parse: Symbol("p") };
    },
    left: () => tokens(),
  });
  adapters.ignored();
  void adapters.stuck().next();
  const twice = adapters.twice();
  expect([await collect(twice), await collect(twice)]).toStrictEqual([[1], [1]]);
  expect(await collect(adapters.odd())).toHaveLength(1);
  await adapters.left().next();
  expect(problems()).toStrictEqual([
    'adapter "ignored" returned a stream that was never consumed',
    'adapter "stuck" returned a stream that was still being read when the recording was taken',
    'adapter "twice" returned a stream that was iterated more than once',
    'adapter "odd" returned a stream that cannot be recorded: cannot record a symbol at "parse"',
    'adapter "left" returned a stream that was not read to its end; read it whole, or leave its loop by break',
  ]);
});
