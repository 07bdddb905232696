import type { LLMResponse } from "./response.ts";

/**
 * Reason why a model call failed, or why its response is incomplete:
 * - `rate_limit`: too many requests; retryable.
 * - `quota`: the account ran out of credit, or reached its plan's limit.
 * - `context_length`: the messages don't fit the model. `invalid_request`: the provider refuses the request.
 * - `auth`: the key is missing, wrong or not allowed.
 * - `provider_error`: the provider failed or wasn't reachable; retryable for 5xx, network and unreadable responses.
 * - `timeout`: no response in time; retryable.
 * - `aborted`: your code aborted the request, or stopped reading the stream early.
 * - `truncated`, `refused`, `filtered`, `paused`: the response is incomplete. `response` contains the part that arrived
 *   (empty if a filter stopped the request).
 * - `json_error`: the model's tool input isn't JSON; retryable.
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
 * Error of a model call as plain data, so that a recording replays it exactly. `fail(error)` turns it into a step's
 * failure.
 */
export interface LLMError {
  readonly code: LLMErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** Provider that was called. Absent if the request was invalid before it was sent, or was aborted by the caller. */
  readonly provider?: string;
  /** HTTP status, if there was a response. */
  readonly status?: number;
  /** Error code of the provider (`context_length_exceeded`) or of the system (`ECONNREFUSED`). */
  readonly providerCode?: string;
  readonly requestId?: string;
  /** Milliseconds to wait before a retry, as sent by the provider. */
  readonly retryAfterMs?: number;
  /** Response of the model, with its cost. */
  readonly response?: LLMResponse;
}
