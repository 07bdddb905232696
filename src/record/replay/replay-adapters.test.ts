import { ReadableStream } from "node:stream/web";
import { afterEach, expect, test, vi } from "vitest";
import type { AdapterCall } from "../adapter-call.ts";
import { encode } from "../encode/encode.ts";
import { recordAdapters } from "../proxy/record-adapters.ts";
import { type ReplaySource, registerRecorder } from "../interceptors/recorders.ts";
import { UnrecordedRequestError } from "./unrecorded-request.ts";
import { CallReplayer, replayAdapters } from "./replay-adapters.ts";

interface Adapters {
  readonly llm: {
    readonly model: string;
    complete(prompt: string): Promise<{ text: string[] }>;
    stream(prompt: string): AsyncGenerator<number, string>;
    open(): Promise<AsyncIterable<number>>;
  };
  download(): ReadableStream<string>;
  parse(request: unknown): unknown;
}

function isAdapters(value: object): value is Adapters & object {
  return "llm" in value || "parse" in value;
}

function serve(
  ...calls: readonly Partial<AdapterCall>[]
): ReturnType<typeof replayAdapters> & { readonly adapters: Adapters } {
  const whole = calls.map(
    (call): AdapterCall => ({ adapter: "parse", occurrence: 0, returns: "value", request: [], ...call }),
  );
  const server = replayAdapters(whole);
  if (!isAdapters(server.adapters)) throw new Error("nothing recorded");
  return { ...server, adapters: server.adapters };
}

const hello = { adapter: "llm.complete", returns: "promise", request: ["hello"], response: { text: ["hi"] } } as const;

test("returns recorded results: sync, by promise, thrown, rejected", async () => {
  const error = encode(Object.assign(new RangeError("no"), { code: "E", status: 400 }));
  const { adapters, unrecorded, uncalled } = serve(
    hello,
    { ...hello, request: ["bad"], response: undefined, error },
    { request: ["1"], response: { $t: "date", v: "1970-01-01T00:00:00.000Z" } },
    { request: ["{"], error },
  );
  expect(await adapters.llm.complete("hello")).toStrictEqual({ text: ["hi"] });
  expect(adapters.parse("1")).toStrictEqual(new Date(0));
  const restored = Object.assign(new RangeError("no"), { code: "E", status: 400 });
  expect(() => adapters.parse("{")).toThrow(restored);
  await expect(adapters.llm.complete("bad")).rejects.toStrictEqual(restored);
  expect([unrecorded(), uncalled()]).toStrictEqual([[], []]);
});

test("pairs equal requests in order of occurrence, and different ones in any order", async () => {
  const { adapters } = serve(
    { ...hello, occurrence: 1, response: "second" },
    { ...hello, request: ["bye"], response: "other" },
    { ...hello, response: "first" },
  );
  const answers = [adapters.llm.complete("bye"), adapters.llm.complete("hello"), adapters.llm.complete("hello")];
  expect(await Promise.all(answers)).toStrictEqual(["other", "first", "second"]);
});

test("a step that changes a response doesn't change later ones", async () => {
  const { adapters } = serve(hello, { ...hello, occurrence: 1 });
  (await adapters.llm.complete("hello")).text.push("changed");
  expect(await adapters.llm.complete("hello")).toStrictEqual({ text: ["hi"] });
});

test("replays streams chunk by chunk, with their end, their error and their promise", async () => {
  const stream = { adapter: "llm.stream", returns: "stream" } as const;
  const { adapters } = serve(
    { ...stream, request: ["whole"], response: { chunks: [1, 2], done: true, returned: "end" } },
    { ...stream, request: ["cut"], response: { chunks: [1], done: false }, error: encode(new TypeError("cut")) },
    { adapter: "llm.open", returns: "promise-of-stream", response: { chunks: [3], done: true } },
  );
  const whole = adapters.llm.stream("whole");
  expect([await whole.next(), await whole.next(), await whole.next()]).toStrictEqual([
    { done: false, value: 1 },
    { done: false, value: 2 },
    { done: true, value: "end" },
  ]);
  const cut = adapters.llm.stream("cut");
  expect(await cut.next()).toStrictEqual({ done: false, value: 1 });
  await expect(cut.next()).rejects.toStrictEqual(new TypeError("cut"));
  for await (const chunk of await adapters.llm.open()) expect(chunk).toBe(3);
});

