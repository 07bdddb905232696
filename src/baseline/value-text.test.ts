import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lossyPart } from "../kernel/json/stored-json.ts";
import { jsonLike, jsonValue, similarJson } from "../../test-support/arbitraries.ts";
import { createValueBaseline } from "./create-baseline.ts";
import { serializeBaseline } from "./serialize-baseline.ts";
import { plainValueText } from "./value-text.ts";
import { runCount } from "../../test-support/run-count.ts";

const details = fc.record({
  test: fc.constant("values.test.ts"),
  name: fc.string({ minLength: 1 }),
  labels: fc.option(fc.array(fc.string()), { nil: undefined }),
  meta: fc.option(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.boolean())), { nil: undefined }),
});

/** What the careful way writes; undefined where it refuses. */
function carefulText(value: unknown, of: Parameters<typeof createValueBaseline>[1]): string | undefined {
  try {
    return serializeBaseline(createValueBaseline(value, of));
  } catch {
    return undefined;
  }
}

test("equals the complete serialization of a value that JSON keeps, or is undefined", { tags: "deep" }, () => {
  let written = 0;
  const numRuns = runCount(20_000);
  fc.assert(
    fc.property(fc.oneof(jsonValue(), similarJson(), jsonLike()), details, (value, of) => {
      const text = plainValueText(value, of);
      // Secrets and invisible characters are the careful way's: another text, which no check takes for this one.
      const careful = carefulText(value, of);
      if (text === undefined || careful === undefined || /\\u|«redacted:/.test(careful)) return;
      written += 1;
      expect(text).toBe(careful);
      expect(lossyPart(value)).toBeUndefined();
    }),
    { numRuns },
  );
  expect(written).toBeGreaterThan(numRuns / 5);
});

test("reads back like the complete serialization, with any escapes", () => {
  fc.assert(
    fc.property(fc.oneof(jsonValue(), similarJson(), jsonLike()), details, (value, of) => {
      const text = plainValueText(value, of);
      const careful = carefulText(value, of) ?? "null";
      // A generated text may look like a secret with its name.
      if (text !== undefined && !careful.includes("«redacted:")) expect(JSON.parse(text)).toEqual(JSON.parse(careful));
    }),
    { numRuns: runCount(10_000) },
  );
});

const SYMBOL = Symbol("mark");

test.each<[string, unknown]>([
  ["a hole", Array(1)],
  ["an infinity", { a: Infinity }],
  ["NaN", Number.NaN],
  ["undefined", undefined],
  ["a Date", new Date(0)],
  ["a part that speaks for itself", { a: 1, toJSON: () => 2 }],
  ["a symbol key", { a: 1, [SYMBOL]: 1 }],
  ["a function", { a: () => 1 }],
  ["a bigint", [1n]],
  ["names like numbers", { 10: 1, 9: 1 }],
  ["an own __proto__", JSON.parse('{"__proto__":{}}')],
  ["a Map", new Map()],
  ["a null prototype", Object.create(null)],
  ["a proxy", new Proxy({ a: 1 }, {})],
])("leaves %s to the complete serialization", (_what, value) => {
  expect(plainValueText(value, { test: "values.test.ts", name: "case" })).toBeUndefined();
});

test("leaves endless values to the complete serialization", () => {
  const loop: Record<string, unknown> = {};
  loop["a"] = loop;
  expect(plainValueText(loop, { test: "values.test.ts", name: "case" })).toBeUndefined();
});
