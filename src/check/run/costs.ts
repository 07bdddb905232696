import { type ModelCallUsage, modelCallUsages } from "../../record/model-usage.ts";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { matchesName } from "../../kernel/matches-name.ts";
import type { Price, Prices } from "../../kernel/model-prices.ts";
import { costText, quote } from "../../kernel/text.ts";
import { projectSettings } from "../../redact/project-settings.ts";
import { type AdapterCall, isMethodCall } from "../../record/adapter-call.ts";
import { type StepError, kernelError } from "../../kernel/step/fail.ts";
import type { StepResult } from "../../kernel/step/step-result.ts";
import type { CallUsage } from "./call-usage.ts";

/** Total cost of one run's model calls. */
export interface LlmCosts {
  readonly calls: number;
  /** Tokens of prompts and responses. */
  readonly tokens: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Sum of the calls' durations; parallel calls count each. */
  readonly durationMs: number;
  /** Calls without a token count: their share is unknown. */
  readonly unreported: number;
  /** US dollars by the project's prices; absent if the project has none. */
  readonly cost?: number;
  /** Models without a price: their share is unknown. Untrusted text. */
  readonly unpriced?: readonly string[];
}

/**
 * Adds up a run's model calls. It reads the traces in the artifacts `llm-trace` of the adapters of `veritest/llm`;
 * without them, those of events with an `llmTrace`. If there are more recorded requests, it uses these. It never mixes
 * sources: an event repeats its call's trace, and a traced call may be recorded too. Replayed calls aren't counted.
 */
export function llmCosts(
  { artifacts, events }: Pick<StepResult, "artifacts" | "events">,
  { modelCalls = [], replayed = [] }: Partial<CallUsage> = {},
): LlmCosts {
  const stored = artifacts.filter(({ kind }) => kind === "llm-trace").map(({ content }) => content);
  const all = stored.length > 0 ? stored : events.flatMap(({ llmTrace }) => (llmTrace === undefined ? [] : [llmTrace]));
  const traces = withoutReplayed(all.map(costOf), { live: modelCalls.length, replayed: replayed.map(costOfModelCall) });
  const costs = modelCalls.length > traces.length ? modelCalls.map(costOfModelCall) : traces;
  const sum = (count: (cost: CallCost) => number): number => costs.reduce((total, cost) => total + count(cost), 0);
  return {
    calls: costs.length,
    tokens: sum(({ input, output }) => input + output),
    inputTokens: sum(({ input }) => input),
    outputTokens: sum(({ output }) => output),
    durationMs: sum(({ durationMs }) => durationMs),
    unreported: costs.filter(({ known }) => !known).length,
    ...pricedCosts(costs, projectSettings().prices),
  };
}

/**
 * Returns traces without those of replayed calls: first the ones with the same model and tokens, then with the same
 * tokens, then any, as long as there are more traces than live calls.
 */
function withoutReplayed(
  traces: readonly CallCost[],
  { live, replayed }: { readonly live: number; readonly replayed: readonly CallCost[] },
): readonly CallCost[] {
  const remaining = [...traces];
  /** Removes the trace of each call from `remaining`, and returns the calls without one. */
  const withoutMatch = (
    calls: readonly CallCost[],
    isSame: (trace: CallCost, call: CallCost) => boolean,
  ): readonly CallCost[] => {
    const unmatched: CallCost[] = [];
    for (const call of calls) {
      const at = remaining.findIndex((trace) => isSame(trace, call));
      if (at >= 0) remaining.splice(at, 1);
      else unmatched.push(call);
    }
    return unmatched;
  };
  const hasSameTokens = (a: CallCost, b: CallCost): boolean =>
    a.known === b.known && a.input === b.input && a.output === b.output;
  const otherCalls = withoutMatch(replayed, (trace, call) => trace.model === call.model && hasSameTokens(trace, call));
  const unmatched = withoutMatch(otherCalls, hasSameTokens);
  return remaining.slice(Math.min(unmatched.length, Math.max(0, remaining.length - live)));
}

