import { keepInput, keepOutput } from "./keep-artifacts.ts";
import type { LLMCallContext, LLMCallOptions, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

/**
 * Asks the step's model (`ctx.adapters.llm`) and keeps the artifacts `llm-input`, `llm-output` and `llm-trace` with
 * the run. Expected failures are values; a failed call keeps its `llm-input`, and the others when the model answered
 * at all.
 *
 * @example
 * const answer = await complete(ctx, { model: "gpt-4o", messages: [{ role: "user", content: text }] });
 * if (!answer.ok) return fail(answer.error);
 */
export async function complete(ctx: LLMCallContext, request: LLMRequest, options?: LLMCallOptions): Promise<LLMResult> {
  keepInput(ctx, request);
  const { llm } = ctx.adapters;
  // Without options no second argument at all: it would be a part of the recorded request.
  const result = await (options === undefined ? llm.complete(request) : llm.complete(request, options));
  keepOutput(ctx, result);
  return result;
}
