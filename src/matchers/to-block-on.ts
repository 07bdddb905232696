import { formatValue } from "../diff/format-diff.ts";
import { isBlockingCommand } from "../step/command.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { onResult } from "./result-matcher.ts";

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
    const found = blocking.map((command) => `${command.type} ${formatValue(command.reason, 80)}`).join(", ") || "no blocking command";
    return { pass, message: () => `toBlockOn: expected ${pass ? "no " : "a "}${type}, found ${found}` };
  });
}
