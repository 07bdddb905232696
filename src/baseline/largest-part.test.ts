import { expect, test } from "vitest";
import { largestPart } from "./largest-part.ts";

const long = "x".repeat(1000);

test("names the deepest part that is more than half of a file", () => {
  const file = { version: 1, calls: [{ request: 1, response: { text: "short", page: long } }], output: { a: 1 } };
  expect(largestPart(JSON.stringify(file))).toStrictEqual({ path: "calls[0].response.page", bytes: 1002 });
});

test("names a list of similar elements instead of one of them", () => {
  const lines = Array.from({ length: 50 }, (_, at) => ({ at, text: "a line" }));
  expect(largestPart(JSON.stringify({ input: { lines }, output: {} }))?.path).toBe("input.lines");
});

test("names no part if none is more than half, or if the text isn't JSON", () => {
  expect(largestPart(JSON.stringify({ a: long, b: long, c: long }))).toBeUndefined();
  expect(largestPart("{")).toBeUndefined();
});

test("escapes control characters in names", () => {
  expect(largestPart(JSON.stringify({ "\u001b[2J": long }))?.path).toBe('["\\u001b[2J"]');
});
