import type { AuditEvent, LLMTrace } from "../../kernel/step/context.ts";
import type { LLMToolCall } from "./request.ts";

/**
 * Reason why a model stopped, with the same names for all providers: `stop` (the response is complete), `length` (a
 * token limit), `refusal` (the model declined), `filter` (the provider withheld the response), `tool` (the model
 * requests tool calls), `paused` (you can continue the response), `unknown`.
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

/** Token counts of one call. `raw` is the provider's own report, or null if there is none. */
export interface LLMUsage extends TokenUsage {
  readonly raw: unknown;
}

/**
 * Details and cost of a model call. `promptTokens` is `usage.input`, and `completionTokens` is `usage.output`. The
 * hashes are those of the artifacts `llm-input` and `llm-output`.
 */
export interface LLMCallTrace extends LLMTrace {
  readonly provider: string;
  /** Model that responded, as the provider names it. */
  readonly model: string;
  readonly usage: LLMUsage;
  readonly stop: StopReason;
  /** Hash of the request as it was sent to the provider. */
  readonly requestHash: string;
  /** Id of the HTTP request. The provider's support can find the request by this id. */
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

/**
 * Creates an audit event for a model's response, with the trace of the call. If you don't pass a payload, the event
 * doesn't have one.
 */
export function llmEvent(type: string, { trace }: Pick<LLMResponse, "trace">, payload?: unknown): AuditEvent {
  return { type, ...(payload === undefined ? {} : { payload }), llmTrace: trace };
}
