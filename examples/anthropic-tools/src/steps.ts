import { defineStep } from "veritest";
import { z } from "zod";
import { support } from "./support.ts";

export const supportStep = defineStep({
  name: "support",
  input: z.object({ letter: z.string() }),
  output: z.object({ text: z.string() }),
  run: async ({ letter }) => ({ output: { text: await support(letter) } }),
});
