import { costsOfRecording } from "../record/calls/calls-entry.ts";
import { callsOfRecording } from "../record/calls/trajectory.ts";
import { type Budget, checkBudget, costsText, llmCosts, budgetViolations } from "../check/run/costs.ts";
import type { MatcherContext } from "./matcher-context.ts";
import type { TrajectoryOptions } from "./step-to-record.ts";
import { type MatcherReturn, withRecording, readRecorded } from "./with-recording.ts";

/**
 * Passes if the calls of a result, a recording or a step stay within a budget. Model calls are counted in the traces
 * and in the recording, and the larger number applies. If a run has no model calls, limits for models fail, except
 * `maxCalls: 0`. If a call didn't report its tokens, a token budget fails. If you pass a step, set `input` in the
 * options and await the matcher.
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
): MatcherReturn {
  checkBudget(budget, "toStayWithin");
  return withRecording("toStayWithin", { context: this, received, options }, (run, roles) => {
    const recording = readRecorded("toStayWithin", run);
    const calls = callsOfRecording(recording);
    const recorded = calls === undefined ? undefined : costsOfRecording(calls, roles);
    const costs = llmCosts(recording, recorded);
    const problems = budgetViolations(costs, budget, recorded);
    const message = (): string => {
      if (problems.length === 0) return `toStayWithin: expected to exceed the budget, got ${costsText(costs)}`;
      return [`toStayWithin: ${costsText(costs)}`, ...problems.map((problem) => `  ${problem}`)].join("\n");
    };
    return { pass: problems.length === 0, message };
  });
}
