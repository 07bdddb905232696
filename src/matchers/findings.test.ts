import { beforeEach, expect, test, vi } from "vitest";
import * as z from "zod";
import { type Budget, llmCosts } from "../check/run/costs.ts";
import type { ModelCallUsage } from "../record/model-usage.ts";
import { captureArtifactSync } from "../record/snapshot.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);

beforeEach(() => stage.begin());

interface Llm {
  ask(prompt: string): Promise<string>;
}

const SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789";
const input = { text: "a" };

/** A step whose one call of a model costs so many tokens. */
function costing(tokens: number): AnyStep {
  return defineStep({
    name: "ask",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, ctx: StepContext<{ llm: Llm }>) => {
      ctx.onArtifact?.(
        captureArtifactSync("llm-trace", {
          model: "m",
          promptTokens: tokens,
          completionTokens: 0,
          durationMs: 5,
          inputHash: "",
          outputHash: "",
        }),
      );
      return { output: { text: await ctx.adapters.llm.ask(text) } };
    },
  });
}

const adapters = { llm: { ask: async (prompt: string) => `${prompt}!` } };

test("a run over its budget fails with any result, and can't be accepted", async () => {
  stage.mode = "all";
  expect(
    await stage.message(() =>
      expect(costing(900)).toMatchBaseline({ input, adapters, budget: { maxTokens: 800, maxCalls: 1 } }),
    ),
  ).toBe(
    `ask: 1 of 1 baseline failed (live adapters)

  ROOT/ask/the-test-HASH.json  failed
    over_budget: 1 call, 900 tokens, 5 ms
      tokens: 900 (maximum: 800)

A run that exceeds its budget isn't stored. Reduce its cost, or change the budget.`,
  );
  expect(stage.changes).toStrictEqual([]);
});

test("a check of all cases holds each live run to the budget, each trial too; recorded responses cost nothing but calls", async () => {
  await expect(costing(900)).toMatchBaseline({ input, adapters, budget: { maxTokens: 900 } });
  stage.settle("new");
  await expect(costing(900)).toRecomputeClean({ adapters, budget: { maxTokens: 900, maxDurationMs: 5 } });
  await expect(costing(900)).toRecomputeClean({ budget: { maxTokens: 1, maxDurationMs: 1, maxCalls: 1 } });
  expect(await stage.message(() => expect(costing(900)).toRecomputeClean({ budget: { maxCalls: 0 } }))).toContain(
    "over_budget: 1 call, 900 tokens, 5 ms\n      calls: 1 (maximum: 0)",
  );
  expect(
    await stage.message(() => expect(costing(900)).toRecomputeClean({ adapters, budget: { maxDurationMs: 4 } })),
  ).toContain("ms: 5 (maximum: 4)");
  expect(
    await stage.message(() =>
      expect(costing(900)).toRecomputeClean({ adapters, trials: 3, min: 2, budget: { maxTokens: 1 } }),
    ),
  ).toContain("0 of 2 trials clean, 2 of 3 required (95% interval 0–66%): failed 2");
  await expect(expect(costing(900)).toRecomputeClean({ adapters, budget: {} })).rejects.toThrow(
    "toRecomputeClean: budget: pass a budget: { maxTokens, maxCalls, maxTurns, maxToolCalls, maxDurationMs, maxCost }.",
  );
});

test("prices a live run by the project's prices, and a recorded one as free", async () => {
  await expect(costing(900)).toMatchBaseline({ input, adapters });
  stage.settle("new");
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ prices: { m: { input: 1, output: 1 } } }));
  await expect(costing(900)).toRecomputeClean({ adapters, mode: "live", budget: { maxCost: 0.0009 } });
  expect(
    await stage.message(() =>
      expect(costing(900)).toRecomputeClean({ adapters, mode: "live", budget: { maxCost: 0.0008 } }),
    ),
  ).toContain("over_budget: 1 call, 900 tokens, 5 ms, $0.00090\n      cost: $0.0009 (maximum: $0.0008)");
  await expect(costing(900)).toRecomputeClean({ budget: { maxCost: 0 } });
  vi.unstubAllEnvs();
});

/** A step that asks two models, and traces both calls by the tokens that the responses report or by its own count. */
function asksTwo(reports: boolean): AnyStep {
  return defineStep({
    name: "two",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    roles: { "fast.*": "model", "slow.*": "model" },
    run: async ({ text }, ctx: StepContext<Readonly<Record<"fast" | "slow", Model>>>) => {
      for (const [name, tokens] of [
        ["slow", 900],
        ["fast", 7],
      ] as const) {
        const { usage } = await ctx.adapters[name].ask(text, reports ? tokens : undefined);
        const promptTokens = usage?.input_tokens ?? tokens;
        const trace = {
          model: name,
          promptTokens,
          completionTokens: 0,
          durationMs: tokens,
          inputHash: "",
          outputHash: "",
        };
        ctx.onArtifact?.(captureArtifactSync("llm-trace", trace));
      }
      return { output: { text } };
    },
  });
}

