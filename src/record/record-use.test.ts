import { expect, test } from "vitest";
import { recordAdapters } from "./record-adapters.ts";

test("arguments that are no data are omitted from the request and reach the adapter", () => {
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

test("what cannot be recorded leaves the run alone and becomes a problem", async () => {
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
    'adapter "llm.complete" returned a value that cannot be recorded: cannot record a symbol at "choices[0].parse"',
    'adapter "llm.plan" returned a value that cannot be recorded: cannot record a function',
    'adapter "clients" holds a value that cannot be recorded: cannot record a function at "[0]"',
    'adapter "feed" was iterated itself, which cannot be recorded; iterate what a method returns',
    'adapter "Client" was called with new; what the instance does cannot be recorded',
    'adapter "wait" was still pending when the recording was taken',
  ]);
});

test("a property is recorded when read, and again at the read that gives another value", () => {
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

test("records which keys a step asks for", () => {
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
