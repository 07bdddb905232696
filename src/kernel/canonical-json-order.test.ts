import { runInNewContext } from "node:vm";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonLike, jsonValue, similarJson } from "../../test-support/arbitraries.ts";
import { walkJson } from "./json/canonical-json.ts";
import { isCanonical, stableStringify } from "./json/canonical-json.ts";
import { runCount } from "../../test-support/run-count.ts";

/** A value as a file in canonical layout gives it back: names in order, but for integer-like ones, which come first. */
function readBack(value: unknown): unknown {
  return JSON.parse(walkJson(value));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

describe("a value that passes as canonical", () => {
  test("is written by JSON.stringify as by the complete pass", { tags: "deep" }, () => {
    let canonical = 0;
    const numRuns = runCount(10_000);
    fc.assert(
      fc.property(
        fc.oneof(jsonLike(), jsonValue(), jsonLike().map(readBack), fc.array(similarJson()).map(readBack)),
        (value) => {
          if (!isObject(value) || !isCanonical(value)) return;
          canonical += 1;
          expect(JSON.stringify(value)).toBe(walkJson(value));
        },
      ),
      { numRuns },
    );
    // Else the law above says nothing.
    expect(canonical).toBeGreaterThan(numRuns / 4);
  });

  test("is plain data with sorted names", () => {
    expect(isCanonical({ a: [1, "two", null, undefined, Number.NaN, -0, true, { b: 1, c: {} }], z: "\ud800" })).toBe(
      true,
    );
    expect(isCanonical([])).toBe(true);
    expect(isCanonical(JSON.parse('{"__proto__":{"a":1},"a":2}'))).toBe(true);
    expect(isCanonical({ toJSON: 1 })).toBe(true);
  });
});

describe("a value that doesn't pass", () => {
  test.each([
    ["names out of order", { b: 1, a: 2 }],
    ["names out of order far below", { a: [[{ b: 1, a: 2 }]] }],
    ["integer-like names, which are in the order of numbers", { 9: 1, 10: 2 }],
    ["names in the order of a locale", { é: 1, f: 2, z: 3 }],
    ["a bigint", { a: 1n }],
    ["a function", [() => undefined]],
    ["a symbol", { a: Symbol("s") }],
    ["a Date", { a: new Date(0) }],
    ["a Map", [new Map()]],
    [
      "a class instance",
      new (class Point {
        x = 1;
      })(),
    ],
    ["a boxed primitive", [new Number(1)]],
    ["a null prototype", Object.assign(Object.create(null), { a: 1 })],
    ["an object of another realm", runInNewContext("({ a: 1 })")],
    ["toJSON", { toJSON: () => 1 }],
    ["a toJSON that no list of names shows", Object.defineProperty({ a: 1 }, "toJSON", { value: () => 2 })],
    ["an array with a toJSON", Object.assign([1], { toJSON: () => 2 })],
    ["a proxy", new Proxy({ a: 1 }, {})],
    ["a proxy of an array", [new Proxy([1], {})]],
  ])("%s", (_what, value: object) => {
    expect(isCanonical(value)).toBe(false);
  });

  test("text that JSON would write unescaped", () => {
    const raw: unknown = Reflect.get(JSON, "rawJSON");
    if (typeof raw !== "function") throw new Error("This Node has no JSON.rawJSON.");
    const value = { a: raw("1.0") };
    expect(isCanonical(value)).toBe(false);
    expect(stableStringify(value)).toBe('{"a":{"rawJSON":"1.0"}}');
  });

  test("depths at which a stack may overflow, and cycles", () => {
    const nested = (depth: number): object => Array.from({ length: depth - 1 }).reduce<object>((inner) => [inner], []);
    expect(isCanonical(nested(500))).toBe(true);
    expect(isCanonical(nested(501))).toBe(false);
    const cycle: { a?: object; b?: object } = {};
    cycle.a = cycle;
    cycle.b = cycle;
    expect(isCanonical(cycle)).toBe(false);
    expect(() => stableStringify(cycle)).toThrow(
      new TypeError('JSON cannot represent a cycle at "a". Convert it to plain data first'),
    );
  });

  test("properties that every object inherits", () => {
    const everything: object = Object.getPrototypeOf({});
    Object.defineProperty(everything, "inherited", { value: 1n, enumerable: true, configurable: true, writable: true });
    const found = [isCanonical({ a: 1 }), stableStringify({ a: 1 })];
    Reflect.deleteProperty(everything, "inherited");
    expect(found).toStrictEqual([false, '{"a":1}']);
  });
});
