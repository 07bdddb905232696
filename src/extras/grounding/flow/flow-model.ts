import { type Result, ok } from "../../../kernel/result.ts";
import type { LlmAdapter } from "../adapters/llm-adapter.ts";
import { type GroundingError, groundingFailure } from "../grounding-error.ts";
import type { FlowAdapters } from "./flow-options.ts";

/**
 * Returns the flow's model, which sends the configured model name with each request. If the adapter is missing, returns
 * a `validation` error, `no_model`.
 */
export function flowModel(
  { llm }: FlowAdapters,
  { model }: { readonly model?: string },
  operation: string,
): Result<LlmAdapter, GroundingError> {
  if (llm !== undefined)
    return ok({ complete: (request) => llm.complete(model === undefined ? request : { model, ...request }) });
  const message =
    'The adapter "llm" is missing. Pass an adapter, such as ' +
    'createOpenAI of veritest/llm, or let the flow extract: { answer: "extract" }.';
  return groundingFailure({ kind: "validation", code: "no_model", message, operation });
}
