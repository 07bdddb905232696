import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatPath } from "../../kernel/text.ts";
import { jsonPathAt } from "./json-path-at.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { jsonValue } from "../../../test-support/arbitraries.ts";

const MARK = "here-it-is";

test.each([
  [`{"a": "${MARK}"}`, "a"],
  [`{"a": {"b": [1, {"c": 2}, "${MARK}"]}, "d": 1}`, "a.b[2]"],
  [`{"a b": {"c\\"d": "${MARK}"}}`, `["a b"]["c\\"d"]`],
  [`{"a": "}{][,:", "b": [[], [{}, "${MARK}"]]}`, "b[1][1]"],
  [`{"a": 1, "${MARK}": 2}`, MARK],
  [`"${MARK}"`, "(root)"],
  [`[[[`, "[0][0][0]"],
  [`no JSON ${MARK}`, "(root)"],
  [`{"a": 1} ${MARK}`, "(root)"],
])("in %j the path is %j", (text, path) => {
  expect(jsonPathAt(text, text.includes(MARK) ? text.indexOf(MARK) : text.length)).toBe(path);
});

test("finds the path of any text in any JSON, in any layout", () => {
  const places = fc.array(fc.oneof(fc.string({ minLength: 1 }), fc.nat(3)), { maxLength: 6 });
  fc.assert(
    fc.property(places, jsonValue(), fc.constantFrom(undefined, 2), (path, other, indent) => {
      const value = path
        .toReversed()
        .reduce<unknown>(
          (inner, key) =>
            typeof key === "number"
              ? [...Array.from({ length: key }, () => other), inner, other]
              : nested(key, inner, other),
          MARK,
        );
      const text = JSON.stringify(value, undefined, indent);
      fc.pre(!JSON.stringify(other).includes(MARK) && !path.includes("__proto__"));
      expect(jsonPathAt(text, text.indexOf(`"${MARK}"`) + 1)).toBe(formatPath(path));
    }),
    { numRuns: runCount(2000) },
  );
});

function nested(key: string, inner: unknown, other: unknown): object {
  return Object.fromEntries([
    ["~before", other],
    [key, inner],
    ["~after", other],
  ]);
}