test("the trace of a replayed model call is left out by its model, in any order", () => {
  const run = (models: readonly string[]): Parameters<typeof llmCosts>[0] => ({
    artifacts: models.map((name) =>
      captureArtifactSync("llm-trace", {
        model: name,
        promptTokens: 100,
        completionTokens: 10,
        durationMs: name.length,
        inputHash: "",
        outputHash: "",
      }),
    ),
    events: [],
  });
  const usage = (name: string): ModelCallUsage => ({ model: name, tokens: { input: 100, output: 10 } });
  const recorded = { modelCalls: [usage("large")], replayed: [usage("tiny")] };
  for (const models of [
    ["large", "tiny"],
    ["tiny", "large"],
  ])
    expect(llmCosts(run(models), recorded)).toMatchObject({ calls: 1, durationMs: 5 });
});

interface Model {
  ask(prompt: string, tokens?: number): Promise<{ readonly usage?: { input_tokens: number; output_tokens: number } }>;
}

const model: Model = {
  ask: async (_, tokens) => (tokens === undefined ? {} : { usage: { input_tokens: tokens, output_tokens: 0 } }),
};

test.each([
  true,
  false,
])("a replayed model call of a partly live run costs nothing: tokens reported: %s", async (reports) => {
  const two = { fast: model, slow: model };
  vi.stubEnv("VERITEST_REDACTION", JSON.stringify({ prices: { "*": { input: 1, output: 1 } } }));
  await expect(asksTwo(reports)).toMatchBaseline({ input, adapters: two });
  stage.settle("none");
  const live = { adapters: two, mode: { slow: "replay", fast: "live" } } as const;
  await expect(asksTwo(reports)).toMatchBaseline({ input, ...live });
  const costs = { calls: 1, tokens: 7, inputTokens: 7, durationMs: 7, unreported: 0, cost: 0.000_007 };
  expect(stage.checks.at(-1)?.findings.costs).toMatchObject(costs);
  await expect(asksTwo(reports)).toRecomputeClean({
    ...live,
    budget: { maxCost: 0.000_007, maxTokens: 7, maxDurationMs: 7, maxCalls: 2 },
  });
  const over = (budget: Budget): Promise<string> =>
    stage.message(() => expect(asksTwo(reports)).toRecomputeClean({ ...live, budget }));
  expect(await over({ maxTokens: 6 })).toContain(
    "over_budget: 2 calls, 7 tokens, 7 ms, $0.0000070\n      tokens: 7 (maximum: 6)",
  );
  expect(await over({ maxCalls: 1 })).toContain("calls: 2 (maximum: 1)");
  // No model is live.
  const replayed = { adapters: { ...two, db: model }, mode: { db: "live" } } as const;
  await expect(asksTwo(reports)).toMatchBaseline({ input, ...replayed });
  expect(stage.checks.at(-1)?.findings.costs).toBeUndefined();
  await expect(asksTwo(reports)).toRecomputeClean({
    ...replayed,
    budget: { maxCost: 0, maxTokens: 0, maxDurationMs: 0 },
  });
  vi.unstubAllEnvs();
});

test("redacts secrets in messages of schemas and errors", async () => {
  const strict = defineStep({
    name: "strict",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: ({ text }) => ({ output: { text } }),
  });
  await expect(strict).toMatchBaseline({ input: { text: SECRET }, name: "strict" });
  stage.settle("none");
  const output = z.object({
    text: z.string().refine(() => false, { error: ({ input: found }) => `${String(found)} is no text` }),
  });
  const refusing = defineStep({
    name: "strict",
    input: strict.inputSchema,
    output,
    run: ({ text }) => ({ output: { text } }),
  });
  const refused = await stage.message(() =>
    expect(refusing).toMatchBaseline({ input: { text: SECRET }, name: "strict" }),
  );
  expect(refused).toContain("text: «redacted:anthropic-key");
  expect(refused).toContain("schema_violation\n    cause: schema (rejects an output that it accepted before)");
  const throwing = { ...strict, run: () => Promise.reject(new Error(`401: ${SECRET}`)) };
  const thrown = await stage.message(() =>
    expect(throwing).toMatchBaseline({ input: { text: SECRET }, name: "strict" }),
  );
  expect(thrown).toContain("execution_failed: 401: «redacted:anthropic-key");
  const fresh = await stage.message(() =>
    expect(throwing).toMatchBaseline({ input: { text: `${SECRET}!` }, name: "strict" }),
  );
  const pure = await stage.message(() => expect(throwing).toBePure({ input: { text: SECRET } }));
  for (const told of [refused, thrown, fresh, pure]) expect(told).not.toContain(SECRET);
});
