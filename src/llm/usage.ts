import { countAt, fieldAt } from "./read-body.ts";
import type { LLMUsage, TokenUsage } from "./response.ts";

/** The token counts of an OpenAI chat completion; the prompt's count includes the cached tokens. */
export function chatUsage(raw: unknown): LLMUsage {
  return reported(raw, {
    input: countAt(raw, "prompt_tokens"),
    output: countAt(raw, "completion_tokens"),
    cacheRead: countAt(raw, "prompt_tokens_details", "cached_tokens"),
    cacheWrite: countAt(raw, "prompt_tokens_details", "cache_write_tokens"),
    reasoning: countAt(raw, "completion_tokens_details", "reasoning_tokens"),
  });
}

/** The token counts of an OpenAI response; the input's count includes the cached tokens. */
export function responsesUsage(raw: unknown): LLMUsage {
  return reported(raw, {
    input: countAt(raw, "input_tokens"),
    output: countAt(raw, "output_tokens"),
    cacheRead: countAt(raw, "input_tokens_details", "cached_tokens"),
    cacheWrite: countAt(raw, "input_tokens_details", "cache_write_tokens"),
    reasoning: countAt(raw, "output_tokens_details", "reasoning_tokens"),
  });
}

/**
 * The token counts of an Anthropic message, whose `input_tokens` leave out what was read from or written to the cache.
 */
export function anthropicUsage(raw: unknown): LLMUsage {
  const cacheRead = countAt(raw, "cache_read_input_tokens");
  const cacheWrite = countAt(raw, "cache_creation_input_tokens");
  return reported(raw, {
    input: countAt(raw, "input_tokens") + cacheRead + cacheWrite,
    output: countAt(raw, "output_tokens"),
    cacheRead,
    cacheWrite,
    reasoning: countAt(raw, "output_tokens_details", "thinking_tokens"),
  });
}

/**
 * The token counts of an AI SDK result, which has brought its providers' counts to one form; `raw` is the provider's
 * own.
 */
export function aiSdkUsage(usage: unknown): LLMUsage {
  return reported(fieldAt(usage, "raw") ?? usage, {
    input: countAt(usage, "inputTokens", "total"),
    output: countAt(usage, "outputTokens", "total"),
    cacheRead: countAt(usage, "inputTokens", "cacheRead"),
    cacheWrite: countAt(usage, "inputTokens", "cacheWrite"),
    reasoning: countAt(usage, "outputTokens", "reasoning"),
  });
}

function reported(raw: unknown, usage: TokenUsage): LLMUsage {
  return { ...usage, raw: raw ?? null };
}
