import { isPlainObject } from "../base/is-plain-object.ts";
import { escapeText } from "../base/text.ts";
import { formatValue } from "../diff/format-diff.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { wrongReceived } from "./received.ts";

/**
 * Passes for a `Result` that is a success; says code and message of the error otherwise.
 *
 * @example
 * expect(await run(extractReceipt, input)).toBeOk();
 */
export function toBeOk(this: MatcherContext, received: unknown): MatcherAnswer {
  if (!isPlainObject(received) || typeof received["ok"] !== "boolean") throw wrongReceived("toBeOk", "a Result", received);
  if (received["ok"]) return { pass: true, message: () => `toBeOk: expected an error, found a success` };
  return { pass: false, message: () => `toBeOk: expected a success, found the error ${errorText(received["error"])}` };
}

/** An error of a result in words, safe to print. */
export function errorText(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return formatValue(error, 200);
  const message = "message" in error ? `: ${String(error.message)}` : "";
  const retryable = "retryable" in error && error.retryable === true ? " (retryable)" : "";
  return escapeText(`${String(error.code)}${message}${retryable}`);
}
