import { isPlainObject } from "../base/is-plain-object.ts";
import type { StepResult } from "../step/step-result.ts";

/** What the model calls of one run cost together. */
export interface LlmCosts {
  readonly calls: number;
  /** Tokens of prompts and answers. */
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
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
  const sum = (count: (cost: ReturnType<typeof costOf>) => number): number =>
    costs.reduce((total, cost) => total + count(cost), 0);
  return {
    calls: traces.length,
    tokens: sum(({ input, output }) => input + output),
    inputTokens: sum(({ input }) => input),
    outputTokens: sum(({ output }) => output),
    durationMs: sum(({ durationMs }) => durationMs),
    unreported: costs.filter(({ known }) => !known).length,
  };
}

/** What the live calls of a run cost, for a check to tell; nothing where none is traced. */
export function liveCosts(
  run: Pick<StepResult, "artifacts" | "events">,
  source: "live" | "recorded",
): { readonly costs?: LlmCosts } {
  const costs = source === "live" ? llmCosts(run) : undefined;
  return costs === undefined || costs.calls === 0 ? {} : { costs };
}

/** The sum of costs; undefined where there are none. */
export function sumCosts(costs: readonly LlmCosts[]): LlmCosts | undefined {
  const [first, ...rest] = costs;
  return rest.reduce<LlmCosts | undefined>(
    (total, one) =>
      total && {
        calls: total.calls + one.calls,
        tokens: total.tokens + one.tokens,
        inputTokens: total.inputTokens + one.inputTokens,
        outputTokens: total.outputTokens + one.outputTokens,
        durationMs: total.durationMs + one.durationMs,
        unreported: total.unreported + one.unreported,
      },
    first,
  );
}

/** One trace, read as untrusted data: it may come from a file, or from an adapter of anybody's. */
function costOf(trace: unknown): {
  readonly known: boolean;
  readonly input: number;
  readonly output: number;
  readonly durationMs: number;
} {
  const fields = isPlainObject(trace) ? trace : {};
  const { promptTokens, completionTokens, usage, durationMs } = fields;
  const ms = isCount(durationMs) ? durationMs : 0;
  // Where the provider reported nothing, the counts are zeros that nobody counted.
  const counted = !(isPlainObject(usage) && usage["raw"] === null);
  if (!counted || !isCount(promptTokens) || !isCount(completionTokens))
    return { known: false, input: 0, output: 0, durationMs: ms };
  return { known: true, input: promptTokens, output: completionTokens, durationMs: ms };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}
