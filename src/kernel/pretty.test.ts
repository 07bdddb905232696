import { expect, test } from "vitest";
import { prettyValue, unifiedRows } from "./pretty.ts";

class Point {
  readonly x: number = 1;
  toJSON(): never {
    throw new Error("called");
  }
}

test.each<[string, unknown, string]>([
  ["a Map", new Map([["a", 1]]), 'Map {"a" => 1}'],
  ["an Error", new TypeError("no"), "[TypeError: no]"],
  ["an instance of a class, whose toJSON is not called", new Point(), 'Point {"x": 1}'],
  ["a deep value", [[[[[[[[1]]]]]]]], "[[[[[[[Array]]]]]]]"],
  [
    "an object whose getter throws",
    {
      get a(): never {
        throw new Error("no");
      },
    },
    "[object]",
  ],
  [
    "hostile text",
    new Map([["\u001b[2J", "a\nb\tc\u202e##[error]"]]),
    'Map {"\\u001b[2J" => "a\\nb\\tc\\u202e#\\u0023[error]"}',
  ],
])("prints %s on one line", (_what, value, expected) => {
  expect(prettyValue(value)).toBe(expected);
});

test("prints at most fifty entries of a collection", () => {
  const text = prettyValue(new Set(Array.from({ length: 1000 }, (_, index) => index)));
  expect(text).toMatch(/^Set \{0, 1, .*49, …\}$/);
});

test("distinguishes lines that are escaped alike", () => {
  expect(unifiedRows(["a", "\u001b"], ["a", "\\u001b"])).toStrictEqual(["  a", "- \\u001b", "+ \\\\u001b"]);
});
