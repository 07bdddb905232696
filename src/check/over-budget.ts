import type { StepResult } from "../step/step-result.ts";
import { type StepError, kernelError } from "../step/step-error.ts";
import { type Budget, costsText, overruns } from "./budget.ts";
import { llmCosts } from "./llm-costs.ts";

/**
 * The error of a run that cost more than its budget; undefined where it did not. Recorded answers cost nothing, and
 * tell the time of their recording: of a run on them only traced calls are counted.
 */
export function overBudget(
  run: Pick<StepResult, "artifacts" | "events">,
  { within, source }: { readonly within: Budget | undefined; readonly source: "live" | "recorded" },
): StepError | undefined {
  if (within === undefined) return undefined;
  const costs = llmCosts(run);
  const { maxCalls } = within;
  if (source === "recorded" && (maxCalls === undefined || costs.calls === 0)) return undefined;
  const problems = overruns(costs, source === "live" || maxCalls === undefined ? within : { maxCalls });
  return problems.length === 0
    ? undefined
    : kernelError("over_budget", [costsText(costs), ...problems.map((problem) => `  ${problem}`)].join("\n"));
}
