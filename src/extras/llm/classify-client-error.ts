import { memberOf } from "../../kernel/json/plain-data.ts";
import { escapeText, truncate } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { MALFORMED } from "./provider-response.ts";
import type { LLMError, LLMErrorCode } from "./llm-error.ts";
import { errorStatusAt, fieldAt, headerOf, textAt } from "./read-body.ts";

/** Facts about the failed call. */
interface FailedCall {
  readonly provider: string;
  readonly signal?: AbortSignal | undefined;
}

/** Codes of calls without any response. */
type FailureCode = Exclude<LLMErrorCode, "truncated" | "refused" | "paused" | "json_error">;

const MAX_DETAIL = 500;

// Codes of providers, wherever they occur: with a status, inside a stream, or in the body of a failed response.
const CODES: readonly (readonly [RegExp, FailureCode])[] = [
  [/^(context_length_exceeded|model_context_window_exceeded)$/, "context_length"],
  [/^(insufficient_quota|billing_error|billing_hard_limit_reached|billing_not_active)$/, "quota"],
  [/^rate_limit/, "rate_limit"],
  [/^(content_filter|content_policy_violation)$/, "filtered"],
  [/^(authentication_error|permission_error|invalid_api_key)$/, "auth"],
  [/^(timeout_error|ETIMEDOUT|UND_ERR_\w+_TIMEOUT)$/, "timeout"],
];

// Messages of providers that have no code for "too long".
const TOO_LONG = /context (length|window)|prompt is too long|too many (input )?tokens|maximum (context|prompt)/i;

const SERVER_CODES =
  /^((overloaded|api|server|internal)_error|E[A-Z]{3,}|EAI_\w+|ERR_STREAM_PREMATURE_CLOSE|UND_ERR_\w+)$/;
const REQUEST_CODES = /^(invalid_request_error|invalid_prompt|not_found_error|request_too_large)$/;

