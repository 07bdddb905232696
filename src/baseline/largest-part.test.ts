import { expect, test } from "vitest";
import { largestPart } from "./largest-part.ts";

const long = "x".repeat(1000);

test("names the deepest part that is more than half of a file", () => {
  const file = { version: 1, calls: [{ request: 1, response: { text: "short", page: long } }], output: { a: 1 } };
  expect(largestPart(JSON.stringify(file))).toStrictEqual({ path: "calls[0].response.page", bytes: 1002 });
});

test("names a list whose elements are alike as a whole", () => {
  const lines = Array.from({ length: 50 }, (_, at) => ({ at, text: "a line" }));
  expect(largestPart(JSON.stringify({ input: { lines }, output: {} }))?.path).toBe("input.lines");
});

test("names no part where none is most of it, and none of what is no JSON", () => {
  expect(largestPart(JSON.stringify({ a: long, b: long, c: long }))).toBeUndefined();
  expect(largestPart("{")).toBeUndefined();
});

test("writes hostile names so that a terminal does not obey them", () => {
  expect(largestPart(JSON.stringify({ "\u001b[2J": long }))?.path).toBe('["\\u001b[2J"]');
});
