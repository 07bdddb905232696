import { defineStep, fail } from "veritest";
import { type LLMContext, extract, llmEvent } from "veritest/llm";
import { z } from "zod";
import { PROMPT } from "./prompt.ts";

const lines = z.array(z.object({ item: z.string(), quantity: z.number() }));

/** Reads what a letter orders: the model finds the lines, the code adds up the pieces. */
export const extractOrder = defineStep({
  name: "extract-order",
  input: z.object({ letter: z.string() }),
  output: z.object({ lines, pieces: z.number() }),
  keyBy: { lines: "item" },
  run: async ({ letter }, ctx: LLMContext) => {
    const messages = [{ role: "system", content: PROMPT } as const, { role: "user", content: letter } as const];
    const answer = await extract(ctx, { messages, temperature: 0 }, z.object({ lines }), { name: "order" });
    if (!answer.ok) return fail(answer.error);
    const { data, response } = answer.value;
    const pieces = data.lines.reduce((sum, line) => sum + line.quantity, 0);
    return { output: { lines: data.lines, pieces }, events: [llmEvent("order.read", response)] };
  },
});
