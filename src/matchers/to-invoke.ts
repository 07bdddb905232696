import { quote } from "../base/text.ts";
import { isControlCommand } from "../step/command.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { onResult } from "./result-matcher.ts";
import { atMost, shownValue } from "./words.ts";

/**
 * Passes for a step result that schedules this step, by `invoke` or as one input of a `fanout`, and with an equal input
 * where one is given (asymmetric matchers allowed).
 *
 * @example
 * expect(result).toInvoke("verify", { claims: expect.any(Array) });
 */
export function toInvoke(
  this: MatcherContext,
  received: unknown,
  step: string,
  ...input: [input?: unknown]
): MatcherAnswer {
  return onResult("toInvoke", received, ({ commands = [] }) => {
    const control = commands.filter(isControlCommand);
    const inputs = control
      .filter((command) => command.step === step)
      .flatMap((command) => (command.type === "invoke" ? [command.input] : command.inputs));
    const pass =
      input.length === 0 ? inputs.length > 0 : inputs.some((found) => this.equals(found, input[0], this.customTesters));
    const message = (): string => {
      const wanted = input.length === 0 ? "" : ` with ${shownValue(input[0])}`;
      const found = inputs.length > 0 ? inputs.map(shownValue) : control.map((command) => shownValue(command.step));
      return `toInvoke: expected ${pass ? "no" : "an"} invocation of ${quote(step)}${wanted}, found ${atMost(found, 10).join(", ") || "none"}`;
    };
    return { pass, message };
  });
}
