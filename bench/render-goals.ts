import type { Judged } from "./judge.ts";
import { alignColumns, shownNumber } from "./render-table.ts";

/** The metrics that have goals, as lines. */
export function renderGoals(judged: readonly Judged[]): string {
  const rows = judged.map(({ row, metric, goal, standing }) => [
    `  ${row}: ${metric.name}`,
    `${shownNumber(metric.value)} ${metric.unit}`,
    goal.atMost === undefined ? `≥ ${goal.atLeast}` : `≤ ${goal.atMost}`,
    `±${Math.round(goal.margin * 100)} %`,
    standing,
  ]);
  return alignColumns([["goals", "measured", "goal", "noise", ""], ...rows]).join("\n");
}
