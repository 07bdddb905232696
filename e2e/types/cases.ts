import { expect } from "#expect";
import { type StepContext, defineStep, defineWorkflow, invoke, run } from "veritest";
import { z } from "zod";

interface Adapters {
  readonly llm: { complete(prompt: string): Promise<string> };
}

const adapters: Adapters = { llm: { complete: async (prompt) => prompt } };

const extract = defineStep({
  name: "extract",
  input: z.object({ text: z.string() }),
  output: z.object({ title: z.string() }),
  run: async ({ text }, context: StepContext<Adapters>) => ({
    output: { title: await context.adapters.llm.complete(text) },
  }),
});
const workflow = defineWorkflow({ name: "documents", version: "1.0.0", steps: { extract } });

/** What must compile for every runner, and what must not. Never run. */
export async function cases(): Promise<void> {
  const input = { text: "a" };
  const result = await run(extract, input, { adapters });

  await expect(extract).toMatchBaseline({ input, adapters });
  await expect(extract).toMatchBaseline({ input, adapters, name: "first", labels: ["a"], meta: { source: "x" } });
  await expect(result).toMatchBaseline();
  await expect({ a: [{ id: 1 }] }).toMatchBaseline({ name: "value", keyBy: { a: "id" } });
  await expect(extract).toRecomputeClean();
  await expect(extract).toRecomputeClean({
    adapters,
    names: ["first"],
    validate: false,
    strictOutput: true,
    concurrency: 4,
  });
  await expect(extract).toMatchBaseline({
    input,
    adapters,
    mode: "recorded",
    compare: { title: (before, after) => before !== after },
  });
  await expect(extract).toRecomputeClean({ adapters, trials: 10, min: 9, mode: "live" });
  await expect({ a: 1 }).toMatchBaseline({ name: "tolerant", compare: { a: { label: "any", tolerates: () => true } } });
  await expect(workflow).toMatchBaseline({
    input,
    adapters,
    start: "extract",
    runsBy: { extract: "text" },
    resolve: { review: "approve", suspend: (checkpoint: { readonly page: number }) => checkpoint.page },
  });
  await expect(workflow).toRecomputeClean({
    resolve: { review: ({ reason }) => (reason === "" ? "reject" : { override: { title: "b" } }), suspend: { by: 1 } },
  });
  await expect(workflow).toReplay({ resolve: { suspend: (checkpoint) => ({ checkpoint }) } });
  await expect(extract).toReplay();
  await expect(extract).toBePure();
  await expect(extract).toBePure({ input, adapters });
  await expect(extract).toBePure({ names: ["first"] });
  expect(result).toBeOk();
  expect(result).toFailWith("not_found", { retryable: true });
  expect(result).toEmitEvent("extracted", { pages: 1 });
  expect(result).toCommand(invoke("extract", input));
  expect(result).toInvoke("extract", input);
  expect(result).toBlockOn("review");
  await expect(result).toHaveValidCommands(workflow);
  expect([{ id: 1 }]).toEqualByKey([{ id: 1 }], "id");
  expect(result).toStayWithin({ maxTokens: 2_000, maxCalls: 1, maxDurationMs: 5_000 });
  expect(result).toCall("tools.lookup", { city: "Oslo" }, { times: 1 });
  expect(result).toCallInOrder("tools.lookup", "tools.reserve", { roles: { tools: "read" } });
  expect(result).toFollowTrajectory(["tools.lookup", { call: "tools.reserve", request: 2 }], { mode: "subset" });
  // Given a step with its input, they are awaited.
  const called: Promise<void> = expect(extract).toCall("tools.lookup", undefined, { input, adapters });
  const inOrder: Promise<void> = expect(extract).toCallInOrder("tools.lookup", "tools.reserve", { input, adapters });
  const within: Promise<void> = expect(extract).toStayWithin({ maxTurns: 4 }, { input, adapters });
  const followed: Promise<void> = expect(extract).toFollowTrajectory([], { input, adapters });
  await Promise.all([called, inOrder, followed, within]);

  // @ts-expect-error: a call is named
  expect(result).toCall(3);
  // @ts-expect-error: no such mode
  expect(result).toFollowTrajectory([], { mode: "exact" });
  // @ts-expect-error: the option is `name`
  await expect(extract).toMatchBaseline({ input, adapters, nam: "first" });
  // @ts-expect-error: a concurrency is a number
  await expect(extract).toRecomputeClean({ concurrency: "4" });
  // @ts-expect-error: no such mode
  await expect(extract).toRecomputeClean({ adapters, mode: "replay" });
  // @ts-expect-error: a value has no adapters, so no mode either
  await expect(result).toMatchBaseline({ name: "value", mode: "live" });
  // @ts-expect-error: a rule answers true or false
  await expect(extract).toRecomputeClean({ compare: { title: () => 1 } });
  // @ts-expect-error: trials are a number
  await expect(extract).toRecomputeClean({ adapters, trials: "10" });
  // @ts-expect-error: names are a list
  await expect(extract).toRecomputeClean({ names: "first" });
  // @ts-expect-error: a code is needed
  expect(result).toFailWith();
  // @ts-expect-error: an event has a type
  expect(result).toEmitEvent(1);
  // @ts-expect-error: not a command
  expect(result).toCommand({ type: "retry" });
  // @ts-expect-error: only review and suspend block
  expect(result).toBlockOn("emit");
  // @ts-expect-error: the limit is `maxTokens`
  expect(result).toStayWithin({ tokens: 1 });
  // @ts-expect-error: without keys it would be `toEqual`
  expect([]).toEqualByKey([]);
  // @ts-expect-error: no such matcher
  expect(result).toBeOkay();

  // @ts-expect-error: the input is checked against the step
  workflow.invoke("extract", { text: 1 });
  // @ts-expect-error: no such step
  workflow.invoke("verify", input);
  // @ts-expect-error: the adapters are those of the context's annotation
  await run(extract, input, { adapters: { llm: {} } });
}
