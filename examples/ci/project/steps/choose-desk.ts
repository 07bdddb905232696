import { defineStep } from "veritest";
import { z } from "zod";

const DESKS: readonly (readonly [desk: string, words: RegExp])[] = [
  ["returns", /\b(?:broken|return|refund)\b/i],
  ["orders", /\d+ x \w+/],
];

/** Chooses who answers a message. */
export const chooseDesk = defineStep({
  name: "choose-desk",
  input: z.object({ message: z.string() }),
  output: z.object({ desk: z.string() }),
  run: ({ message }) => ({ output: { desk: DESKS.find(([, words]) => words.test(message))?.[0] ?? "front" } }),
});
