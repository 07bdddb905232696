import { array, assert, constantFrom, property } from "fast-check";
import { expect, test } from "vitest";
import { matchesName } from "./matches-name.ts";
import { runCount } from "../../test-support/run-count.ts";

test.each([
  ["*", "anything", true],
  ["read-receipt", "read-receipt", true],
  ["read-receipt", "read-receipts", false],
  ["read-*", "read-", true],
  ["*-receipt", "read-receipt", true],
  ["r*d*t", "read-receipt", true],
  ["a*a", "a", false],
  ["a**b", "ab", true],
  ["", "", true],
  ["", "a", false],
  ["read.receipt", "read-receipt", false],
])("the pattern %j on %j: %s", (pattern, name, expected) => {
  expect(matchesName(pattern, name)).toBe(expected);
});

test("a pattern matches the same as its regular expression", () => {
  const text = array(constantFrom("a", "b", "*", "."), { maxLength: 8 }).map((parts) => parts.join(""));
  assert(
    property(
      text,
      text.map((name) => name.replaceAll("*", "a")),
      (pattern, name) => {
        const expression = pattern
          .split("*")
          .map((piece) => piece.replaceAll(".", "\\."))
          .join(".*");
        return matchesName(pattern, name) === new RegExp(`^(?:${expression})$`).test(name);
      },
    ),
    { numRuns: runCount(2000) },
  );
});
