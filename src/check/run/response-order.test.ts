import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { recordAdapters } from "../../record/proxy/record-adapters.ts";
import { replayAdapters } from "../../record/replay/replay-adapters.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

/** Waits for turns of the event loop instead of milliseconds: their order is the same on a busy machine. */
async function after(turns: number, value: string): Promise<string> {
  for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  return value;
}
const llm = {
  slow: async (prompt: string) => after(500, `slow ${prompt}`),
  fast: async (prompt: string) => after(3, `fast ${prompt}`),
  broken: async (prompt: string) => {
    await after(3, "");
    throw new Error(`broken ${prompt}`);
  },
};

function taking(first: (models: typeof llm) => Promise<string>): AnyStep {
  return defineStep({
    name: "race",
    input: z.object({}),
    output: z.object({ first: z.string() }),
    run: async (_input, ctx) => {
      const { llm: models = llm }: { readonly llm?: typeof llm } = ctx.adapters;
      return { output: { first: await first(models) } };
    },
  });
}

test.each([
  ["the first of two models", async ({ slow, fast }: typeof llm) => Promise.race([slow("a"), fast("a")]), "fast a"],
  ["the first that answers", async ({ slow, broken }: typeof llm) => Promise.any([slow("a"), broken("a")]), "slow a"],
  ["a time limit", async ({ slow }: typeof llm) => Promise.race([slow("a"), after(5, "none")]), "none"],
  [
    "a hedged call",
    async ({ slow, fast }: typeof llm) => {
      const first = slow("a");
      return Promise.race([first, after(2, "").then(async () => fast("a"))]);
    },
    "fast a",
  ],
  [
    "the first, where both come",
    async ({ slow, fast }: typeof llm) => {
      const both = [slow("a"), fast("a")];
      const first = await Promise.race(both);
      await Promise.all(both);
      return first;
    },
    "fast a",
  ],
  [
    "a chain that is faster than one call",
    async ({ slow, fast }: typeof llm) => {
      const [one, chain] = [slow("a"), fast("a").then(fast)];
      const first = await Promise.race([one, chain]);
      await Promise.all([one, chain]);
      return first;
    },
    "fast fast a",
  ],
])("captures %s, and replays it with the same result", async (_name, first, expected) => {
  await expect(taking(first)).toMatchBaseline({ input: {}, adapters: { llm } });
  expect(stage.stagedText()).toContain(`"first": "${expected}"`);
  stage.settle("none");
  await expect(taking(first)).toReplay();
  await expect(taking(first)).toRecomputeClean();
});

test("stores no order of responses unless the step depends on it", async () => {
  const both = async ({ slow, fast }: typeof llm): Promise<string> =>
    (await Promise.all([slow("a"), fast("a")])).join(" ");
  await expect(taking(both)).toMatchBaseline({ input: {}, adapters: { llm } });
  expect(stage.stagedText()).not.toMatch(/"completed"|"open"/);
});

test("an open call ends when its signal is aborted", async () => {
  const never = { ask: async (_options: { signal?: AbortSignal }) => new Promise<string>(() => undefined) };
  const recorder = recordAdapters(never);
  await recorder.runInScope(() => void recorder.adapters.ask({ signal: new AbortController().signal }));
  expect(recorder.calls()).toMatchObject([{ adapter: "ask", returns: "promise", open: true }]);
  expect(recorder.problems()).toStrictEqual([]);
  const { adapters } = replayAdapters(recorder.calls());
  const ask: unknown = Reflect.get(adapters, "ask");
  if (typeof ask !== "function") throw new Error("no adapter");
  const answer: unknown = Reflect.apply(ask, undefined, [{ signal: AbortSignal.abort(new Error("enough")) }]);
  await expect(answer).rejects.toThrow("enough");
});

test("a response doesn't wait for a call that the step no longer makes", async () => {
  const recorder = recordAdapters({ llm });
  await recorder.runInScope(async () =>
    Promise.all([recorder.adapters.llm.slow("a"), recorder.adapters.llm.fast("b")]),
  );
  expect(recorder.calls().flatMap(({ completed }) => completed ?? [])).toStrictEqual([1, 0]);
  const { adapters } = replayAdapters(recorder.calls());
  const models: unknown = Reflect.get(adapters, "llm");
  const slow: unknown = typeof models === "object" && models !== null ? Reflect.get(models, "slow") : undefined;
  if (typeof slow !== "function") throw new Error("no adapter");
  expect(await Reflect.apply(slow, undefined, ["a"])).toBe("slow a");
});
