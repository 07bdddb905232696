import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import OpenAI from "openai";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import type { StepContext } from "../kernel/step/context.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";
import { serve } from "../../test-support/serve.ts";

const stage = new MatcherStage(expect);
beforeEach(() => stage.begin());

/** A client's `fetch` that answers with one body. */
const answering =
  (body: object, status = 200) =>
  async (): Promise<Response> =>
    Response.json(body, { status });
const usage = { prompt_tokens: 40, completion_tokens: 12, total_tokens: 52 };
const message = { role: "assistant", content: "Hi", refusal: null };
const completion = {
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message, finish_reason: "stop" }],
  usage,
};
const openai = (body: object, status?: number): OpenAI =>
  new OpenAI({ apiKey: "none", maxRetries: 0, fetch: answering(body, status) });

const chat = defineStep({
  name: "chat",
  input: z.object({ text: z.string() }),
  output: z.object({ said: z.string() }),
  run: async ({ text }, ctx: StepContext<{ openai: OpenAI }>) => {
    const messages = [{ role: "user" as const, content: text }];
    const answer = await ctx.adapters.openai.chat.completions.create({ model: "m", messages });
    return { output: { said: answer.choices[0]?.message.content ?? "" } };
  },
});
const ask = defineStep({
  name: "ask",
  input: z.object({ text: z.string() }),
  output: z.object({ said: z.number() }),
  run: async ({ text }, ctx: StepContext<{ anthropic: Anthropic }>) => {
    const messages = [{ role: "user" as const, content: text }];
    const answer = await ctx.adapters.anthropic.messages.create({ model: "m", max_tokens: 9, messages });
    return { output: { said: answer.content.length } };
  },
});

const input = { text: "hello" };

test("a budget counts tokens and calls of raw clients of OpenAI and Anthropic", async () => {
  const budget = (maxTokens: number): object => ({ maxTokens, maxCalls: 1 });
  const chatted = { input, adapters: { openai: openai(completion) } };
  await expect(chat).toMatchBaseline({ ...chatted, budget: budget(52) });
  expect(
    await stage.message(() => expect(chat).toMatchBaseline({ ...chatted, name: "b", budget: budget(51) })),
  ).toContain("over_budget: 1 call, 52 tokens, 0 ms\n      tokens: 52 (maximum: 51)\n");
  const counted = { usage: { input_tokens: 50, output_tokens: 9 }, stop_reason: "end_turn", stop_sequence: null };
  const said = { id: "msg_1", type: "message", role: "assistant", model: "m", content: [], ...counted };
  const anthropic = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: answering(said) });
  const asked = { input, adapters: { anthropic } };
  await expect(ask).toMatchBaseline({ ...asked, budget: budget(59) });
  expect(await stage.message(() => expect(ask).toMatchBaseline({ ...asked, name: "b", budget: budget(58) }))).toContain(
    "over_budget: 1 call, 59 tokens, 0 ms\n      tokens: 59 (maximum: 58)\n",
  );
});

test("reports a 429 of a raw client as such", async () => {
  const busy = openai({ error: { message: "Rate limit reached", code: "rate_limit_exceeded" } }, 429);
  await expect(chat).toMatchBaseline({ input, adapters: { openai: openai(completion) } });
  stage.settle("new");
  expect(
    await stage.message(() => expect(chat).toMatchBaseline({ input, adapters: { openai: busy }, mode: "live" })),
  ).toBe(`chat: 1 of 1 baseline failed (live adapters)

  ROOT/chat/the-test-HASH.json  failed
    execution_failed: 429 Rate limit reached
    thrown at src/matchers/raw-clients.test.ts:LINE

A service that a live adapter called is busy or unavailable (429). The step isn't the cause. Run the test again later, or with recorded responses: VERITEST_MODE=replay.`);
});

test("a client of the module's own is reported, once for each place, also where its service is busy", async () => {
  let status = 200;
  const { url, close } = await serve((_request, response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(status === 200 ? completion : { error: { message: "Rate limit reached" } }));
  });
  onTestFinished(close);
  const host = new URL(url).host;
  const client = new OpenAI({ apiKey: "none", maxRetries: 0, baseURL: `http://${host}/v1` });
  const own = defineStep({
    name: "own",
    input: z.object({ text: z.string() }),
    output: z.object({ said: z.string() }),
    run: async ({ text }) => {
      const messages = [{ role: "user" as const, content: text }];
      const answer = await client.chat.completions.create({ model: "m", messages });
      return { output: { said: answer.choices[0]?.message.content ?? "" } };
    },
  });
  await expect(own).toMatchBaseline({ input });
  const beyond = expect.stringMatching(
    /^captured with 0 calls, but the step also called 127\.0\.0\.1:\d+ \(src\/matchers\/raw-clients\.test\.ts:\d+:\d+\) directly/,
  );
  expect(stage.notes).toStrictEqual([[beyond]]);
  stage.settle("new");
  status = 429;
  expect(
    (await stage.message(() => expect(own).toMatchBaseline({ input }))).replaceAll(host, "HOST"),
  ).toBe(`own: 1 of 1 baseline failed (recorded calls)

  ROOT/own/the-test-HASH.json  failed
    execution_failed: 429 Rate limit reached
    thrown at src/matchers/raw-clients.test.ts:LINE
    the step called HOST (src/matchers/raw-clients.test.ts:LINE) directly, so veritest didn't record the responses. To record them, use veritest({ fetch: true }) in Vitest, setupFiles: ["veritest/fetch-setup"] in Jest, or an adapter if the client doesn't use fetch

A service that the step called outside its adapters is busy or unavailable (429). The step isn't the cause. Run the test again later, or call the service through an adapter or a recorder, which records its responses.`);
});

test("records a model called by streamText like any adapter", async () => {
  const chunk = (delta: object, end: string | null): string => {
    const choices = [{ index: 0, delta, finish_reason: end }];
    return `data: ${JSON.stringify({ id: "c-1", object: "chat.completion.chunk", created: 1, model: "m", choices })}\n\n`;
  };
  const lines = [chunk({ role: "assistant", content: "Hi" }, null), chunk({}, "stop"), "data: [DONE]\n\n"].join("");
  const headers = { "content-type": "text/event-stream" };
  const provider = createOpenAI({ apiKey: "none", fetch: async () => new Response(lines, { headers }) });
  const told = defineStep({
    name: "told",
    input: z.object({ text: z.string() }),
    output: z.object({ said: z.string() }),
    run: async ({ text }, ctx: StepContext<{ model: ReturnType<typeof provider.chat> }>) => ({
      output: { said: await streamText({ model: ctx.adapters.model, prompt: text }).text },
    }),
  });
  await expect(told).toMatchBaseline({ input, adapters: { model: provider.chat("m") } });
  stage.settle("none");
  await expect(told).toReplay();
  await expect(told).toMatchBaseline({
    input,
    budget: { maxCalls: 1 },
    assert: ({ result }) => expect(result.output).toStrictEqual({ said: "Hi" }),
  });
});
