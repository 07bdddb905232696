import { typeName, withArticle } from "../base/type-name.ts";

/** Codes of the kernel itself; a step's own codes are any other string. */
export type StepErrorCode = "input_validation" | "output_validation" | "execution_failed" | (string & {});

/** Why a step has no result. `cause` is the schema's error, or the value that was thrown. */
export interface StepError {
  readonly code: StepErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly cause?: unknown;
}

/** Makes a kernel error: never retryable, because running the same thing again cannot help. */
export function kernelError(code: StepErrorCode, message: string, cause?: unknown): StepError {
  return { code, message, retryable: false, ...(cause === undefined ? {} : { cause }) };
}

/** The error of an artifact that could not be hashed or handed on. */
export function artifactError(cause: unknown): StepError {
  return kernelError("execution_failed", `An artifact could not be kept: ${messageOf(cause)}`, cause);
}

/** The words of a thrown value: an Error's message, else the value as text. */
export function messageOf(thrown: unknown): string {
  // No `instanceof Error`: an error of another realm (a test environment's) is none here.
  if (typeof thrown === "object" && thrown !== null && "message" in thrown && typeof thrown.message === "string") {
    return thrown.message;
  }
  try {
    return String(thrown);
  } catch {
    // An object without a prototype, or with a toString that throws, has no text.
    return `${withArticle(typeName(thrown))} was thrown`;
  }
}
