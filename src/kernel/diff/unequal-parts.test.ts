import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonOf } from "../json/canonical-json.ts";
import { type Json, jsonValue, similarJson } from "../../../test-support/arbitraries.ts";
import { diff } from "./diff.ts";
import { unequalParts } from "./unequal-parts.ts";
import { runCount } from "../../../test-support/run-count.ts";

test("removes only equal elements of a list", () => {
  const before = { head: { same: [1] }, items: [{ a: 1 }, "text", [2], { a: [3], b: 4 }] };
  const after = { head: { same: [1] }, items: [{ a: 1 }, "text", [2], { a: [3], b: 5 }] };
  expect(unequalParts(before, after)).toStrictEqual([
    { head: { same: [1] }, items: [null, "text", null, { a: [3], b: 4 }] },
    { head: { same: [1] }, items: [null, "text", null, { a: [3], b: 5 }] },
  ]);
});

test("keeps a list that is aligned: one with another length, or two different elements", () => {
  const before = { items: [{ a: 1 }, [2], { b: 4 }] };
  for (const items of [
    [{ a: 1 }, [2], { b: 4 }, { c: 6 }],
    [{ a: 1 }, [3], { b: 5 }],
  ])
    expect(unequalParts(before, { items })).toStrictEqual([before, { items }]);
});

test.each<[string, unknown, unknown]>([
  ["equal values", { a: [{ b: 1 }] }, { a: [{ b: 1 }] }],
  ["values of two types", [{ a: 1 }], { a: 1 }],
  ["lists of leaves", [1, "a", null], [1, "b", null]],
  ["a field that one side lacks", { a: [{ b: 1 }] }, { a: [{ b: 1 }], c: 1 }],
])("returns %s unchanged", (_what, before, after) => {
  const [left, right] = unequalParts(before, after);
  expect(left).toStrictEqual(before);
  expect(right).toStrictEqual(after);
});

test("keeps an own __proto__ key", () => {
  const [left, right] = unequalParts(JSON.parse('{"__proto__":[{"a":1},1]}'), JSON.parse('{"__proto__":[{"a":1},2]}'));
  expect([JSON.stringify(left), JSON.stringify(right)]).toStrictEqual([
    '{"__proto__":[null,1]}',
    '{"__proto__":[null,2]}',
  ]);
});

test("doesn't overflow on data ten thousand levels deep", () => {
  const nested = (leaf: string): unknown =>
    Array.from({ length: 10_000 }).reduce<unknown>((inner, _, level) => (level % 2 === 0 ? { inner } : [inner]), leaf);
  expect(diff(...unequalParts(nested("a"), nested("b"))).entries).toMatchObject([{ before: "a", after: "b" }]);
});

/** A list of containers, some of which another one like it shares. */
const list = fc.array(fc.oneof(similarJson(), jsonValue()), { maxLength: 6 });
const edited = (items: readonly Json[]): fc.Arbitrary<readonly Json[]> =>
  fc.tuple(fc.nat({ max: 6 }), list).map(([at, others]) => [...items.slice(0, at), ...others]);

const pair = fc.oneof(
  fc.tuple(similarJson(), similarJson()),
  list.chain((items) => fc.tuple(fc.constant<Json>(items), edited(items))),
  list.chain((items) =>
    fc.tuple(
      fc.constant<Json>({ a: { items }, b: items }),
      edited(items).map((others): Json => ({ a: { items: others }, b: others })),
    ),
  ),
);

test("doesn't change the diff of any two values", () => {
  fc.assert(
    fc.property(pair, ([before, after]) => {
      expect(diff(...unequalParts(before, after))).toStrictEqual(diff(before, after));
    }),
    { numRuns: runCount(10_000) },
  );
});

function shown(result: unknown): string {
  return JSON.stringify(result, (_name, value: unknown) => (value === undefined ? "nothing" : value));
}

const DATE = "2024-02-29T12:00:00.000Z";

/** A value that JSON writes as this one, but for what some of its texts and fields become: `way` says which. */
function disguised(value: Json, way: () => number): unknown {
  const chosen = way();
  if (typeof value === "string")
    return value === DATE ? [DATE, new Date(DATE), { toJSON: () => DATE }][chosen % 3] : value;
  if (typeof value !== "object" || value === null) return value === 0 && chosen % 2 === 0 ? -0 : value;
  if (Array.isArray(value)) {
    const items = value.map((inner: Json) => disguised(inner, way));
    return chosen % 5 === 0 ? Object.assign(items, { toJSON: () => ["other"] }) : items;
  }
  const fields = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, disguised(inner, way)]));
  if (chosen % 7 === 1)
    return Object.defineProperty({ ...fields, more: 1 }, "a", {
      value: fields["a"],
      enumerable: false,
      configurable: true,
    });
  if (chosen % 7 === 2) return Object.assign(Object.create(null), fields);
  if (chosen % 7 === 3) return { hidden: 1n, toJSON: (name: string) => ({ ...fields, name }) };
  return chosen % 7 === 4 ? { ...fields, nothing: undefined, none: undefined } : fields;
}

test("doesn't change the diff of any values with toJSON after JSON", () => {
  const dated = fc.oneof(
    pair,
    pair.map(
      ([before, after]) =>
        [
          [before, DATE, [DATE]],
          [after, DATE, [DATE]],
        ] as const,
    ),
    fc.constant([
      [DATE, { a: 0 }, 1],
      [DATE, { a: 0 }, 2],
    ] as const),
  );
  fc.assert(
    fc.property(dated, fc.array(fc.nat({ max: 41 }), { minLength: 1, maxLength: 9 }), ([before, json], ways) => {
      let turn = 0;
      const after = disguised(json, () => ways[(turn += 1) % ways.length] ?? 0);
      const [left, right] = unequalParts(before, after);
      // As texts: an own `constructor` makes equal objects unlike for the runner.
      expect(shown(diff(left, jsonOf(right)))).toBe(shown(diff(before, jsonOf(after))));
    }),
    { numRuns: runCount(10_000) },
  );
});

test("removes dates that JSON writes equally, and undefined", () => {
  const before = [{ at: [DATE], a: 1 }, DATE, [1], 2];
  const after = [{ at: [new Date(DATE)], a: 1, b: undefined }, new Date(DATE), [1], 3];
  expect(jsonOf(unequalParts(before, after))).toStrictEqual([
    [null, DATE, null, 2],
    [null, DATE, null, 3],
  ]);
});
