import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { diff } from "./diff.ts";

function nest(depth: number, core: unknown): unknown {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? { a: value } : [value];
  return value;
}

function sparse(length: number): unknown[] {
  const items: unknown[] = [];
  items.length = length;
  return items;
}

class Point {
  readonly x: number;
  constructor(x: number) {
    this.x = x;
  }
}

describe("equal values", () => {
  const shared = { self: new Map() };
  test.each([
    ["the same reference", shared, shared],
    ["NaN", { a: Number.NaN }, { a: Number.NaN }],
    ["0 and -0", [0], [-0]],
    ["dates of the same time", new Date(5), new Date(5)],
    ["invalid dates", new Date(Number.NaN), new Date(Number.NaN)],
    ["dates of two realms", new Date(5), runInNewContext("new Date(5)")],
    ["undefined and an absent property", { a: undefined }, {}],
    ["an absent property and undefined", {}, { a: undefined }],
    ["undefined and an absent element", [1, undefined], [1]],
    ["a hole and undefined", [undefined], sparse(1)],
    ["other key order", { a: 1, b: 2 }, { b: 2, a: 1 }],
    ["a null prototype and a literal", Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ["plain objects of two realms", { a: [1] }, runInNewContext("({ a: [1] })")],
    ["other symbol keys", { [Symbol("a")]: 1 }, {}],
    ["a property that is not enumerable", Object.defineProperty({}, "a", { value: 1 }), {}],
    ["equal maps", new Map([[1, { a: 1 }]]), new Map([[1, { a: 1 }]])],
    ["equal instances", new Point(1), new Point(1)],
    ["bigints", 1n, 1n],
  ])("%s have no entry", (_, before, after) => {
    expect(diff(before, after)).toEqual({ equal: true, entries: [] });
  });
});

describe("one entry at the highest differing node", () => {
  test.each([
    ["a primitive", 1, 2],
    ["a type change", "1", 1],
    ["null and undefined", null, undefined],
    ["an empty array and an empty object", [], {}],
    ["null and an object", null, { a: 1 }],
    ["an array and an array-like object", [1, 2], { 0: 1, 1: 2 }],
    ["a date and its text", new Date(0), "1970-01-01T00:00:00.000Z"],
    ["different dates", new Date(0), new Date(1)],
    ["different maps", new Map([[1, 1]]), new Map([[1, 2]])],
    ["an instance and its fields", new Point(1), { x: 1 }],
    ["different instances", new Point(1), new Point(2)],
    ["functions", () => 1, () => 1],
    ["NaN and undefined", Number.NaN, undefined],
  ])("%s", (_, before, after) => {
    expect(diff(before, after)).toEqual({ equal: false, entries: [{ path: [], before, after }] });
    const inner = diff({ a: [before] }, { a: [after] }).entries;
    expect(inner).toHaveLength(1);
    expect(inner[0]).toStrictEqual({ path: ["a", 0], before, after });
  });
});

test("distinguishes an absent property from null", () => {
  expect(diff({}, { a: null }).entries).toStrictEqual([{ path: ["a"], before: undefined, after: null }]);
});

test("lists added, removed and changed values in path order", () => {
  const before = { c: 1, b: [1, 2, 3], a: { x: 1 }, 10: "t" };
  const after = { 9: "n", a: { x: 2, w: 0 }, d: 1, b: [1, 5] };
  expect(diff(before, after).entries).toStrictEqual([
    { path: ["10"], before: "t", after: undefined },
    { path: ["9"], before: undefined, after: "n" },
    { path: ["a", "w"], before: undefined, after: 0 },
    { path: ["a", "x"], before: 1, after: 2 },
    { path: ["b", 1], before: 2, after: 5 },
    { path: ["b", 2], before: 3, after: undefined, edit: "removed" },
    { path: ["c"], before: 1, after: undefined },
    { path: ["d"], before: undefined, after: 1 },
  ]);
});

test("sorts indexes as numbers", () => {
  const paths = diff(
    Array.from({ length: 12 }, () => 0),
    [],
  ).entries.map((entry) => entry.path[0]);
  expect(paths).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test("compares own properties only", () => {
  expect(diff({}, { toString: 1, constructor: 2 }).entries.map((entry) => [entry.path, entry.before])).toEqual([
    [["constructor"], undefined],
    [["toString"], undefined],
  ]);
  expect(diff({ toString: 1 }, {}).entries).toStrictEqual([{ path: ["toString"], before: 1, after: undefined }]);
});

test("treats an own __proto__ as a key like any other", () => {
  const before = JSON.parse('{"__proto__":{"a":1}}');
  expect(diff(before, {}).entries).toStrictEqual([{ path: ["__proto__"], before: { a: 1 }, after: undefined }]);
  expect(diff(before, JSON.parse('{"__proto__":{"a":2}}')).entries).toStrictEqual([
    { path: ["__proto__", "a"], before: 1, after: 2 },
  ]);
});

test.each([499, 500, 501, 10_000, 50_000])("compares values nested %i deep", { tags: "deep" }, (depth) => {
  expect(diff(nest(depth, 1), nest(depth, 1)).equal).toBe(true);
  const { entries } = diff(nest(depth, 1), nest(depth, 2));
  expect(entries).toHaveLength(1);
  expect(entries[0]?.path).toHaveLength(depth);
  expect([entries[0]?.before, entries[0]?.after]).toEqual([1, 2]);
});

test("keeps path order if one branch is too deep for the stack", () => {
  const value = (mark: number): unknown => ({ a: nest(2000, mark), b: mark, c: nest(1000, mark) });
  expect(diff(value(1), value(2)).entries.map((entry) => [entry.path[0], entry.path.length])).toEqual([
    ["a", 2001],
    ["b", 1],
    ["c", 1001],
  ]);
});

test("refuses two values with the same cycle", () => {
  const loop = (): unknown => {
    const parent: Record<string, unknown> = { name: "p" };
    parent["children"] = [{ parent }, { parent }];
    return parent;
  };
  expect(() => diff(loop(), loop())).toThrow(
    new TypeError('diff: cycle at "children[0].parent". Convert it to plain data first'),
  );
});

test("terminates on a cycle that only one of the values has", () => {
  const loop: Record<string, unknown> = {};
  loop["a"] = loop;
  expect(diff(loop, { a: { a: 1 } }).entries).toStrictEqual([{ path: ["a", "a"], before: loop, after: 1 }]);
  expect(diff(loop, loop).equal).toBe(true);
});

describe("keyBy", () => {
  const items = (...ids: unknown[]): unknown => ({ items: ids.map((id) => ({ id, n: 1 })) });

  test("compares arrays by the keys of their elements, in any order", () => {
    const before = {
      items: [
        { id: "b", n: 1 },
        { id: "a", n: 1 },
        { id: "c", n: 1 },
      ],
    };
    const after = {
      items: [
        { id: "c", n: 1 },
        { id: "d", n: 1 },
        { id: "b", n: 2 },
      ],
    };
    expect(diff(before, after, { items: "id" }).entries).toStrictEqual([
      { path: ["items", "a"], before: { id: "a", n: 1 }, after: undefined },
      { path: ["items", "b", "n"], before: 1, after: 2 },
      { path: ["items", "d"], before: undefined, after: { id: "d", n: 1 } },
    ]);
  });

  test.each([
    ["at once", items(1, 1), items(1, 1)],
    ["after ids that descend", items("b", "a", "b"), items("b", "a", "b")],
    ["after ids that ascend", items(1, 2, 10, 1), items(1, 2, 10, 1)],
    ["before only", items(2, 1, 2), items(2, 1)],
    ["after only, among the old", items(1, 2), items(2, 1, 2)],
    ["after only, among the new", items(3), items(1, 2, 2)],
  ])("refuses a duplicate key: %s", (_, before, after) => {
    expect(() => diff(before, after, { items: "id" })).toThrow(/^keyBy: duplicate key "(?:b|1|2)" in items$/);
  });

  test("terminates on a cycle behind a duplicate key", () => {
    const loop = (): unknown => {
      const root: Record<string, unknown> = {};
      root["items"] = [{ id: "a" }, { id: "a", root }];
      return root;
    };
    expect(() => diff(loop(), loop(), { items: "id" })).toThrow(new TypeError('keyBy: duplicate key "a" in items'));
  });
});

test("reports an array that became a record of the same keys, and the reverse, as a change of type", () => {
  const list = { claims: [{ id: "c1", says: "x" }] };
  const record = { claims: { c1: { id: "c1", says: "x" } } };
  expect(diff(list, record, { claims: "id" })).toStrictEqual({
    equal: false,
    entries: [{ path: ["claims"], before: list.claims, after: record.claims }],
  });
  expect(diff(record, list, { claims: "id" }).entries).toStrictEqual([
    { path: ["claims"], before: record.claims, after: list.claims },
  ]);
});

test.each([
  ["Headers", () => ({ headers: new Headers({ tenant: "north" }) }), "headers"],
  ["FormData", () => ({ forms: [new FormData()] }), "forms[0]"],
  ["Headers", () => ({ byName: new Map([["a", [new Headers()]]]) }), "byName"],
  ["Headers", () => [new Set([new Headers()])], "[0]"],
  ["Secret", () => ({ last: new Error("a", { cause: new Secret() }) }), "last"],
  ["URLSearchParams", () => ({ a: { b: new URLSearchParams("a=1") } }), "a.b"],
  ["Secret", () => ({ secret: new Secret() }), "secret"],
])("two instances of %s with hidden state differ, and their path is named", (name, make, path) => {
  expect(() => diff(make(), make())).toThrow(
    new TypeError(
      `diff: can't compare two instances of ${name} at "${path}": their state isn't in their properties. ` +
        "Convert them to plain data first, e.g. with Object.fromEntries().",
    ),
  );
});

class Secret {
  readonly #seed = Math.random();
  get seed(): number {
    return this.#seed;
  }
}

test("compares instances with readable state, and one that is the same on both sides", () => {
  const headers = new Headers();
  expect(diff({ headers }, { headers }).equal).toBe(true);
  expect(diff(new Map([["a", 1]]), new Map([["a", 1]])).equal).toBe(true);
  expect(diff(new Uint8Array([1]), new Uint8Array([2])).equal).toBe(false);
  expect(diff(new URL("http://a.test"), new URL("http://a.test")).equal).toBe(true);
});

test("compares the properties of a match, and not instances that are the same in two Maps or Sets", () => {
  expect(diff("abc".match(/b/), "xbc".match(/b/)).entries).toMatchObject([{ path: ["input"] }]);
  expect(diff("abc".match(/b/), "abc".match(/b/)).equal).toBe(true);
  const headers = new Headers();
  expect(diff(new Map([["a", { headers }]]), new Map([["a", { headers }]])).equal).toBe(true);
  expect(diff(new Set([headers]), new Set([headers])).equal).toBe(true);
  expect(diff([new Map([["a", { b: {}, c: [] }]])], [new Map([["a", { b: {}, c: [] }]])]).equal).toBe(true);
});
