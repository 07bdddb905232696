import type { AuditEvent, LLMTrace } from "../../kernel/step/context.ts";
import type { LLMToolCall } from "./request.ts";

/**
 * Why a model stopped, in one vocabulary: `stop` (it was done), `length` (a token limit), `refusal` (the model
 * declined), `filter` (the provider withheld the answer), `tool` (it wants tools run), `paused` (to be continued),
 * `unknown`.
 */
export type StopReason = "stop" | "length" | "refusal" | "filter" | "tool" | "paused" | "unknown";

/** Token counts in one vocabulary. A count the provider did not report is 0. */
export interface TokenUsage {
  /** All tokens of the prompt, cached ones included. */
  readonly input: number;
  /** All tokens of the answer, reasoning included. */
  readonly output: number;
  /** Of `input`: read from the provider's cache. */
  readonly cacheRead: number;
  /** Of `input`: written to the provider's cache. */
  readonly cacheWrite: number;
  /** Of `output`: spent on reasoning. */
  readonly reasoning: number;
}

/** Token counts of one call, with what the provider reported; `raw` is null when it reported nothing. */
export interface LLMUsage extends TokenUsage {
  readonly raw: unknown;
}

/**
 * What one model call was and cost: the kernel's trace (`promptTokens` is `usage.input`, `completionTokens` is
 * `usage.output`, the hashes are those of the artifacts `llm-input` and `llm-output`), and where the answer came from.
 */
export interface LLMCallTrace extends LLMTrace {
  readonly provider: string;
  /** The model that answered, as the provider names it. */
  readonly model: string;
  readonly usage: LLMUsage;
  readonly stop: StopReason;
  /** The hash of the request as it was sent to the provider. */
  readonly requestHash: string;
  /** The provider's id of the HTTP request, for its support. */
  readonly requestId?: string;
  /** The provider's id of the answer. */
  readonly responseId?: string;
}

/** What a model answered. `toolCalls` is absent when it asked for none. */
export interface LLMResponse {
  readonly content: string;
  readonly toolCalls?: readonly LLMToolCall[];
  readonly trace: LLMCallTrace;
}

/** Makes an audit event of a model's answer, with its trace; an absent payload leaves no key behind. */
export function llmEvent(type: string, { trace }: Pick<LLMResponse, "trace">, payload?: unknown): AuditEvent {
  return { type, ...(payload === undefined ? {} : { payload }), llmTrace: trace };
}
