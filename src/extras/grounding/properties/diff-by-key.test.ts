import { isDeepStrictEqual } from "node:util";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { diff } from "../../../kernel/diff/diff.ts";
import { normalizeForDiff } from "../../../kernel/diff/keyed-lists.ts";
import type { KeyBy } from "../../../kernel/diff/compare-rules.ts";
import { walkKeyed } from "../../../kernel/diff/walk-diff.ts";
import type { DiffResult } from "../../../kernel/diff/entries.ts";
import { jsonValue, propertyName, similarJson } from "../../../../test-support/arbitraries.ts";
import { runCount } from "../../../../test-support/run-count.ts";

/** The plain way, kept as the judge. */
function reference(before: unknown, after: unknown, keyBy: KeyBy): DiffResult {
  const entries = walkKeyed(normalizeForDiff(before, keyBy), normalizeForDiff(after, keyBy));
  return { equal: entries.length === 0, entries };
}

function answerOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

function expectSame(before: unknown, after: unknown, keyBy: KeyBy): void {
  const [found, wanted] = [answerOf(() => diff(before, after, keyBy)), answerOf(() => reference(before, after, keyBy))];
  // An own `constructor` makes equal objects unlike for the runner.
  expect({ same: isDeepStrictEqual(found, wanted), found, wanted }).toMatchObject({ same: true });
}

/** Elements with few ids, so that some are shared, some come twice and some are no ids at all. */
function element(): fc.Arbitrary<unknown> {
  const id = fc.oneof(
    { weight: 12, arbitrary: fc.integer({ min: 0, max: 40 }) },
    fc.integer({ min: 0, max: 9 }).map(String),
    propertyName(),
  );
  const good = fc.record({ id, n: fc.nat({ max: 2 }), inner: similarJson() }, { requiredKeys: ["id"] });
  return fc.oneof(
    { weight: 60, arbitrary: good },
    fc.record({ id: similarJson() }),
    similarJson(),
    fc.constant(undefined),
  );
}

/** Two lists, most often of nearly the same elements in nearly the same order. */
function lists(): fc.Arbitrary<[unknown, unknown]> {
  const list = fc.array(element(), { maxLength: 6 });
  const unique = fc.uniqueArray(fc.oneof(fc.nat({ max: 30 }), propertyName()), { maxLength: 12, selector: String });
  const near = unique.chain((ids) => {
    const items = ids.map((id, index) => ({ id, n: index % 3, inner: [{ id }] }));
    return fc.tuple(
      fc.constant<unknown>(items),
      fc.shuffledSubarray(items).chain((some) =>
        fc.oneof(
          fc.constant<unknown>(some),
          fc.constant<unknown>(items.map((item, index) => ({ ...item, n: index % 2 }))),
          fc.constant<unknown>([...some, ...some.slice(0, 1)]),
          element().map((other) => [...some, other]),
        ),
      ),
    );
  });
  return fc.oneof(
    near,
    fc.tuple<[unknown, unknown]>(list, list),
    fc.tuple<[unknown, unknown]>(fc.oneof(list, similarJson()), fc.oneof(list, similarJson())),
  );
}

const KEY_BYS: readonly KeyBy[] = [
  { list: "id" },
  { "out.list": "id" },
  { "out.list": (item) => Reflect.get(Object(item), "id") },
  { "__proto__.list": "id" },
  { list: "id", "out.list": "id" },
  { "out.list": "id", list: (item) => String(item) },
  { list: "id", "list.1.inner": "id" },
  { list: "id", "list.inner": "id" },
  { "list.inner": "id" },
  { "list.inner": "id", "out.list.inner": (item) => Reflect.get(Object(item), "id") },
  { list: "__proto__" },
  { "": "id" },
  {},
];

/** Around the lists: the places that `KEY_BYS` name, or not. */
function wrapped(list: unknown, other: unknown): readonly unknown[] {
  const proto: unknown = JSON.parse('{"__proto__":{}}');
  Object.assign(Object(Reflect.getOwnPropertyDescriptor(Object(proto), "__proto__")?.value), { list });
  return [
    { list },
    { out: { list, ok: true }, list: other },
    { list: [{ list }] },
    { out: list },
    proto,
    Object.assign(Object.create(null), { list, rest: list }),
    list,
  ];
}

test("gives the same result as the plain composition, including errors", { tags: "deep" }, () => {
  fc.assert(
    fc.property(lists(), lists(), fc.constantFrom(...KEY_BYS), ([before, after], [left, right], keyBy) => {
      const others = wrapped(after, right);
      for (const [index, value] of wrapped(before, left).entries()) expectSame(value, others[index], keyBy);
    }),
    { numRuns: runCount(1500) },
  );
});

test("gives the same result as the plain composition if the values have other positions", () => {
  fc.assert(
    fc.property(
      lists(),
      fc.nat({ max: 6 }),
      fc.nat({ max: 6 }),
      fc.constantFrom(...KEY_BYS),
      ([before, after], a, b, keyBy) => {
        expectSame(wrapped(before, after)[a], wrapped(after, before)[b], keyBy);
      },
    ),
    { numRuns: runCount(10_000) },
  );
});

test("gives the same result as the plain composition for any data", () => {
  fc.assert(
    fc.property(jsonValue(), jsonValue(), propertyName(), (before, after, key) => {
      expectSame({ list: before, x: after }, { list: after, x: before }, { list: key, x: "id" });
    }),
    { numRuns: runCount(2000) },
  );
});

test("refuses a cycle and defers depth like the plain composition", () => {
  const loop = (): unknown => {
    const root: Record<string, unknown> = {};
    root["list"] = [{ id: "a" }, { id: "b", root }];
    return root;
  };
  expectSame(loop(), loop(), { list: "id" });
  expect(() => diff(loop(), loop(), { list: "id" })).toThrow("diff: cycle at");
  const deep = (mark: number): unknown => {
    let value: unknown = mark;
    for (let level = 0; level < 2000; level += 1) value = { a: value };
    return {
      list: [
        { id: 1, value },
        { id: 2, value: mark },
      ],
    };
  };
  expectSame(deep(1), deep(2), { list: "id" });
});

test("throws the errors of keyBy for equal and for identical values", () => {
  const twice = { list: [{ id: 1 }, { id: "1" }] };
  expect(() => diff(twice, twice, { list: "id" })).toThrow(new TypeError('keyBy: duplicate key "1" in list'));
  expect(() => diff({ list: [{}] }, { list: [{}] }, { list: "id" })).toThrow(
    new TypeError('keyBy: element at list[0] has no field "id"'),
  );
});
