import { z } from "zod";
import { type Step, type StepContext, defineStep } from "veritest";

interface Sorted {
  topic: string;
  urgent: boolean;
  language: string;
}

/** A model that sorts letters. */
export interface Model {
  sort(letter: string): Promise<Sorted>;
}

/** The step whose model is upgraded. */
export const sortLetter: Step<{ letter: string }, Sorted, { model: Model }> = defineStep({
  name: "sort-letter",
  input: z.object({ letter: z.string() }),
  output: z.object({ topic: z.string(), urgent: z.boolean(), language: z.string() }),
  run: async ({ letter }, ctx: StepContext<{ model: Model }>) => ({ output: await ctx.adapters.model.sort(letter) }),
});

/** The model that answered in march. */
export const OLD: Model = {
  sort: async (letter) => ({
    topic: letter.includes("bill") ? "invoice" : "other",
    urgent: letter.includes("now"),
    language: "en",
  }),
};
/** Knows complaints, which were "other", and takes a question mark for no hurry. */
export const NEW: Model = {
  sort: async (letter) => {
    const old = await OLD.sort(letter);
    return {
      ...old,
      topic: letter.includes("broken") ? "complaint" : old.topic,
      urgent: old.urgent && !letter.endsWith("?"),
    };
  },
};
