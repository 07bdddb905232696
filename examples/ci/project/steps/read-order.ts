import { defineStep } from "veritest";
import { z } from "zod";

/** Reads what a message orders. */
export const readOrder = defineStep({
  name: "read-order",
  input: z.object({ message: z.string() }),
  output: z.object({ lines: z.array(z.object({ article: z.string(), quantity: z.number() })), urgent: z.boolean() }),
  keyBy: { lines: "article" },
  run: ({ message }) => {
    const found = [...message.matchAll(/(\d+) x (\w+)/g)];
    const lines = found.map(([, quantity = "", article = ""]) => ({ article, quantity: Number(quantity) }));
    return { output: { lines, urgent: /\btoday\b/i.test(message) } };
  },
});
