import { quote } from "../base/text.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { onResult } from "./result-matcher.ts";
import { atMost, shownValue } from "./words.ts";

/**
 * Passes for a step result with an event of this type, and with an equal payload where one is given (asymmetric
 * matchers allowed).
 *
 * @example
 * expect(result).toEmitEvent("claims_extracted", { count: 8 });
 */
export function toEmitEvent(
  this: MatcherContext,
  received: unknown,
  type: string,
  ...payload: [payload?: unknown]
): MatcherAnswer {
  return onResult("toEmitEvent", received, ({ events }) => {
    const ofType = events.filter((event) => event.type === type);
    const pass =
      payload.length === 0
        ? ofType.length > 0
        : ofType.some((event) => this.equals(event.payload, payload[0], this.customTesters));
    const message = (): string => {
      const wanted = payload.length === 0 ? "" : ` with ${shownValue(payload[0])}`;
      const found = ofType.length > 0 ? ofType.map(shownValue) : events.map((event) => shownValue(event.type));
      return `toEmitEvent: expected ${pass ? "no" : "an"} event ${quote(type)}${wanted}, found ${atMost(found, 10).join(", ") || "no events"}`;
    };
    return { pass, message };
  });
}
