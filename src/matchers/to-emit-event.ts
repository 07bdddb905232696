import { formatValue } from "../diff/format-diff.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { onResult } from "./result-matcher.ts";

/**
 * Passes for a step result with an event of this type, and with an equal payload where one is given (asymmetric
 * matchers allowed).
 *
 * @example
 * expect(result).toEmitEvent("claims_extracted", { count: 8 });
 */
export function toEmitEvent(this: MatcherContext, received: unknown, type: string, ...payload: [payload?: unknown]): MatcherAnswer {
  return onResult("toEmitEvent", received, ({ events }) => {
    const ofType = events.filter((event) => event.type === type);
    const pass = payload.length === 0 ? ofType.length > 0 : ofType.some((event) => this.equals(event.payload, payload[0], this.customTesters));
    const wanted = payload.length === 0 ? `an event "${type}"` : `an event "${type}" with ${formatValue(payload[0], 200)}`;
    const found = ofType.length > 0 ? ofType.map((event) => formatValue(event, 200)) : events.map((event) => formatValue(event.type, 80));
    const message = (): string => `toEmitEvent: expected ${pass ? "no event of" : wanted}${pass ? ` "${type}"` : ""}, found ${found.join(", ") || "no events"}`;
    return { pass, message };
  });
}
