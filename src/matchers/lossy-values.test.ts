import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { defineStep } from "../kernel/step/define-step.ts";
import { run } from "../kernel/step/run.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { temporaryProject } from "../../test-support/temporary-project.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin(temporaryProject("lossy")));

const TODO = "Put null, a text or a number in its place, or leave";

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

test.each(
  WAYS,
)("%s with NaN is not captured, and the message says where it is and what to do", async (_way, at, ask) => {
  expect(await stage.message(async () => ask(Number.NaN))).toContain(
    `The result cannot be stored: NaN at "${at}", which JSON keeps as null. ${TODO} the field out`,
  );
  expect([stage.staged.size, stage.checks.map(({ verdict }) => verdict.kind)]).toStrictEqual([0, ["failed"]]);
});

test.each(
  WAYS,
)("%s with what JSON has no form of is a failed case, new or stored, that names the place", async (way, at, ask) => {
  const place = way === "a value" ? at : `output.${at}`;
  for (const [value, found, shown] of [
    [10n, "a bigint", ""],
    [new Map([[1, 2]]), "a Map", ". Value: Map {1 => 2}"],
    [new Error("no\u001b[2J"), "an Error", ". Value: [Error: no\\u001b[2J]"],
    [new Point(), "a Point", '. Value: Point {"password": "«redacted»", "x": 1}'],
  ] as const) {
    const said = await stage.message(async () => ask(value));
    // The sentence says what to do, so only the value follows it.
    const sentence = said.slice(said.indexOf("not_storable")).replace(/«redacted:password[^»]*»/, "«redacted»");
    expect(sentence).toMatch(
      /^not_storable: The (?:result|value) cannot be stored: [^\n]+\. Convert it to plain data first(?:\. Value: .+)?$/,
    );
    expect(sentence.split("plain data first")[1]).toBe(shown);
    expect(said).toContain(`JSON cannot represent ${found} at "${place}".`);
    expect([stage.staged.size, stage.checks.map(({ verdict }) => verdict.kind)]).toStrictEqual([0, ["failed"]]);
    stage.settle("new");
  }
  await ask(1);
  stage.settle("new");
  expect(await stage.message(async () => ask(10n))).toContain('cannot represent a bigint at "');
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["failed"]);
});

test.each(WAYS)("%s whose baseline held null before passes with a word, until -u refuses it", async (_way, at, ask) => {
  await ask(null);
  stage.settle("new");
  await ask(Number.NaN);
  expect([stage.checks.map(({ verdict }) => verdict.kind), stage.notes]).toStrictEqual([
    ["clean"],
    [[`NaN at "${at}", which JSON keeps as null: it passes until -u, which refuses it`]],
  ]);
  stage.settle("all");
  expect(await stage.message(async () => ask(Number.NaN))).toContain(
    `The result cannot be stored: NaN at "${at}", which JSON keeps as null. ${TODO} it out.`,
  );
  expect(stage.staged.size).toBe(0);
});

test.each(WAYS)("%s that changed to it is shown as changed, and nothing of it is kept", async (_way, _at, ask) => {
  await ask(5);
  stage.settle("new");
  expect(await stage.message(async () => ask(Infinity))).toContain("rate: 5 → null");
  expect(stage.changes).toStrictEqual([]);
});

test.each(WAYS)("%s without it says nothing", async (_way, _at, ask) => {
  await ask({ absent: undefined, zero: -0, date: new Date(0) });
  stage.settle("all");
  await ask({ zero: 0, date: "1970-01-01T00:00:00.000Z" });
  expect([stage.checks.map(({ verdict }) => verdict.kind), stage.notes]).toStrictEqual([["clean"], [[]]]);
});

test("toEqualByKey compares nothing with what JSON would turn into something else", async () => {
  const odd = [{ id: 1, at: new Date(Number.NaN) }];
  expect(await stage.message(() => expect(odd).toEqualByKey([{ id: 1, at: null }], "id"))).toBe(
    'toEqualByKey: received has an invalid Date at "[0].at", which JSON keeps as null, so it can\'t be compared',
  );
  expect(await stage.message(() => expect([{ id: 1 }]).not.toEqualByKey([{ id: 1, [Symbol("s")]: 1 }], "id"))).toBe(
    'toEqualByKey: expected has a key that is a symbol (s) at "[0]", which JSON leaves out, so it can\'t be compared',
  );
});

test.each([
  ["a match", () => ({ found: "no. 31".match(/no\. (\d+)/) }), 'the property "index" of a list at "found"'],
  [
    "a list with a count",
    () => ({ rows: [Object.assign([1, 2], { total: 9 })] }),
    'the property "total" of a list at "rows[0]"',
  ],
  ["an empty list with a cursor", () => Object.assign([], { next: "b" }), 'the property "next" of a list at "(root)"'],
])("%s is refused with its path: JSON would leave the property out", async (_name, make, what) => {
  const message = await stage.message(() => expect(make()).toMatchBaseline({ name: "value" }));
  expect(message).toContain(`${what}, which JSON leaves out`);
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
])("an error with %s is a value: a changed message is a change", async (_name, make) => {
  const error = make();
  await expect(Promise.reject(error)).rejects.toMatchBaseline({ name: "refusal" });
  expect(stage.stagedText()).toContain("the order is closed");
  expect(stage.stagedText()).not.toContain("lossy-values.test");
  stage.settle("none");
  await expect(make()).toMatchBaseline({ name: "refusal" });
  const other = Object.assign(make(), { message: "the order is lost" });
  const message = await stage.message(() => expect(other).toMatchBaseline({ name: "refusal" }));
  expect(message).toContain('"the order is closed" → "the order is lost"');
});
