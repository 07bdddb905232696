import { expect, test } from "vitest";
import { timesAsLong } from "../../../test-support/cpu-ms.ts";
import { replayAdapters } from "../replay/replay-adapters.ts";
import { recordAdapters } from "./record-adapters.ts";

class Counter {
  #count = 0;
  readonly label = "counter";
  get current(): number {
    return this.#count;
  }
  add(by: number): number {
    this.#count += by;
    return this.double() / 2;
  }
  double(): number {
    return this.#count * 2;
  }
}

test("records calls at dotted paths, in call order whatever order they finish in", async () => {
  const { adapters, calls, problems } = recordAdapters({
    llm: {
      complete: async (prompt: string, ms: number) =>
        new Promise((resolve) => setTimeout(resolve, ms, prompt.toUpperCase())),
    },
    now: () => 7,
  });
  const slow = adapters.llm.complete("a", 60);
  const fast = adapters.llm.complete("b", 1);
  expect(adapters.now()).toBe(7);
  expect(await Promise.all([slow, fast])).toStrictEqual(["A", "B"]);
  expect(calls()).toStrictEqual([
    { adapter: "llm.complete", occurrence: 0, returns: "promise", request: ["a", 60], response: "A", completed: 1 },
    {
      adapter: "llm.complete",
      occurrence: 0,
      returns: "promise",
      request: ["b", 1],
      response: "B",
      completed: 0,
      parallel: 1,
    },
    { adapter: "now", occurrence: 0, returns: "value", request: [], response: 7, parallel: 2 },
  ]);
  expect(problems()).toStrictEqual([]);
});

test.each<[string, (send: (name: string) => Promise<unknown>) => Promise<unknown>, readonly (number | undefined)[]]>([
  [
    "one after the other",
    async (send) => [await send("a"), await send("b"), await send("c")],
    [undefined, undefined, undefined],
  ],
  ["together", async (send) => Promise.all(["a", "b", "c", "d"].map(send)), [undefined, 1, 2, 3]],
  [
    "two by two",
    async (send) => [await Promise.all([send("a"), send("b")]), await Promise.all([send("c"), send("d")])],
    [undefined, 1, undefined, 1],
  ],
  [
    "after the second of two has its response",
    async (send) => {
      const slow = send("slow");
      await send("a");
      return Promise.all([slow, send("release")]);
    },
    [undefined, 1, undefined],
  ],
  [
    "after the first of two has its response",
    async (send) => {
      const [first, slow] = [send("a"), send("slow")];
      await first;
      return Promise.all([slow, send("release")]);
    },
    [undefined, 1, 1],
  ],
  [
    "while one has failed",
    async (send) => Promise.allSettled([send("fail"), send("a")]).then(() => send("b")),
    [undefined, 1, undefined],
  ],
])("counts the open calls directly before a call: %s", async (_how, use, expected) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const send = async (name: string): Promise<string> => {
    if (name === "release") release();
    await (name === "slow" ? released : Promise.resolve());
    if (name === "fail") throw new Error("away");
    return name;
  };
  const { adapters, calls } = recordAdapters({ send });
  await use(adapters.send);
  expect(calls().map(({ parallel }) => parallel)).toStrictEqual(expected);
});

test("numbers equal requests from 0", () => {
  let count = 0;
  const { adapters, calls } = recordAdapters({ next: (_options: object) => (count += 1) });
  adapters.next({ a: 1, b: 2 });
  adapters.next({ b: 2, a: 1 });
  adapters.next({});
  expect(calls().map(({ occurrence, response }) => [occurrence, response])).toStrictEqual([
    [0, 1],
    [1, 2],
    [0, 3],
  ]);
});

test("methods run on the object itself: private fields, getters and inner calls work, unrecorded", () => {
  const counter = new Counter();
  const { adapters, calls } = recordAdapters({ counter });
  expect(adapters.counter.add(2)).toBe(2);
  expect(adapters.counter.current).toBe(2);
  expect(adapters.counter).toBeInstanceOf(Counter);
  const add: unknown = Reflect.get(adapters.counter, "add");
  expect(typeof add === "function" && Reflect.apply(add, undefined, [1])).toBe(3);
  expect(calls().map(({ adapter, returns }) => `${adapter} ${returns}`)).toStrictEqual([
    "counter.add value",
    "counter.current property",
    "counter.add value",
  ]);
});

