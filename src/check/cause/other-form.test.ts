import { beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import "../../vitest-types.ts";

const stage = new MatcherStage(expect);
beforeEach(() => {
  stage.begin();
});

interface Question {
  readonly prompt: string;
  readonly stream?: boolean;
}
interface Adapters {
  readonly llm: { readonly ask: (question: Question) => Promise<unknown> };
}

const adapters: Adapters = {
  llm: {
    ask: async ({ stream = false }) => (stream ? new Response("ok").body : { text: "ok" }),
  },
};

function stepOf(question: Question, read: (response: unknown) => Promise<string>): AnyStep {
  return defineStep({
    name: "form",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async (_input, context: StepContext<Adapters>) => ({
      output: { text: await read(await context.adapters.llm.ask(question)) },
    }),
  });
}

const message = z.object({ text: z.string() });
const readMessage = async (response: unknown): Promise<string> => message.parse(response).text;

test.each([
  ["fails", async (response: unknown) => z.instanceof(ReadableStream).parse(response).locked.toString()],
  ["has another result", async (response: unknown) => (response instanceof ReadableStream ? "ok" : "")],
])("code that reads a stream isn't a cause because it %s with the recorded message", async (_what, read) => {
  await expect(stepOf({ prompt: "Hello" }, readMessage)).toMatchBaseline({ input: {}, adapters });
  stage.settle("new");
  const now = stepOf({ prompt: "Hello", stream: true }, read);
  const text = await stage.message(() => expect(now).toMatchBaseline({ input: {}, adapters, mode: "replay" }));
  expect(text).toContain("    cause: prompt\n");
  expect(text).toContain("  + request[0].stream: true\n");
});
