import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

interface Adapters {
  readonly llm: { complete(prompt: string): Promise<string> };
  readonly policies: { read(): Promise<string> };
}
const adapters: Adapters = {
  llm: { complete: async (prompt) => `answer to ${prompt.slice(0, 5)}` },
  policies: { read: async () => "be kind" },
};

function replying(policy: (adapters: Adapters) => Promise<string>): AnyStep {
  return defineStep({
    name: "reply",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async (_, ctx: StepContext<Adapters>) => ({
      output: { text: await ctx.adapters.llm.complete(`By ${await policy(ctx.adapters)}: hello`) },
    }),
  });
}

const PROBLEM =
  "is cached between runs. So the result depends on the tests that ran before. Clear the cache at the " +
  "start of the step, or create it there. Before each test (beforeEach) is too late: a capture runs the step three times";

test.each([
  ["a model's response", "llm.complete", async ({ llm }: Adapters) => llm.complete("Say our policy.")],
  ["a read", "policies.read", async ({ policies }: Adapters) => policies.read()],
])("refuses to capture %s that a module keeps for later runs", async (_name, adapter, read) => {
  let cached: Promise<string> | undefined;
  const step = replying(async (given) => (cached ??= read(given)));
  const message = await stage.message(() => expect(step).toMatchBaseline({ input: {}, adapters }));
  expect(message).toContain(
    `not_replayable: The result isn't stored, because it isn't reproducible: a second run of the step doesn't call ` +
      `adapter "${adapter}" again, because its response ${PROBLEM}`,
  );
});

test("captures a cache of the step itself, and one that is cleared", async () => {
  let cached: Promise<string> | undefined;
  const clearing = replying(async ({ policies }) => {
    cached = undefined;
    return (cached ??= policies.read());
  });
  await expect(clearing).toMatchBaseline({ input: {}, adapters });
  stage.settle("none");
  await expect(clearing).toReplay();
});
