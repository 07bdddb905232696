import { isPlainObject } from "../base/plain-data.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { wrongReceived } from "./received.ts";
import { errorText } from "./to-be-ok.ts";
import { shownError } from "./words.ts";

/**
 * Passes for a `Result` that failed with this code, and with this `retryable` where it is given.
 *
 * @example
 * expect(await run(extractClaims, input, { adapters })).toFailWith("json_error", { retryable: true });
 */
export function toFailWith(
  this: MatcherContext,
  received: unknown,
  code: string,
  { retryable }: { readonly retryable?: boolean } = {},
): MatcherAnswer {
  if (!isPlainObject(received) || typeof received["ok"] !== "boolean")
    throw wrongReceived("toFailWith", "a Result", received);
  const wanted = `${shownError(code)}${retryable === undefined ? "" : ` (${retryable ? "" : "not "}retryable)`}`;
  if (received["ok"])
    return { pass: false, message: () => `toFailWith: expected the error ${wanted}, found a success` };
  const error: unknown = received["error"];
  const pass =
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === code &&
    (retryable === undefined || ("retryable" in error && error.retryable === retryable));
  const message = (): string =>
    `toFailWith: expected ${pass ? "another error than" : "the error"} ${wanted}, found ${errorText(error)}`;
  return { pass, message };
}
