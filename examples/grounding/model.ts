import type { LlmAdapter } from "veritest/grounding";

/**
 * Stands in for a model, so that the example runs without a key. With one, put this here instead:
 * `createOpenAI({ client: new OpenAI(), model: "gpt-4o-mini" })` of "veritest/llm".
 */
export const llm: LlmAdapter = {
  complete: async () => ({
    content: "The lighthouse on Gull Point was lit for the first time in 1874. A ticket costs 6 dollars.",
  }),
};