test("reading on after the end of the recorded run is an unrecorded request", async () => {
  const { adapters, unrecorded } = serve({
    adapter: "llm.stream",
    returns: "stream",
    request: ["p"],
    response: { chunks: [1, 2], done: false },
  });
  for await (const chunk of adapters.llm.stream("p")) if (chunk === 2) break;
  expect(unrecorded()).toStrictEqual([]);
  const repeated = serve({
    adapter: "llm.stream",
    returns: "stream",
    request: ["p"],
    response: { chunks: [1], done: false },
  });
  const stream = repeated.adapters.llm.stream("p");
  await stream.next();
  await expect(stream.next()).rejects.toThrow(
    'The recorded stream of adapter "llm.stream" has no more chunks (1 recorded), because the recorded run stopped reading there.',
  );
  expect(repeated.unrecorded()).toMatchObject([
    { adapter: "llm.stream", reason: "stream_exhausted", recorded: 1, limit: 1 },
  ]);
});

test("replays a ReadableStream as one", async () => {
  const { adapters } = serve(
    { adapter: "download", returns: "stream", response: { chunks: ["a"], done: true, readable: true } },
    hello,
  );
  const stream = adapters.download();
  expect(stream).toBeInstanceOf(ReadableStream);
  const reader = stream.getReader();
  expect([await reader.read(), await reader.read()]).toStrictEqual([
    { done: false, value: "a" },
    { done: true, value: undefined },
  ]);
});

test("rejects an unknown request with the nearest call, preferably one not replayed yet", async () => {
  const { adapters, unrecorded, uncalled } = serve(hello, { ...hello, request: ["something else", { deep: 1 }] });
  await adapters.llm.complete("hello");
  const missed = adapters.llm.complete("hello!");
  await expect(missed).rejects.toBeInstanceOf(UnrecordedRequestError);
  await expect(missed).rejects.toMatchObject({
    _tag: "UnrecordedRequest",
    name: "UnrecordedRequestError",
    message: 'No recorded call of adapter "llm.complete" matches this request (2 recorded).',
  });
  expect(unrecorded()).toStrictEqual([
    { adapter: "llm.complete", request: ["hello!"], reason: "unknown_request", nearest: uncalled()[0], recorded: 2 },
  ]);
});

test("takes the call with the fewest differences as the nearest one", () => {
  const far = { request: [{ model: "a", prompt: "x", seed: 1 }], response: 1 };
  const near = { request: [{ model: "b", prompt: "y", seed: 1 }], response: 2 };
  const { adapters, unrecorded } = serve(far, near);
  expect(() => adapters.parse({ model: "b", prompt: "y", seed: 2 })).toThrow(UnrecordedRequestError);
  expect(unrecorded()[0]?.nearest).toMatchObject(near);
});

test("reports a repeat beyond the recorded ones as such", () => {
  const { adapters } = serve({ request: ["1"], response: 1 });
  adapters.parse("1");
  expect(() => adapters.parse("1")).toThrow(
    'The step sent this request to adapter "parse" more often than in the recording (once).',
  );
});

test("an unknown adapter is a function that throws when it is called", () => {
  const { adapters, unrecorded } = serve(hello);
  expect(typeof Reflect.get(adapters.llm, "embed")).toBe("function");
  expect(unrecorded()).toStrictEqual([]);
  expect(() => adapters.parse("1")).toThrow(
    new UnrecordedRequestError({ adapter: "parse", request: ["1"], reason: "unknown_adapter", recorded: 0 }),
  );
  expect(unrecorded()).toStrictEqual([{ adapter: "parse", request: ["1"], reason: "unknown_adapter", recorded: 0 }]);
});

test("replays properties, each value until the read of another one", () => {
  const model = { adapter: "llm.model", returns: "property" } as const;
  const { adapters } = serve({ ...model, response: "a" }, { ...model, occurrence: 2, response: "b" });
  expect([adapters.llm.model, adapters.llm.model, adapters.llm.model, adapters.llm.model]).toStrictEqual([
    "a",
    "a",
    "b",
    "b",
  ]);
});

test("has the shape of the recorded adapters, without then", async () => {
  const { adapters } = serve(hello, { adapter: "llm.model", returns: "property", response: "m" });
  expect([typeof adapters, typeof adapters.llm, typeof Reflect.get(adapters.llm, "complete")]).toStrictEqual([
    "object",
    "object",
    "function",
  ]);
  expect(["complete" in adapters.llm, "embed" in adapters.llm, "then" in adapters]).toStrictEqual([true, false, false]);
  expect({ ...adapters.llm }).toStrictEqual({ complete: Reflect.get(adapters.llm, "complete"), model: "m" });
  expect(await Promise.resolve(adapters)).toBe(adapters);
  expect([Object.prototype.toString.call(adapters), adapters.llm === adapters.llm]).toStrictEqual([
    "[object Object]",
    true,
  ]);
});