/** Returns the cost of calls by prices, in US dollars, and the models that have no price. Nothing without prices. */
function pricedCosts(calls: readonly CallCost[], prices: Prices | undefined): Pick<LlmCosts, "cost" | "unpriced"> {
  if (prices === undefined) return {};
  const priced = calls.map((call) => ({ ...call, price: priceOf(call.model, prices) }));
  const unpriced = priced.filter(({ price }) => price === undefined).map(({ model }) => model ?? "(no name)");
  return {
    // Rounded, so that a sum of decimals equals the limit that looks the same.
    cost: Number(priced.reduce((sum, call) => sum + costAt(call.price, call), 0).toPrecision(12)),
    ...(unpriced.length > 0 && { unpriced: [...new Set(unpriced)] }),
  };
}

/** Returns the price of a model: that of its name, or else of the first pattern that matches it. */
function priceOf(model: string = "", prices: Prices): Price | undefined {
  if (Object.hasOwn(prices, model)) return prices[model];
  return Object.entries(prices).find(([pattern]) => matchesName(pattern, model))?.[1];
}

function costAt(price: Price | undefined, { input, output }: Pick<CallCost, "input" | "output">): number {
  return price === undefined ? 0 : (input * price.input + output * price.output) / 1_000_000;
}

/**
 * Returns the number of a run's live calls without skipped writes, and the costs of those of models. Empty if none.
 * `replayed` are the model calls of a run that is partly replayed.
 */
export function liveCosts(
  run: Pick<StepResult, "artifacts" | "events">,
  calls: readonly AdapterCall[],
  {
    skippedWrites = 0,
    replayed = [],
  }: { readonly skippedWrites?: number; readonly replayed?: CallUsage["replayed"] } = {},
): { readonly liveCalls?: number; readonly costs?: LlmCosts } {
  const liveCalls = calls.filter(isMethodCall).length - skippedWrites;
  const costs = llmCosts(run, { modelCalls: modelCallUsages(calls), replayed });
  return { ...(liveCalls > 0 && { liveCalls }), ...(costs.calls > 0 && { costs }) };
}

/** Returns the sum of costs; undefined for an empty list. */
export function sumCosts(costs: readonly LlmCosts[]): LlmCosts | undefined {
  const [first, ...rest] = costs;
  return rest.reduce<LlmCosts | undefined>(
    (total, cost) =>
      total && {
        calls: total.calls + cost.calls,
        tokens: total.tokens + cost.tokens,
        inputTokens: total.inputTokens + cost.inputTokens,
        outputTokens: total.outputTokens + cost.outputTokens,
        durationMs: total.durationMs + cost.durationMs,
        unreported: total.unreported + cost.unreported,
        ...(cost.cost !== undefined && { cost: (total.cost ?? 0) + cost.cost }),
        ...((total.unpriced ?? cost.unpriced) && {
          unpriced: [...new Set([...(total.unpriced ?? []), ...(cost.unpriced ?? [])])],
        }),
      },
    first,
  );
}

interface CallCost {
  readonly model: string | undefined;
  readonly known: boolean;
  readonly input: number;
  readonly output: number;
  readonly durationMs: number;
}

/** Returns the cost of a recorded response; its duration isn't recorded. */
function costOfModelCall({ tokens, model }: ModelCallUsage): CallCost {
  return { model, known: tokens !== undefined, input: tokens?.input ?? 0, output: tokens?.output ?? 0, durationMs: 0 };
}

