import * as fc from "fast-check";
import { expect, test } from "vitest";
import { runCount } from "../../test-support/run-count.ts";
import { letterDistance, nearestWords, refuseUnknownOptions, refuseUnknownWord } from "./did-you-mean.ts";

test.each([
  [{ keyby: {} }, 'defineStep "pay": unknown option "keyby". Did you mean "keyBy"?'],
  [{ rolse: {} }, 'defineStep "pay": unknown option "rolse". Did you mean "roles"?'],
  [{ keyBy: {}, timeout: 1 }, 'defineStep "pay": unknown option "timeout". Use one of these: "keyBy", "roles".'],
])("refuses options %j", (options, message) => {
  expect(() => refuseUnknownOptions('defineStep "pay"', options, ["keyBy", "roles"])).toThrow(new TypeError(message));
});

test.each([
  ["writes", 'calls is "writes". Did you mean "write"?'],
  ["WRITE", 'calls is "WRITE". Did you mean "write"?'],
  ["delete", 'calls is "delete". Use one of these: "model", "read", "write".'],
  [1, 'calls is number. Use one of these: "model", "read", "write".'],
])("refuses the word %j", (word, message) => {
  expect(() => refuseUnknownWord("calls", word, ["model", "read", "write"])).toThrow(new TypeError(message));
});

test("accepts known options and words", () => {
  expect(() => refuseUnknownOptions("tool", { effect: "read" }, ["effect"])).not.toThrow();
  expect(() => refuseUnknownWord("effect", "read", ["read"])).not.toThrow();
});

test("sorts by similarity, ignoring case", () => {
  expect(nearestWords("extrat", ["classify", "EXTRACT", "extract-all", "x"], 3)).toStrictEqual([
    "EXTRACT",
    "extract-all",
    "x",
  ]);
});

test("the distance of two texts is a metric, and 0 only for equal ones", () => {
  const text = fc.string({ maxLength: 12 });
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(letterDistance(a, b)).toBe(letterDistance(b, a));
      expect(letterDistance(a, b) === 0).toBe(a === b);
      expect(letterDistance(a, c)).toBeLessThanOrEqual(letterDistance(a, b) + letterDistance(b, c));
    }),
    { numRuns: runCount(1000) },
  );
});