test("records frozen adapters like any others", () => {
  const { adapters, calls } = recordAdapters(
    Object.freeze({ llm: Object.freeze({ ask: (q: string) => q }), model: "m" }),
  );
  expect([adapters.llm.ask("?"), adapters.model]).toStrictEqual(["?", "m"]);
  expect(calls()).toHaveLength(2);
});

test("records adapters that are a function, and functions with members", async () => {
  const fetchText = Object.assign(async (url: string) => `text of ${url}`, {
    retries: 2,
    head: (url: string) => url.length,
  });
  const { adapters, calls } = recordAdapters(fetchText);
  expect(await adapters("u")).toBe("text of u");
  expect(adapters.head("four")).toBe(4);
  expect(adapters.retries).toBe(2);
  expect(adapters.call(undefined, "v")).toBeInstanceOf(Promise);
  await Promise.resolve();
  expect(calls().map(({ adapter, request }) => [adapter, request])).toStrictEqual([
    ["", ["u"]],
    ["head", ["four"]],
    ["retries", []],
    ["", ["v"]],
  ]);
});

test("rethrows and records an adapter's error, sync and async", async () => {
  const error = Object.assign(new RangeError("too many"), { code: "rate_limit", status: 429 });
  const { adapters, calls, problems } = recordAdapters({
    now: () => {
      throw error;
    },
    later: () => Promise.reject(error),
    text: () => Promise.reject("plain"),
  });
  expect(() => adapters.now()).toThrow(error);
  await expect(adapters.later()).rejects.toBe(error);
  await expect(adapters.text()).rejects.toBe("plain");
  const encoded = {
    $t: "error",
    v: { class: "RangeError", name: "RangeError", message: "too many", data: { code: "rate_limit", status: 429 } },
  };
  expect(calls()).toStrictEqual([
    { adapter: "now", occurrence: 0, returns: "value", request: [], error: encoded },
    { adapter: "later", occurrence: 0, returns: "promise", request: [], error: encoded },
    { adapter: "text", occurrence: 0, returns: "promise", request: [], error: "plain" },
  ]);
  expect(problems()).toStrictEqual([]);
});

test("records values as they were at the time of the call", async () => {
  const { adapters, calls } = recordAdapters({ ask: async (request: { q: string }) => ({ answer: [request.q] }) });
  const request = { q: "1" };
  const pending = adapters.ask(request);
  request.q = "2";
  const response = await pending;
  response.answer.push("changed");
  expect(calls()).toStrictEqual([
    { adapter: "ask", occurrence: 0, returns: "promise", request: [{ q: "1" }], response: { answer: ["1"] } },
  ]);
});

test("passes symbols, then and inherited members through unrecorded, and writes to the adapters", async () => {
  const original = { count: 1, [Symbol.toStringTag]: "Adapters" };
  const { adapters, calls } = recordAdapters(original);
  const same = (await Promise.resolve(adapters)) === adapters;
  expect([Object.prototype.toString.call(adapters), adapters.hasOwnProperty("count"), same]).toStrictEqual([
    "[object Adapters]",
    true,
    true,
  ]);
  adapters.count = 5;
  expect(original.count).toBe(5);
  expect(calls()).toStrictEqual([]);
});

test("the same member is the same object each time", () => {
  const { adapters } = recordAdapters({ llm: { ask: () => 1 } });
  expect(adapters.llm).toBe(adapters.llm);
  expect(adapters.llm.ask).toBe(adapters.llm.ask);
});