/** Turns an error that a client threw, or that a provider reported in a body, into an {@link LLMError}. */
export function errorOfThrown(thrown: unknown, { provider, signal }: FailedCall): LLMError {
  const facts = thrownFacts(thrown);
  const code = codeOf(facts, signal);
  const retryable = isRetryable(code, facts);
  const { status, requestId, codes } = facts;
  const [providerCode] = codes;
  const wait = code === "rate_limit" || code === "provider_error" ? waitOf(facts) : undefined;
  return {
    code,
    message: describe({ provider, code, facts, retryable }),
    retryable,
    provider,
    ...(status === undefined ? {} : { status }),
    ...(providerCode === undefined ? {} : { providerCode }),
    ...(requestId === "" ? {} : { requestId }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

function codeOf(facts: ThrownFacts, signal: AbortSignal | undefined): FailureCode {
  // The caller's own signal explains the failure, whatever error the client made of it.
  if (signal?.aborted === true) return isTimeout(thrownFacts(signal.reason)) ? "timeout" : "aborted";
  if (isTimeout(facts)) return "timeout";
  if (facts.names.some((name) => name === "AbortError" || name === "APIUserAbortError")) return "aborted";
  const known = CODES.find(([pattern]) => facts.codes.some((code) => pattern.test(code)));
  return known?.[1] ?? codeOfStatus(facts);
}

function codeOfStatus({ status, detail, codes, names }: ThrownFacts): FailureCode {
  if (names.includes("AI_LoadAPIKeyError")) return "auth";
  if (status === undefined)
    return codes.some((code) => REQUEST_CODES.test(code)) ? "invalid_request" : "provider_error";
  if (status === 402) return "quota";
  if (status === 429) return "rate_limit";
  if (status === 401 || status === 403) return "auth";
  if (status >= 500 || status === 409 || status < 400) return "provider_error";
  return TOO_LONG.test(detail) ? "context_length" : "invalid_request";
}

function isTimeout({ names, status }: ThrownFacts): boolean {
  return status === 408 || names.some((name) => name === "TimeoutError" || name === "APIConnectionTimeoutError");
}

function isRetryable(code: FailureCode, { status, codes, names }: ThrownFacts): boolean {
  if (code === "rate_limit" || code === "timeout") return true;
  if (code !== "provider_error") return false;
  // A status below 400 belongs to an unreadable response, such as a proxy's page or a truncated body.
  if (status !== undefined && (status >= 500 || status === 409 || status < 400)) return true;
  const passing = codes.some((code) => SERVER_CODES.test(code) || code === MALFORMED);
  return passing || names.some((name) => name === "APIConnectionError" || name === "SyntaxError");
}

interface Described {
  readonly provider: string;
  readonly code: FailureCode;
  readonly facts: ThrownFacts;
  readonly retryable: boolean;
}

function describe({ provider, code, facts, retryable }: Described): string {
  const { status, detail, codes } = facts;
  const [first] = codes;
  const source = [status === undefined ? "" : `status ${status}`, first ?? ""].filter((part) => part !== "").join(", ");
  const words = truncate(escapeText(detail), MAX_DETAIL).trim().replace(/\.$/, "");
  const what = `${code.replaceAll("_", " ")}${source === "" ? "" : ` (${escapeText(source)})`}`;
  return `${escapeText(provider)}: ${what}: ${words}. ${advice(code, retryable)}`;
}

function advice(code: FailureCode, retryable: boolean): string {
  switch (code) {
    case "rate_limit":
      return "Retry later, in your step. The adapter itself doesn't retry.";
    case "quota":
      return "Check the account's plan and billing.";
    case "filtered":
      return "Change the messages.";
    case "context_length":
      return "Shorten the messages, or choose a model with a longer context.";
    case "auth":
      return "Check the client's API key and its permissions.";
    case "timeout":
      return "Retry, or set a longer timeout on the client.";
    case "aborted":
      return "The caller aborted the call.";
    case "provider_error":
      return retryable ? "Retry." : "Check the provider's status and the client's setup.";
    case "invalid_request":
      return "Correct the request.";
  }
}

/** Properties that the clients' errors share, read without their classes. */
interface ThrownFacts {
  readonly status: number | undefined;
  /** Codes of the provider and the system, most specific first. */
  readonly codes: readonly string[];
  /** Names of the error and of its causes. */
  readonly names: readonly string[];
  /** The provider's message, otherwise the client's. */
  readonly detail: string;
  readonly requestId: string;
  readonly headers: unknown;
}

const MAX_CAUSES = 5;

// Paths of the code and the message of an error response in openai, @anthropic-ai/sdk and the AI SDK.
const CODE_PATHS = [
  ["code"],
  ["error", "code"],
  ["data", "error", "code"],
  ["error", "error", "type"],
  ["data", "error", "type"],
  ["error", "type"],
  ["type"],
] as const;
const WORD_PATHS = [
  ["error", "error", "message"],
  ["error", "message"],
  ["data", "error", "message"],
] as const;

/** Reads an error of any client; accepts any value. */
function thrownFacts(thrown: unknown): ThrownFacts {
  const causes = causesOf(thrown);
  const headers = fieldAt(thrown, "headers") ?? fieldAt(thrown, "responseHeaders");
  const words = WORD_PATHS.map((path) => textAt(thrown, ...path)).find((text) => text !== "");
  const requestId = textAt(thrown, "requestID") || headerOf(headers, "x-request-id") || headerOf(headers, "request-id");
  return {
    status: statusOf(thrown),
    codes: [
      ...new Set([
        ...CODE_PATHS.map((path) => textAt(thrown, ...path)),
        ...causes.map((cause) => textAt(cause, "code")),
      ]),
    ].filter(
      // Anthropic uses "error" for every error body.
      (code) => code !== "" && code !== "error",
    ),
    names: causes.flatMap(namesOf),
    detail: words ?? messageOf(thrown),
    requestId,
    headers,
  };
}

/** Milliseconds that a provider asks to wait; undefined if it doesn't say, or gives a date instead of seconds. */
function waitOf({ headers }: Pick<ThrownFacts, "headers">): number | undefined {
  const precise = Number.parseFloat(headerOf(headers, "retry-after-ms"));
  const wait = Number.isNaN(precise) ? Number.parseFloat(headerOf(headers, "retry-after")) * 1000 : precise;
  return Number.isFinite(wait) && wait >= 0 ? wait : undefined;
}

/** Returns the status of a response; of an error in a body with status 200, its numeric code. */
function statusOf(thrown: unknown): number | undefined {
  const status = fieldAt(thrown, "status") ?? fieldAt(thrown, "statusCode");
  if (typeof status === "number") return status;
  return errorStatusAt(thrown, "code") ?? errorStatusAt(thrown, "error", "code");
}

function causesOf(thrown: unknown): readonly unknown[] {
  const causes: unknown[] = [];
  for (let next = thrown; next !== undefined && causes.length < MAX_CAUSES; next = fieldAt(next, "cause"))
    causes.push(next);
  return causes;
}

function namesOf(thrown: unknown): string[] {
  // All errors of openai are named "Error"; only their classes differ.
  const names = [memberOf(thrown, "name"), memberOf(memberOf(thrown, "constructor"), "name")];
  return names.filter((text) => typeof text === "string");
}
