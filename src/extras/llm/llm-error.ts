import type { LLMResponse } from "./response.ts";

/**
 * Why a call of a model has no answer to use:
 * - `rate_limit`: too many requests; retryable. `quota`: the account's money or plan is used up.
 * - `context_length`: the messages do not fit the model. `invalid_request`: the provider refuses the request as it is.
 * - `auth`: the key is missing, wrong or not allowed.
 * - `provider_error`: the provider failed or could not be reached; retryable for 5xx, network and unreadable answers.
 * - `timeout`: no answer in time; retryable. `aborted`: the caller's signal, or a stream left before its end.
 * - `truncated`, `refused`, `filtered`, `paused`: an answer that is not whole; `response` holds what there is of it
 *   (nothing when a filter stopped the question already).
 * - `json_error`: the model's tool input is no JSON; retryable.
 */
export type LLMErrorCode =
  | "rate_limit"
  | "quota"
  | "context_length"
  | "invalid_request"
  | "auth"
  | "provider_error"
  | "timeout"
  | "aborted"
  | "truncated"
  | "refused"
  | "filtered"
  | "paused"
  | "json_error";

/**
 * A failed call as plain data: no class, no cause, so that a recording replays it exactly. Fits `fail(error)`, which
 * makes a step's failure of it.
 */
export interface LLMError {
  readonly code: LLMErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** Who was asked; absent when the failure is the caller's alone. */
  readonly provider?: string;
  /** The HTTP status, where there was one. */
  readonly status?: number;
  /** The provider's own code (`context_length_exceeded`), or the system's (`ECONNREFUSED`). */
  readonly providerCode?: string;
  readonly requestId?: string;
  /** How long the provider asks to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  /** What the model did answer, and what it cost. */
  readonly response?: LLMResponse;
}
