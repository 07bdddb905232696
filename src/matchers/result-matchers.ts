import { isPlainObject } from "../kernel/json/plain-data.ts";
import { refuseUnknownOptions } from "../kernel/did-you-mean.ts";
import { quote } from "../kernel/text.ts";
import type { MatcherResult, MatcherContext } from "./matcher-context.ts";
import { type ExpectedName, nameTest, valueTest } from "./expected-values.ts";
import { hiddenNote } from "./hidden-values.ts";
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
 * Passes if the `Result` failed with this code. The code can be a RegExp, and under `.not` a pattern. If you pass
 * `retryable`, the failure must also have that value.
 *
 * @example
 * expect(await run(extractClaims, input, { adapters })).toFailWith("json_error", { retryable: true });
 */
export function toFailWith(
  this: MatcherContext,
  received: unknown,
  code: ExpectedName,
  options: FailWithOptions = {},
): MatcherResult {
  refuseUnknownOptions("toFailWith", options, ["retryable"]);
  const { retryable } = options;
  const isCode =
    typeof code === "string" && this.isNot !== true
      ? (actual: string) => actual === code
      : nameTest("toFailWith", code, this.isNot);
  if (!isPlainObject(received) || typeof received["ok"] !== "boolean")
    throw wrongReceived("toFailWith", "a Result", received);
  const further = retryable === undefined ? "" : ` (${retryable ? "" : "not "}retryable)`;
  const wanted = `${shownError(String(code))}${further}`;
  if (received["ok"]) return { pass: false, message: () => `toFailWith: expected the error ${wanted}, got a success` };
  const error: unknown = received["error"];
  const pass =
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    typeof error.code === "string" &&
    isCode(error.code) &&
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
  const isAny = payload.length === 0 || (this.isNot === true && payload[0] === undefined);
  return withResult("toEmitEvent", received, ({ events }) => {
    const ofType = events.filter((event) => isType(event.type));
    const pass = isAny ? ofType.length > 0 : ofType.some((event) => isPayload(event.payload));
    const message = (): string => {
      const wanted = isAny ? "" : ` with ${shownValue(payload[0])}`;
      const rendered = ofType.length > 0 ? ofType.map(shownValue) : events.map((event) => shownValue(event.type));
      const listed = atMost(rendered, 10).join(", ") || "no events";
      const note = hiddenNote(pass && wanted !== "", ofType);
      const head = `toEmitEvent: expected ${pass ? "no" : "an"} event ${quote(String(type))}${wanted}, got ${listed}`;
      return [head, ...note].join("\n");
    };
    return { pass, message };
  });
}
