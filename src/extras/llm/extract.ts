import type { KeyBy } from "../../kernel/diff/compare-rules.ts";
import { type Result, err, ok } from "../../kernel/result.ts";
import { escapeText, quote, truncate } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { type AnyStep, type Step, defineStep } from "../../kernel/step/define-step.ts";
import { fail } from "../../kernel/step/fail.ts";
import { type Schema, type SchemaInput, type SchemaOutput, formatIssues, parseWith } from "../../kernel/step/schema.ts";
import { complete } from "./complete.ts";
import { jsonFormat } from "./json-format.ts";
import type { LLMError, LLMErrorCode } from "./llm-error.ts";
import { type LLMResponse, llmEvent } from "./response.ts";
import type { LLMCallContext, LLMCallOptions, LLMContext, LLMProvider } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

/** Result of an extraction: the parsed data, the JSON it was parsed from, and the complete response. */
export interface Extracted<T> {
  readonly data: T;
  readonly json: unknown;
  readonly response: LLMResponse;
}

/**
 * Reason for a failed extraction: the call failed, the response isn't JSON (`json_error`, retryable, because the model
 * may succeed next time), or the JSON doesn't match the schema (`schema_error`, not retryable, because the prompt is
 * usually at fault).
 */
export type ExtractError = Omit<LLMError, "code"> & { readonly code: LLMErrorCode | "schema_error" };

/** Options for {@link extract}, in addition to the request. */
export interface ExtractOptions extends LLMCallOptions {
  /** Name of the schema in the request. Default: `output`. */
  readonly name?: string;
}

const MAX_SHOWN = 120;
const MAX_ISSUES = 500;

/**
 * Requests JSON that matches a schema from the step's model, and parses the response. A zod schema becomes the response
 * format of the request, unless the request has one. For schemas of other libraries, the provider's plain JSON mode is
 * used.
 *
 * @example
 * const claims = await extract(ctx, { model, messages }, z.object({ claims: z.array(z.string()) }));
 * if (!claims.ok) return fail(claims.error);
 */
export async function extract<T>(
  ctx: LLMCallContext,
  request: LLMRequest,
  ...[schema, { name, ...options } = {}]: [schema: Schema<unknown, T>, options?: ExtractOptions]
): Promise<Result<Extracted<T>, ExtractError>> {
  const responseFormat = request.responseFormat ?? jsonFormat(schema, name) ?? "json";
  const formatted = { ...request, responseFormat };
  const result = await (options.signal === undefined ? complete(ctx, formatted) : complete(ctx, formatted, options));
  if (!result.ok) return result;
  const response = result.value;
  const json = parseJson(response);
  if (!json.ok) return json;
  const parsed = await parseWith(schema, json.value);
  if (parsed.ok) return ok({ data: parsed.value, json: json.value, response });
  const issues = truncate(escapeText(formatIssues(parsed.error.issues)), MAX_ISSUES);
  return err(
    errorOf(response, {
      code: "schema_error",
      message: `The model's JSON doesn't match the schema: ${issues}. Change the prompt or the schema.`,
    }),
  );
}

function parseJson(response: LLMResponse): Result<unknown, ExtractError> {
  try {
    const value: unknown = JSON.parse(stripFences(response.content));
    return ok(value);
  } catch (cause) {
    const excerpt = response.content.trim() === "" ? "nothing" : quote(truncate(response.content, MAX_SHOWN));
    const why = truncate(escapeText(messageOf(cause)), MAX_SHOWN);
    return err(
      errorOf(response, {
        code: "json_error",
        message: `The model's response isn't valid JSON (${why}): ${excerpt}. Send the request again.`,
      }),
    );
  }
}

function errorOf(response: LLMResponse, { code, message }: Pick<ExtractError, "code" | "message">): ExtractError {
  const { provider, requestId } = response.trace;
  return {
    code,
    message,
    retryable: code === "json_error",
    provider,
    ...(requestId === undefined ? {} : { requestId }),
    response,
  };
}

/**
 * Returns the JSON text of a response: without surrounding white space, and without the code fence that some models
 * add. A fence counts only if no text precedes or follows it.
 */
export function stripFences(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith("```") || !trimmed.endsWith("```")) return trimmed;
  const firstBreak = trimmed.indexOf("\n");
  // Without a line break the text is one line: ```{"a":1}```, or ```json {"a":1}```.
  const opening = firstBreak === -1 ? /^```(?:[\w+-]+[ \t]+(?=[^\s`]))?/.exec(trimmed) : null;
  const start = opening?.[0].length ?? firstBreak + 1;
  return trimmed.slice(start, Math.max(start, trimmed.length - 3)).trim();
}

/** Options for {@link defineExtractionStep}. `request` is a pure function of the parsed input. */
export interface ExtractionStepConfig<InputSchema extends Schema, OutputSchema extends Schema<object, object>> {
  readonly name: string;
  readonly input: InputSchema;
  /** Schema of the complete output. Unlike the output of other steps, an extraction can't omit fields. */
  readonly output: OutputSchema;
  readonly keyBy?: KeyBy;
  readonly request: (input: SchemaOutput<InputSchema>) => LLMRequest;
}

/**
 * Defines a step that calls its model (`ctx.adapters.llm`) once and returns the JSON of the response. If the call
 * fails, the step fails with a code of {@link extract}, such as `schema_error`. If it succeeds, the step also emits the
 * event `llm.extracted` with the trace of the call.
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
      // The JSON, not the parsed data: the kernel parses a step's output, and a transform must run only once.
      if (typeof json !== "object" || json === null)
        return fail("schema_error", "The model's JSON isn't an object. Use an object schema for the output.");
      return { output: json, events: [llmEvent("llm.extracted", response)] };
    },
  });
}
