import { type LanguageModel, generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";
import { type Step, defineStep, recordTools } from "veritest";
import { recordAiSdk } from "veritest/ai-sdk";

// Lets tests and `veritest import` replay the model and the tools.
recordAiSdk();

const PAID = 12;

const tools = recordTools(
  {
    lookup: tool({
      description: "What a customer paid.",
      inputSchema: z.object({ customer: z.number() }),
      execute: async ({ customer }) => ({ customer, paid: PAID }),
    }),
    refund: tool({
      description: "Pays back.",
      inputSchema: z.object({ customer: z.number(), amount: z.number() }),
      execute: async ({ amount }) => ({ done: true, amount }),
    }),
  },
  { effects: { lookup: "read", refund: "write" } },
);

/** The prompt as it was, and as somebody broke it one evening. */
export const PROMPTS = {
  good: "You are a desk. Never pay back more than was paid.",
  broken: "You are a desk. Be generous.",
} as const;

/** The agent under test, with the prompt of the day. */
export function deskWith(system: string): Step<{ text: string }, { text: string }> {
  return defineStep({
    name: "desk",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }) => {
      const telemetry = { functionId: "desk" };
      const options = { model: modelOf(system), tools, prompt: text, stopWhen: isStepCount(6), telemetry };
      const answer = await generateText({ ...options, instructions: system });
      return { output: { text: answer.text } };
    },
  });
}

/** Stands for a model that does what its prompt says: looks the customer up, pays, and tells. */
function modelOf(system: string): LanguageModel {
  const amount = system === PROMPTS.good ? PAID : 100 * PAID;
  const customer = 7;
  const answers = [
    { type: "tool-call" as const, toolCallId: "c1", toolName: "lookup", input: JSON.stringify({ customer }) },
    { type: "tool-call" as const, toolCallId: "c2", toolName: "refund", input: JSON.stringify({ customer, amount }) },
    { type: "text" as const, text: `You have ${amount} back.` },
  ];
  let asked = 0;
  return new MockLanguageModelV4({
    provider: "mock",
    modelId: "mock-1",
    doGenerate: async () => {
      const content = answers[asked++];
      if (content === undefined) throw new Error("The model was asked once too often.");
      const reason = content.type === "text" ? "stop" : "tool-calls";
      return {
        content: [content],
        finishReason: { unified: reason, raw: reason },
        usage: {
          inputTokens: { total: 9, noCache: 9, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 3, text: 3, reasoning: 0 },
        },
        warnings: [],
      };
    },
  });
}
