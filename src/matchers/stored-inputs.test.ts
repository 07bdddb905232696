import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { defineStep } from "../kernel/step/define-step.ts";
import { liveForm } from "../record/encode/decode.ts";
import { storedForm } from "../record/encode/encode.ts";
import { type ValueCodec, configureValues } from "../kernel/value-codecs.ts";
import { emit } from "../kernel/step/command.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin(temporaryProject("stored-inputs")));

const KINDS: readonly (readonly [kind: string, value: () => unknown])[] = [
  ["bytes", () => new Uint8Array([37, 80, 68, 70])],
  ["floats", () => new Float64Array([0.5, -0])],
  ["an ArrayBuffer", () => new Uint8Array([1]).buffer],
  ["a Map", () => new Map<unknown, unknown>([["a", new Set([1n])]])],
  ["a Set of Dates", () => new Set([new Date(0)])],
  ["a pattern", () => /a/u],
  ["a bigint", () => 2n ** 70n],
  ["an error", () => new TypeError("no", { cause: new Error("why") })],
  ["a list with properties", () => Object.assign([1], { total: new Map() })],
  ["an object with a field $t beside bytes", () => ({ $t: "map", v: [], bytes: new Uint8Array() })],
];

test.each(KINDS)("a step gets %s from its stored input unchanged", async (_kind, value) => {
  const inputs: unknown[] = [];
  const step = defineStep({
    name: "read",
    input: z.object({ value: z.unknown() }),
    output: z.object({ done: z.boolean() }),
    run: (input) => (inputs.push(input.value), { output: { done: true } }),
  });
  await expect(step).toMatchBaseline({ input: { value: value() } });
  stage.settle("none");
  await expect(step).toMatchBaseline({ input: { value: value() } });
  await expect(step).toRecomputeClean();
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "clean"]);
  expect(inputs.length).toBeGreaterThan(2);
  for (const input of inputs) expect(input).toStrictEqual(value());
  expect(inputs.map((input) => Object.keys(Object(input)))).toStrictEqual(
    inputs.map(() => Object.keys(Object(value()))),
  );
});

test("inputs that differ only in bytes are two cases", async () => {
  const step = defineStep({
    name: "measure",
    input: z.object({ document: z.instanceof(Uint8Array) }),
    output: z.object({ first: z.number() }),
    run: ({ document: [first = 0] }) => ({ output: { first } }),
  });
  for (const first of [1, 2, 3]) await expect(step).toMatchBaseline({ input: { document: new Uint8Array([first]) } });
  expect(stage.staged.size).toBe(3);
});

test("stores the original of an input that a step changes", async () => {
  const step = defineStep({
    name: "add",
    input: z.object({ seen: z.set(z.string()) }),
    output: z.object({ count: z.number() }),
    run: ({ seen }) => ({ output: { count: seen.add("b").size } }),
  });
  await expect(step).toMatchBaseline({ input: { seen: new Set(["a"]) } });
  stage.settle("none");
  await expect(step).toRecomputeClean();
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean"]);
});

test("events and commands can have the same values as outputs, with the same paths of changes", async () => {
  let count = 1n;
  const step = defineStep({
    name: "order",
    input: z.object({}),
    output: z.object({}),
    run: () => ({
      output: {},
      events: [{ type: "counted", payload: new Map([["count", count]]) }],
      commands: [emit("counted", { at: new Set([count]) })],
    }),
  });
  await expect(step).toMatchBaseline({ input: {} });
  stage.settle("none");
  await expect(step).toMatchBaseline({ input: {} });
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean"]);
  count = 2n;
  const message = await stage.message(async () => expect(step).toMatchBaseline({ input: {} }));
  expect(message).toContain("payload.count: 1n → 2n");
  expect(message).toContain("payload.at: Set {1n} → Set {2n}");
});

