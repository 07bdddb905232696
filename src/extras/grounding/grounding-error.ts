import { memberOf } from "../../kernel/json/plain-data.ts";
import { type Result, err } from "../../kernel/result.ts";
import { truncate } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/error-message.ts";

/** Source of a failure: the caller's input, the search, the verification, an injected provider, or a bug. */
export type GroundingErrorKind = "validation" | "retrieval" | "verification" | "provider" | "internal";

/** Reason for a missing verification, document or search result. A step can return it: `fail(error)`. */
export interface GroundingError {
  readonly kind: GroundingErrorKind;
  /** Stable name, such as `encrypted_pdf`. */
  readonly code: string;
  /** Description of the failure, its cause, and the next step. */
  readonly message: string;
  /** Operation that failed, such as `ingest`. */
  readonly operation: string;
  /** Input that caused the error, shortened to 200 characters. */
  readonly input?: string;
  readonly retryable: boolean;
  readonly cause?: unknown;
}

const MAX_INPUT = 200;

/** Creates an error. It's not retryable by default, and its input is cut after 200 characters. */
export function groundingError(
  error: Omit<GroundingError, "retryable"> & { readonly retryable?: boolean },
): GroundingError {
  const { input, ...rest } = error;
  return { retryable: false, ...rest, ...(input === undefined ? {} : { input: truncate(input, MAX_INPUT) }) };
}

/** Returns the failure of an operation: an error, by the rules of `groundingError`. */
export function groundingFailure(error: Parameters<typeof groundingError>[0]): Result<never, GroundingError> {
  return err(groundingError(error));
}

/**
 * Creates the error of an injected provider that threw, rejected or returned an error. Retryable unless the cause has
 * `retryable: false`.
 */
export function providerError(operation: string, name: string, cause: unknown): GroundingError {
  const message =
    `${name} failed: ${truncate(messageOf(cause), MAX_INPUT * 5)}. ` +
    "Check the adapter, or replay it from a recording.";
  return groundingError({
    kind: "provider",
    code: "adapter_failed",
    message,
    operation,
    cause,
    retryable: memberOf(cause, "retryable") !== false,
  });
}

/** Narrows a value to a {@link GroundingError}. */
export function isGroundingError(value: unknown): value is GroundingError {
  return (
    typeof value === "object" &&
    value !== null &&
    ["kind", "code", "message", "operation", "retryable"].every((key) => Object.hasOwn(value, key))
  );
}
