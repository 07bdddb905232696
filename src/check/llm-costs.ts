import { isPlainObject } from "../base/is-plain-object.ts";
import type { StepResult } from "../step/step-result.ts";

/** What the model calls of one run cost together. */
export interface LlmCosts {
  readonly calls: number;
  /** Tokens of prompts and answers. */
  readonly tokens: number;
  /** The sum of the calls' times; calls made side by side count each. */
  readonly durationMs: number;
  /** Calls that tell nothing of their tokens: their share is unknown. */
  readonly unreported: number;
}

/**
 * Adds up the traces of a run's model calls: of its artifacts `llm-trace`, as the adapters of `veritest/llm` keep them,
 * else of its events with an `llmTrace`. Never of both: an event repeats the trace of the call it tells of.
 */
export function llmCosts({ artifacts, events }: Pick<StepResult, "artifacts" | "events">): LlmCosts {
  const kept = artifacts.filter(({ kind }) => kind === "llm-trace").map(({ content }) => content);
  const traces = kept.length > 0 ? kept : events.flatMap(({ llmTrace }) => (llmTrace === undefined ? [] : [llmTrace]));
  const costs = traces.map(costOf);
  const sum = (count: (cost: ReturnType<typeof costOf>) => number): number => costs.reduce((total, cost) => total + count(cost), 0);
  return {
    calls: traces.length,
    tokens: sum(({ tokens = 0 }) => tokens),
    durationMs: sum(({ durationMs }) => durationMs),
    unreported: costs.filter(({ tokens }) => tokens === undefined).length,
  };
}

/** One trace, read as untrusted data: it may come from a file, or from an adapter of anybody's. */
function costOf(trace: unknown): { readonly tokens: number | undefined; readonly durationMs: number } {
  const fields = isPlainObject(trace) ? trace : {};
  const counts = [fields["promptTokens"], fields["completionTokens"]].filter(isCount);
  const { usage, durationMs } = fields;
  // Where the provider reported nothing, the counts are zeros that nobody counted.
  const known = counts.length === 2 && !(isPlainObject(usage) && usage["raw"] === null);
  return { tokens: known ? counts.reduce((total, count) => total + count, 0) : undefined, durationMs: isCount(durationMs) ? durationMs : 0 };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
