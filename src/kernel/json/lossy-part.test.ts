import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonOf } from "./canonical-json.ts";
import { lossyPart, requireLossless } from "./lossy-part.ts";

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
  [{ a: { [Symbol("tag")]: 1 } }, 'a key that is a symbol (tag) at "a", which JSON leaves out'],
  [{ b: 1, a: Number.NaN, c: Infinity }, `NaN at "a", ${NULL}`],
])("what JSON would turn into something else is named: %o", (value, expected) => {
  expect(lossyPart(value)).toBe(expected);
  expect(() => requireLossless(value)).toThrow(
    new TypeError(`${expected}. Put null, a text or a number in its place, or leave the field out`),
  );
});

test.each<[unknown]>([
  [{ a: undefined, b: -0, c: new Date(0), d: null, e: Object.create(null) }],
  [Object.defineProperty({}, Symbol("hidden"), { value: 1 })],
  [{ toJSON: () => 1 }],
  [[[], {}, "", 0, false, null]],
])("what is equal by design, or JSON itself, is none: %o", (value) => {
  expect(lossyPart(value)).toBeUndefined();
});

test("JSON data has none, and with one put anywhere into it that is found", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(Number.NaN, Infinity, undefined), (value, odd) => {
      expect(lossyPart(jsonOf(value))).toBeUndefined();
      expect(lossyPart([value, { deep: [odd] }])).toContain('at "[1].deep[0]"');
    }),
  );
});

test("depth is no trouble", () => {
  let deep: unknown = Number.NaN;
  for (let depth = 0; depth < 20_000; depth += 1) deep = { a: deep };
  expect(lossyPart(deep)).toMatch(/^NaN at "a\.a\./);
});
