import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLike, jsonValue, similarJson } from "../../../test-support/arbitraries.ts";
import { stableStringify } from "./canonical-json.ts";
import { lossyPart } from "./lossy-part.ts";
import { isSameJson } from "./same-json.ts";
import { runCount } from "../../../test-support/run-count.ts";

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

test("never takes for the same what is written otherwise, or loses a part", { tags: "deep" }, () => {
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

test("takes what was stored for the same, whatever the order of its fields", () => {
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
])("is not sure of %s", (_what, stored, value) => {
  expect(isSameJson(stored, value)).toBe(false);
});

test("what has no end is not the same", () => {
  const loop: Record<string, unknown> = {};
  loop["a"] = loop;
  expect(isSameJson({ a: { a: {} } }, loop)).toBe(false);
});
