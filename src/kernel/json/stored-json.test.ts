import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLike, jsonValue, similarJson } from "../../../test-support/arbitraries.ts";
import { jsonOf, stableStringify } from "./canonical-json.ts";
import { isPlainJson, lossyPart, sortedCopy } from "./stored-json.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { runInNewContext } from "node:vm";

const any = fc.oneof(jsonValue(), similarJson(), jsonLike());

test("writes canonical JSON natively, whatever it shares with another value", () => {
  let copied = 0;
  const numRuns = runCount(20_000);
  fc.assert(
    fc.property(any, fc.oneof(jsonValue(), similarJson()), fc.boolean(), (value, other, isLike) => {
      const plain = sortedCopy(value);
      const like: unknown = JSON.parse(isLike && plain !== undefined ? JSON.stringify(plain) : JSON.stringify(other));
      const copy = sortedCopy(value, like);
      expect(copy === undefined).toBe(plain === undefined);
      if (copy === undefined) return;
      copied += 1;
      const text = stableStringify(value);
      expect(JSON.stringify(copy)).toBe(text);
      expect(JSON.stringify(plain)).toBe(text);
      expect(lossyPart(value)).toBeUndefined();
      // What is the same is the same object, and only that.
      if (isLike) expect(copy).toBe(like);
      if (copy === like) expect(JSON.stringify(like)).toBe(text);
    }),
    { numRuns },
  );
  expect(copied).toBeGreaterThan(numRuns / 4);
});

test("reuses equal parts of another value at the same path, and copies the rest", () => {
  const like = JSON.parse('{"a":[1,{"b":2}],"c":{"d":[]},"e":{"f":1,"g":2}}');
  const value = { e: { g: 2 }, c: { d: [] }, a: [1, { b: 2 }, 3] };
  const copy = sortedCopy(value, like);
  expect(copy).toStrictEqual(value);
  expect([copy, value].map((each) => each === like)).toStrictEqual([false, false]);
  expect(copy).toMatchObject({ c: expect.toSatisfy((c: unknown) => c === like.c) });
  expect(copy).toMatchObject({ a: [1, expect.toSatisfy((b: unknown) => b === like.a[1]), 3] });
});

test.each<[string, unknown, unknown]>([
  ["an empty object beside a list", {}, []],
  ["an empty list beside an object", [], {}],
  ["names in another order", { a: 1, b: 2 }, { b: 2, a: 1 }],
])("%s is written unchanged", (_what, value, like) => {
  expect(JSON.stringify(sortedCopy(value, like))).toBe(stableStringify(value));
});

test.each<[isCopied: boolean, names: readonly string[]]>([
  [true, ["10", "12", "a"]],
  [true, ["4294967296", "5000000000"]],
  [false, ["2", "10"]],
  [false, ["-1", "1"]],
  [false, ["007", "8"]],
])("copies (%s) an object of names that look like numbers: %j", (isCopied, names) => {
  const value = Object.fromEntries(names.map((name) => [name, 1]));
  const copy = sortedCopy(value, value);
  expect([copy !== undefined, JSON.stringify(copy ?? null)]).toStrictEqual([
    isCopied,
    isCopied ? stableStringify(value) : "null",
  ]);
});

test.each([[-0], [{ $t: "date" }], [[1, { a: -0 }]]])("%o needs an encoding, so it isn't copied", (value) => {
  expect([sortedCopy(value), isPlainJson(value)]).toStrictEqual([undefined, false]);
});

const NULL = "which JSON keeps as null";

test.each<[unknown, string]>([
  [Number.NaN, `NaN at "(root)", ${NULL}`],
  [{ a: [{ b: Infinity }] }, `Infinity at "a[0].b", ${NULL}`],
  [[-Infinity], `-Infinity at "[0]", ${NULL}`],
  [{ at: new Date(Number.NaN) }, `an invalid Date at "at", ${NULL}`],
  [{ at: runInNewContext("new Date(NaN)") }, `an invalid Date at "at", ${NULL}`],
  [[1, undefined], `undefined at "[1]", ${NULL}`],
  // oxlint-disable-next-line no-sparse-arrays
  [{ list: [1, , 3] }, `undefined at "list[1]", ${NULL}`],
  [undefined, `undefined at "(root)", ${NULL}`],
  [{ a: { [Symbol("tag")]: 1 } }, 'a symbol key (tag) at "a", which JSON leaves out'],
  [{ b: 1, a: Number.NaN, c: Infinity }, `NaN at "a", ${NULL}`],
])("names values that JSON would change: %o", (value, expected) => {
  expect(lossyPart(value)).toBe(expected);
  expect(isPlainJson(value)).toBe(false);
});

test.each<[unknown]>([
  [{ a: undefined, b: -0, c: new Date(0), d: null, e: Object.create(null) }],
  [Object.defineProperty({}, Symbol("hidden"), { value: 1 })],
  [{ toJSON: () => 1 }],
  [[[], {}, "", 0, false, null]],
])("accepts values that are equal by design, or JSON: %o", (value) => {
  expect(lossyPart(value)).toBeUndefined();
});

test("names no value in JSON data, and one inserted anywhere", () => {
  fc.assert(
    fc.property(jsonValue(), fc.constantFrom(Number.NaN, Infinity, undefined), (value, odd) => {
      expect(lossyPart(jsonOf(value))).toBeUndefined();
      expect(lossyPart([value, { deep: [odd] }])).toContain('at "[1].deep[0]"');
    }),
  );
});

test("works at any depth", () => {
  let deep: unknown = Number.NaN;
  for (let depth = 0; depth < 20_000; depth += 1) deep = { a: deep };
  expect(lossyPart(deep)).toMatch(/^NaN at "a\.a\./);
});
