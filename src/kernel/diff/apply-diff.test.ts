import { describe, expect, test } from "vitest";
import { applyDiff } from "./apply-diff.ts";
import { diff } from "./diff.ts";
import type { DiffEntry, DiffResult } from "./entries.ts";

function change(path: DiffEntry["path"], after: unknown): DiffResult {
  return { equal: false, entries: [{ path, before: undefined, after }] };
}

function freeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

function deep(depth: number, core: unknown): unknown {
  let value = core;
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

test.each([
  ["a changed field", { a: 1, b: { c: 1 } }, { a: 1, b: { c: 2 } }],
  ["fields that came and went", { a: 1, b: 2 }, { b: 2, c: { d: 3 } }],
  ["a growing array", [1], [1, 2, [3]]],
  ["a shrinking array", [1, 2, 3], [1]],
  ["an emptied array", { a: [1, 2] }, { a: [] }],
  ["shrinking arrays in shrinking arrays", { a: [[1, 2, 3], [4, 5], [6]], b: [1, 2] }, { a: [[1], [4]], b: [] }],
  ["undefined inside an array that keeps its length", [1, 2, 3], [1, undefined, 3]],
  ["null at the end of an array", [1, 2], [1, null]],
  ["a type change", { a: [] }, { a: {} }],
  ["a change at the root", [1], "x"],
  ["a value that became undefined", { a: 1 }, undefined],
  ["integer-like and empty names", { 1: "a", "": 1 }, { 2: "b", "": 2 }],
])("rebuilds %s", (_, before, after) => {
  expect(applyDiff(freeze(before), diff(before, freeze(after)))).toStrictEqual(after);
});

test("returns the base itself for an equal diff", () => {
  const base = { a: [1] };
  expect(applyDiff(base, diff(base, structuredClone(base)))).toBe(base);
});

test("returns the same value for a change at the root", () => {
  const after = { a: 1 };
  expect(applyDiff(1, change([], after))).toBe(after);
});

test("copies only objects on a changed path", () => {
  const base = { a: { b: 1 }, c: { d: 1 } };
  const result = applyDiff(base, change(["a", "b"], 2));
  expect(result).toEqual({ a: { b: 2 }, c: { d: 1 } });
  expect(Reflect.get(Object(result), "c")).toBe(base.c);
  expect(base).toEqual({ a: { b: 1 }, c: { d: 1 } });
});

test("doesn't modify a value of an earlier entry", () => {
  const brought = { b: 1 };
  const entries = [...change(["a"], brought).entries, ...change(["a", "b"], 2).entries];
  expect(applyDiff({}, { equal: false, entries })).toEqual({ a: { b: 2 } });
  expect(brought).toEqual({ b: 1 });
});

test("changes one path only of an object that the base has twice", () => {
  const shared = { x: 1, y: 1 };
  expect(applyDiff({ a: shared, b: shared }, change(["a", "x"], 2))).toEqual({ a: { x: 2, y: 1 }, b: { x: 1, y: 1 } });
});

test("keeps a null prototype", () => {
  const base: unknown = Object.assign(Object.create(null), { a: Object.assign(Object.create(null), { b: 1 }) });
  const result = Object(applyDiff(base, change(["a", "b"], 2)));
  expect(Object.getPrototypeOf(result)).toBeNull();
  expect(Object.getPrototypeOf(result.a)).toBeNull();
});

describe("names of the prototype chain", () => {
  test.each(["__proto__", "constructor", "prototype"])("an own %s round-trips", (name) => {
    const before: unknown = JSON.parse(`{"${name}":{"polluted":1},"a":1}`);
    const after: unknown = JSON.parse(`{"${name}":{"polluted":2,"more":[1]}}`);
    expect(JSON.stringify(applyDiff(before, diff(before, after)))).toBe(`{"${name}":{"polluted":2,"more":[1]}}`);
    const added = Object(applyDiff({}, diff({}, after)));
    expect(Object.hasOwn(added, name)).toBe(true);
    expect(Object.getPrototypeOf(added)).toBe(Object.prototype);
    expect(JSON.stringify(applyDiff(after, diff(after, {})))).toBe("{}");
  });

  test.each([
    ["__proto__", "undefined"],
    ["constructor", "undefined"],
  ])("refuses a path through an inherited %s", (name, found) => {
    expect(() => applyDiff({ a: {} }, change(["a", name, "polluted"], 1))).toThrow(
      new TypeError(`applyDiff: can't apply change at "a.${name}": expected object, got ${found}`),
    );
    expect(Reflect.get({}, "polluted")).toBeUndefined();
  });
});

test.each([
  ["a", ["a", "b"], { a: 1 }, "expected object, got number"],
  ["a", ["a", "b"], { a: null }, "expected object, got null"],
  ["a", ["a", "b"], {}, "expected object, got undefined"],
  ["a", ["a", "b"], { a: [1] }, "expected object, got array"],
  ["a", ["a", 0], { a: {} }, "expected array, got object"],
  ["a", ["a", "b"], { a: new Map() }, "expected object, got Map"],
  ["(root)", ["a"], 1, "expected object, got number"],
  ["(root)", [0], undefined, "expected array, got undefined"],
  ["list[1]", ["list", 1, "x"], { list: [{}, "s"] }, "expected object, got string"],
  ["list", ["list", -1], { list: [] }, "expected an array index, got -1"],
  ["list", ["list", 0.5], { list: [] }, "expected an array index, got 0.5"],
])("names %s if the base doesn't match, case %#", (where, path, base, problem) => {
  expect(() => applyDiff(base, change(path, 2))).toThrow(
    new TypeError(`applyDiff: can't apply change at "${where}": ${problem}`),
  );
});

test("applies a change 10 000 levels down", () => {
  const result = applyDiff(deep(10_000, 1), diff(deep(10_000, 1), deep(10_000, 2)));
  expect(diff(result, deep(10_000, 2)).equal).toBe(true);
});
