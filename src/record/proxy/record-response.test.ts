import { Readable } from "node:stream";
import { ReadableStream } from "node:stream/web";
import { expect, test } from "vitest";
import type { AdapterCall } from "../adapter-call.ts";
import { replayAdapters } from "../replay/replay-adapters.ts";
import { recordAdapters } from "./record-adapters.ts";

class Answer {
  readonly #parts = ["a", "b"];
  readonly id = 7;
  get text(): string {
    return this.#parts.join("");
  }
  get broken(): string {
    throw new Error("not now");
  }
  words(): readonly string[] {
    return this.#parts;
  }
  more(): number {
    return this.#parts.length;
  }
}

class Late {
  get result(): Promise<number> {
    return Promise.resolve(1);
  }
}

class Stream {
  readonly name = "stream";
  readonly #chunks: readonly string[];
  constructor(chunks: readonly string[]) {
    this.#chunks = chunks;
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    yield* this.#chunks;
  }
  async finalText(): Promise<string> {
    return this.#chunks.join("");
  }
  on(_event: string, listener: (chunk: string) => void): this {
    for (const chunk of this.#chunks) listener(chunk);
    return this;
  }
}

interface Adapters {
  ask(): Promise<Answer>;
  plain(): {
    readonly data: number;
    readonly again?: () => number;
    readonly deep: readonly { readonly call: () => number }[];
  };
  stream(text: string): Stream;
}

const live = (): Adapters => ({
  ask: async () => new Answer(),
  plain: () => ({ data: 1, again: () => 2, deep: [{ call: () => 3 }] }),
  stream: (text) => new Stream(text.split("")),
});

function isAdapters(adapters: object): adapters is Adapters {
  return "ask" in adapters || "plain" in adapters || "stream" in adapters;
}

function serve(calls: readonly AdapterCall[]): ReturnType<typeof replayAdapters> & { readonly adapters: Adapters } {
  const server = replayAdapters(JSON.parse(JSON.stringify(calls)));
  if (!isAdapters(server.adapters)) throw new Error("nothing recorded");
  return { ...server, adapters: server.adapters };
}

test("an instance keeps its fields, the getters that were read and the results of methods", async () => {
  const recorder = recordAdapters(live());
  const answer = await recorder.adapters.ask();
  expect([answer instanceof Answer, answer.id, answer.text, answer.words()]).toStrictEqual([true, 7, "ab", ["a", "b"]]);
  expect(recorder.problems()).toStrictEqual([]);
  expect(recorder.calls()).toStrictEqual([
    {
      adapter: "ask",
      occurrence: 0,
      returns: "promise",
      request: [],
      response: { $t: "instance", v: { fields: { id: 7 }, getters: ["broken", "text"], methods: ["more", "words"] } },
    },
    {
      adapter: expect.stringMatching(/^ask\([0-9a-f]{8}#0\)\.text$/),
      occurrence: 0,
      returns: "property",
      request: [],
      response: "ab",
    },
    {
      adapter: expect.stringMatching(/^ask\([0-9a-f]{8}#0\)\.words$/),
      occurrence: 0,
      returns: "value",
      request: [],
      response: ["a", "b"],
    },
  ]);
  const served = await serve(recorder.calls()).adapters.ask();
  expect([served.id, served.text, JSON.stringify(served), Object.keys(served), served.words()]).toStrictEqual([
    7,
    "ab",
    '{"id":7}',
    ["id"],
    ["a", "b"],
  ]);
  expect(() => served.more()).toThrow(
    new TypeError(
      'The recorded run didn\'t use method "more" of the response of adapter "ask", so it can\'t be replayed. Record again, or read the data of the response.',
    ),
  );
});

test("reports a getter that wasn't read, or didn't return data", async () => {
  const recorder = recordAdapters({ ...live(), late: () => new Late() });
  await recorder.adapters.ask();
  await recorder.adapters.late().result;
  expect(recorder.problems()).toStrictEqual([
    expect.stringMatching(
      /^adapter "late\([0-9a-f]{8}#0\)\.result" has a value that can't be recorded: cannot record a Promise$/,
    ),
  ]);
  const served = await serve(recorder.calls()).adapters.ask();
  expect(() => served.text).toThrow(
    new TypeError(
      'The recorded run didn\'t use getter "text" of the response of adapter "ask", so it can\'t be replayed. Record again, or read the data of the response.',
    ),
  );
});

test("chunks of a stream keep values of getters, but their methods can't be replayed", async () => {
  const use = async (adapters: { readonly parts: () => AsyncIterable<Answer> }): Promise<Answer[]> => {
    const parts: Answer[] = [];
    for await (const part of adapters.parts()) parts.push(part);
    return parts;
  };
  const recorder = recordAdapters({
    async *parts() {
      yield new Answer();
    },
  });
  await use(recorder.adapters);
  expect(recorder.problems()).toStrictEqual([]);
  const { adapters } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  const [part] = hasParts(adapters) ? await use(adapters) : [];
  expect([part?.id, part?.text]).toStrictEqual([7, "ab"]);
  expect(() => part?.words()).toThrow('The recorded run didn\'t use member "words" of the response of adapter "parts"');
});

test("methods of chunks that the recorded run called can be replayed", async () => {
  const use = async (adapters: { readonly parts: () => AsyncIterable<Answer> }): Promise<unknown> => {
    const words: unknown[] = [];
    for await (const part of adapters.parts()) words.push(part.id, part.words(), words.length === 2 ? part.more() : 0);
    return words;
  };
  const parts = async function* (): AsyncGenerator<Answer> {
    yield new Answer();
    yield new Answer();
  };
  for (const source of [parts, (): AsyncIterable<Answer> => ReadableStream.from(parts())]) {
    const recorder = recordAdapters({ parts: source });
    const live = await use(recorder.adapters);
    expect(recorder.problems()).toStrictEqual([]);
    const { adapters, uncalled } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
    expect(hasParts(adapters) && (await use(adapters))).toStrictEqual(live);
    expect(uncalled()).toStrictEqual([]);
  }
});

test("functions in the fields and getters of chunks can be replayed, and chunks of data are the stream's own", async () => {
  class Page {
    readonly items: readonly number[];
    readonly more: () => Promise<string>;
    constructor(item: number) {
      this.items = [item];
      this.more = async () => `more of ${item}`;
    }
    get size(): number {
      return this.items.length;
    }
  }
  class Lines {
    get each(): () => string {
      return () => "a line";
    }
  }
  class Text {
    readonly text = "ab";
    get length(): number {
      return this.text.length;
    }
  }
  interface Streams {
    readonly pages: () => AsyncIterable<Page>;
    readonly lines: () => AsyncIterable<Lines>;
    readonly texts: () => AsyncIterable<Text>;
  }
  const use = async (adapters: Streams): Promise<unknown> => {
    const results: unknown[] = [];
    for await (const page of adapters.pages()) results.push(page.size, await page.more());
    for await (const line of adapters.lines()) results.push(line.each());
    for await (const text of adapters.texts()) results.push(text.length, structuredClone(text));
    return results;
  };
  const streams: Streams = {
    async *pages() {
      yield new Page(1);
      yield new Page(2);
    },
    async *lines() {
      yield new Lines();
    },
    async *texts() {
      yield new Text();
    },
  };
  const recorder = recordAdapters(streams);
  const live = await use(recorder.adapters);
  expect(recorder.problems()).toStrictEqual([]);
  const { adapters } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  expect(await Reflect.apply(use, undefined, [adapters])).toStrictEqual(live);
  expect(live).toStrictEqual([1, "more of 1", 1, "more of 2", "a line", 2, { text: "ab" }]);
});

test("an adapter that is a function and has methods lists only these", async () => {
  const ask = Object.assign(async (text: string) => text, { shout: async (text: string) => text.toUpperCase() });
  const recorder = recordAdapters(ask);
  await recorder.adapters("a");
  await recorder.adapters.shout("a");
  const { adapters } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  expect(Object.keys(adapters)).toStrictEqual(["shout"]);
});

test("a copy of a client can't be recorded: its calls would be those of the client", async () => {
  class Crm {
    readonly orders: { readonly client: Crm; readonly list: () => string } = { client: this, list: () => "orders" };
    as(_user: string): Crm {
      return new Crm();
    }
  }
  const recorder = recordAdapters({ crm: new Crm() });
  expect(recorder.adapters.crm.as("ada").orders.list()).toBe("orders");
  expect(recorder.problems()).toHaveLength(1);
  expect(recorder.problems()[0]).toMatch(
    /^adapter "crm\.as" returned a value that can't be recorded: cannot record a cycle at .*\. If it's a client, create or connect it before the step runs, and pass it as a separate adapter$/,
  );
});

test("a value of the client's own class that is data is recorded as a response with its methods", () => {
  class Money {
    readonly cents: number;
    constructor(cents: number) {
      this.cents = cents;
    }
    plus(cents: number): Money {
      return new Money(this.cents + cents);
    }
  }
  const recorder = recordAdapters({ money: new Money(1) });
  const [two, three] = [recorder.adapters.money.plus(1), recorder.adapters.money.plus(2)];
  expect([two.plus(1).cents, three.plus(1).cents]).toStrictEqual([3, 4]);
  expect(recorder.calls()).toHaveLength(4);
  expect(new Set(recorder.calls().map(({ adapter }) => adapter)).size).toBe(3);
});

test("a function in a response replays if it was called; others, and nested ones, report that they can't", () => {
  const recorder = recordAdapters(live());
  const { data, again, deep } = recorder.adapters.plain();
  expect([data, again?.(), deep[0]?.call()]).toStrictEqual([1, 2, 3]);
  expect(recorder.calls()[0]).toMatchObject({ response: { data: 1, again: { $t: "omitted", v: "function" } } });
  const served = serve(recorder.calls()).adapters.plain();
  expect([served.data, served.again?.()]).toStrictEqual([1, 2]);
  expect(() => served.deep[0]?.call()).toThrow(
    'The recorded run didn\'t use method "deep[0].call" of the response of adapter "plain"',
  );
});

test("replays a Response with its status and body, and passes it to adapters as itself", async () => {
  const use = async (adapters: {
    readonly get: (path: string) => Promise<Response>;
    readonly size: (response: Response) => number;
  }): Promise<unknown> => {
    const [first, second] = await Promise.all([adapters.get("a"), adapters.get("b")]);
    return [first.status, await second.json(), await first.json(), adapters.size(first)];
  };
  const recorder = recordAdapters({
    get: async (path: string) => Response.json({ path }, { status: 201 }),
    size: (response: Response) => (response.bodyUsed && response instanceof Response ? 1 : 0),
  });
  const seen = await use(recorder.adapters);
  expect(seen).toStrictEqual([201, { path: "b" }, { path: "a" }, 1]);
  expect(recorder.problems()).toStrictEqual([]);
  const { adapters } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  expect(hasGet(adapters) && (await use({ get: adapters.get, size: () => 1 }))).toStrictEqual(seen);
});

test("a response with methods that is passed to an adapter is recorded as its data", async () => {
  const use = async (adapters: { ask: () => Promise<Answer>; rate: (answer: Answer) => number }): Promise<number> =>
    adapters.rate(await adapters.ask());
  const recorder = recordAdapters({ ...live(), rate: (answer: Answer) => answer.words().length });
  expect(await use(recorder.adapters)).toBe(2);
  const calls = recorder.calls();
  expect(calls.at(-1)).toStrictEqual({
    adapter: "rate",
    occurrence: 0,
    returns: "value",
    request: [{ id: 7 }],
    response: 2,
  });
  const { adapters } = replayAdapters(JSON.parse(JSON.stringify(calls)));
  expect(hasRate(adapters) && (await use(adapters))).toBe(2);
});

function hasGet(adapters: object): adapters is { get: (path: string) => Promise<Response> } {
  return "get" in adapters;
}

function hasParts(adapters: object): adapters is { readonly parts: () => AsyncIterable<Answer> } {
  return "parts" in adapters;
}

function hasRate(adapters: object): adapters is { ask: () => Promise<Answer>; rate: (answer: Answer) => number } {
  return "rate" in adapters;
}

async function collect(stream: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += chunk;
  return text;
}

test("replays methods of streams with the call that they belong to", async () => {
  const use = async (adapters: Adapters): Promise<unknown> => {
    const [first, second] = [adapters.stream("ab"), adapters.stream("cd")];
    const late = await second.finalText();
    return [await collect(first), await first.finalText(), late];
  };
  const recorder = recordAdapters(live());
  const seen = await use(recorder.adapters);
  expect(seen).toStrictEqual(["ab", "ab", "cd"]);
  expect(recorder.problems()).toStrictEqual([]);
  const server = serve(recorder.calls());
  expect(await use(server.adapters)).toStrictEqual(seen);
  expect([server.unrecorded(), server.uncalled(), Object.keys(server.adapters)]).toStrictEqual([[], [], ["stream"]]);
});

test("a stream's method that wasn't recorded is an unrecorded request with its name", async () => {
  const recorder = recordAdapters(live());
  await collect(recorder.adapters.stream("ab"));
  const served = serve(recorder.calls()).adapters.stream("ab");
  expect(() => void served.finalText()).toThrow(
    /^No call of adapter "stream\([0-9a-f]{8}#0\)\.finalText" was recorded\.$/,
  );
  expect(Reflect.get(served, "getReader")).toBe(undefined);
});

test("reports that a listener on a stream can't be recorded, but calls it", () => {
  const recorder = recordAdapters(live());
  const heard: string[] = [];
  recorder.adapters.stream("ab").on("text", (chunk) => void heard.push(chunk));
  expect(heard).toStrictEqual(["a", "b"]);
  expect(recorder.problems()).toStrictEqual([
    expect.stringMatching(
      /^adapter "stream\([0-9a-f]{8}#0\)\.on" was called with a function, which a recording can't call. Read the response, or await its result$/,
    ),
  ]);
});

test("a promise's own methods work, and those that can't be replayed are reported", async () => {
  class Query extends Promise<string> {
    async withResponse(): Promise<object> {
      return { data: await this, response: { status: 203, headers: {} }, request_id: "r1" };
    }
    explain(): string {
      return "plan";
    }
  }
  const query = (): Query => new Query((resolve) => resolve("rows"));
  const recorder = recordAdapters({ ask: query, query });
  expect([await recorder.adapters.ask().withResponse(), recorder.adapters.query().explain()]).toMatchObject([
    { data: "rows", request_id: "r1" },
    "plan",
  ]);
  expect(recorder.problems()).toStrictEqual([
    'adapter "query" returned a promise whose method "explain" was called, which a recording can\'t replay. Await the promise itself',
  ]);
  const served: unknown = Reflect.get(replayAdapters(JSON.parse(JSON.stringify(recorder.calls()))).adapters, "ask");
  const answer: unknown = typeof served === "function" ? Reflect.apply(served, undefined, []) : undefined;
  const withResponse: unknown = Reflect.get(Object(answer), "withResponse");
  const { data, response, request_id } = Object(
    await (typeof withResponse === "function" ? withResponse() : undefined),
  );
  expect([data, response.status, request_id, await answer]).toStrictEqual(["rows", 203, "r1", "rows"]);
});

test("keeps custom methods of a promise, and starts a lazy one when it is awaited", async () => {
  const started: string[] = [];
  class Query extends Promise<string> {
    text = "";
    explain(): string {
      return `plan of ${this.text}`;
    }
    // Query builders are such thenables.
    override then: Promise<string>["then"] = (resolve, reject) => {
      started.push(this.text);
      return Promise.resolve(`rows of ${this.text}`).then(resolve, reject);
    };
  }
  const query = (text: string): Query => Object.assign(new Query(() => undefined), { text });
  const { adapters, calls } = recordAdapters({ query });
  const pending = adapters.query("q");
  expect([pending.explain(), started]).toStrictEqual(["plan of q", []]);
  expect([await pending, await pending, started]).toStrictEqual(["rows of q", "rows of q", ["q"]]);
  expect(calls()).toStrictEqual([
    { adapter: "query", occurrence: 0, returns: "promise", request: ["q"], response: "rows of q" },
  ]);
});

async function* tokens(log: string[] = []): AsyncGenerator<string, string, undefined> {
  try {
    yield "a";
    yield "b";
    return "end";
  } finally {
    log.push("closed");
  }
}

async function chunksOf(stream: AsyncIterable<unknown>): Promise<unknown[]> {
  const chunks: unknown[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

test("records a stream chunk by chunk, with its return value", async () => {
  const { adapters, calls, problems } = recordAdapters({ stream: (_prompt: string) => tokens() });
  expect(await chunksOf(adapters.stream("p"))).toStrictEqual(["a", "b"]);
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

test("an early break keeps the chunks read, and closes the source", async () => {
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
  await expect(chunksOf(adapters.stream())).rejects.toStrictEqual(new RangeError("cut"));
  expect(calls()).toMatchObject([
    {
      returns: "stream",
      response: { chunks: [1], done: false },
      error: { $t: "error", v: { class: "RangeError", message: "cut" } },
    },
  ]);
});

test("records a promise of a stream, whose other members stay usable", async () => {
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
  expect([stream.model, stream.stop(), await chunksOf(stream)]).toStrictEqual(["m", "stopped", [1]]);
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

test("a ReadableStream stays one for any reader, and reads the source on demand", async () => {
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

test("records a node stream as the step iterates it", async () => {
  const { adapters, calls } = recordAdapters({ open: () => Readable.from(["x", "y"]) });
  expect(await chunksOf(adapters.open())).toStrictEqual(["x", "y"]);
  expect(calls()).toMatchObject([{ returns: "stream", response: { chunks: ["x", "y"], done: true } }]);
});

test("reports streams that weren't read completely, were read twice, are still read, or have no data", async () => {
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
  expect([await chunksOf(twice), await chunksOf(twice)]).toStrictEqual([[1], [1]]);
  expect(await chunksOf(adapters.odd())).toHaveLength(1);
  await adapters.left().next();
  expect(problems()).toStrictEqual([
    'adapter "ignored" returned a stream that was never consumed',
    'adapter "stuck" returned a stream that was still being read when the recording ended. Read all of it, or exit its loop',
    'adapter "twice" returned a stream that was iterated more than once',
    'adapter "odd" returned a stream that can\'t be recorded: cannot record a symbol at "parse"',
    'adapter "left" returned a stream that wasn\'t read to the end. Read all of it, or exit the loop with break',
  ]);
});

test("replays objects that a step disposes: responses, and adapters", async () => {
  const closed: string[] = [];
  class File {
    read(): string {
      return "text";
    }
    async [Symbol.asyncDispose](): Promise<void> {
      closed.push("file");
    }
  }
  const db = { find: () => 1, [Symbol.dispose]: () => void closed.push("db") };
  const live = {
    open: async () => new File(),
    lock: () => ({ id: 7, has: () => true, [Symbol.dispose]: () => void closed.push("lock") }),
    db,
  };
  const use = async (adapters: typeof live): Promise<unknown> => {
    await using file = await adapters.open();
    using lock = adapters.lock();
    using store = adapters.db;
    return [file.read(), lock.has(), lock.id, store.find()];
  };
  const isLive = (adapters: object): adapters is typeof live => "db" in adapters;
  const recorder = recordAdapters(live);
  expect(await use(recorder.adapters)).toStrictEqual(["text", true, 7, 1]);
  expect([closed, recorder.problems()]).toStrictEqual([["db", "lock", "file"], []]);
  const { adapters, unrecorded } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  expect(isLive(adapters) && (await use(adapters))).toStrictEqual(["text", true, 7, 1]);
  expect([closed.length, unrecorded()]).toStrictEqual([3, []]);
});

/** A cursor of a database, as MongoDB has them. */
class Cursor {
  readonly #rows = [{ id: 1 }, { id: 2 }];
  async next(): Promise<object | null> {
    return this.#rows.shift() ?? null;
  }
  async toArray(): Promise<readonly object[]> {
    return this.#rows.splice(0);
  }
  async *[Symbol.asyncIterator](): AsyncGenerator<object> {
    yield* this.#rows.splice(0);
  }
}

test("replays a cursor that is read by next(), by toArray() and by iteration", async () => {
  const db = { find: (_query: string) => new Cursor() };
  const use = async ({ find }: typeof db): Promise<unknown> => {
    const cursor = find("some");
    const iterated: object[] = [];
    for await (const row of find("iterated")) iterated.push(row);
    return [await cursor.next(), await cursor.next(), await cursor.next(), await find("all").toArray(), iterated];
  };
  const recorder = recordAdapters(db);
  const rows = [{ id: 1 }, { id: 2 }];
  expect(await use(recorder.adapters)).toStrictEqual([...rows, null, rows, rows]);
  expect(recorder.problems()).toStrictEqual([]);
  const replayer = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  expect(await use(Object.assign({}, db, replayer.adapters))).toStrictEqual([...rows, null, rows, rows]);
});
