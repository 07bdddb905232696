import * as fc from "fast-check";
import { expect, test } from "vitest";
import { repeatedKey } from "./repeated-key.ts";
import { runCount } from "../../test-support/run-count.ts";
import { jsonValue } from "../../test-support/arbitraries.ts";

function found(text: string): unknown {
  return repeatedKey(text, JSON.parse(text));
}

test.each<[string, string, unknown]>([
  ["at the top", '{"a": 1,\n"b": 2,\n"a": 3}', { key: "a", line: 3 }],
  ["far inside", '[{"x": [{"k": 1, "k": 1}]}]', { key: "k", line: 1 }],
  ["one of them escaped", '{"value": 1, "v\\u0061lue": 2}', { key: "value", line: 1 }],
  ["a space before the colon", '{"a" : 1, "a"\n:2}', { key: "a", line: 2 }],
  ["with escaped colons in what is taken", '{"a": "::::", "a": "\\u003a\\u003A"}', { key: "a", line: 1 }],
  ["__proto__", '{"__proto__": 1, "__proto__": 2}', { key: "__proto__", line: 1 }],
  ["an empty key", '{"": 1, "": 2}', { key: "", line: 1 }],
  ["the same key in two objects", '[{"a": 1}, {"a": 1}, {"b": {"a": 1}}]', undefined],
  ["keys and values that look like members", '{"a": "\\"a\\": 1", "b": ":", ":": ":\\\\"}', undefined],
  ["escaped colons", '{"a": "\\u003a", "b": 1}', undefined],
  ["no object", '"a: b"', undefined],
])("finds a repeated key: %s", (_what, text, expected) => {
  expect(found(text)).toStrictEqual(expected);
});

/** As files here are laid out, mostly, with the line ends that git may give them; and in other ways. */
const layout = fc.record({ indent: fc.constantFrom(2, 2, 0, 3), end: fc.constantFrom("\n", "\r\n") });

test("finds no repeated key in any JSON, and one that is added", () => {
  fc.assert(
    fc.property(jsonValue(), fc.string(), layout, (value, key, { indent, end }) => {
      const text = `${JSON.stringify({ [key]: value }, undefined, indent)}\n`.replaceAll("\n", end);
      const doubled = `{${JSON.stringify(key)}:${JSON.stringify(value)},${text.slice(1)}`;
      expect(found(text)).toBeUndefined();
      expect(found(doubled)).toMatchObject({ key });
    }),
    { numRuns: runCount(10_000) },
  );
});

test("works for a text of any depth and a string of megabytes", () => {
  const deep = `${"[".repeat(100_000)}{"a":1,"a":2}${"]".repeat(100_000)}`;
  expect(found(deep)).toStrictEqual({ key: "a", line: 1 });
  expect(found(`{"long":"${"x:".repeat(2_000_000)}","long":"\\u003a"}`)).toStrictEqual({ key: "long", line: 1 });
});
