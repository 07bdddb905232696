import type { Metric, Row } from "./bench-group.ts";
import goals from "./goals.json" with { type: "json" };

/** What a metric must be, and by which part of the goal it may miss it for noise. */
export interface Goal {
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly margin: number;
}

/** How a metric stands against its goal. */
export type Standing = "met" | "within noise" | "missed";

/** A metric that has a goal. */
export interface Judged {
  readonly row: string;
  readonly metric: Metric;
  readonly goal: Goal;
  readonly standing: Standing;
}

type Goals = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, Goal>>>>>>;

/**
 * Compares a group's metrics with `goals.json`. Throws for a goal whose metric was not measured, unless it is of a
 * row that was not.
 */
export function judge(group: string, rows: readonly Row[]): readonly Judged[] {
  const known: Goals = goals;
  return rows.flatMap((row) =>
    Object.entries(known[group]?.[row.name] ?? {}).map(([name, goal]) => {
      const metric = row.metrics.find((candidate) => candidate.name === name);
      if (metric === undefined)
        throw new Error(`goals.json has a goal for "${group}: ${row.name}: ${name}", which is not measured.`);
      return { row: row.name, metric, goal, standing: caseStatus(metric.value, goal) };
    }),
  );
}

function caseStatus(value: number, { atMost = Infinity, atLeast = -Infinity, margin }: Goal): Standing {
  if (value <= atMost && value >= atLeast) return "met";
  return value <= atMost * (1 + margin) && value >= atLeast * (1 - margin) ? "within noise" : "missed";
}
