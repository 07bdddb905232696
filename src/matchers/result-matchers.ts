import { isPlainObject } from "../kernel/json/plain-data.ts";
import { quote } from "../kernel/text.ts";
import type { MatcherResult, MatcherContext } from "./matcher-context.ts";
import { type ExpectedName, nameTest, valueTest } from "./expected-values.ts";
import { withResult, wrongReceived } from "./received.ts";
import { atMost, errorText, shownError, shownValue } from "./matcher-text.ts";

/**
 * Passes if the `Result` is a success. If it isn't, the message shows the error's code and message.
 *
 * @example
 * expect(await run(extractReceipt, input)).toBeOk();
 */
export function toBeOk(this: MatcherContext, received: unknown): MatcherResult {
  if (!isPlainObject(received) || typeof received["ok"] !== "boolean")
    throw wrongReceived("toBeOk", "a Result", received);
  if (received["ok"]) return { pass: true, message: () => `toBeOk: expected an error, got a success` };
  return { pass: false, message: () => `toBeOk: expected a success, got the error ${errorText(received["error"])}` };
}

/** Further expectations of a failure. */
interface FailWithOptions {
  /** Expected `retryable` of the failure. Default: not checked. */
  readonly retryable?: boolean;
}

/**
 * Passes if the `Result` failed with this code. If you pass `retryable`, the failure must also have that value.
 *
 * @example
 * expect(await run(extractClaims, input, { adapters })).toFailWith("json_error", { retryable: true });
 */
export function toFailWith(
  this: MatcherContext,
  received: unknown,
  code: string,
  options: FailWithOptions = {},
): MatcherResult {
  const { retryable } = options;
  if (!isPlainObject(received) || typeof received["ok"] !== "boolean")
    throw wrongReceived("toFailWith", "a Result", received);
  const wanted = `${shownError(code)}${retryable === undefined ? "" : ` (${retryable ? "" : "not "}retryable)`}`;
  if (received["ok"]) return { pass: false, message: () => `toFailWith: expected the error ${wanted}, got a success` };
  const error: unknown = received["error"];
  const pass =
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === code &&
    (retryable === undefined || ("retryable" in error && error.retryable === retryable));
  const message = (): string =>
    `toFailWith: expected ${pass ? "an error other than" : "the error"} ${wanted}, got ${errorText(error)}`;
  return { pass, message };
}

/**
 * Passes if the step result has an event of this type. The type can be a pattern or a RegExp. If you pass a payload, it
 * must be equal. It can contain asymmetric matchers, RegExps and functions. Under `.not`, a payload that contains yours
 * also matches.
 *
 * @example
 * expect(result).toEmitEvent("claims_extracted", { count: 8 });
 */
export function toEmitEvent(
  this: MatcherContext,
  received: unknown,
  type: ExpectedName,
  ...payload: [payload?: unknown]
): MatcherResult {
  const isType = nameTest("toEmitEvent", type, this.isNot);
  const isPayload = valueTest("toEmitEvent", payload[0], this);
  return withResult("toEmitEvent", received, ({ events }) => {
    const ofType = events.filter((event) => isType(event.type));
    const pass = payload.length === 0 ? ofType.length > 0 : ofType.some((event) => isPayload(event.payload));
    const message = (): string => {
      const wanted = payload.length === 0 ? "" : ` with ${shownValue(payload[0])}`;
      const rendered = ofType.length > 0 ? ofType.map(shownValue) : events.map((event) => shownValue(event.type));
      const listed = atMost(rendered, 10).join(", ") || "no events";
      return `toEmitEvent: expected ${pass ? "no" : "an"} event ${quote(String(type))}${wanted}, got ${listed}`;
    };
    return { pass, message };
  });
}
