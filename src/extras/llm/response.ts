import type { AuditEvent, LLMTrace } from "../../kernel/step/context.ts";
import type { LLMToolCall } from "./request.ts";

/**
 * Reason why a model stopped, in one vocabulary: `stop` (it was done), `length` (a token limit), `refusal` (the model
 * declined), `filter` (the provider withheld the response), `tool` (it wants tools run), `paused` (to be continued),
 * `unknown`.
 */
export type StopReason = "stop" | "length" | "refusal" | "filter" | "tool" | "paused" | "unknown";

/** Token counts with the same names for every provider. A count that the provider didn't report is 0. */
export interface TokenUsage {
  /** All tokens of the prompt, including cached ones. */
  readonly input: number;
  /** All tokens of the response, including reasoning. */
  readonly output: number;
  /** Tokens of `input` that were read from the provider's cache. */
  readonly cacheRead: number;
  /** Tokens of `input` that were written to the provider's cache. */
  readonly cacheWrite: number;
  /** Tokens of `output` spent on reasoning. */
  readonly reasoning: number;
}

/** Token counts of one call, with the provider's report; `raw` is null if it had none. */
export interface LLMUsage extends TokenUsage {
  readonly raw: unknown;
}

/**
 * Details and cost of a model call: the kernel's trace (`promptTokens` is `usage.input`, `completionTokens` is
 * `usage.output`, the hashes are those of the artifacts `llm-input` and `llm-output`), and the source of the
 * response.
 */
export interface LLMCallTrace extends LLMTrace {
  readonly provider: string;
  /** Model that responded, as the provider names it. */
  readonly model: string;
  readonly usage: LLMUsage;
  readonly stop: StopReason;
  /** Hash of the request as it was sent to the provider. */
  readonly requestHash: string;
  /** ID of the HTTP request, which the provider's support needs to find it. */
  readonly requestId?: string;
  /** ID of the response, from the provider. */
  readonly responseId?: string;
}

/** A model's response. `toolCalls` is absent if it requested none. */
export interface LLMResponse {
  readonly content: string;
  readonly toolCalls?: readonly LLMToolCall[];
  readonly trace: LLMCallTrace;
}

/** Creates an audit event for a model's response, with its trace. Without a payload, the event has no such key. */
export function llmEvent(type: string, { trace }: Pick<LLMResponse, "trace">, payload?: unknown): AuditEvent {
  return { type, ...(payload === undefined ? {} : { payload }), llmTrace: trace };
}
