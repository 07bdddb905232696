import { recordedCosts } from "../record/calls/calls-part.ts";
import { callsOfRecording } from "../record/calls/trajectory.ts";
import { type Budget, checkBudget, costsText, llmCosts, overruns } from "../check/costs.ts";
import type { MatcherContext } from "./context.ts";
import { type MatcherReply, type TrajectoryOptions, onRecorded, readRecorded } from "./on-recorded.ts";

export type { Budget } from "../check/costs.ts";

/**
 * Passes for a step whose calls stay within a budget. Calls of models are those the result's traces tell of, or those
 * that were recorded, whichever are more: a run without any is within `maxCalls: 0` alone, and tokens that nobody
 * reported are within no budget. Given a step, it is run on `input` first; then await it.
 *
 * @example
 * expect(await run(extractReceipt, input, { adapters: { llm } })).toStayWithin({ maxTokens: 2_000, maxCalls: 1 });
 * await expect(agent).toStayWithin({ maxTurns: 4, maxToolCalls: 6 }, { input, adapters });
 */
export function toStayWithin(
  this: MatcherContext,
  received: unknown,
  budget: Budget,
  options: TrajectoryOptions = {},
): MatcherReply {
  checkBudget(budget, "toStayWithin");
  return onRecorded("toStayWithin", { received, options }, (run, roles) => {
    const told = readRecorded("toStayWithin", run);
    const calls = callsOfRecording(told);
    const recorded = calls === undefined ? undefined : recordedCosts(calls, roles);
    const costs = llmCosts(told, recorded?.questions);
    const problems = overruns(costs, budget, recorded);
    const message = (): string => {
      if (problems.length === 0) return `toStayWithin: expected to leave the budget, found ${costsText(costs)}`;
      return [`toStayWithin: ${costsText(costs)}`, ...problems.map((problem) => `  ${problem}`)].join("\n");
    };
    return { pass: problems.length === 0, message };
  });
}
