import { setImmediate } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

interface Adapters {
  readonly llm: { ask(prompt: string): Promise<string> };
}
const adapters: Adapters = {
  llm: {
    ask: async (prompt) => {
      for (let turn = 0; turn < (prompt === "first" ? 500 : 3); turn += 1) await setImmediate();
      return prompt;
    },
  },
};
const askBoth = ({ llm }: Adapters): readonly Promise<string>[] => [llm.ask("first"), llm.ask("second")];

// One run for the result, and two that replay it.
test.each([
  ["the same result each time", 3, async (given: Adapters) => Promise.all(askBoth(given)), false],
  // A replay without the order of responses, one with it, and one that finds what the step reads.
  [
    "another result each time",
    4,
    async (given: Adapters) => {
      await Promise.all(askBoth(given));
      return Math.random();
    },
    true,
  ],
] as const)("to capture a step with %s, it runs %i times", async (_what, runs, resultOf, isRefused) => {
  let count = 0;
  const step = defineStep({
    name: "ask",
    input: z.object({}),
    output: z.object({ result: z.unknown() }),
    run: async (_, ctx: StepContext<Adapters>) => {
      count += 1;
      return { output: { result: await resultOf(ctx.adapters) } };
    },
  });
  const capture = async (): Promise<unknown> => expect(step).toMatchBaseline({ input: {}, adapters });
  if (isRefused) expect(await stage.message(capture)).toContain("The step reads Math.random at src/check/update/");
  else await capture();
  expect(count).toBe(runs);
});

const KEY = "sk-proj-Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z";

test.each([
  ["joins it with a word", (key: string) => `a${key}`],
  ["cuts it", (key: string) => key.slice(3)],
])("doesn't print a secret of a response if the step %s", async (_what, change) => {
  const step = defineStep({
    name: "key",
    input: z.object({}),
    output: z.object({ label: z.string() }),
    run: async (_, ctx: StepContext<Adapters>) => ({ output: { label: change(await ctx.adapters.llm.ask("key")) } }),
  });
  const given = { input: {}, adapters: { llm: { ask: async () => KEY } } };
  const message = await stage.message(() => expect(step).toMatchBaseline(given));
  expect(message).not.toContain("Ab3dEf6h");
  expect(message).toContain(
    "when veritest ran the step again with the recorded responses, it returned another value at output.label (its secrets are hidden. If",
  );
});

test("doesn't print a secret of a response that the step sends as a part of a word", async () => {
  const step = defineStep({
    name: "key",
    input: z.object({}),
    output: z.object({ label: z.string() }),
    run: async (_, { adapters: { llm } }: StepContext<Adapters>) => ({
      output: { label: await llm.ask(`a${await llm.ask("key")}`) },
    }),
  });
  const given = { input: {}, adapters: { llm: { ask: async (prompt: string) => (prompt === "key" ? KEY : "b") } } };
  const message = await stage.message(() => expect(step).toMatchBaseline(given));
  expect(message).not.toContain("Ab3dEf6h");
  expect(message).toContain(
    'it sent a different request to adapter "llm.ask": another value at request[0] (its secrets are hidden.',
  );
});
