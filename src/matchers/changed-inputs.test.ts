import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { anything, within } from "../kernel/diff/tolerances.ts";
import { defineStep } from "../kernel/step/define-step.ts";
import { run } from "../kernel/step/run.ts";

const stage = new MatcherStage(expect);

const triage = defineStep({
  name: "triage",
  input: z.object({ text: z.string(), locale: z.string().optional() }),
  output: z.object({ priority: z.string(), team: z.string() }),
  run: ({ text, locale = "en" }) => ({
    output: { priority: locale === "en" ? "high" : "low", team: text.length > 9 ? "second" : "first" },
  }),
});

interface Llm {
  readonly ask: (text: string) => Promise<string>;
}

const answer = defineStep({
  name: "answer",
  input: z.object({ text: z.string() }),
  output: z.object({ answer: z.string() }),
  run: async ({ text }, ctx: StepContext<{ llm: Llm }>) => ({
    output: { answer: await ctx.adapters.llm.ask(text) },
  }),
});
const adapters = { llm: { ask: async (text: string) => `answer to ${text}` } };

beforeEach(() => {
  stage.begin();
  stage.isCi = true;
});

/** Ends the run that captures, and begins one in CI without a state directory. */
function startCi(): void {
  stage.settle("none");
  stage.holds = false;
}

const ADVICE =
  "Is the new input intended? Run the test on your machine, which captures its result as pending. Then accept it with: " +
  "npx veritest review";

test("in CI, a case whose input changed shows the changed fields and both results", async () => {
  await expect(triage).toMatchBaseline({ input: { text: "help" } });
  startCi();
  const input = { text: "help", locale: "de" };
  expect(await stage.message(() => expect(triage).toMatchBaseline({ input }))).toBe(
    [
      "triage: 1 of 1 baseline changed (recorded calls)",
      "",
      "  ROOT/triage/the-test-HASH.json  input_changed",
      "    input changed (+ locale)",
      '    output.priority: "high" → "low"',
      "    compared with the most similar baseline that no test in this file has used so far: the-test-HASH.json",
      "",
      ADVICE,
    ].join("\n"),
  );
});

test("in CI, a changed input is compared by the rules of the step and the test", async () => {
  const keyBy = { lines: "sku" };
  const receipt = defineStep({
    name: "receipt",
    input: z.object({ skus: z.array(z.string()) }),
    output: z.object({ lines: z.array(z.object({ sku: z.string(), at: z.number(), price: z.number() })) }),
    keyBy,
    compare: { "lines.at": anything() },
    run: ({ skus }) => ({ output: { lines: skus.map((sku, at) => ({ sku, at, price: at / 10 })) } }),
  });
  await expect(receipt).toMatchBaseline({ input: { skus: ["a", "b", "c"] } });
  startCi();
  const input = { skus: ["c", "a", "b"] };
  const message = await stage.message(() => expect(receipt).toMatchBaseline({ input }));
  expect(message.split("\n").slice(4, -3)).toStrictEqual([
    "    output.lines.a.price: 0 → 0.1",
    "    output.lines.b.price: 0.1 → 0.2",
    "    output.lines.c.price: 0.2 → 0",
  ]);
  const compare = { "lines.price": within(1), "lines.at": anything() };
  const result = await run(receipt, input);
  for (const check of [
    () => expect(receipt).toMatchBaseline({ input, compare }),
    () => expect(result).toMatchBaseline({ compare }),
  ])
    expect((await stage.message(check)).split("\n").slice(4, -3)).toStrictEqual(["    same result"]);
});

test("in CI, a case whose input changed but whose responses aren't recorded shows the changed fields", async () => {
  await expect(answer).toMatchBaseline({ input: { text: "help" }, adapters });
  startCi();
  const message = await stage.message(() => expect(answer).toMatchBaseline({ input: { text: "helpful" }, adapters }));
  expect(message.split("\n").slice(2, -2)).toStrictEqual([
    "  ROOT/answer/the-test-HASH.json  input_changed",
    "    input changed (text)",
    "    the result is unknown, because no responses are recorded for it",
    "    compared with the most similar baseline that no test in this file has used so far: the-test-HASH.json",
  ]);
});

test("in CI, a new case next to a used one is missing, and one of several inputs is compared with the nearest", async () => {
  const inputs = [{ text: "one" }, { text: "two two two" }];
  for (const input of inputs) await expect(triage).toMatchBaseline({ input });
  startCi();
  await expect(triage).toMatchBaseline({ input: { text: "one" } });
  const second = await stage.message(() =>
    expect(triage).toMatchBaseline({ input: { text: "two two", locale: "de" } }),
  );
  expect(second.split("\n").slice(2, 6)).toStrictEqual([
    "  ROOT/triage/the-test-HASH.json  input_changed",
    "    input changed (+ locale, text)",
    '    output.priority: "high" → "low"',
    '    output.team: "second" → "first"',
  ]);
  await expect(triage).toMatchBaseline({ input: { text: "two two two" } });
  expect(await stage.message(() => expect(triage).toMatchBaseline({ input: { text: "three" } }))).toBe(
    [
      "triage: 1 of 1 baseline missing (recorded calls)",
      "",
      "  ROOT/triage/the-test-HASH.json  missing",
      "    there is no such baseline",
      "",
      "To capture it, run the test on your machine, without CI=1 or --ci.",
    ].join("\n"),
  );
});
