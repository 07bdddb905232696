import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineStep } from "./define-step.ts";
import { type LayeredState, diffEffectiveState, effectiveState, overlayConflicts } from "./effective-state.ts";

const { partialOutputSchema } = defineStep({
  name: "score",
  input: z.string(),
  output: z.object({ score: z.number(), tags: z.array(z.string()), note: z.string().optional() }),
  run: () => ({ output: {} }),
});

test("the overlay replaces complete fields", () => {
  const state = { computed: { score: 1, tags: { a: 1, b: 2 } }, overlay: { tags: { a: 3 } } };
  expect(effectiveState<{ score: number; tags: { a: number; b?: number } }>(state)).toStrictEqual({
    score: 1,
    tags: { a: 3 },
  });
});

test("a key of the overlay wins even if it is undefined", () => {
  const state = { computed: { score: 1, note: "x" }, overlay: { note: undefined } };
  expect(effectiveState<{ score: number; note: string | undefined }>(state)).toStrictEqual({
    score: 1,
    note: undefined,
  });
});

test("changes neither layer", () => {
  const computed = Object.freeze({ score: 1 });
  const overlay = Object.freeze({ score: 2 });
  expect(effectiveState<{ score: number }>({ computed, overlay })).toStrictEqual({ score: 2 });
  expect([computed, overlay]).toStrictEqual([{ score: 1 }, { score: 2 }]);
});

test("an overlay that fits the schema has no conflicts, with any number of fields", async () => {
  expect(await overlayConflicts(partialOutputSchema, {})).toStrictEqual([]);
  expect(await overlayConflicts(partialOutputSchema, { tags: ["a"] })).toStrictEqual([]);
  expect(await overlayConflicts(partialOutputSchema, { note: undefined })).toStrictEqual([]);
});

test("each value that the current schema refuses is a conflict", async () => {
  expect(await overlayConflicts(partialOutputSchema, { score: "high", tags: ["a", 2] })).toStrictEqual([
    { path: ["score"], message: "score: Invalid input: expected number, received string" },
    { path: ["tags", 1], message: "tags.1: Invalid input: expected string, received number" },
  ]);
});

test("a field that the current schema no longer has is a conflict, and isn't dropped", async () => {
  expect(await overlayConflicts(partialOutputSchema, { score: 1, rating: 5 })).toStrictEqual([
    { path: ["rating"], message: "rating: This field isn't in the schema" },
  ]);
});

describe("a diff of two effective states", () => {
  interface Score {
    readonly score: number;
    readonly tags: readonly { readonly id: string; readonly weight: number }[];
    readonly note?: string;
  }

  test("reports what people see change, whichever layer it came from", () => {
    const before: LayeredState<Score> = { computed: { score: 1, note: "draft" }, overlay: {} };
    const after: LayeredState<Score> = { computed: { score: 2 }, overlay: { note: "checked" } };
    expect(diffEffectiveState(before, after)).toStrictEqual({
      equal: false,
      entries: [
        { path: ["note"], before: "draft", after: "checked" },
        { path: ["score"], before: 1, after: 2 },
      ],
    });
  });

  test("ignores fields that an overlay covers on both sides", () => {
    const overlay = { score: 5 };
    expect(diffEffectiveState({ computed: { score: 1 }, overlay }, { computed: { score: 2 }, overlay })).toStrictEqual({
      equal: true,
      entries: [],
    });
  });

  test("treats a field that an overlay sets to undefined as removed, and one that changes layers as equal", () => {
    const before: LayeredState<{ score?: number | undefined; note?: string }> = {
      computed: { score: 1, note: "n" },
      overlay: {},
    };
    expect(
      diffEffectiveState(before, { computed: { score: 1 }, overlay: { score: undefined, note: "n" } }),
    ).toStrictEqual({ equal: false, entries: [{ path: ["score"], before: 1, after: undefined }] });
  });

  test("compares keyed arrays by key, and changes no layer", () => {
    const tags = [
      { id: "a", weight: 1 },
      { id: "b", weight: 2 },
    ];
    const before: LayeredState<Score> = Object.freeze({ computed: Object.freeze({ tags }), overlay: {} });
    const after: LayeredState<Score> = { computed: {}, overlay: { tags: tags.toReversed() } };
    expect(diffEffectiveState(before, after, { tags: "id" })).toStrictEqual({ equal: true, entries: [] });
    expect(diffEffectiveState(before, after).equal).toBe(false);
  });
});
