import type { LlmCosts } from "./llm-costs.ts";

/** What the model calls of one run may cost together. Nothing is checked that is not given, but something must be. */
export interface Budget {
  /** Tokens of prompts and answers. */
  readonly maxTokens?: number;
  readonly maxCalls?: number;
  /** Milliseconds the calls take, added up. */
  readonly maxDurationMs?: number;
}

const LIMITS = ["maxTokens", "maxCalls", "maxDurationMs"] as const;

/** Throws a TypeError for a budget that limits nothing, or not by numbers; `who` begins its sentence. */
export function checkBudget(budget: Budget | undefined, who: string): void {
  const given = LIMITS.flatMap((limit) => (budget?.[limit] === undefined ? [] : [[limit, budget[limit]] as const]));
  if (given.length === 0) throw new TypeError(`${who}: give a budget: { ${LIMITS.join(", ")} }.`);
  for (const [limit, value] of given) {
    if (!(typeof value === "number" && value >= 0))
      throw new TypeError(`${who}: ${limit} must be a number from 0, got ${String(value)}.`);
  }
}

/** Why costs are not within a budget, a line each; empty when they are. */
export function overruns(costs: LlmCosts, budget: Budget): readonly string[] {
  const { tokens, calls, durationMs } = costs;
  const { maxTokens = Infinity, maxCalls = Infinity, maxDurationMs = Infinity } = budget;
  return [
    ...unknownCosts(costs, budget),
    ...(tokens > maxTokens ? [`tokens: ${tokens}, at most ${maxTokens}`] : []),
    ...(calls > maxCalls ? [`calls: ${calls}, at most ${maxCalls}`] : []),
    ...(durationMs > maxDurationMs ? [`ms: ${Number(durationMs.toFixed(1))}, at most ${maxDurationMs}`] : []),
  ];
}

/** Why the traces cannot answer: a budget that counts nothing must not pass. */
function unknownCosts({ calls, unreported }: LlmCosts, budget: Budget): string[] {
  if (calls === 0 && budget.maxCalls !== 0) {
    return ["no model call is traced: use an adapter of veritest/llm, or report events with an llmTrace"];
  }
  if (unreported === 0 || budget.maxTokens === undefined) return [];
  return [
    `${unreported} of ${calls} ${calls === 1 ? "call" : "calls"} reported no tokens, so that nobody knows their sum`,
  ];
}

/** Costs in words: `2 calls, 1000 tokens, 350 ms`. */
export function costsText({ calls, tokens, durationMs }: LlmCosts): string {
  return `${calls} ${calls === 1 ? "call" : "calls"}, ${tokens} tokens, ${Math.round(durationMs)} ms`;
}
