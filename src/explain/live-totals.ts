import { costText } from "../kernel/text.ts";
import type { LiveUsage, TestFileLog } from "./append-run-log.ts";
import type { ReportUsage } from "./report-case.ts";
import { NO_USAGE, addUsage } from "./tally.ts";
import { counted, duration, formatCount } from "./wording.ts";

/** Live calls of a run: of adapters and recorders, the time of their checks, and the cost of models. */
export interface LiveTotals {
  readonly calls: number;
  readonly ms: number;
  readonly usage: ReportUsage;
}

/** Adds up the live calls of each attempt of each test; undefined without any. */
export function liveTotals(logs: readonly Pick<TestFileLog, "checks" | "live">[]): LiveTotals | undefined {
  const runs = logs.flatMap(({ checks, live = [] }): readonly LiveUsage[] => [...checks, ...live]);
  const checks = runs.filter(({ liveCalls = 0, usage }) => liveCalls > 0 || usage);
  if (checks.length === 0) return undefined;
  const sum = (count: (check: LiveUsage) => number): number => checks.reduce((total, check) => total + count(check), 0);
  return {
    calls: sum(({ liveCalls = 0, usage }) => Math.max(liveCalls, usage?.calls ?? 0)),
    ms: sum(({ ms = 0 }) => ms),
    usage: checks.reduce((total, { usage = NO_USAGE }) => addUsage(total, usage), NO_USAGE),
  };
}

/**
 * Live calls in one line: `3 calls (2 to models), 1,204 tokens, 4.2 s in total, $0.0123`. Checks in parallel are added
 * up.
 */
export function liveText({ calls, ms, usage }: LiveTotals): string {
  const tokens = usage.inputTokens + usage.outputTokens;
  const parts = [
    counted(calls, "call") + (usage.calls > 0 && usage.calls < calls ? ` (${formatCount(usage.calls)} to models)` : ""),
    usage.calls === 0 ? "no tokens reported" : counted(tokens, "token"),
    `${duration(ms)} in total`,
    ...(usage.cost === undefined ? [] : [costText(usage.cost)]),
  ];
  return parts.join(", ");
}
