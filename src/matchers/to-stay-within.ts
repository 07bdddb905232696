import type { MatcherAnswer, MatcherContext } from "./context.ts";
import { type LlmCosts, llmCosts } from "./llm-costs.ts";
import { onResult } from "./result-matcher.ts";

/** What the model calls of one run may cost together. Nothing is checked that is not given, but something must be. */
export interface Budget {
  /** Tokens of prompts and answers. */
  readonly maxTokens?: number;
  readonly maxCalls?: number;
  /** Milliseconds the calls take, added up. */
  readonly maxDurationMs?: number;
}

const LIMITS = ["maxTokens", "maxCalls", "maxDurationMs"] as const;

/**
 * Passes for a step result whose model calls stay within a budget. The calls are those its traces tell of: a run without
 * any is within `maxCalls: 0` alone, and tokens that nobody reported are within no budget.
 *
 * @example
 * expect(await run(extractReceipt, input, { adapters: { llm } })).toStayWithin({ maxTokens: 2_000, maxCalls: 1 });
 */
export function toStayWithin(this: MatcherContext, received: unknown, budget: Budget): MatcherAnswer {
  checkBudget(budget);
  return onResult("toStayWithin", received, (result) => {
    const costs = llmCosts(result);
    const problems = [...traceProblems(costs, budget), ...overruns(costs, budget)];
    const told = `${costs.calls} ${costs.calls === 1 ? "call" : "calls"}, ${costs.tokens} tokens, ${Math.round(costs.durationMs)} ms`;
    const message = (): string => {
      if (problems.length === 0) return `toStayWithin: expected to leave the budget, found ${told}`;
      return [`toStayWithin: ${told}`, ...problems.map((problem) => `  ${problem}`)].join("\n");
    };
    return { pass: problems.length === 0, message };
  });
}

function checkBudget(budget: Budget | undefined): void {
  const given = LIMITS.flatMap((limit) => (budget?.[limit] === undefined ? [] : [[limit, budget[limit]] as const]));
  if (given.length === 0) throw new TypeError(`toStayWithin: give a budget: { ${LIMITS.join(", ")} }.`);
  for (const [limit, value] of given) {
    if (!(typeof value === "number" && value >= 0)) throw new TypeError(`toStayWithin: ${limit} must be a number from 0, got ${String(value)}.`);
  }
}

function overruns({ tokens, calls, durationMs }: LlmCosts, { maxTokens = Infinity, maxCalls = Infinity, maxDurationMs = Infinity }: Budget): string[] {
  return [
    ...(tokens > maxTokens ? [`tokens: ${tokens}, at most ${maxTokens}`] : []),
    ...(calls > maxCalls ? [`calls: ${calls}, at most ${maxCalls}`] : []),
    ...(durationMs > maxDurationMs ? [`ms: ${Number(durationMs.toFixed(1))}, at most ${maxDurationMs}`] : []),
  ];
}

/** Why the traces cannot answer: a budget that counts nothing must not pass. */
function traceProblems({ calls, unreported }: LlmCosts, budget: Budget): string[] {
  if (calls === 0 && budget.maxCalls !== 0) {
    return ["no model call is traced: use an adapter of veritest/llm, or report events with an llmTrace"];
  }
  if (unreported === 0 || budget.maxTokens === undefined) return [];
  return [`${unreported} of ${calls} ${calls === 1 ? "call" : "calls"} reported no tokens, so that nobody knows their sum`];
}
