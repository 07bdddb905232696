import * as fc from "fast-check";
import { expect, test } from "vitest";
import { hashText, hashWithContentSync } from "../../kernel/json/hash.ts";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import { jsonLike, jsonValue, similarJson } from "../../../test-support/arbitraries.ts";
import { createUpdate } from "./create-update.ts";
import { runCount } from "../../../test-support/run-count.ts";

const DETAILS = { test: "a.test.ts", name: "n", labels: ["l"], meta: { b: 1, a: "x" } };
const PLACE = { root: "/r", path: "/r/g/n.json", stored: undefined };

const numbered = fc.dictionary(fc.constantFrom("10", "9", "1", "a", "__proto__", "B", "é", "-1"), similarJson(), {
  maxKeys: 6,
  noNullPrototype: false,
});

test.each([
  ["any data", fc.oneof(jsonValue(), jsonLike())],
  ["names that JSON.parse puts in another order", fc.oneof(numbered, fc.array(numbered, { maxLength: 2 }))],
])("an update from a known text and hash equals one from the value: %s", (_, values: fc.Arbitrary<unknown>) => {
  fc.assert(
    fc.property(values, (value) => {
      const known = hashWithContentSync(value);
      const alone = createUpdate(createValueBaseline(value, DETAILS), PLACE);
      expect(createUpdate(createValueBaseline(value, DETAILS, known), { ...PLACE, known })).toStrictEqual(alone);
    }),
    { numRuns: runCount(5000) },
  );
});

test.each([
  ["of another value", hashWithContentSync({ a: 2 })],
  ["with another hash", { hash: hashText("2"), content: '{"a":1}' }],
  ["with another text", { ...hashWithContentSync({ a: 1 }), content: '{"a": 1}' }],
])("ignores canonical JSON %s", (_, known) => {
  const baseline = createValueBaseline({ a: 1 }, DETAILS);
  expect(createUpdate(baseline, { ...PLACE, known })).toStrictEqual(createUpdate(baseline, PLACE));
});

test("refuses a wrong hash, even with known canonical JSON", () => {
  const baseline = { ...createValueBaseline({ a: 1 }, DETAILS), hash: hashText("2") };
  const known = hashWithContentSync({ a: 1 });
  const refusal = new TypeError(`the new baseline can't be read back: "hash" doesn't match "value".`);
  expect(() => createUpdate(baseline, { ...PLACE, known })).toThrow(refusal);
  expect(() => createUpdate(baseline, PLACE)).toThrow(refusal);
});