test("omits arguments that aren't data from the request, and passes them to the adapter", () => {
  const log: string[] = [];
  const { adapters, calls, problems } = recordAdapters({
    db: { run: (client: { name: string }, done: (text: string) => void, _signal: AbortSignal) => done(client.name) },
    client: { name: "main" },
  });
  adapters.db.run(adapters.client, (text) => void log.push(text), new AbortController().signal);
  expect(log).toStrictEqual(["main"]);
  expect(calls()).toStrictEqual([
    {
      adapter: "db.run",
      occurrence: 0,
      returns: "value",
      request: [
        { $t: "omitted", v: "adapter" },
        { $t: "omitted", v: "function" },
        { $t: "omitted", v: "AbortSignal" },
      ],
      response: { $t: "undefined" },
    },
  ]);
  expect(problems()).toStrictEqual([]);
});

test("reports a value that can't be recorded as a problem, without changing the run", async () => {
  class Client {
    ask(): number {
      return 1;
    }
  }
  const { adapters, calls, problems } = recordAdapters({
    llm: { complete: async () => ({ choices: [{ parse: Symbol("p") }] }), plan: async () => () => 42 },
    clients: [() => 1],
    wait: () => new Promise<never>(() => {}),
    feed: {
      *[Symbol.iterator]() {
        yield 1;
      },
    },
    Client,
  });
  const { choices } = await adapters.llm.complete();
  expect([typeof choices[0]?.parse, (await adapters.llm.plan())()]).toStrictEqual(["symbol", 42]);
  expect(adapters.clients[0]?.()).toBe(1);
  expect([...adapters.feed]).toStrictEqual([1]);
  expect(new adapters.Client().ask()).toBe(1);
  void adapters.wait();
  expect(calls()).toStrictEqual([]);
  expect(problems()).toStrictEqual([
    'adapter "llm.complete" returned a value that can\'t be recorded: cannot record a symbol at "choices[0].parse"',
    'adapter "llm.plan" returned a value that can\'t be recorded: cannot record a function',
    'adapter "clients" has a value that can\'t be recorded: cannot record a function at "[0]"',
    'adapter "feed" is iterated directly, which can\'t be recorded. Iterate the result of one of its methods instead',
    'adapter "Client" was called with new, and calls of an instance can\'t be recorded',
    'adapter "wait" was still pending when the recording ended. Await the call',
  ]);
});

test("records a property when it is read, and again if its value changed", () => {
  const config = { model: "a", tags: ["x"], since: new Date(0), absent: undefined };
  const { adapters, calls } = recordAdapters({ config });
  const read = (): string => adapters.config.model;
  expect([read(), read()]).toStrictEqual(["a", "a"]);
  config.model = "b";
  expect([read(), adapters.config.tags, adapters.config.since, adapters.config.absent]).toStrictEqual([
    "b",
    ["x"],
    new Date(0),
    undefined,
  ]);
  expect(calls()).toStrictEqual([
    { adapter: "config.model", occurrence: 0, returns: "property", request: [], response: "a" },
    { adapter: "config.model", occurrence: 2, returns: "property", request: [], response: "b" },
    { adapter: "config.tags", occurrence: 0, returns: "property", request: [], response: ["x"] },
    {
      adapter: "config.since",
      occurrence: 0,
      returns: "property",
      request: [],
      response: { $t: "date", v: "1970-01-01T00:00:00.000Z" },
    },
    { adapter: "config.absent", occurrence: 0, returns: "property", request: [], response: { $t: "undefined" } },
  ]);
});

test("records a getter that throws", () => {
  const { adapters, calls } = recordAdapters({
    get token(): string {
      throw new Error("not signed in");
    },
  });
  expect(() => adapters.token).toThrow(new Error("not signed in"));
  expect(calls()).toMatchObject([
    { adapter: "token", returns: "property", error: { v: { message: "not signed in" } } },
  ]);
});

test("records which keys a step checks", () => {
  const { adapters, calls } = recordAdapters({ tools: { search: () => 1, browse: () => 2 } });
  expect(["search" in adapters.tools, "paint" in adapters.tools, Object.keys(adapters.tools)]).toStrictEqual([
    true,
    false,
    ["search", "browse"],
  ]);
  expect(calls().map(({ request, response }) => [request, response])).toStrictEqual([
    [["in", "search"], true],
    [["in", "paint"], false],
    [["keys"], ["search", "browse"]],
  ]);
});

