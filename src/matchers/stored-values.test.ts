import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { defineStep } from "../kernel/step/define-step.ts";
import { run } from "../kernel/step/run.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin(temporaryProject("stored-values")));

let answer: unknown = 1;
const step = defineStep({
  name: "rate",
  input: z.object({}),
  output: z.object({ rate: z.unknown() }),
  run: async () => ({ output: { rate: answer } }),
});

class Point {
  readonly x: number = 1;
  readonly password: string = ["Xk7", "pQ2m", "Zt9"].join("");
}

/** The ways in which a value comes to a baseline. */
const WAYS: readonly [string, string, (value: unknown) => Promise<unknown>][] = [
  ["a value", "rate", async (value) => expect({ rate: value }).toMatchBaseline({ name: "one" })],
  [
    "a step",
    "rate",
    async (value) => {
      answer = value;
      return expect(step).toMatchBaseline({ input: {} });
    },
  ],
  [
    "a result",
    "rate",
    async (value) => {
      answer = value;
      return expect(await run(step, {})).toMatchBaseline();
    },
  ],
];

/** Values that JSON lacks, others of their kind, the stored form, and the line of the change. */
const VALUES: readonly (readonly [
  kind: string,
  value: () => unknown,
  other: () => unknown,
  form: unknown,
  line: string,
])[] = [
  ["NaN", () => Number.NaN, () => null, { $t: "nan" }, "rate: NaN → null"],
  ["an infinity", () => -Infinity, () => Infinity, { $t: "-infinity" }, "rate: -Infinity → Infinity"],
  ["a bigint", () => 10n, () => 10, { $t: "bigint", v: "10" }, "rate: 10n → 10"],
  ["undefined in a list", () => [undefined], () => [null], [{ $t: "undefined" }], "+ rate[0]: null"],
  ["a hole", () => Object.assign([], { 1: 1 }), () => [0, 1], [{ $t: "undefined" }, 1], "rate[0]: 0"],
  [
    "a Date",
    () => new Date(0),
    () => "1970-01-01T00:00:00.000Z",
    { $t: "date", v: "1970-01-01T00:00:00.000Z" },
    'rate: "1970-01-01T00:00:00.000Z" (Date) → "1970-01-01T00:00:00.000Z" (string)',
  ],
  ["an invalid Date", () => new Date(Number.NaN), () => null, { $t: "date", v: null }, "→ null"],
  [
    "a Map",
    () => new Map([["a", 1n]]),
    () => new Map([["a", 2n]]),
    { $t: "map", v: [["a", { $t: "bigint", v: "1" }]] },
    "rate.a: 1n → 2n",
  ],
  [
    "a Map of numbers",
    () => new Map([[1, "a"]]),
    () => new Map([[2, "a"]]),
    { $t: "map", v: [[1, "a"]] },
    'rate: Map {1 => "a"} → Map {2 => "a"}',
  ],
  [
    "a Map in a Set",
    () => new Set([new Map()]),
    () => new Set(),
    { $t: "set", v: [{ $t: "map", v: [] }] },
    "rate: Set {Map {}} → Set {}",
  ],
  [
    "a URL",
    () => new URL("https://a.test/"),
    () => new URL("https://b.test/"),
    { $t: "url", v: "https://a.test/" },
    'rate: "https://a.test/" → "https://b.test/"',
  ],
  ["a pattern", () => /a/gu, () => /a/u, { $t: "regexp", v: { source: "a", flags: "gu" } }, "rate: /a/gu → /a/u"],
  [
    "bytes",
    () => new Uint8Array([1, 2]),
    () => new Uint8Array([1, 3]),
    { $t: "bytes", v: { kind: "Uint8Array", base64: "AQI=" } },
    "rate: Uint8Array [1, 2] → Uint8Array [1, 3]",
  ],
  [
    "a Buffer",
    () => Buffer.from("a"),
    () => new Uint8Array([97]),
    { $t: "bytes", v: { kind: "Buffer", base64: "YQ==" } },
    "rate: ",
  ],
  [
    "floats",
    () => new Float32Array([1]),
    () => new Float64Array([1]),
    { $t: "bytes", v: { kind: "Float32Array", base64: "AACAPw==" } },
    "rate: Float32Array [1] → Float64Array [1]",
  ],
  [
    "an error",
    () => Object.assign(new RangeError("closed", { cause: new Error("late") }), { code: "E1" }),
    () => Object.assign(new RangeError("closed", { cause: new Error("later") }), { code: "E1" }),
    {
      $t: "error",
      v: {
        class: "RangeError",
        name: "RangeError",
        message: "closed",
        cause: { $t: "error", v: { class: "Error", name: "Error", message: "late" } },
        data: { code: "E1" },
      },
    },
    'rate.cause.message: "late" → "later"',
  ],
  [
    "a class of error",
    () => new TypeError("no"),
    () => new Error("no"),
    { $t: "error", v: { class: "TypeError", name: "TypeError", message: "no" } },
    "rate: [TypeError: no] → [Error: no]",
  ],
  [
    "a field $t",
    () => ({ $t: "date", v: null }),
    () => new Date(Number.NaN),
    { $t: "escaped", v: { $t: "date", v: null } },
    "rate: ",
  ],
  [
    "a match",
    () => "no. 31".match(/no\. (\d+)/),
    () => "a no. 31".slice(2).match(/no\. (?<n>\d+)/),
    { $t: "list", v: { items: ["no. 31", "31"], fields: { index: 0, input: "no. 31" } } },
    '+ rate.groups: {"n":"31"}',
  ],
];

