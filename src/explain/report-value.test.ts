import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonValue } from "../../test-support/arbitraries.ts";
import { formatSides } from "../kernel/diff/format-diff.ts";
import { reportSides, reportText, reportValue } from "./report-value.ts";
import { runCount } from "../../test-support/run-count.ts";

test("data of a usual size is kept as it is", { tags: "deep" }, () => {
  fc.assert(
    fc.property(jsonValue(), (value) => {
      // As texts: toStrictEqual cannot compare objects with a name like __proto__.
      const held = reportValue(value);
      expect([JSON.stringify(held.value), held.cut]).toStrictEqual([JSON.stringify(value), false]);
    }),
    { numRuns: runCount(1_000) },
  );
});

test("keeps a name like __proto__ as a name", () => {
  const { value } = reportValue(JSON.parse('{"__proto__":{"polluted":true}}'));
  expect([Object.hasOwn(Object(value), "__proto__"), Reflect.get({}, "polluted")]).toStrictEqual([true, undefined]);
});

test("shortens a long text, and says how much is missing", () => {
  const { value, cut } = reportValue({ text: "x".repeat(20_000) });
  expect([value, cut]).toStrictEqual([{ text: `${"x".repeat(16_384)}… (+3616 characters)` }, true]);
});

test.each<[string, unknown, number]>([
  ["many texts", Array.from({ length: 1_000 }, () => "y".repeat(1_000)), 80_000],
  [
    "many names",
    Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`name-${index}-${"z".repeat(20)}`, index])),
    200_000,
  ],
  ["many numbers", Array.from({ length: 100_000 }, (_, index) => index), 120_000],
  ["names that are long themselves", { ["n".repeat(1_000_000)]: 1 }, 20_000],
])("limits a value of %s, and marks it as cut", (_what, large, most) => {
  const { value, cut } = reportValue(large);
  expect(cut).toBe(true);
  expect(JSON.stringify(value).length).toBeLessThan(most);
});

test("limits the depth", () => {
  let deep: unknown = "end";
  for (let level = 0; level < 10_000; level += 1) deep = [deep];
  expect(reportValue(deep).cut).toBe(true);
});

test("turns values without a JSON form into texts", () => {
  const odd = { date: new Date(0), big: 10n, nan: Number.NaN, gone: undefined, map: new Map([[1, 2]]) };
  expect(reportValue(odd).value).toStrictEqual({
    date: '"1970-01-01T00:00:00.000Z"',
    big: "10n",
    nan: "NaN",
    gone: "undefined",
    map: "Map {1 => 2}",
  });
});

test.each<[string, unknown, unknown, readonly [string, string]]>([
  ["NaN and its text", Number.NaN, "NaN", ['"NaN"', String.raw`"\"NaN\""`]],
  ["a bigint and its text", "1n", 1n, [String.raw`"\"1n\""`, '"1n"']],
  ["an infinity and its text", -Infinity, "-Infinity", ['"-Infinity"', String.raw`"\"-Infinity\""`]],
  [
    "a Date and its quoted text",
    new Date(0),
    '"1970-01-01T00:00:00.000Z"',
    [String.raw`"\"1970-01-01T00:00:00.000Z\" (Date)"`, String.raw`"\"\\\"1970-01-01T00:00:00.000Z\\\"\" (string)"`],
  ],
  ["a Map and a Set without elements", new Map(), new Set(), ['"Map {}"', '"Set {}"']],
  ["a bigint and a number", 1n, 1, ['"1n"', "1"]],
  ["a missing value and its text", undefined, "undefined", ["undefined", '"undefined"']],
  ["NaN and its text in an object", { a: Number.NaN }, { a: "NaN" }, ['{"a":"NaN"}', String.raw`{"a":"\"NaN\""}`]],
  ["NaN and its text in a list", [Number.NaN, 1], ["NaN", 1], ['["NaN",1]', String.raw`["\"NaN\"",1]`]],
  ["a bigint and its text in a list", { a: ["1n"] }, { a: [1n] }, [String.raw`{"a":["\"1n\""]}`, '{"a":["1n"]}']],
  ["undefined and its text", [undefined], ["undefined"], ['["undefined"]', String.raw`["\"undefined\""]`]],
  ["both zeros", { a: -0 }, { a: 0 }, ['{"a":"-0"}', '{"a":"0"}']],
  [
    "a Date and its quoted text in an object, next to an equal Date",
    { a: new Date(0), b: new Date(0) },
    { a: '"1970-01-01T00:00:00.000Z"', b: new Date(0) },
    [
      String.raw`{"a":"\"1970-01-01T00:00:00.000Z\" (Date)","b":"\"1970-01-01T00:00:00.000Z\""}`,
      String.raw`{"a":"\"\\\"1970-01-01T00:00:00.000Z\\\"\" (string)","b":"\"1970-01-01T00:00:00.000Z\""}`,
    ],
  ],
])("shows %s differently", (_title, before, after, lines) => {
  const [was, is] = reportSides(before, after);
  expect(formatSides(before === undefined ? before : was.value, is.value)).toStrictEqual(lines);
});

test("texts that differ beyond the reported characters begin at their difference", () => {
  const [before, after] = reportSides(`${"x".repeat(20_000)} old`, `${"x".repeat(20_000)} new`);
  expect([before, after]).toStrictEqual([
    { value: `(+19971 characters) …${"x".repeat(29)} old`, cut: true },
    { value: `(+19971 characters) …${"x".repeat(29)} new`, cut: true },
  ]);
});

test("redacts secrets in values and texts", () => {
  const secret = ["sk-ant-api03-", "x7Kq".repeat(24), "AA"].join("");
  const shown = JSON.stringify([reportValue({ said: `the key is ${secret}` }), reportText(`the key is ${secret}`)]);
  expect(shown).not.toContain("x7Kq");
  expect(shown).toContain("«redacted:");
});
