import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { matchMultiset } from "./match-multiset.ts";
import { onResult } from "./result-matcher.ts";
import { atMost, shownValue } from "./words.ts";

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
    const message = (): string =>
      pass ? "toCommand: expected other commands than these" : explain(missing, unexpected);
    return { pass, message };
  });
}

function explain(missing: readonly unknown[], unexpected: readonly unknown[]): string {
  const lines = [
    ...missing.map((command) => `- missing ${shownValue(command)}`),
    ...unexpected.map((command) => `+ unexpected ${shownValue(command)}`),
  ];
  return ["toCommand: the commands differ", ...atMost(lines, 20)].join("\n");
}
