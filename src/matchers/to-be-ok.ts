import { isPlainObject } from "../base/plain-data.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { wrongReceived } from "./received.ts";
import { shownError, shownValue } from "./words.ts";

/**
 * Passes for a `Result` that is a success; says code and message of the error otherwise.
 *
 * @example
 * expect(await run(extractReceipt, input)).toBeOk();
 */
export function toBeOk(this: MatcherContext, received: unknown): MatcherAnswer {
  if (!isPlainObject(received) || typeof received["ok"] !== "boolean")
    throw wrongReceived("toBeOk", "a Result", received);
  if (received["ok"]) return { pass: true, message: () => `toBeOk: expected an error, found a success` };
  return { pass: false, message: () => `toBeOk: expected a success, found the error ${errorText(received["error"])}` };
}

/** An error of a result in words, safe to print and bounded. */
export function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return shownValue(error);
  const message = "message" in error ? `: ${textOf(error.message)}` : "";
  const retryable = "retryable" in error && error.retryable === true ? " (retryable)" : "";
  return shownError(`${textOf(error.code)}${message}${retryable}`);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : shownValue(value);
}