class NotFound extends Error {
  readonly #path = "/a";
  get status(): number {
    return 404;
  }
  get path(): string {
    return this.#path;
  }
  get at(): number {
    return Date.now();
  }
}
class Busy extends NotFound {
  override get status(): number {
    return 503;
  }
  get retry(): Readonly<Record<string, number>> {
    return { after: 2 };
  }
  get broken(): string {
    throw new Error("not now");
  }
}

test.each([
  [new NotFound("none"), { status: 404, path: "/a" }],
  [new Busy("later"), { status: 503, path: "/a", retry: { after: 2 } }],
])("an error that is thrown, or in a response, keeps the values of its getters: %s", (error, data) => {
  const recorder = recordAdapters({
    get: () => {
      throw error;
    },
    list: () => ({ failures: [error] }),
  });
  expect(() => recorder.adapters.get()).toThrow(error);
  recorder.adapters.list();
  const { adapters } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  expect(() => Reflect.apply(Reflect.get(adapters, "get"), undefined, [])).toThrow(expect.objectContaining(data));
  const [call] = recorder.calls();
  expect(call?.error).toMatchObject({ v: { data } });
  expect(Reflect.apply(Reflect.get(adapters, "list"), undefined, [])).toMatchObject({ failures: [data] });
  expect(JSON.stringify(call?.error)).not.toContain('"at"');
});

test("a list that is read at each index takes little time, and a change in place is recorded", async () => {
  const rows = Array.from({ length: 300 }, (_row, id) => ({ id, name: `row ${id}`, email: `user${id}@example.com` }));
  const { adapters, calls } = recordAdapters({ page: { rows } });
  const readAll = ({ page }: typeof adapters): void => {
    let sum = 0;
    for (let index = 0; index < 300; index += 1) sum += page.rows[index]?.id ?? 0;
    expect(sum).toBe(44_850);
  };
  readAll(adapters);
  const factor = await timesAsLong(
    () => rows.forEach(() => JSON.stringify(rows)),
    () => readAll(recordAdapters({ page: { rows } }).adapters),
  );
  // Each read looks for a change, but doesn't copy the list.
  expect(factor).toBeLessThan(10);
  rows[299] = { id: 7, name: "other", email: "" };
  expect(adapters.page.rows[299]?.id).toBe(7);
  expect(calls().map(({ adapter, occurrence }) => [adapter, occurrence])).toStrictEqual([
    ["page.rows", 0],
    ["page.rows", 300],
  ]);
});

const [map, set] = [new Map([["a", 1]]), new Set([1])];
const deep: { at: unknown } = { at: null };
test.each([
  ["a Map", [map], () => map.set("a", 2), [new Map([["a", 1]])], [new Map([["a", 2]])]],
  ["a Set in a list", [[set]], () => set.add(2), [[new Set([1])]], [[new Set([1, 2])]]],
  [
    "a number that JSON lacks",
    [{ deep }],
    () => (deep.at = Number.NaN),
    [{ deep: { at: null } }],
    [{ deep: { at: Number.NaN } }],
  ],
])("a read after a change in place replays the new value, though its JSON is the same: %s", (...row) => {
  const [, value, change, before, after] = row;
  const recorder = recordAdapters({ page: { value } });
  void recorder.adapters.page.value;
  change();
  void recorder.adapters.page.value;
  const { adapters } = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
  const page: unknown = Reflect.get(adapters, "page");
  const read = (): unknown => Reflect.get(Object(page), "value");
  expect([read(), read()]).toEqual([before, after]);
});

test("getters of an error whose values vary aren't recorded", () => {
  let count = 0;
  const next = (): number => (count += 1);
  class Failure extends Error {
    get isBusy(): boolean {
      return this.message === "busy";
    }
    get seen(): number {
      return next();
    }
    get upFor(): number {
      return process.uptime();
    }
  }
  const fail = (): never => {
    throw new Failure("busy");
  };
  const recorder = recordAdapters({ fail });
  expect(() => recorder.adapters.fail()).toThrow("busy");
  expect(JSON.stringify(recorder.calls())).toContain('"isBusy":true');
  expect(JSON.stringify(recorder.calls())).not.toMatch(/seen|upFor/);
});
