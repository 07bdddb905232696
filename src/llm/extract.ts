import { type Result, err, ok } from "../base/result.ts";
import { escapeText, quote, truncate } from "../base/text.ts";
import { type Schema, formatIssues, parseWith } from "../step/schema.ts";
import { messageOf } from "../base/thrown.ts";
import { complete } from "./complete.ts";
import { jsonFormat } from "./json-format.ts";
import type { LLMError, LLMErrorCode } from "./llm-error.ts";
import type { LLMCallContext, LLMCallOptions } from "./provider.ts";
import type { LLMRequest } from "./request.ts";
import type { LLMResponse } from "./response.ts";
import { stripFences } from "./strip-fences.ts";

/** What was extracted: the parsed data, the JSON it was parsed from, and the whole answer. */
export interface Extracted<T> {
  readonly data: T;
  readonly json: unknown;
  readonly response: LLMResponse;
}

/**
 * Why nothing was extracted: the call failed, the answer is no JSON (`json_error`, retryable: the model may do better),
 * or the JSON does not fit the schema (`schema_error`, not retryable: most often the prompt's fault).
 */
export type ExtractError = Omit<LLMError, "code"> & { readonly code: LLMErrorCode | "schema_error" };

/** How {@link extract} asks, beside the request. */
export interface ExtractOptions extends LLMCallOptions {
  /** What to call the schema towards the provider; default `output`. */
  readonly name?: string;
}

const MAX_SHOWN = 120;
const MAX_ISSUES = 500;

/**
 * Asks the step's model for JSON that fits a schema, and parses the answer. A zod schema becomes the request's response
 * format, unless it has one; for schemas of other libraries the provider's plain JSON mode is asked for.
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
  const asked = { ...request, responseFormat };
  const result = await (options.signal === undefined ? complete(ctx, asked) : complete(ctx, asked, options));
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
      message: `The model's JSON does not fit the schema: ${issues}. Change the prompt or the schema.`,
    }),
  );
}

function parseJson(response: LLMResponse): Result<unknown, ExtractError> {
  try {
    const value: unknown = JSON.parse(stripFences(response.content));
    return ok(value);
  } catch (cause) {
    const found = response.content.trim() === "" ? "nothing" : quote(truncate(response.content, MAX_SHOWN));
    const why = truncate(escapeText(messageOf(cause)), MAX_SHOWN);
    return err(
      errorOf(response, {
        code: "json_error",
        message: `The model answered no JSON but ${found} (${why}). Ask again.`,
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
