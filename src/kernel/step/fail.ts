import { messageOf } from "../error-message.ts";
import { markOwn } from "../own-values.ts";

/**
 * An expected failure, which a step returns instead of throwing. Create it with {@link fail}. veritest recognizes it by
 * its tag, even if a different copy of veritest created it.
 */
export interface StepFailure {
  readonly _tag: "StepFailure";
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
  readonly cause?: unknown;
}

/** Options for {@link fail}, in addition to the code and the message. */
export interface FailureDetails {
  readonly retryable?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * Creates a {@link StepFailure} for a step to return: from a code and a message, or from an error object, such as the
 * error of another step. The step chooses the code. `retryable` is false by default.
 *
 * @example
 * if (!answer) return fail("no_answer", "The model answered nothing.", { retryable: true });
 */
export function fail(code: string, message: string, details?: FailureDetails): StepFailure;
export function fail(error: { readonly code: string; readonly message: string } & FailureDetails): StepFailure;
export function fail(
  codeOrError: string | ({ readonly code: string; readonly message: string } & FailureDetails),
  message = "",
  details: FailureDetails = {},
): StepFailure {
  if (typeof codeOrError === "string") return tagged(codeOrError, message, details);
  return tagged(codeOrError.code, codeOrError.message, codeOrError);
}

/** Narrows a value to a {@link StepFailure}. */
export function isStepFailure(value: unknown): value is StepFailure {
  return (
    typeof value === "object" &&
    value !== null &&
    "_tag" in value &&
    value._tag === "StepFailure" &&
    "code" in value &&
    typeof value.code === "string" &&
    "message" in value &&
    typeof value.message === "string"
  );
}

function tagged(code: string, message: string, { retryable, cause }: FailureDetails): StepFailure {
  return {
    _tag: "StepFailure",
    code,
    message,
    ...(retryable === undefined ? {} : { retryable }),
    ...(cause === undefined ? {} : { cause }),
  };
}

/** Codes of the kernel. A step can use any other string as its own code. */
export type StepErrorCode = "input_validation" | "output_validation" | "execution_failed" | (string & {});

/** Error of a step without a result. `cause` is the schema's error, or the thrown value. */
export interface StepError {
  readonly code: StepErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly cause?: unknown;
}

/** Creates a kernel error: never retryable, because running the same thing again cannot help. */
export function kernelError(code: StepErrorCode, message: string, cause?: unknown): StepError {
  return markOwn({ code, message, retryable: false, ...(cause === undefined ? {} : { cause }) });
}

/** The error of an artifact that could not be hashed or handed on. */
export function artifactError(cause: unknown): StepError {
  return kernelError("execution_failed", `An artifact could not be stored: ${messageOf(cause)}`, cause);
}
