import { PassThrough, Transform, Writable } from "node:stream";
import { describe, expect, test } from "vitest";
import { createRedactor } from "../../redact/create-redactor.ts";
import { recordAdapters } from "../proxy/record-adapters.ts";
import { replayAdapters } from "../replay/replay-adapters.ts";
import { comparedForm, decode } from "./decode.ts";
import { encode, storedForm } from "./encode.ts";

class Money {
  readonly #amount: number;
  readonly #of: Money | undefined;
  constructor(amount: number, of?: Money) {
    this.#amount = amount;
    this.#of = of;
  }
  get amount(): number {
    return this.#amount;
  }
  get currency(): string {
    return "EUR";
  }
  get whole(): Money {
    return this.#of ?? new Money(this.#amount + 1);
  }
  get ready(): Promise<number> {
    return Promise.resolve(this.#amount);
  }
}

class Tagged {
  readonly #id: string;
  constructor(id: string) {
    this.#id = id;
  }
  get [Symbol.toStringTag](): string {
    return "Tagged";
  }
  get id(): string {
    return this.#id;
  }
}

function form(amount: string, file = new File(["abc"], "a.txt", { type: "text/plain" })): FormData {
  const data = new FormData();
  data.append("amount", amount);
  data.append("file", file);
  return data;
}

const AS_ARGUMENTS: readonly (readonly [string, () => object, object])[] = [
  [
    "URLSearchParams",
    () => new URLSearchParams("a=1&b=2&a=3"),
    {
      $t: "params",
      v: [
        ["a", "1"],
        ["b", "2"],
        ["a", "3"],
      ],
    },
  ],
  ["Headers", () => new Headers({ "X-Tenant": "a" }), { $t: "headers", v: [["x-tenant", "a"]] }],
  [
    "FormData",
    () => form("10"),
    {
      $t: "form",
      v: [
        ["amount", "10"],
        ["file", { $t: "instance", v: { fields: { name: "a.txt", type: "text/plain", size: 3 } } }],
      ],
    },
  ],
  ["Blob", () => new Blob(["ab"]), { $t: "instance", v: { fields: { type: "", size: 2 } } }],
  [
    "Request without a body",
    () => new Request("https://a.test/b", { headers: { "x-a": "1" } }),
    {
      $t: "instance",
      v: { fields: { method: "GET", url: "https://a.test/b", headers: { $t: "headers", v: [["x-a", "1"]] } } },
    },
  ],
  [
    "object with private fields and getters",
    () => new Money(1, new Money(5)),
    {
      $t: "instance",
      v: {
        fields: {},
        getters: { amount: 1, currency: "EUR", whole: {} },
      },
    },
  ],
  [
    "the same of a class with its own tag",
    () => new Tagged("t1"),
    { $t: "instance", v: { fields: {}, getters: { id: "t1" } } },
  ],
];

test.each(AS_ARGUMENTS)("an argument of the class %s is recorded with its data", (_name, make, encoded) => {
  expect(encode([make()], { opaque: "omit" })).toStrictEqual([encoded]);
});

test("a response keeps Headers and URLSearchParams; files keep their methods for calls", () => {
  const encoded: unknown = JSON.parse(
    JSON.stringify(encode({ headers: new Headers({ a: "1" }), query: new URLSearchParams("a=1&a=2") })),
  );
  const { headers, query }: { headers?: unknown; query?: unknown } = Object(decode(encoded));
  expect([headers instanceof Headers && headers.get("a"), String(query)]).toStrictEqual(["1", "a=1&a=2"]);
  expect(comparedForm(encoded)).toStrictEqual({
    headers: [["a", "1"]],
    query: [
      ["a", "1"],
      ["a", "2"],
    ],
  });
  expect(() => encode({ file: new Blob(["a"]) })).toThrow(new TypeError('cannot record a Blob at "file"'));
});

test.each([
  ["headers", [["a"]]],
  ["headers", [["a b", "1"]]],
  ["params", [["a", 1]]],
  ["params", "a=1"],
  ["form", {}],
])("refuses to decode a malformed %s: %j", (tag, content) => {
  expect(() => decode([{ $t: tag, v: content }])).toThrow(new TypeError(`cannot decode a malformed "${tag}" at "[0]"`));
});

test("baselines still refuse these classes", () => {
  expect(() => storedForm({ query: new URLSearchParams("a=1") })).toThrow(
    'a baseline can\'t store a URLSearchParams at "query". Convert it to plain data, or add a codec for it',
  );
});

test("a baseline refuses a promise, which someone forgot to await", () => {
  expect(() => storedForm({ text: Promise.resolve("a") })).toThrow(
    new TypeError('a baseline can\'t store a Promise at "text". Await it'),
  );
});

test("secrets in Headers, URLSearchParams and FormData are redacted by their names", () => {
  const { redact } = createRedactor();
  const data = new FormData();
  data.append("password", "swordfish");
  const values = [
    new Headers({ authorization: "Bearer abcdef123456", "x-a": "1" }),
    new URLSearchParams({ sig: "Zm9vYmFyYmF6", password: "swordfish", page: "2" }),
    data,
  ];
  expect(redact(encode(values, { opaque: "omit" })).value).toStrictEqual([
    {
      $t: "headers",
      v: [
        ["authorization", "Bearer «redacted:authorization#1»"],
        ["x-a", "1"],
      ],
    },
    {
      $t: "params",
      v: [
        ["sig", "«redacted:signature#2»"],
        ["password", "«redacted:password#3»"],
        ["page", "2"],
      ],
    },
    { $t: "form", v: [["password", "«redacted:password#3»"]] },
  ]);
});

describe("an adapter that was called with data of a class", () => {
  const same = () => new File(["abc"], "a.txt");
  test.each<[string, () => unknown, () => unknown]>([
    ["URLSearchParams", () => new URLSearchParams("amount=10"), () => new URLSearchParams("amount=9999")],
    ["Headers", () => ({ headers: new Headers({ a: "1" }) }), () => ({ headers: new Headers({ a: "2" }) })],
    ["FormData", () => form("10"), () => form("11")],
    ["a FormData with a file", () => form("10"), () => form("10", new File(["abc"], "b.txt", { type: "text/plain" }))],
    ["a File of another size", same, () => new File(["abcd"], "a.txt")],
    ["a Blob of another type", () => new Blob(["a"]), () => new Blob(["a"], { type: "text/plain" })],
    ["a Request", () => new Request("https://a.test/1"), () => new Request("https://a.test/2")],
    ["private fields", () => new Money(1), () => new Money(2)],
  ])("is replayed only for the same data: %s", (_name, before, after) => {
    const recorder = recordAdapters({ pay: (_data: unknown) => "paid" });
    recorder.adapters.pay(before());
    expect(recorder.problems()).toStrictEqual([]);
    const replay = replayAdapters(JSON.parse(JSON.stringify(recorder.calls())));
    const pay: unknown = Reflect.get(replay.adapters, "pay");
    if (typeof pay !== "function") throw new TypeError("pay is missing");
    expect(pay(before())).toBe("paid");
    expect(() => pay(after())).toThrow('No recorded call of adapter "pay" matches this request (1 recorded).');
  });
});

test.each<[string, () => unknown]>([
  ["a ReadableStream", () => new ReadableStream()],
  ["a Promise", () => Promise.resolve(1)],
  ["a Response", () => new Response("a")],
  ["an AsyncGenerator", () => (async function* () {})()],
  ["a Map Iterator", () => new Map().entries()],
  ["a Request", () => new Request("https://a.test/", { method: "POST", body: "a" })],
])("a call with %s can't be recorded, because its content can't be compared", (name, make) => {
  const { adapters, problems } = recordAdapters({ send: (_data: object) => 1 });
  adapters.send({ data: make() });
  expect(problems()).toStrictEqual([
    `adapter "send" was called with ${name} at "[0].data", whose content can't be compared. Pass text or bytes`,
  ]);
});

test("a response or stream of another adapter can be passed on", async () => {
  const { adapters, problems } = recordAdapters({
    read: async () => new Response("a"),
    stream: () => new ReadableStream({ start: (controller) => controller.close() }),
    send: async (data: unknown) => (data instanceof ReadableStream ? new Response(data).text() : undefined),
  });
  await adapters.send(await adapters.read());
  await adapters.send(adapters.stream());
  expect(problems()).toStrictEqual([]);
});

test("a call with objects that are no data is recorded", () => {
  class Logger {
    readonly #lines: string[] = [];
    info(line: string): void {
      this.#lines.push(line);
    }
  }
  const { adapters, problems } = recordAdapters({
    send: (..._data: readonly unknown[]) => 1,
    client: { ask: () => 1 },
  });
  const loop: Record<string, unknown> = {};
  loop["self"] = loop;
  adapters.send(
    new Logger(),
    new AbortController(),
    AbortSignal.timeout(1000),
    new WeakMap(),
    new TextEncoder(),
    new EventTarget(),
    () => 1,
    adapters.client,
    loop,
    Symbol("a"),
  );
  expect(problems()).toStrictEqual([]);
});

test("the state of errors, clients and loggers isn't content, nor is what was read or is empty", async () => {
  class Connection {
    readonly ready = Promise.resolve();
  }
  const logger = new Transform({ objectMode: true });
  logger.pipe(new Writable({ objectMode: true }));
  const request = new Request("https://a.test/", { method: "POST", body: "a" });
  await request.text();
  const { adapters, problems } = recordAdapters({ send: (..._data: readonly unknown[]) => 1 });
  adapters.send(Object.assign(new Error("429"), { response: new Response("a") }), { client: new Connection() });
  adapters.send({ logger }, { request }, { response: new Response(null, { status: 204 }) });
  expect(problems()).toStrictEqual([]);
  adapters.send({ upload: new PassThrough() });
  expect(problems()).toStrictEqual([
    'adapter "send" was called with a PassThrough at "[0].upload", whose content can\'t be compared. Pass text or bytes',
  ]);
});

test("a getter with another value each time isn't recorded", () => {
  class Timer {
    #reads = 0;
    get elapsed(): number {
      return (this.#reads += 1);
    }
    get name(): string {
      return "t";
    }
  }
  const { adapters, calls } = recordAdapters({ send: (_data: Timer) => 1 });
  adapters.send(new Timer());
  expect(calls()[0]?.request).toStrictEqual([
    { $t: "instance", v: { fields: {}, getters: { name: "t" } }, $instanceOf: "Timer" },
  ]);
});

test("a recording of an earlier version, without this data, can be read and reports the request as changed", () => {
  const call = { adapter: "pay", request: [{ $t: "omitted", v: "URLSearchParams" }], occurrence: 0 } as const;
  const replay = replayAdapters([{ ...call, returns: "value", response: "paid" }]);
  const pay: unknown = Reflect.get(replay.adapters, "pay");
  expect(() => typeof pay === "function" && pay(new URLSearchParams("a=1"))).toThrow(
    'No recorded call of adapter "pay" matches this request (1 recorded).',
  );
  expect(decode(call.request)).toStrictEqual([undefined]);
});