test("a compare rule reads the values of a Map by its keys, and a Date as a Date", async () => {
  let now = 0;
  const near = (a: unknown, b: unknown): boolean => a instanceof Date && b instanceof Date && +b - +a < 1000;
  const step = defineStep({
    name: "rate",
    input: z.object({}),
    output: z.object({ rates: z.map(z.string(), z.number()), at: z.date() }),
    compare: { "rates.eur": (a, b) => Math.abs(Number(a) - Number(b)) < 1, at: near },
    run: () => ({ output: { rates: new Map([["eur", 1 + now / 1e3]]), at: new Date(now) } }),
  });
  await expect(step).toMatchBaseline({ input: {} });
  stage.settle("none");
  now = 500;
  await expect(step).toMatchBaseline({ input: {} });
  expect(stage.notes.flat()).toStrictEqual([
    'tolerated (near): at: "1970-01-01T00:00:00.000Z" → "1970-01-01T00:00:00.500Z"',
    "tolerated (a function): rates.eur: 1 → 1.5",
  ]);
  now = 5000;
  expect(await stage.message(async () => expect(step).toMatchBaseline({ input: {} }))).toContain("rates.eur: 1 → 6");
});

test("assert gets recorded values, not their encoding", async () => {
  const step = defineStep({
    name: "dated",
    input: z.object({}),
    output: z.object({ at: z.date() }),
    run: () => ({ output: { at: new Date(0) } }),
  });
  await expect(step).toMatchBaseline({
    input: {},
    assert: ({ result }) => expect(result.output.at).toStrictEqual(new Date(0)),
  });
});

const KEY = ["sk-ant-api03-", "A1b2C3d4E5f6G7h8J9k0".repeat(4), "-abcdefAA"].join("");

test.each<[string, (secret: string) => unknown]>([
  ["the value of a Map", (secret) => new Map([["note", `use ${secret}`]])],
  ["a Map by its key", () => new Map([["password", "correct-horse-battery"]])],
  ["a Set", (secret) => new Set([secret])],
  ["bytes", (secret) => new TextEncoder().encode(`{"key":"${secret}"}`)],
  ["an error", (secret) => new Error(`401 for ${secret}`)],
  ["a URL", (secret) => new URL(`https://a.test/?api_key=${secret}`)],
  ["the property of a list", (secret) => Object.assign([1], { cursor: secret })],
])("a secret in %s is redacted in inputs and outputs, and the case stays clean", async (_kind, value) => {
  const step = defineStep({
    name: "leak",
    input: z.object({ value: z.unknown() }),
    output: z.object({ value: z.unknown() }),
    run: ({ value: given }) => ({ output: { value: given } }),
  });
  await expect(step).toMatchBaseline({ input: { value: value(KEY) }, name: "leak" });
  const text = stage.stagedText();
  const bytes = [...text.matchAll(/"base64": "([^"]*)"/g)].map(([, base64 = ""]) =>
    Buffer.from(base64, "base64").toString(),
  );
  for (const secret of [KEY, "correct-horse-battery"]) expect(text + bytes.join()).not.toContain(secret);
  stage.settle("none");
  await expect(step).toMatchBaseline({ input: { value: value(KEY) }, name: "leak" });
  await expect(step).toRecomputeClean();
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "clean"]);
});

class Money {
  readonly #cents: number;
  constructor(cents: number) {
    this.#cents = cents;
  }
  get cents(): number {
    return this.#cents;
  }
}

const money = {
  name: "money",
  is: (value: unknown) => value instanceof Money,
  encode: ({ cents }: Money) => BigInt(cents),
  decode: (cents: bigint) => new Money(Number(cents)),
};

