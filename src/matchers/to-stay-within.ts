import { type Budget, checkBudget, costsText, llmCosts, overruns } from "../check/costs.ts";
import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { onResult } from "./result-matchers.ts";

export type { Budget } from "../check/costs.ts";

/**
 * Passes for a step result whose model calls stay within a budget. The calls are those its traces tell of: a run
 * without any is within `maxCalls: 0` alone, and tokens that nobody reported are within no budget.
 *
 * @example
 * expect(await run(extractReceipt, input, { adapters: { llm } })).toStayWithin({ maxTokens: 2_000, maxCalls: 1 });
 */
export function toStayWithin(this: MatcherContext, received: unknown, budget: Budget): MatcherAnswer {
  checkBudget(budget, "toStayWithin");
  return onResult("toStayWithin", received, (result) => {
    const costs = llmCosts(result);
    const problems = overruns(costs, budget);
    const message = (): string => {
      if (problems.length === 0) return `toStayWithin: expected to leave the budget, found ${costsText(costs)}`;
      return [`toStayWithin: ${costsText(costs)}`, ...problems.map((problem) => `  ${problem}`)].join("\n");
    };
    return { pass: problems.length === 0, message };
  });
}
