import { expect, test } from "vitest";
import { unwrap } from "../../../kernel/result.ts";
import { createMemoryStore } from "./memory.ts";
import { storedHistories } from "./stored-steps.ts";

test("yields a sample newest first, with the same runs for the same seed", async () => {
  let now = 0;
  const store = createMemoryStore({ clock: () => (now += 1) });
  for (let index = 0; index < 50; index += 1) {
    const run = { workflowId: "w", workflowVersion: "1.0.0", runId: `${index}`, step: "s", input: 1 };
    unwrap(await store.start(run));
  }
  const sampleOf = async (sample: number, seed: number): Promise<readonly number[]> => {
    const ids: number[] = [];
    for await (const { run } of storedHistories(store, { sample, seed })) ids.push(Number(run.runId));
    return ids;
  };
  for (let seed = 1; seed <= 20; seed += 1) {
    const ids = await sampleOf(8, seed);
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(8);
    expect(await sampleOf(8, seed)).toEqual(ids);
  }
  expect(await sampleOf(99, 1)).toHaveLength(50);
});