test("instances with a codec can be inputs, responses and outputs", async () => {
  let price = 4;
  const step = defineStep({
    name: "pay",
    input: z.object({ paid: z.instanceof(Money) }),
    output: z.object({ rest: z.instanceof(Money) }),
    values: [money],
    run: async ({ paid }, { adapters }: { readonly adapters: { readonly shop: { price(): Promise<Money> } } }) => {
      const { cents } = await adapters.shop.price();
      return { output: { rest: new Money(paid.cents - cents) } };
    },
  });
  const options = { input: { paid: new Money(10) }, adapters: { shop: { price: async () => new Money(price) } } };
  await expect(step).toMatchBaseline(options);
  expect(stage.stagedText()).toContain('"codec": "money"');
  stage.settle("none");
  await expect(step).toMatchBaseline(options);
  await expect(step).toRecomputeClean();
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "clean"]);
  price = 5;
  expect(await stage.message(async () => expect(step).toMatchBaseline({ ...options, mode: "live" }))).toContain(
    "rest.money: 6n → 5n",
  );
});

test.each([
  ["an instance without data", () => new Money(1), "a baseline can't store a Money"],
  ["an instance in a Map", () => new Map([["a", [new Money(1)]]]), 'a Money at "input.paid[0][1][0]"'],
  ["a Request", () => new Request("https://a.test/"), 'a Request at "input.paid"'],
])("refuses %s without a codec, with its path", async (_kind, paid, message) => {
  const step = defineStep({
    name: "count",
    input: z.object({ paid: z.unknown() }),
    output: z.object({}),
    // Other tests may have registered the codec of Money.
    values: [{ ...money, is: () => false }],
    run: () => ({ output: {} }),
  });
  expect(await stage.message(async () => expect(step).toMatchBaseline({ input: { paid: paid() } }))).toContain(message);
  expect(stage.staged.size).toBe(0);
});

class Celsius {
  readonly degrees: () => number;
  constructor(degrees: number) {
    this.degrees = () => degrees;
  }
}

test.each<[string, ValueCodec, (amount: number) => unknown, string]>([
  [
    "of data",
    {
      is: (value) => value instanceof Celsius,
      encode: (value: Celsius) => value.degrees(),
      decode: (degrees: number) => new Celsius(degrees),
    },
    (degrees) => new Celsius(degrees),
    'a["project 0"]: 3 → 4',
  ],
  [
    "with a name, of a Map",
    {
      ...money,
      name: "coins",
      encode: ({ cents }: Money) => new Map([["cents", cents]]),
      decode: (data: Map<string, number>) => new Money(data.get("cents") ?? 0),
    },
    (cents) => new Money(cents),
    "a.coins.cents: 3 → 4",
  ],
])("applies a project's codecs %s to values without a step", async (_of, codec, make, line) => {
  configureValues([codec]);
  await expect({ a: make(3) }).toMatchBaseline({ name: "one" });
  expect(stage.stagedText()).toContain(`"codec": "${codec.name ?? "project 0"}"`);
  stage.settle("none");
  await expect({ a: make(3) }).toMatchBaseline({ name: "one" });
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean"]);
  expect(await stage.message(async () => expect({ a: make(4) }).toMatchBaseline({ name: "one" }))).toContain(line);
});

test("copies a baseline of an unregistered codec unchanged, and refuses to decode it for its step", async () => {
  const paid = { $t: "value", v: { codec: "unknown-here", data: { $t: "bigint", v: "1" } } };
  const live = liveForm({ paid });
  expect(storedForm(live)).toStrictEqual({ paid });
});

test.each([
  ["is", {}],
  ["decode", { is: () => true, encode: () => 1 }],
])("refuses a codec without %s when it is registered", (method, codec) => {
  const define = (): unknown =>
    Reflect.apply(defineStep, undefined, [
      { name: "s", input: z.unknown(), output: z.object({}), values: [codec], run: () => ({ output: {} }) },
    ]);
  expect(define).toThrow(new TypeError(`defineStep "s": values[0] has no function ${method}.`));
  const configure = (): unknown => Reflect.apply(configureValues, undefined, [[codec]]);
  expect(configure).toThrow(new TypeError(`configureValues: values[0] has no function ${method}.`));
});