function askKeys(tools: object): unknown {
  return ["search" in tools, "paint" in tools, Object.keys(tools), Object.keys({ ...tools })];
}

test("returns recorded results of checks of keys", () => {
  const recorder = recordAdapters({ search: () => 1, browse: () => 2 });
  const asked = askKeys(recorder.adapters);
  expect(asked).toStrictEqual([true, false, ["search", "browse"], ["search", "browse"]]);
  expect(askKeys(replayAdapters(recorder.calls()).adapters)).toStrictEqual(asked);
});

test("a step can write properties, without changing a response", () => {
  const { adapters } = serve({ adapter: "llm.model", returns: "property", response: "m" });
  expect(Reflect.set(adapters.llm, "model", "other")).toBe(true);
  expect(adapters.llm.model).toBe("m");
});

const CALLS: readonly AdapterCall[] = [
  { adapter: "llm.complete", occurrence: 1, returns: "value", request: ["b"], response: 2 },
  { adapter: "llm.complete", occurrence: 0, returns: "value", request: ["a"], response: 1 },
  { adapter: "llm.model", occurrence: 0, returns: "property", request: [], response: "m" },
];

afterEach(() => vi.unstubAllEnvs());

function ask(adapters: object, text: string): unknown {
  const llm: unknown = Reflect.get(adapters, "llm");
  const complete: unknown = typeof llm === "object" && llm !== null ? Reflect.get(llm, "complete") : undefined;
  return typeof complete === "function" ? Reflect.apply(complete, llm, [text]) : undefined;
}

test("is empty before the first call, with all calls uncalled in order", async () => {
  const server = new CallReplayer(CALLS);
  expect([server.replayed(), server.unrecorded(), server.uncalled()]).toStrictEqual([0, [], CALLS]);
  expect(server.uncalled()).not.toBe(CALLS);
  expect(await server.runInScope(() => "run")).toBe("run");
  expect([server.replayed(), server.unrecorded(), server.uncalled()]).toStrictEqual([0, [], CALLS]);
});

test("a lazy replayer behaves like one made at once", () => {
  const late = new CallReplayer(CALLS);
  const early = replayAdapters(CALLS);
  for (const text of ["a", "c", "b"]) {
    const answers = [late.adapters, early.adapters].map((adapters) => {
      try {
        return ask(adapters, text);
      } catch (thrown) {
        return String(thrown);
      }
    });
    expect(answers[0]).toStrictEqual(answers[1]);
    expect([late.replayed(), late.unrecorded(), late.uncalled()]).toStrictEqual([
      early.replayed(),
      early.unrecorded(),
      early.uncalled(),
    ]);
  }
  expect(late.replayed()).toBe(2);
  expect(late.unrecorded().map(({ reason }) => reason)).toStrictEqual(["unknown_request"]);
});

test("returns the same adapters each time", () => {
  const server = new CallReplayer(CALLS);
  expect(server.adapters).toBe(server.adapters);
});

test("the project's settings are read when adapters are requested, and then what is wrong with them is thrown", () => {
  vi.stubEnv("VERITEST_REDACTION", "no JSON");
  const server = new CallReplayer(CALLS);
  expect(server.uncalled()).toStrictEqual(CALLS);
  expect(() => server.adapters).toThrow(SyntaxError);
  expect(() => replayAdapters(CALLS)).toThrow(SyntaxError);
});

test("a recorder answers from the same calls as the adapters", async () => {
  const served: ReplaySource[] = [];
  const remove = registerRecorder("call-server-test", {
    record: () => ({ handlers: {} }),
    replay: (from) => (served.push(from), { handlers: {} }),
  });
  try {
    const server = new CallReplayer(CALLS);
    await server.runInScope(() => ask(server.adapters, "a"));
    expect(served).toHaveLength(1);
    expect(served[0]?.index.uncalled()).toStrictEqual(server.uncalled());
    served[0]?.onUnrecorded({ adapter: "fetch", request: [], reason: "unknown_adapter", recorded: 0 });
    expect(server.unrecorded()).toStrictEqual([
      { adapter: "fetch", request: [], reason: "unknown_adapter", recorded: 0 },
    ]);
  } finally {
    remove();
  }
});
