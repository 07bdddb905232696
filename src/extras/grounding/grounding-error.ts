import { truncate } from "../../kernel/text.ts";
import { messageOf } from "../../kernel/thrown.ts";

/** Whose matter a failure is: the caller's input, the search, the judging, something injected, or a bug. */
export type GroundingErrorKind = "validation" | "retrieval" | "verification" | "provider" | "internal";

/** Why there is no verification, document or search result. A step can return it: `fail(error)`. */
export interface GroundingError {
  readonly kind: GroundingErrorKind;
  /** A stable name, such as `encrypted_pdf`. */
  readonly code: string;
  /** What failed, what was found, and what to do next. */
  readonly message: string;
  /** The operation that failed, such as `ingest`. */
  readonly operation: string;
  /** The input it failed on, in a few words. */
  readonly input?: string;
  readonly retryable: boolean;
  readonly cause?: unknown;
}

const MAX_INPUT = 200;

/** Makes an error; never retryable unless it says so, and its input is cut after 200 characters. */
export function groundingError(
  error: Omit<GroundingError, "retryable"> & { readonly retryable?: boolean },
): GroundingError {
  const { input, ...rest } = error;
  return { retryable: false, ...rest, ...(input === undefined ? {} : { input: truncate(input, MAX_INPUT) }) };
}

/**
 * The error of something injected that threw, rejected or answered an error. Retryable unless that error says it is
 * not.
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
    retryable: !saysNotRetryable(cause),
  });
}

function saysNotRetryable(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "retryable" in cause && cause.retryable === false;
}

/** Narrows anything to a {@link GroundingError}. */
export function isGroundingError(value: unknown): value is GroundingError {
  return (
    typeof value === "object" &&
    value !== null &&
    ["kind", "code", "message", "operation", "retryable"].every((key) => Object.hasOwn(value, key))
  );
}
