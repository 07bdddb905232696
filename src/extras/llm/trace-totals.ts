import type { Artifact } from "../../kernel/step/artifact.ts";
import { countAt, fieldAt } from "./read-body.ts";
import type { LLMCallTrace, TokenUsage } from "./response.ts";

/** Totals of a run's model calls. */
export interface LLMTotals {
  readonly calls: number;
  /** Total number of input and output tokens. */
  readonly tokens: number;
  readonly usage: TokenUsage;
  /** Total duration of all calls in milliseconds. Durations of concurrent calls are added up. */
  readonly durationMs: number;
  /** Number of calls whose provider didn't report tokens. `tokens` counts them as 0. */
  readonly unreported: number;
}

/** Returns the sum of the traces' tokens and costs. */
export function sumUsage(traces: readonly Pick<LLMCallTrace, "usage" | "durationMs">[]): LLMTotals {
  const sum = (count: (trace: Pick<LLMCallTrace, "usage" | "durationMs">) => number): number =>
    traces.reduce((total, trace) => total + count(trace), 0);
  const usage = usageBy((name) => sum((trace) => trace.usage[name]));
  return {
    calls: traces.length,
    tokens: usage.input + usage.output,
    usage,
    durationMs: sum((trace) => trace.durationMs),
    unreported: traces.filter((trace) => trace.usage.raw === null).length,
  };
}

/**
 * Adds up the artifacts `llm-trace` of a run or a stored baseline, so that you can check its calls against a budget.
 * Skips other kinds. A trace stored only as a hash counts as a call with unreported cost.
 */
export function traceTotals(artifacts: readonly Artifact[]): LLMTotals {
  return sumUsage(artifacts.filter(({ kind }) => kind === "llm-trace").map(({ content }) => costOf(content)));
}

function costOf(trace: unknown): Pick<LLMCallTrace, "usage" | "durationMs"> {
  const usage = usageBy((name) => countAt(trace, "usage", name));
  const raw = fieldAt(trace, "usage", "raw") ?? null;
  return { durationMs: countAt(trace, "durationMs"), usage: { ...usage, raw } };
}

function usageBy(count: (name: keyof TokenUsage) => number): TokenUsage {
  return {
    input: count("input"),
    output: count("output"),
    cacheRead: count("cacheRead"),
    cacheWrite: count("cacheWrite"),
    reasoning: count("reasoning"),
  };
}
