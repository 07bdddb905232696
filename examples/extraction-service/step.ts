import { type Step, type StepContext, defineStep } from "veritest";
import { z } from "zod";

interface Found {
  id: string;
  text: string;
  attributes: Record<string, string>;
}

/** The part of the service's client that the step uses. */
export interface Extractor {
  extract(question: { text: string; model_id: string }): Promise<unknown>;
}

/** Name of the model. */
export const MODEL: string = process.env["EXTRACT_MODEL"] ?? "extract-1";

const attributes = z.record(z.string(), z.string());
/** What the service answers, as far as the step reads it. */
const answer = z.object({
  extractions: z.array(
    z.object({
      extraction_class: z.string(),
      extraction_text: z.string(),
      char_interval: z.object({ start_pos: z.number() }),
      attributes,
    }),
  ),
});

/** Reads what a letter prescribes. */
export const readPrescription: Step<{ text: string }, { found: Found[] }, { extractor: Extractor }> = defineStep({
  name: "read-prescription",
  input: z.object({ text: z.string() }),
  output: z.object({ found: z.array(z.object({ id: z.string(), text: z.string(), attributes })) }),
  // The service uses a model: another response is drift of the model.
  roles: { extractor: "model" },
  // Extractions come in any order: each has its class and position as key.
  keyBy: { found: "id" },
  run: async ({ text }, { adapters }: StepContext<{ extractor: Extractor }>) => {
    const { extractions } = answer.parse(await adapters.extractor.extract({ text, model_id: MODEL }));
    const found = extractions.map((one) => ({
      id: `${one.extraction_class}@${one.char_interval.start_pos}`,
      text: one.extraction_text,
      attributes: one.attributes,
    }));
    return { output: { found } };
  },
});

/** The service over HTTP; a status that is no success throws, so that no baseline keeps it. */
export function extractorAt(url: string): Extractor {
  return {
    extract: async (question) => {
      const body = JSON.stringify(question);
      const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
      if (!response.ok) throw new Error(`The extraction service answered ${response.status}: ${await response.text()}`);
      return response.json();
    },
  };
}
