import { isBlockingCommand } from "../step/command.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { onResult } from "./result-matcher.ts";
import { atMost, shownValue } from "./words.ts";

/**
 * Passes for a step result that waits for a human (`review`) or for data (`suspend`).
 *
 * @example
 * expect(result).toBlockOn("review");
 */
export function toBlockOn(this: MatcherContext, received: unknown, type: "review" | "suspend"): MatcherAnswer {
  return onResult("toBlockOn", received, ({ commands = [] }) => {
    const blocking = commands.filter(isBlockingCommand);
    const pass = blocking.some((command) => command.type === type);
    const message = (): string => {
      const found = blocking.map((command) => `${command.type} ${shownValue(command.reason)}`);
      return `toBlockOn: expected ${pass ? "no" : "a"} ${type}, found ${atMost(found, 10).join(", ") || "no blocking command"}`;
    };
    return { pass, message };
  });
}
