import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type MergedData, type Sides, mergeData } from "./merge-data.ts";
import { runCount } from "../../../test-support/run-count.ts";
import { jsonValue } from "../../../test-support/arbitraries.ts";

const merged = (base: unknown, ours: unknown, theirs: unknown): MergedData =>
  mergeData({ base, ours, theirs }, { prefer: "ours", depth: "fields" });

test("takes each side's change of a different field", () => {
  const base = { a: 1, b: { c: 2, d: 3 }, gone: true };
  expect(merged(base, { a: 9, b: { c: 2, d: 3 }, gone: true }, { a: 1, b: { c: 8, d: 3 }, new: 1 })).toStrictEqual({
    value: { a: 9, b: { c: 8, d: 3 }, new: 1 },
    conflicts: [],
  });
});

test("names the fields that both sides changed, and takes the preferred side", () => {
  const sides = { base: { a: 1, b: 1 }, ours: { a: 2, b: 1 }, theirs: { a: 3, b: 5 } };
  const theirs = mergeData(sides, { prefer: "theirs", depth: "fields" });
  expect([merged(sides.base, sides.ours, sides.theirs), theirs]).toStrictEqual([
    { value: { a: 2, b: 5 }, conflicts: [["a"]] },
    { value: { a: 3, b: 5 }, conflicts: [["a"]] },
  ]);
});

test("has no conflict if both sides made the same change", () => {
  expect(merged({ a: 1 }, { a: 2 }, { a: 2 })).toStrictEqual({ value: { a: 2 }, conflicts: [] });
});

test("reports a conflict for a field that one side removed and the other changed", () => {
  expect(merged({ a: 1, b: 1 }, { b: 1 }, { a: 2, b: 1 })).toStrictEqual({ value: { b: 1 }, conflicts: [["a"]] });
});

test("aligns elements by key in any order, and keeps the additions of both sides", () => {
  const [a, b, c] = [
    { id: "a", n: 1, m: 1 },
    { id: "b", n: 2, m: 2 },
    { id: "c", n: 3, m: 3 },
  ];
  const ours = [{ id: "new", n: 0 }, c, { ...a, n: 9 }, b];
  const theirs = [{ ...a, m: 8 }, b, { id: "late", n: 4 }];
  expect(merged([a, b, c], ours, theirs)).toStrictEqual({
    value: [{ id: "new", n: 0 }, { id: "a", n: 9, m: 8 }, b, { id: "late", n: 4 }],
    conflicts: [],
  });
});

test("reports a conflict if both sides reordered keyed elements", () => {
  const [a, b, c] = [{ id: 1 }, { id: 2 }, { id: 3 }];
  expect(merged([a, b, c], [b, a, c], [c, b, a])).toStrictEqual({ value: [b, a, c], conflicts: [[]] });
});

test("merges lists without keys by the elements around a change", () => {
  expect(merged(["a", "b", "c", "d"], ["new", "a", "b", "c", "d"], ["a", "b", "d", "end"])).toStrictEqual({
    value: ["new", "a", "b", "d", "end"],
    conflicts: [],
  });
});

test("merges different fields of one element without a key", () => {
  expect(merged([{ x: 1, y: 1 }], [{ x: 2, y: 1 }], [{ x: 1, y: 2 }])).toStrictEqual({
    value: [{ x: 2, y: 2 }],
    conflicts: [],
  });
});

test("never applies a change to the wrong element after a move", () => {
  const [one, two] = [
    { x: 1, y: 1 },
    { x: 2, y: 1 },
  ];
  expect(merged([one, two], [two, one], [{ x: 1, y: 9 }, two])).toStrictEqual({ value: [two, one], conflicts: [[]] });
});

test("merges elements as a unit if depth is elements", () => {
  const sides = { base: [{ q: 1, a: 1 }], ours: [{ q: 2, a: 1 }], theirs: [{ q: 1, a: 2 }] };
  expect(mergeData(sides, { prefer: "theirs", depth: "elements" })).toStrictEqual({
    value: [{ q: 1, a: 2 }],
    conflicts: [[]],
  });
});

test("merges changed elements as units only if an unchanged element is between them", () => {
  const [one, two, same] = [{ q: 1 }, { q: 2 }, { q: 0 }];
  const [ours, theirs] = [
    { q: 1, a: 1 },
    { q: 2, a: 2 },
  ];
  const mergeUnits = (sides: Sides): MergedData => mergeData(sides, { prefer: "ours", depth: "elements" });
  expect([
    mergeUnits({ base: [one, same, two], ours: [ours, same, two], theirs: [one, same, theirs] }),
    mergeUnits({ base: [one, two], ours: [ours, two], theirs: [one, theirs] }),
    mergeUnits({ base: [same], ours: [same, ours], theirs: [same, theirs] }),
  ]).toStrictEqual([
    { value: [ours, same, theirs], conflicts: [] },
    { value: [ours, two], conflicts: [[]] },
    { value: [same, ours], conflicts: [[]] },
  ]);
});

test("merges a field called __proto__ as a field", () => {
  const [base, ours, theirs] = ['{"a":1}', '{"a":1,"__proto__":{"b":2}}', '{"a":3}'].map((text): unknown =>
    JSON.parse(text),
  );
  expect(JSON.stringify(merged(base, ours, theirs).value)).toBe('{"a":3,"__proto__":{"b":2}}');
});

test("takes the other side's value if one side is unchanged, and conflicts are symmetric", () => {
  const json = jsonValue();
  fc.assert(
    fc.property(json, json, json, (base, ours, theirs) => {
      expect(merged(base, base, theirs)).toEqual({ value: theirs, conflicts: [] });
      expect(merged(base, ours, base)).toEqual({ value: ours, conflicts: [] });
      const turned = merged(base, theirs, ours).conflicts.map(String).toSorted();
      expect(merged(base, ours, theirs).conflicts.map(String).toSorted()).toStrictEqual(turned);
    }),
    { numRuns: runCount(1000) },
  );
});
