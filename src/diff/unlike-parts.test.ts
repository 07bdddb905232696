import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, jsonValue, similarJson } from "../properties/arbitraries.ts";
import { diff } from "./diff.ts";
import { unlikeParts } from "./unlike-parts.ts";

test("leaves out what a list has in common, and nothing else", () => {
  const before = { head: { same: [1] }, items: [{ a: 1 }, "text", [2], { a: [3], b: 4 }] };
  const after = { head: { same: [1] }, items: [{ a: 1 }, "text", [2], { a: [3], b: 5 }, { c: 6 }] };
  expect(unlikeParts(before, after)).toStrictEqual([
    { head: { same: [1] }, items: [null, "text", null, { a: [3], b: 4 }] },
    { head: { same: [1] }, items: [null, "text", null, { a: [3], b: 5 }, { c: 6 }] },
  ]);
});

test.each<[string, unknown, unknown]>([
  ["equal values", { a: [{ b: 1 }] }, { a: [{ b: 1 }] }],
  ["values of two types", [{ a: 1 }], { a: 1 }],
  ["lists of leaves", [1, "a", null], [1, "b", null]],
  ["a field that one side lacks", { a: [{ b: 1 }] }, { a: [{ b: 1 }], c: 1 }],
])("gives %s back themselves", (_what, before, after) => {
  const [left, right] = unlikeParts(before, after);
  expect(left).toStrictEqual(before);
  expect(right).toStrictEqual(after);
});

test("keeps an own __proto__ a key", () => {
  const [left, right] = unlikeParts(JSON.parse('{"__proto__":[{"a":1},1]}'), JSON.parse('{"__proto__":[{"a":1},2]}'));
  expect([JSON.stringify(left), JSON.stringify(right)]).toStrictEqual(['{"__proto__":[null,1]}', '{"__proto__":[null,2]}']);
});

test("does not overflow on data ten thousand deep", () => {
  const nested = (leaf: string): unknown => Array.from({ length: 10_000 }).reduce<unknown>((inner, _, level) => (level % 2 === 0 ? { inner } : [inner]), leaf);
  expect(diff(...unlikeParts(nested("a"), nested("b"))).entries).toMatchObject([{ before: "a", after: "b" }]);
});

/** A list of containers, some of which another one like it shares. */
const list = fc.array(fc.oneof(similarJson(), jsonValue()), { maxLength: 6 });
const edited = (items: readonly Json[]): fc.Arbitrary<readonly Json[]> => fc.tuple(fc.nat({ max: 6 }), list).map(([at, others]) => [...items.slice(0, at), ...others]);

test("leaves the diff of any two values as it is, whatever it leaves out", () => {
  const pair = fc.oneof(
    fc.tuple(similarJson(), similarJson()),
    list.chain((items) => fc.tuple(fc.constant<Json>(items), edited(items))),
    list.chain((items) => fc.tuple(fc.constant<Json>({ a: { items }, b: items }), edited(items).map((others): Json => ({ a: { items: others }, b: others })))),
  );
  fc.assert(
    fc.property(pair, ([before, after]) => {
      expect(diff(...unlikeParts(before, after))).toStrictEqual(diff(before, after));
    }),
    { numRuns: 10_000 },
  );
});
