import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stableStringify } from "../../../kernel/json/canonical-json.ts";
import { applyDiff } from "../../../kernel/diff/apply-diff.ts";
import { diff } from "../../../kernel/diff/diff.ts";
import type { DiffEntry } from "../../../kernel/diff/entries.ts";
import { formatDiff, formatValue } from "../../../kernel/diff/format-diff.ts";
import { jsonLike, jsonValue, propertyName, similarJson } from "../../../../test-support/arbitraries.ts";
import { runCount } from "../../../../test-support/run-count.ts";

const RUNS = { numRuns: runCount(2000) };
const pairs = (): fc.Arbitrary<[unknown, unknown]> =>
  fc.oneof(fc.tuple(similarJson(), similarJson()), fc.tuple(jsonValue(), jsonValue()));

function oddValue(): fc.Arbitrary<unknown> {
  return fc.anything({ key: propertyName(), withBigInt: true, withMap: true, withSet: true, withDate: true });
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  Object.freeze(value);
  for (const name of Object.keys(value)) deepFreeze(Object.getOwnPropertyDescriptor(value, name)?.value);
}

test("a diff has entries exactly if the canonical texts differ", () => {
  fc.assert(
    fc.property(pairs(), ([before, after]) => {
      const { equal, entries } = diff(before, after);
      expect(equal).toBe(stableStringify(before) === stableStringify(after));
      expect(entries.length === 0).toBe(equal);
    }),
    RUNS,
  );
});

test("without moved elements, the reverse diff has the same paths with the sides exchanged", () => {
  const hasMoves = ({ edit, was }: DiffEntry): boolean => edit !== undefined || was !== undefined;
  fc.assert(
    fc.property(pairs(), ([before, after]) => {
      const [there, back] = [diff(before, after).entries, diff(after, before).entries];
      // Of two equally short edits of a list, each direction may take another.
      if ([...there, ...back].some(hasMoves)) return;
      expect(back.map((entry) => ({ ...entry, before: entry.after, after: entry.before }))).toEqual(there);
    }),
    RUNS,
  );
});

test("entries are in path order, with each path once, or twice after a removed element", () => {
  fc.assert(
    fc.property(pairs(), ([before, after]) => {
      const { entries } = diff(before, after);
      for (const [index, entry] of entries.entries()) {
        const next = entries[index + 1];
        if (next === undefined) continue;
        const isInFront = entry.edit === "removed" && next.edit !== "removed";
        if (isInFront && entry.path.every((segment, depth) => segment === next.path[depth])) continue;
        const split = entry.path.findIndex((segment, depth) => segment !== next.path[depth]);
        const [a, b] = [entry.path[split] ?? "", next.path[split] ?? ""];
        expect(split).toBeGreaterThanOrEqual(0);
        expect(typeof a).toBe(typeof b);
        expect(a < b).toBe(true);
      }
    }),
    RUNS,
  );
});

test("doesn't change its arguments or any prototype", () => {
  const names = Reflect.ownKeys(Object.prototype);
  fc.assert(
    fc.property(pairs(), ([before, after]) => {
      deepFreeze(before);
      deepFreeze(after);
      const changes = diff(before, after);
      deepFreeze(changes);
      const result = applyDiff(before, changes);
      if (changes.equal) expect(result).toBe(before);
      expect(Reflect.ownKeys(Object.prototype)).toEqual(names);
    }),
    RUNS,
  );
});

test("every diff and every value is formatted as printable lines", () => {
  fc.assert(
    fc.property(jsonLike(), oddValue(), (a, b) => {
      const changes = diff(a, b);
      expect(formatDiff(changes).split("\n")).toHaveLength(Math.max(1, changes.entries.length));
      expect(formatDiff(changes).replaceAll("\n", "")).not.toMatch(
        /[\p{Cc}\p{Cs}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u,
      );
      expect(formatValue(b, 20).length).toBeLessThan(60);
    }),
    RUNS,
  );
});
