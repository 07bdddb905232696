import { formatValue } from "../diff/format-diff.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { matchMultiset } from "./match-multiset.ts";
import { onResult } from "./result-matcher.ts";

/**
 * Passes for a step result whose commands are exactly these, in any order (asymmetric matchers allowed). Without
 * arguments: for a result without commands.
 *
 * @example
 * expect(result).toCommand(invoke("verify", expect.anything()), emit("claims.extracted", { count: 8 }));
 */
export function toCommand(this: MatcherContext, received: unknown, ...wanted: readonly unknown[]): MatcherAnswer {
  return onResult("toCommand", received, ({ commands = [] }) => {
    const fits = (expected: unknown, command: unknown): boolean => this.equals(command, expected, this.customTesters);
    const { missing, unexpected } = matchMultiset(wanted, commands, fits);
    const pass = missing.length === 0 && unexpected.length === 0;
    const lines = [
      ...missing.map((command) => `- missing ${formatValue(command, 200)}`),
      ...unexpected.map((command) => `+ unexpected ${formatValue(command, 200)}`),
    ];
    const message = (): string =>
      pass ? "toCommand: expected other commands than these" : `toCommand: the commands differ\n${lines.slice(0, 20).join("\n")}`;
    return { pass, message };
  });
}
