import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { diff } from "../../../kernel/diff/diff.ts";
import { normalizeArrayForDiff, normalizeForDiff } from "../../../kernel/diff/keyed-lists.ts";
import type { DiffEntry } from "../../../kernel/diff/entries.ts";
import { type KeyedItem, keyedItems, permutationOf } from "../../../../test-support/arbitraries.ts";
import { runCount } from "../../../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(1500) };
const KEY_BY = { "out.items": "id" };

function changes(before: readonly unknown[], after: readonly unknown[]): readonly DiffEntry[] {
  const normalized = [before, after].map((items) => normalizeForDiff({ out: { items } }, KEY_BY));
  return diff(normalized[0], normalized[1]).entries;
}

/** Two orders of the same elements, and the place of one element in the second. */
function shuffled(): fc.Arbitrary<{ items: KeyedItem[]; other: KeyedItem[]; index: number }> {
  return keyedItems(1).chain((items) =>
    fc.record({ items: fc.constant(items), other: permutationOf(items), index: fc.nat({ max: items.length - 1 }) }),
  );
}

function at(items: readonly KeyedItem[], index: number): KeyedItem {
  const item = items[index];
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}

test("reordering a keyed array isn't a change", { tags: "deep" }, () => {
  fc.assert(
    fc.property(shuffled(), ({ items, other }) => {
      expect(changes(items, other)).toEqual([]);
    }),
    RUNS,
  );
});

test("one changed field is one entry at its key", () => {
  fc.assert(
    fc.property(shuffled(), ({ items, other, index }) => {
      const item = at(other, index);
      const after = other.with(index, { ...item, label: `${item.label}!` });
      expect(changes(items, after)).toStrictEqual([
        { path: ["out", "items", String(item.id), "label"], before: item.label, after: `${item.label}!` },
      ]);
    }),
    RUNS,
  );
});

test("an added or removed element changes only the entry of its key", () => {
  fc.assert(
    fc.property(shuffled(), ({ items, other, index }) => {
      const item = at(other, index);
      const fewer = other.toSpliced(index, 1);
      const path = ["out", "items", String(item.id)];
      expect(changes(items, fewer)).toStrictEqual([{ path, before: item, after: undefined }]);
      expect(changes(fewer, items)).toStrictEqual([{ path, before: undefined, after: item }]);
    }),
    RUNS,
  );
});

test("the value itself is never changed", () => {
  fc.assert(
    fc.property(keyedItems(), (items) => {
      const value = { out: { items }, rest: {} };
      const text = stableStringify(value);
      const normalized = normalizeForDiff(value, KEY_BY);
      expect(stableStringify(value)).toBe(text);
      expect(Reflect.get(Object(normalized), "rest")).toBe(value.rest);
      expect(normalizeForDiff(value, {})).toBe(value);
      expect(normalizeForDiff(value, { "out.none": "id", "rest.items": "id", "out.items.id": "id" })).toBe(value);
    }),
    RUNS,
  );
});

test("a key function works like the name of the field", () => {
  fc.assert(
    fc.property(keyedItems(), (items) => {
      const byFunction = normalizeArrayForDiff(items, (item) => Reflect.get(Object(item), "id"));
      expect(diff(byFunction, normalizeArrayForDiff(items, "id")).equal).toBe(true);
    }),
    RUNS,
  );
});

test("refuses an element without the field, and names its index", () => {
  const lacking = fc.oneof(fc.constantFrom<unknown>(null, 1, "id", undefined), fc.record({ label: fc.string() }));
  fc.assert(
    fc.property(shuffled(), lacking, ({ items, index }, element) => {
      expect(() => changes([...items.slice(0, index), element], [])).toThrow(
        new TypeError(`keyBy: element at out.items[${index}] has no field "id"`),
      );
    }),
    RUNS,
  );
});

test("refuses a key that is neither string nor number, and names its type", () => {
  const keys = fc.constantFrom<[unknown, string]>(
    [{}, "object"],
    [[], "array"],
    [null, "null"],
    [true, "boolean"],
    [1n, "bigint"],
  );
  fc.assert(
    fc.property(keyedItems(), keys, (items, [id, type]) => {
      expect(() => changes([...items, { id }], [])).toThrow(
        new TypeError(`keyBy: key must be string or number, got ${type}`),
      );
    }),
    RUNS,
  );
});

test("refuses a duplicate key, as text or number", () => {
  const simple = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(simple, fc.boolean(), (ids, asText) => {
      const [first = 0] = ids;
      const items = [...ids, asText ? String(first) : first].map((id) => ({ id }));
      expect(() => changes(items, [])).toThrow(new TypeError(`keyBy: duplicate key "${first}" in out.items`));
    }),
    RUNS,
  );
});