/** Reads one trace as untrusted data: it may come from a file or a third-party adapter. */
function costOf(trace: unknown): CallCost {
  const fields = isPlainObject(trace) ? trace : {};
  const { promptTokens, completionTokens, usage, durationMs } = fields;
  const model = typeof fields["model"] === "string" ? fields["model"] : undefined;
  const ms = isCount(durationMs) ? durationMs : 0;
  // If the provider reported no usage, the counts are zeros without meaning.
  const counted = !(isPlainObject(usage) && usage["raw"] === null);
  if (!counted || !isCount(promptTokens) || !isCount(completionTokens))
    return { model, known: false, input: 0, output: 0, durationMs: ms };
  return { model, known: true, input: promptTokens, output: completionTokens, durationMs: ms };
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Limits for the calls of one run. Only the limits that you set are checked, and at least one is required. */
export interface Budget {
  /** Maximum number of tokens of prompts and responses. */
  readonly maxTokens?: number;
  /** Maximum number of calls to models. */
  readonly maxCalls?: number;
  /** Maximum number of turns of an agent. Each turn is one request to a model, so this also limits the calls. */
  readonly maxTurns?: number;
  /** Maximum number of recorded calls to tools and other adapters, except models. */
  readonly maxToolCalls?: number;
  /**
   * Maximum total duration of model calls in milliseconds. Only the adapters of `veritest/llm` and an `llmTrace` report
   * durations. With other calls of models, the check fails.
   */
  readonly maxDurationMs?: number;
  /** Maximum cost of model calls in US dollars, by `prices` in the configuration. */
  readonly maxCost?: number;
}

const LIMITS = ["maxTokens", "maxCalls", "maxTurns", "maxToolCalls", "maxDurationMs", "maxCost"] as const;

/** Throws a TypeError for a budget without limits or with a limit that isn't a number. `who` begins the message. */
export function checkBudget(budget: Budget | undefined, who: string): void {
  const limits = LIMITS.flatMap((limit) => (budget?.[limit] === undefined ? [] : [[limit, budget[limit]] as const]));
  if (limits.length === 0) throw new TypeError(`${who}: pass a budget: { ${LIMITS.join(", ")} }.`);
  for (const [limit, value] of limits) {
    if (!(typeof value === "number" && value >= 0))
      throw new TypeError(`${who}: ${limit} must be 0 or more, got ${String(value)}.`);
  }
}

/** Returns the reasons why costs exceed a budget, a line each; empty if they don't. */
export function budgetViolations(costs: LlmCosts, budget: Budget, recorded: CallUsage | undefined): readonly string[] {
  const { tokens, calls, durationMs } = costs;
  const { maxTokens = Infinity, maxCalls = Infinity, maxTurns = Infinity, maxDurationMs = Infinity } = budget;
  return [
    ...unknownCosts(costs, budget, recorded),
    ...(tokens > maxTokens ? [`tokens: ${tokens} (maximum: ${maxTokens})`] : []),
    ...(calls > maxCalls ? [`calls: ${calls} (maximum: ${maxCalls})`] : []),
    ...(calls > maxTurns ? [`turns: ${calls} (maximum: ${maxTurns})`] : []),
    ...toolOverrun(recorded, budget),
    ...costOverrun(costs, budget),
    ...(durationMs > maxDurationMs ? [`ms: ${Number(durationMs.toFixed(1))} (maximum: ${maxDurationMs})`] : []),
  ];
}

function toolOverrun(recorded: CallUsage | undefined, { maxToolCalls }: Budget): string[] {
  if (maxToolCalls === undefined) return [];
  if (recorded === undefined) return ["no calls are recorded. To record them, use await withReplay(…)"];
  const { toolCalls } = recorded;
  return toolCalls > maxToolCalls ? [`tool calls: ${toolCalls} (maximum: ${maxToolCalls})`] : [];
}

function costOverrun({ cost, unpriced = [], calls }: LlmCosts, { maxCost }: Budget): string[] {
  if (maxCost === undefined || calls === 0) return [];
  const names = unpriced.map((name) => quote(name)).join(", ");
  if (cost === undefined) return [`the configuration doesn't set prices, so the cost is unknown. ${PRICES_EXAMPLE}`];
  return [
    ...(names === "" ? [] : [`the price of ${names} is unknown. Add it to prices`]),
    ...(cost > maxCost ? [`cost: $${cost} (maximum: $${maxCost})`] : []),
  ];
}

const PRICES_EXAMPLE =
  'Add prices: { "gpt-5*": { input: 1.25, output: 10 } } to veritest.config (US dollars per million tokens)';

/** Returns the reasons why the calls can't be counted: a budget that counts no call must not pass. */
function unknownCosts(costs: LlmCosts, budget: Budget, recorded: CallUsage | undefined): string[] {
  const { calls, unreported, durationMs } = costs;
  const { maxTokens, maxCalls, maxTurns, maxDurationMs, maxCost } = budget;
  const hasModelLimit = [maxTokens, maxCalls, maxTurns, maxDurationMs, maxCost].some((limit) => limit !== undefined);
  if (calls === 0 && hasModelLimit && maxCalls !== 0 && maxTurns !== 0) {
    return [
      "the budget can't be checked, because no model call reported its tokens. " +
        "Call the model with an adapter of veritest/llm, " +
        "or report events with an llmTrace",
    ];
  }
  const { modelCalls = [], replayed = [] } = recorded ?? {};
  const isUntraced = calls > 0 && modelCalls.length + replayed.length === calls && durationMs === 0;
  const lacksDurations = maxDurationMs !== undefined && isUntraced;
  return [
    ...(unreported > 0 && (maxTokens ?? maxCost) !== undefined ? [unreportedLine(unreported, calls)] : []),
    ...(lacksDurations
      ? [
          "recorded calls have no durations, so maxDurationMs can't be checked. Remove it from the budget, " +
            "or use an adapter of veritest/llm",
        ]
      : []),
  ];
}

function unreportedLine(unreported: number, calls: number): string {
  const counted = `${calls} ${calls === 1 ? "call" : "calls"}`;
  return (
    `${unreported} of ${counted} didn't report tokens, so the total is unknown. Report their usage, or ` +
    "remove maxTokens and maxCost from the budget"
  );
}

/** Costs in words: `2 calls, 1000 tokens, 350 ms, $0.0123`. */
export function costsText({ calls, tokens, durationMs, cost }: LlmCosts): string {
  const counted = `${calls} ${calls === 1 ? "call" : "calls"}, ${tokens} tokens, ${Math.round(durationMs)} ms`;
  return cost === undefined ? counted : `${counted}, ${costText(cost)}`;
}

/**
 * Returns the error of a run that exceeds its budget; undefined if it doesn't. Recorded responses cost nothing and have
 * the duration of their recording, so for them only calls count.
 */
export function budgetError(
  run: Pick<StepResult, "artifacts" | "events">,
  {
    budget,
    source,
    recorded,
  }: {
    readonly budget: Budget;
    readonly source: "live" | "recorded";
    readonly recorded: CallUsage;
  },
): StepError | undefined {
  const { modelCalls, replayed = [] } = recorded;
  const live = llmCosts(run, recorded);
  const costs = { ...live, calls: llmCosts(run, { modelCalls: [...modelCalls, ...replayed] }).calls };
  const isFree = source === "recorded" || (live.calls === 0 && replayed.length > 0);
  const problems = budgetViolations(costs, isFree ? countedOf(budget, costs) : budget, recorded);
  return problems.length === 0
    ? undefined
    : kernelError("over_budget", [costsText(costs), ...problems.map((problem) => `  ${problem}`)].join("\n"));
}

/** Returns the limits that apply to recorded responses: those of models only if the run has a known model call. */
function countedOf({ maxCalls, maxTurns, maxToolCalls }: Budget, { calls }: LlmCosts): Budget {
  return {
    ...(maxToolCalls !== undefined && { maxToolCalls }),
    ...(maxCalls !== undefined && calls > 0 && { maxCalls }),
    ...(maxTurns !== undefined && calls > 0 && { maxTurns }),
  };
}
