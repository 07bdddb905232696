import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonLike, jsonValue, similarJson } from "../../../test-support/arbitraries.ts";
import { stableStringify } from "./canonical-json.ts";
import { lossyPart } from "./lossy-part.ts";
import { sortedCopy } from "./sorted-copy.ts";

const any = fc.oneof(jsonValue(), similarJson(), jsonLike());

test("is written natively as canonical JSON, whatever it takes from another value", () => {
  let copied = 0;
  fc.assert(
    fc.property(any, fc.oneof(jsonValue(), similarJson()), fc.boolean(), (value, other, isLike) => {
      const plain = sortedCopy(value);
      const like: unknown = JSON.parse(isLike && plain !== undefined ? JSON.stringify(plain) : JSON.stringify(other));
      const copy = sortedCopy(value, like);
      expect(copy === undefined).toBe(plain === undefined);
      if (copy === undefined) return;
      copied += 1;
      const text = stableStringify(value);
      expect(JSON.stringify(copy)).toBe(text);
      expect(JSON.stringify(plain)).toBe(text);
      expect(lossyPart(value)).toBeUndefined();
      // What is the same is the same object, and only that.
      if (isLike) expect(copy).toBe(like);
      if (copy === like) expect(JSON.stringify(like)).toBe(text);
    }),
    { numRuns: 20_000 },
  );
  expect(copied).toBeGreaterThan(5000);
});

test("takes from another value what is the same at the same place, and copies the rest", () => {
  const like = JSON.parse('{"a":[1,{"b":2}],"c":{"d":[]},"e":{"f":1,"g":2}}');
  const value = { e: { g: 2 }, c: { d: [] }, a: [1, { b: 2 }, 3] };
  const copy = sortedCopy(value, like);
  expect(copy).toStrictEqual(value);
  expect([copy, value].map((each) => each === like)).toStrictEqual([false, false]);
  expect(copy).toMatchObject({ c: expect.toSatisfy((c: unknown) => c === like.c) });
  expect(copy).toMatchObject({ a: [1, expect.toSatisfy((b: unknown) => b === like.a[1]), 3] });
});

test.each<[string, unknown, unknown]>([
  ["an empty object beside a list", {}, []],
  ["an empty list beside an object", [], {}],
  ["names in another order", { a: 1, b: 2 }, { b: 2, a: 1 }],
  ["-0 beside 0", [-0], [0]],
])("%s is written as it is", (_what, value, like) => {
  expect(JSON.stringify(sortedCopy(value, like))).toBe(stableStringify(value));
});
