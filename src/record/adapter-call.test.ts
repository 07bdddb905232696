import { expect, test } from "vitest";
import { type AdapterCall, adapterSegments, parseAdapterCall, responsePath } from "./adapter-call.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { replayAdapters } from "./replay/replay-adapters.ts";
import { requestIdentity } from "./request-keys.ts";

const call: AdapterCall = {
  adapter: "llm.complete",
  occurrence: 1,
  returns: "promise",
  request: [{ a: 1, b: 2 }],
  response: "hi",
};

test("equal requests have the same identity, in any order of keys", () => {
  expect(requestIdentity("llm", [{ a: 1, b: 2 }])).toBe(requestIdentity("llm", [{ b: 2, a: 1 }]));
  expect(requestIdentity("llm", [1])).not.toBe(requestIdentity("llm2", [1]));
});

test("reads a call from JSON, without unknown fields", () => {
  expect(parseAdapterCall({ ...call, note: "later version" })).toStrictEqual(call);
});

test("reads a stream with chunks and an error", () => {
  const stream = { ...call, returns: "stream", response: { chunks: [1], done: false }, error: "broken" };
  expect(parseAdapterCall(stream)).toStrictEqual(stream);
});

test.each([
  [[], "adapter call: expected an object, got array"],
  [{ ...call, adapter: 1 }, 'adapter call: "adapter" must be a string, got 1'],
  [{ ...call, occurrence: -1 }, 'adapter call: "occurrence" must be an integer of at least 0, got -1'],
  [{ ...call, occurrence: "0" }, 'adapter call: "occurrence" must be an integer of at least 0, got "0"'],
  [
    { ...call, returns: "later" },
    'adapter call: "returns" must be one of value, promise, stream, promise-of-stream, property, got "later"',
  ],
  [{ ...call, request: {} }, 'adapter call: "request" must be an array, got object'],
  [{ ...call, returns: "stream" }, 'adapter call: "response" must be an object with chunks and done, got "hi"'],
  [{ ...call, error: 1 }, "adapter call: expected a response or an error, got both"],
  [
    { adapter: "a", occurrence: 0, returns: "value", request: [] },
    "adapter call: expected a response or an error, got neither",
  ],
])("reports the problem of %j", (value, message) => {
  expect(parseAdapterCall(value)).toBe(message);
});

test("refuses an adapter name of thousands of parts, each of which would be an object on replay", () => {
  const call = { adapter: "a.".repeat(16_000), occurrence: 0, returns: "value", request: [], response: 1 };
  expect(parseAdapterCall(call)).toBe("adapter call: the adapter's path must have at most 2000 characters");
});

class Page {
  readonly number: number;
  readonly items: readonly string[];
  readonly #last: number;

  constructor(number: number, last: number) {
    this.number = number;
    this.items = [`item ${number}`];
    this.#last = last;
  }

  hasNext(): boolean {
    return this.number < this.#last;
  }

  async next(): Promise<Page> {
    return new Page(this.number + 1, this.#last);
  }
}

interface Files {
  list(): Promise<Page>;
}

function isFiles(adapters: object): adapters is Files {
  return "list" in adapters;
}

async function itemsOf(files: object): Promise<readonly string[]> {
  const items: string[] = [];
  if (!isFiles(files)) return items;
  let page = await files.list();
  for (;;) {
    items.push(...page.items);
    if (!page.hasNext()) return items;
    page = await page.next();
  }
}

test("recordings of pages that each return the next one grow with their number, not with its square", async () => {
  const sizeOf = async (pages: number): Promise<number> => {
    const recorder = recordAdapters<Files>({ list: async () => new Page(1, pages) });
    const items = await itemsOf(recorder.adapters);
    const text = JSON.stringify(recorder.calls());
    const calls: unknown = JSON.parse(text);
    const parsed = Array.isArray(calls) ? calls.map(parseAdapterCall).filter((read) => typeof read !== "string") : [];
    expect(items).toHaveLength(pages);
    expect(await itemsOf(replayAdapters(parsed).adapters)).toStrictEqual(items);
    return text.length;
  };
  expect(await sizeOf(200)).toBeLessThan(5 * (await sizeOf(50)));
});

test("paths of nested collections and of short chains contain each call, so rules for them apply", () => {
  const pathAfter = (methods: readonly string[]): string => {
    let adapter = "db";
    for (const [index, method] of methods.entries())
      adapter = responsePath({ adapter: `${adapter}.${method}`, request: [index], occurrence: 0 });
    return adapterSegments(`${adapter}.set`).join(".");
  };
  const nested = ["collection", "doc", "collection", "doc", "collection", "doc"];
  expect(pathAfter(nested)).toBe(["db", ...nested, "set"].join("."));
  const chain = Array.from({ length: 10 }, () => "where");
  expect(pathAfter(chain)).toBe(["db", ...chain, "set"].join("."));
  expect(pathAfter(["list", ...chain, "where", "where"]).length).toBeLessThan(["db", ...chain, "set"].join(".").length);
});
