import type { Artifact } from "../../kernel/step/artifact.ts";
import { countAt, fieldAt } from "./read-body.ts";
import type { LLMCallTrace, TokenUsage } from "./response.ts";

/** What a run's model calls cost together. */
export interface LLMTotals {
  readonly calls: number;
  /** Input and output tokens together. */
  readonly tokens: number;
  readonly usage: TokenUsage;
  /** The sum of the calls' times; calls made side by side count each. */
  readonly durationMs: number;
  /** Calls whose provider reported no tokens: their share of `tokens` is unknown, and counted as 0. */
  readonly unreported: number;
}

/** Adds up the traces of calls. */
export function sumUsage(traces: readonly Pick<LLMCallTrace, "usage" | "durationMs">[]): LLMTotals {
  const sum = (count: (trace: Pick<LLMCallTrace, "usage" | "durationMs">) => number): number =>
    traces.reduce((total, trace) => total + count(trace), 0);
  const usage: TokenUsage = {
    input: sum((trace) => trace.usage.input),
    output: sum((trace) => trace.usage.output),
    cacheRead: sum((trace) => trace.usage.cacheRead),
    cacheWrite: sum((trace) => trace.usage.cacheWrite),
    reasoning: sum((trace) => trace.usage.reasoning),
  };
  return {
    calls: traces.length,
    tokens: usage.input + usage.output,
    usage,
    durationMs: sum((trace) => trace.durationMs),
    unreported: traces.filter((trace) => trace.usage.raw === null).length,
  };
}

/**
 * Adds up the artifacts `llm-trace` of a run or a stored baseline, so that its calls can be held to a budget. Other
 * kinds are passed over; a trace kept as a hash only counts as a call whose cost is unreported.
 */
export function traceTotals(artifacts: readonly Artifact[]): LLMTotals {
  return sumUsage(artifacts.filter(({ kind }) => kind === "llm-trace").map(({ content }) => costOf(content)));
}

function costOf(trace: unknown): Pick<LLMCallTrace, "usage" | "durationMs"> {
  const count = (name: keyof TokenUsage): number => countAt(trace, "usage", name);
  return {
    durationMs: countAt(trace, "durationMs"),
    usage: {
      input: count("input"),
      output: count("output"),
      cacheRead: count("cacheRead"),
      cacheWrite: count("cacheWrite"),
      reasoning: count("reasoning"),
      raw: fieldAt(trace, "usage", "raw") ?? null,
    },
  };
}
