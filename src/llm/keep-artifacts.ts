import { captureArtifactSync } from "../record/snapshot.ts";
import { inputContent, outputContent } from "./call-content.ts";
import type { LLMCallContext, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

/** Keeps what is asked as the artifact `llm-input`. */
export function keepInput(ctx: LLMCallContext, request: LLMRequest): void {
  ctx.onArtifact?.(captureArtifactSync("llm-input", inputContent(request)));
}

/**
 * Keeps what was answered, also by a call that failed: the answer as `llm-output`, equal for equal answers whoever gave
 * them, and its trace (provider, model, tokens, ids) as `llm-trace`.
 */
export function keepOutput(ctx: LLMCallContext, result: LLMResult): void {
  const response = result.ok ? result.value : result.error.response;
  if (response === undefined) return;
  ctx.onArtifact?.(captureArtifactSync("llm-output", outputContent(response)));
  ctx.onArtifact?.(captureArtifactSync("llm-trace", response.trace));
}
