import type { KeyBy } from "../base/compare-rules.ts";
import { type AnyStep, type Step, defineStep } from "../step/define-step.ts";
import { fail } from "../step/fail.ts";
import type { Schema, SchemaInput, SchemaOutput } from "../step/schema.ts";
import { extract } from "./extract.ts";
import { llmEvent } from "./llm-event.ts";
import type { LLMContext, LLMProvider } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

/** What {@link defineExtractionStep} takes. `request` is a pure function of the parsed input. */
export interface ExtractionStepConfig<InputSchema extends Schema, OutputSchema extends Schema<object, object>> {
  readonly name: string;
  readonly input: InputSchema;
  /** What the model is asked for, whole: unlike any other step's output, an extraction has no parts. */
  readonly output: OutputSchema;
  readonly keyBy?: KeyBy;
  readonly request: (input: SchemaOutput<InputSchema>) => LLMRequest;
}

/**
 * Defines a step that asks its model (`ctx.adapters.llm`) once and whose output is the JSON it answers. It fails with
 * the codes of `extract`, and reports the event `llm.extracted` with the call's trace.
 *
 * @example
 * const extractClaims = defineExtractionStep({
 *   name: "extract-claims",
 *   input: z.object({ text: z.string() }),
 *   output: z.object({ claims: z.array(z.object({ id: z.string(), text: z.string() })) }),
 *   keyBy: { claims: "id" },
 *   request: ({ text }) => ({ model: "gpt-4o", messages: [{ role: "user", content: `List the claims of: ${text}` }] }),
 * });
 */
export function defineExtractionStep<InputSchema extends Schema, OutputSchema extends Schema<object, object>>(
  config: ExtractionStepConfig<InputSchema, OutputSchema>,
): Step<SchemaInput<InputSchema>, SchemaOutput<OutputSchema> & object, { llm: LLMProvider }, SchemaOutput<InputSchema>>;
export function defineExtractionStep({
  name,
  input,
  output,
  keyBy,
  request,
}: ExtractionStepConfig<Schema, Schema<object, object>>): AnyStep {
  return defineStep({
    name,
    input,
    output,
    ...(keyBy === undefined ? {} : { keyBy }),
    run: async (parsed: unknown, ctx: LLMContext) => {
      const extracted = await extract(ctx, request(parsed), output, { name });
      if (!extracted.ok) return fail(extracted.error);
      const { json, response } = extracted.value;
      // The JSON, not the parsed data: the kernel parses a step's output itself, and a transform must run once.
      if (typeof json !== "object" || json === null)
        return fail("schema_error", "The model's JSON is no object. Make the output schema one.");
      return { output: json, events: [llmEvent("llm.extracted", response)] };
    },
  });
}
