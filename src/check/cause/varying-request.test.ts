import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { defineStep } from "../../kernel/step/define-step.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());
afterEach(() => vi.useRealTimers());

interface Adapters {
  readonly llm: { complete(request: { prompt: string }): Promise<string> };
}
const adapters: Adapters = { llm: { complete: async () => "Good morning." } };
let count = 0;

test.each([
  ["the time", () => new Date(Date.now() + (count += 1)).toISOString(), "a time in ", "Date.now"],
  ["a Unix time", () => String(Date.now() + (count += 1)), "a time in ", "Date.now"],
  ["a Date", () => `${new Date().toISOString()} ${(count += 1)}`, "a time in ", "new Date()"],
  ["an id", () => crypto.randomUUID(), "", "crypto.randomUUID"],
  ["a count", () => `word ${(count += 1)}`, "", ""],
])("reports a request with %s as varying from run to run, and doesn't suggest -u", async (_name, vary, what, api) => {
  let isFixed = true;
  const step = defineStep({
    name: "greet",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async (_, ctx: StepContext<Adapters>) => {
      const prompt = `You greet visitors. ${isFixed ? "It is noon." : `It is ${vary()}.`} Greet Ben.`;
      return { output: { text: await ctx.adapters.llm.complete({ prompt }) } };
    },
  });
  await expect(step).toMatchBaseline({ input: {}, adapters });
  stage.settle("none");
  isFixed = false;
  const message = await stage.message(() => expect(step).toMatchBaseline({ input: {}, adapters }));
  const at = api === "" ? "" : `; ${api} at src/check/cause/varying-request.test.ts:LINE`;
  expect(message.replaceAll(/:\d+:\d+/g, ":LINE")).toContain(
    `cause: code (differs from run to run: ${what}llm.complete request[0].prompt${at})`,
  );
  expect(message).toContain(
    "The step sends a different request in each run, so no recording can match it. Read the time, random numbers and " +
      'ids from an adapter ({ adapters: { clock: clock() } }, clock of "veritest"), or set the time in the test before ' +
      'the step runs: in Vitest vi.useFakeTimers({ toFake: ["Date"], now }), in Jest jest.useFakeTimers({ now, ' +
      'doNotFake: ["nextTick", "setImmediate", "setTimeout", "clearTimeout"] }).',
  );
  expect(message).not.toMatch(/ -u|times\)/);
});
