import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);

beforeEach(() => stage.begin());

interface Ranking {
  readonly ids: readonly string[];
  readonly score?: number;
  readonly ordered?: boolean;
}

function rank({ ids, score = 1, ordered = false }: Ranking) {
  return defineStep({
    name: "rank",
    input: z.object({}),
    output: z.object({ hits: z.array(z.object({ id: z.string(), score: z.number() })) }),
    keyBy: { hits: ordered ? { by: "id", ordered } : "id" },
    run: async () => ({ output: { hits: ids.map((id) => ({ id, score })) } }),
  });
}

const IGNORED = 'keyBy ignores the order (hits). If the order matters, use { by: "…", ordered: true }';

test("a keyed list in another order is clean with a remark, and without one in the same order", async () => {
  await expect(rank({ ids: ["a", "b", "c"] })).toMatchBaseline({ input: {} });
  stage.settle("new");
  await expect(rank({ ids: ["c", "a", "b"] })).toMatchBaseline({ input: {} });
  expect(stage.notes).toStrictEqual([[IGNORED]]);
  stage.settle("new");
  await expect(rank({ ids: ["a", "b", "c"] })).toMatchBaseline({ input: {} });
  expect(stage.notes).toStrictEqual([[]]);
});

test("is a change without the remark if a value changed or the order of keys counts", async () => {
  await expect(rank({ ids: ["a", "b"] })).toMatchBaseline({ input: {} });
  stage.settle("new");
  for (const changed of [rank({ ids: ["b", "a"], score: 2 }), rank({ ids: ["b", "a"], ordered: true })]) {
    expect(await stage.message(() => expect(changed).toMatchBaseline({ input: {} }))).toContain("value_changed");
    expect(stage.notes.flat()).not.toContain(IGNORED);
  }
});
