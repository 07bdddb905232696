import { isPlainObject } from "../base/plain-data.ts";
import { type StepError, kernelError } from "../step/fail.ts";
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

/** What the model calls of one run may cost together. Nothing is checked that is not given, but something must be. */
export interface Budget {
  /** Tokens of prompts and answers. */
  readonly maxTokens?: number;
  readonly maxCalls?: number;
  /** Milliseconds the calls take, added up. */
  readonly maxDurationMs?: number;
}

const LIMITS = ["maxTokens", "maxCalls", "maxDurationMs"] as const;

/** Throws a TypeError for a budget that limits nothing, or not by numbers; `who` begins its sentence. */
export function checkBudget(budget: Budget | undefined, who: string): void {
  const given = LIMITS.flatMap((limit) => (budget?.[limit] === undefined ? [] : [[limit, budget[limit]] as const]));
  if (given.length === 0) throw new TypeError(`${who}: give a budget: { ${LIMITS.join(", ")} }.`);
  for (const [limit, value] of given) {
    if (!(typeof value === "number" && value >= 0))
      throw new TypeError(`${who}: ${limit} must be a number from 0, got ${String(value)}.`);
  }
}

/** Why costs are not within a budget, a line each; empty when they are. */
export function overruns(costs: LlmCosts, budget: Budget): readonly string[] {
  const { tokens, calls, durationMs } = costs;
  const { maxTokens = Infinity, maxCalls = Infinity, maxDurationMs = Infinity } = budget;
  return [
    ...unknownCosts(costs, budget),
    ...(tokens > maxTokens ? [`tokens: ${tokens}, at most ${maxTokens}`] : []),
    ...(calls > maxCalls ? [`calls: ${calls}, at most ${maxCalls}`] : []),
    ...(durationMs > maxDurationMs ? [`ms: ${Number(durationMs.toFixed(1))}, at most ${maxDurationMs}`] : []),
  ];
}

/** Why the traces cannot answer: a budget that counts nothing must not pass. */
function unknownCosts({ calls, unreported }: LlmCosts, budget: Budget): string[] {
  if (calls === 0 && budget.maxCalls !== 0) {
    return ["no model call is traced: use an adapter of veritest/llm, or report events with an llmTrace"];
  }
  if (unreported === 0 || budget.maxTokens === undefined) return [];
  return [
    `${unreported} of ${calls} ${calls === 1 ? "call" : "calls"} reported no tokens, so that nobody knows their sum`,
  ];
}

/** Costs in words: `2 calls, 1000 tokens, 350 ms`. */
export function costsText({ calls, tokens, durationMs }: LlmCosts): string {
  return `${calls} ${calls === 1 ? "call" : "calls"}, ${tokens} tokens, ${Math.round(durationMs)} ms`;
}

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
