import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLike, jsonValue, similarJson } from "../../../test-support/arbitraries.ts";
import { jsonOf, stableStringify } from "./canonical-json.ts";
import { isPlainJson, isSameJson, lossyPart, sortedCopy } from "./stored-json.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { runInNewContext } from "node:vm";

/** What it stands for, in the slow way. */
function isSameSlowly(stored: unknown, value: unknown): boolean {
  return JSON.stringify(stored) === stableStringify(value) && lossyPart(value) === undefined;
}

/** Whatever a value may be made into before it is compared again: its fields in another order, one more, one less. */
const retouched = fc.constantFrom<(value: unknown) => unknown>(
  (value) => value,
  (value) => structuredClone(value),
  (value) => ofFields(value, (entries) => entries.toReversed()),
  (value) => ofFields(value, (entries) => [...entries, ["z", undefined]]),
  (value) => ofFields(value, (entries) => [...entries, ["toString", Object.prototype.toString]]),
  (value) => ofFields(value, (entries) => entries.slice(1)),
  (value) => ofFields(value, (entries) => [...entries.slice(1), ["other", 1]]),
  (value) =>
    typeof value === "object" && value !== null ? Object.defineProperty(structuredClone(value), "hidden", {}) : value,
);

function ofFields(value: unknown, change: (entries: [string, unknown][]) => unknown[][]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(change(Object.entries(value)));
}

function isTaken(value: unknown): boolean {
  try {
    stableStringify(value);
    return true;
  } catch {
    return false;
  }
}

test("never accepts values as equal that are written differently, or lose a part", { tags: "deep" }, () => {
  const one = fc.oneof(jsonValue(), similarJson(), jsonLike());
  fc.assert(
    fc.property(one, fc.option(one), retouched, fc.boolean(), (value, other, change, inOrder) => {
      const text = inOrder ? stableStringify(other ?? value) : (JSON.stringify(other ?? value) ?? "null");
      const stored: unknown = JSON.parse(text);
      const now = isCloneable(value) ? change(value) : value;
      if (isSameJson(stored, now)) expect(isTaken(now) && isSameSlowly(stored, now)).toBe(true);
    }),
    { numRuns: runCount(20_000) },
  );
});

function isCloneable(value: unknown): boolean {
  try {
    structuredClone(value);
    return true;
  } catch {
    return false;
  }
}

test("accepts stored values as equal, in any order of their fields", () => {
  fc.assert(
    fc.property(jsonValue(), (value) => {
      const stored: unknown = JSON.parse(stableStringify(value));
      // What the native writer puts in another order, and a `__proto__`, is left to the careful way.
      const isPlain =
        JSON.stringify(stored) === stableStringify(stored) && !JSON.stringify(stored).includes("__proto__");
      const now = ofFields(JSON.parse(JSON.stringify(value)), (entries) => [
        ...entries.toReversed(),
        ["gone", undefined],
      ]);
      expect(isSameJson(stored, now) || !isPlain).toBe(true);
    }),
    { numRuns: runCount(10_000) },
  );
});

const SYMBOL = Symbol("mark");

test.each<[string, unknown, unknown]>([
  ["a hole", [null], Array(1)],
  ["an infinity that a file writes", JSON.parse("1e999"), Infinity],
  ["NaN", null, Number.NaN],
  ["a Date", "1970-01-01T00:00:00.000Z", new Date(0)],
  ["a part that speaks for itself", { a: 1 }, { a: 1, toJSON: () => 2 }],
  ["a symbol key", { a: 1 }, { a: 1, [SYMBOL]: 1 }],
  ["an inherited function", { a: 1 }, { toString: Object.prototype.toString }],
  ["a field that is not enumerable", { a: 1 }, Object.defineProperty({ b: 2 }, "a", { value: 1 })],
  ["a list for an object", {}, []],
  ["an object for a list", [], {}],
  ["names out of order", { b: 1, a: 1 }, { b: 1, a: 1 }],
  ["an own __proto__", JSON.parse('{"__proto__":{}}'), {}],
  ["a Map", {}, new Map()],
  ["a proxy", { a: 1 }, new Proxy({ a: 1 }, {})],
  ["undefined", undefined, undefined],
])("isn't sure about %s", (_what, stored, value) => {
  expect(isSameJson(stored, value)).toBe(false);
});

test("endless values aren't equal", () => {
  const loop: Record<string, unknown> = {};
  loop["a"] = loop;
  expect(isSameJson({ a: { a: {} } }, loop)).toBe(false);
});

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
