import { describe, expect, test } from "vitest";
import { diff } from "./diff.ts";
import { formatDiff } from "./format-diff.ts";
import { normalizeArrayForDiff, normalizeForDiff } from "./keyed-lists.ts";
import type { KeyBy } from "./compare-rules.ts";

const e1 = { id: "e1", confidence: 0.9 };
const e2 = { id: "e2", confidence: 0.9 };

function keyedDiff(before: unknown, after: unknown, keyBy: KeyBy): string {
  return formatDiff(diff(normalizeForDiff(before, keyBy), normalizeForDiff(after, keyBy)));
}

test("a new order isn't a change", () => {
  expect(keyedDiff({ entities: [e1, e2] }, { entities: [e2, e1] }, { entities: "id" })).toBe("(no changes)");
});

test("names a changed field by the key of its element", () => {
  const after = { entities: [{ ...e2, confidence: 0.7 }, e1] };
  expect(keyedDiff({ entities: [e1, e2] }, after, { entities: "id" })).toBe("  entities.e2.confidence: 0.9 → 0.7");
});

test("an added or removed element has its own entry", () => {
  const [one, both] = [{ entities: [e2] }, { entities: [e1, e2] }];
  expect(keyedDiff(one, both, { entities: "id" })).toBe('+ entities.e1: {"confidence":0.9,"id":"e1"}');
  expect(keyedDiff(both, one, { entities: "id" })).toBe('- entities.e1: {"confidence":0.9,"id":"e1"}');
});

test("keys by a function", () => {
  expect(
    normalizeForDiff(
      {
        rows: [
          [1, "a"],
          [2, "b"],
        ],
      },
      { rows: (row) => `row-${String(row)}` },
    ),
  ).toEqual({
    rows: { "row-1,a": [1, "a"], "row-2,b": [2, "b"] },
  });
});

test.each([undefined, {}])("returns the value itself if keyBy is %j", (keyBy) => {
  const value = { entities: [e1] };
  expect(normalizeForDiff(value, keyBy)).toBe(value);
});

test.each([
  ["nothing", { other: 1 }],
  ["an object", { a: { b: {} } }],
  ["null", { a: { b: null } }],
  ["a place under null", { a: null }],
  ["elements without it", { a: [{ c: [1] }, 1, null, []] }],
  ["a place under an instance", { a: new Map([["b", [1]]]) }],
  ["an inherited field", { a: Object.create({ b: [1] }) }],
  ["a place under a primitive root", 1],
])("returns the value itself if the path leads to %s", (_, value) => {
  expect(normalizeForDiff(value, { "a.b": "id" })).toBe(value);
});

test("ignores inherited names", () => {
  const value = { a: [[e1]], constructor: 1 };
  expect(normalizeForDiff(value, { "a.length": "id", "constructor.prototype": "id", "": "id" })).toBe(value);
});

test("* matches any name, through elements of arrays", () => {
  const value = { hard: [e1], soft: [e2], count: 2 };
  expect(normalizeForDiff(value, { "*": "id" })).toEqual({ hard: { e1 }, soft: { e2 }, count: 2 });
  expect(normalizeForDiff({ by: value }, { "by.*": "id" })).toEqual({ by: { hard: { e1 }, soft: { e2 }, count: 2 } });
  expect(normalizeForDiff({ a: [[e1]] }, { "a.*": "id" })).toEqual({ a: [{ e1 }] });
});

describe("a path through elements of arrays", () => {
  const twins = [{ list: [e1, e2] }, { list: [e2] }];
  const keyedTwins = [{ list: { e1, e2 } }, { list: { e2 } }];

  test("matches in every element of a list, or in the one at its index", () => {
    expect(normalizeForDiff({ s: twins }, { "s.list": "id" })).toEqual({ s: keyedTwins });
    expect(normalizeForDiff({ s: twins }, { "s.1.list": "id" })).toEqual({ s: [twins[0], keyedTwins[1]] });
    expect(normalizeForDiff(twins, { list: "id" })).toEqual(keyedTwins);
    expect(normalizeForDiff({ s: [[twins]] }, { "s.list": "id" })).toEqual({ s: [[keyedTwins]] });
    expect(normalizeForDiff({ a: [[e1], 1] }, { "a.0": "id" })).toEqual({ a: [{ e1 }, 1] });
  });

  test("matches in every element of a keyed array, or in the one with its key", () => {
    const s = twins.map((twin, index) => ({ id: `s${index}`, ...twin }));
    expect(normalizeForDiff({ s }, { s: "id", "s.list": "id" })).toEqual({
      s: { s0: { id: "s0", ...keyedTwins[0] }, s1: { id: "s1", ...keyedTwins[1] } },
    });
    expect(normalizeForDiff({ s }, { s: "id", "s.s1.list": "id" })).toEqual({
      s: { s0: s[0], s1: { id: "s1", ...keyedTwins[1] } },
    });
  });

  test("gives precedence to the most specific path", () => {
    const s = [{ list: [{ id: 1, n: "a" }] }, { list: [{ id: 1, n: "b" }] }];
    const keyed = { s: [{ list: { 1: { id: 1, n: "a" } } }, { list: { b: { id: 1, n: "b" } } }] };
    expect(normalizeForDiff({ s }, { "s.list": "id", "s.1.list": "n" })).toEqual(keyed);
    expect(normalizeForDiff({ s }, { "s.1.list": "n", "s.list": "id" })).toEqual(keyed);
  });

  test("passes an unchanged element to a key function", () => {
    const key = (item: unknown): string => JSON.stringify(item);
    expect(normalizeForDiff({ s: [{ list: [e1] }] }, { s: key, "s.list": "id" })).toEqual({
      s: { '{"list":[{"id":"e1","confidence":0.9}]}': { list: { e1 } } },
    });
  });

  test("terminates on an array that contains itself", () => {
    const loop: unknown[] = [{ list: [e1] }];
    loop.push(loop, loop);
    const [element, itself] = Object(normalizeForDiff(loop, { list: "id" }));
    expect([element, itself === loop]).toEqual([{ list: { e1 } }, true]);
  });

  test("names the path of the array in an error", () => {
    const s = [{ id: "A", items: [{ id: 1 }, { id: 1 }] }];
    expect(() => normalizeForDiff({ s }, { "s.items": "id" })).toThrow(
      new TypeError('keyBy: duplicate key "1" in s[0].items'),
    );
    expect(() => normalizeForDiff({ s }, { s: "id", "s.items": "sku" })).toThrow(
      new TypeError('keyBy: element at s.A.items[0] has no field "sku"'),
    );
  });
});

