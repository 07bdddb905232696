import { expect, test } from "vitest";
import { isObject } from "../../../kernel/json/plain-data.ts";
import { run } from "../../../kernel/step/run.ts";
import { err } from "../../../kernel/result.ts";
import { toBeGroundedIn } from "../checks/to-be-grounded-in.ts";
import type { LlmAdapter } from "../adapters/llm-adapter.ts";
import { type MatchBaseline, recordedJudge } from "./recorded-judge.ts";

const SOURCE = "Acme sold the red hall to the city.";
const SWAPPED = "The red hall was sold by the city to Acme.";

function judgeOf(score: number): LlmAdapter {
  return { complete: () => ({ content: JSON.stringify({ verdicts: [{ id: 0, score, reason: "read" }] }) }) };
}

/** Runs the step as a matcher would, with its adapter or with none. */
function runner(inputs: unknown[]): MatchBaseline {
  return async (step, options) => {
    inputs.push(options.input);
    if (!isObject(step) || !("name" in step)) throw new Error("not a step");
    expect(step.name).toBe("grounding-judge");
    const outcome: unknown = await Reflect.apply(run, undefined, [step, options.input, { adapters: options.adapters }]);
    if (isObject(outcome) && "ok" in outcome && outcome.ok === false) throw new Error("the step failed");
  };
}

test("a judge that rejects a claim fails it, and its request is the case of a baseline", async () => {
  const inputs: unknown[] = [];
  const judge = recordedJudge(judgeOf(0), runner(inputs));
  const { pass, message, verification } = await toBeGroundedIn(SWAPPED, SOURCE, { judge });
  expect([pass, verification.verifier, message().split("\n")[0]]).toEqual([
    false,
    "blend(lexical, judge)",
    `toBeGroundedIn: claim 1 isn't supported, according to the judge: ${JSON.stringify(SWAPPED)}`,
  ]);
  expect(inputs).toMatchObject([{ messages: [{ role: "system" }, { role: "user" }] }]);
});

test("a judge that supports a paraphrase passes it", async () => {
  const judge = recordedJudge(judgeOf(1), runner([]));
  const source = "Tickets are personal and cannot be resold.";
  const answer = "Reselling tickets is not possible.";
  expect([(await toBeGroundedIn(answer, source)).pass, (await toBeGroundedIn(answer, source, { judge })).pass]).toEqual(
    [false, true],
  );
});

test("a model of the ai package works as a judge", async () => {
  const model = {
    specificationVersion: "v4",
    provider: "stub",
    modelId: "stub",
    doGenerate: async () => ({
      content: [{ type: "text", text: JSON.stringify({ verdicts: [{ id: 0, score: 1, reason: "read" }] }) }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }),
    doStream: async () => ({}),
  };
  const judge = recordedJudge(model, runner([]));
  expect((await toBeGroundedIn(SOURCE, SOURCE, { judge })).verification.support).toBe(1);
});

test("a failing judge, or a baseline that doesn't match, is an error", async () => {
  const judge = recordedJudge({ complete: () => err({ message: "no quota" }) }, runner([]));
  await expect(toBeGroundedIn(SOURCE, SOURCE, { judge })).rejects.toThrow(/^toBeGroundedIn could not check: The judge/);
});