test.each(
  VALUES.flatMap((value) => WAYS.map((way) => [way[0], value[0], way, value] as const)),
)("%s with %s is stored and clean, and another value is a change", async (_name, _kind, [, , ask], [
  ,
  value,
  other,
  form,
  line,
]) => {
  await ask(value());
  const text = stage.stagedText();
  const { output, value: stored } = JSON.parse(text);
  expect((output ?? stored).rate).toStrictEqual(form);
  stage.settle("none");
  await ask(value());
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean"]);
  expect(await stage.message(async () => ask(other()))).toContain(line);
  stage.settle("all");
  await ask(other());
  stage.settle("all");
  expect(await stage.message(async () => ask(value()))).toBe("it passed");
  expect(stage.stagedText().replace(/"title.*/, "")).toBe(text);
});

test.each(WAYS)("%s with -0 keeps it, and treats 0 as equal", async (_way, _at, ask) => {
  await ask([-0]);
  expect(stage.stagedText()).toContain('"$t": "-0"');
  stage.settle("none");
  await ask([0]);
  await ask([-0]);
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean", "clean"]);
});

test.each(WAYS)("%s with JSON data only has no encoding", async (_way, _at, ask) => {
  await ask({ absent: undefined, zero: 0, list: [null, "a", { b: true }] });
  expect(stage.stagedText()).not.toContain("$t");
  stage.settle("none");
  await ask({ zero: 0, list: [null, "a", { b: true }] });
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["clean"]);
});

test.each(WAYS)("%s without a stored form is a failed case, new or stored, with the path", async (way, at, ask) => {
  const path = way === "a value" ? at : `output.${at}`;
  const isOwn = ". Convert it to plain data, or add a codec for it (configureValues)";
  for (const [value, what, fix, shown] of [
    [() => 1, "a function", ". Convert it to plain data", ""],
    [Symbol("s"), "a symbol", ". Convert it to plain data", ""],
    [{ [Symbol("s")]: 1 }, "a symbol key (s)", ". Convert it to plain data", ""],
    [new WeakMap(), "a WeakMap", isOwn, ". Value: WeakMap {}"],
    [Promise.resolve(1), "a Promise", ". Await it", ". Value: Promise {}"],
    [new Headers({ a: "b" }), "a Headers", isOwn, undefined],
    [new Point(), "a Point", isOwn, '. Value: Point {"password": "«redacted»", "x": 1}'],
  ] as const) {
    const said = await stage.message(async () => ask(value));
    const sentence = said.slice(said.indexOf("not_storable")).replace(/«redacted:password[^»]*»/, "«redacted»");
    const subject = way === "a value" ? "value" : "result";
    const start = `not_storable: The ${subject} can't be stored: a baseline can't store ${what} at "${path}"${fix}`;
    expect(sentence.slice(0, start.length)).toBe(start);
    if (shown !== undefined) expect(sentence.slice(start.length).split("\n")[0]).toBe(shown);
    expect([stage.staged.size, stage.checks.map(({ verdict }) => verdict.kind)]).toStrictEqual([0, ["failed"]]);
    stage.settle("new");
  }
  await ask(1);
  stage.settle("new");
  expect(await stage.message(async () => ask(() => 1))).toContain(`can't store a function at "${path}"`);
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["failed"]);
});

test("toEqualByKey refuses values that JSON would change", async () => {
  const odd = [{ id: 1, at: new Date(Number.NaN) }];
  expect(await stage.message(() => expect(odd).toEqualByKey([{ id: 1, at: null }], "id"))).toBe(
    'toEqualByKey: received has an invalid Date at "[0].at", which JSON keeps as null, so it can\'t be compared',
  );
  expect(await stage.message(() => expect([{ id: 1 }]).not.toEqualByKey([{ id: 1, [Symbol("s")]: 1 }], "id"))).toBe(
    'toEqualByKey: expected has a symbol key (s) at "[0]", which JSON leaves out, so it can\'t be compared',
  );
});

test.each([
  ["a code", () => Object.assign(new Error("the order is closed"), { code: "CLOSED" })],
  ["a cause", () => new TypeError("the order is closed", { cause: new RangeError("too late") })],
  [
    "a class of its own",
    () =>
      new (class Refused extends Error {
        override readonly name = "Refused";
      })("the order is closed"),
  ],
])("an error with %s is a value whose changed message is a change", async (_name, make) => {
  const error = make();
  await expect(Promise.reject(error)).rejects.toMatchBaseline({ name: "refusal" });
  expect(stage.stagedText()).toContain("the order is closed");
  expect(stage.stagedText()).not.toContain("stored-values.test");
  stage.settle("none");
  await expect(make()).toMatchBaseline({ name: "refusal" });
  const other = Object.assign(make(), { message: "the order is lost" });
  const message = await stage.message(() => expect(other).toMatchBaseline({ name: "refusal" }));
  expect(message).toContain('"the order is closed" → "the order is lost"');
});