test("copies only along the path", () => {
  const value = { a: { list: [e1], other: {} }, b: {} };
  const keyed = normalizeForDiff(value, { "a.list": "id" });
  expect(keyed).toEqual({ a: { list: { e1 }, other: {} }, b: {} });
  expect(value).toEqual({ a: { list: [{ id: "e1", confidence: 0.9 }], other: {} }, b: {} });
  expect(Reflect.get(Object(keyed), "b")).toBe(value.b);
  expect(Reflect.get(Reflect.get(Object(keyed), "a"), "other")).toBe(value.a.other);
});

test("keys several arrays that share a part of their path", () => {
  const value = { a: { list: [e1], deep: { list: [e2] } } };
  expect(normalizeForDiff(value, { "a.list": "id", "a.deep.list": "id" })).toEqual({
    a: { list: { e1 }, deep: { list: { e2 } } },
  });
});

test("keys an array inside a keyed element, in any order of the paths", () => {
  const value = { entities: [{ id: "e1", tags: [{ n: "x" }] }] };
  const expected = { entities: { e1: { id: "e1", tags: { x: { n: "x" } } } } };
  expect(normalizeForDiff(value, { entities: "id", "entities.e1.tags": "n" })).toEqual(expected);
  expect(normalizeForDiff(value, { "entities.e1.tags": "n", entities: "id" })).toEqual(expected);
});

test("keeps null prototypes and an own __proto__ on the path", () => {
  const value: unknown = JSON.parse('{"__proto__":{"list":[{"id":"e1"}]}}');
  const keyed = Object(normalizeForDiff(value, { "__proto__.list": "id" }));
  expect(JSON.stringify(keyed)).toBe('{"__proto__":{"list":{"e1":{"id":"e1"}}}}');
  expect(Object.getPrototypeOf(keyed)).toBe(Object.prototype);
  const bare: unknown = Object.assign(Object.create(null), { list: [e1] });
  expect(Object.getPrototypeOf(normalizeForDiff(bare, { list: "id" }))).toBeNull();
});

test("accepts keys such as toString, constructor and __proto__", () => {
  const items = ["toString", "constructor", "__proto__"].map((id) => ({ id }));
  const keyed = normalizeArrayForDiff(items, "id");
  expect(Object.getPrototypeOf(keyed)).toBeNull();
  expect(Object.keys(keyed)).toEqual(["toString", "constructor", "__proto__"]);
});

describe("refusals", () => {
  test.each([
    ["an element without the field", [e1, e2, {}], 'element at entities[2] has no field "id"'],
    ["an element whose field is undefined", [{ id: undefined }], 'element at entities[0] has no field "id"'],
    ["an element that inherits the field", [Object.create({ id: 1 })], 'element at entities[0] has no field "id"'],
    ["a primitive element", ["id"], 'element at entities[0] has no field "id"'],
    ["a null element", [null], 'element at entities[0] has no field "id"'],
    ["an object as key", [{ id: {} }], "key must be string or number, got object"],
    ["null as key", [{ id: null }], "key must be string or number, got null"],
    ["a boolean as key", [{ id: true }], "key must be string or number, got boolean"],
    ["a bigint as key", [{ id: 1n }], "key must be string or number, got bigint"],
    ["a key twice", [e1, e2, e1], 'duplicate key "e1" in entities'],
    ["a number and its text", [{ id: 1 }, { id: "1" }], 'duplicate key "1" in entities'],
  ])("%s", (_, entities, problem) => {
    expect(() => normalizeForDiff({ entities }, { entities: "id" })).toThrow(new TypeError(`keyBy: ${problem}`));
  });

  test("a key function that returns no valid key", () => {
    expect(() => normalizeForDiff({ a: { b: [1] } }, { "a.b": (): string => JSON.parse("[]") })).toThrow(
      new TypeError("keyBy: key must be string or number, got array"),
    );
  });

  test("name the full path of a nested array", () => {
    expect(() => normalizeForDiff({ a: { b: [{}] } }, { "a.b": "no\u001b" })).toThrow(
      new TypeError('keyBy: element at a.b[0] has no field "no\\u001b"'),
    );
  });
});

describe("normalizeArrayForDiff", () => {
  test("keys an array at the root", () => {
    expect(normalizeArrayForDiff([e2, e1], "id")).toEqual({ e1, e2 });
    expect(normalizeArrayForDiff([], "id")).toEqual({});
  });

  test("names the root, or the given label, in an error", () => {
    expect(() => normalizeArrayForDiff([{}], "id")).toThrow(
      new TypeError('keyBy: element at (root)[0] has no field "id"'),
    );
    expect(() => normalizeArrayForDiff([e1, e1], "id", "calls")).toThrow(
      new TypeError('keyBy: duplicate key "e1" in calls'),
    );
  });
});
