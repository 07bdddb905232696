import { defineStep } from "veritest";
import { z } from "zod";
import { triage } from "./triage.js";

export const triageStep = defineStep({
  name: "triage",
  input: z.object({ letter: z.string() }),
  output: z.object({ topic: z.string(), urgent: z.boolean(), summary: z.string() }),
  run: async ({ letter }) => ({ output: await triage(letter) }),
});
