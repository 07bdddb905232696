import { expect } from "#expect";
import {
  type AnyStep,
  type StepContext,
  type StepInput,
  type StepReturn,
  defineStep,
  defineWorkflow,
  withReplay,
} from "veritest";
import { invoke } from "veritest/commands";
import { run } from "veritest/kernel";
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

/** A step that names a step of the workflow it is in: annotated, for its type must not be sought in the workflow's. */
const verify = defineStep({
  name: "verify",
  input: z.object({ claims: z.array(z.string()), limit: z.number().default(3) }),
  output: z.object({ sound: z.boolean() }),
  run: async ({ claims, limit }): Promise<StepReturn<{ sound: boolean }>> => ({
    output: { sound: claims.length < limit },
    commands: [claim.invoke("verify", { claims })],
  }),
});
const claim = defineWorkflow({ name: "claim", version: "1.0.0", steps: { extract, verify } });

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
    mode: "replay",
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
  expect(result).toFollowTrajectory(["tools.lookup", { call: "tools.reserve", request: 2 }], { match: "subset" });
  // Given a step with its input, they are awaited.
  const called: Promise<void> = expect(extract).toCall("tools.lookup", undefined, { input, adapters });
  const inOrder: Promise<void> = expect(extract).toCallInOrder("tools.lookup", "tools.reserve", { input, adapters });
  const within: Promise<void> = expect(extract).toStayWithin({ maxTurns: 4 }, { input, adapters });
  const followed: Promise<void> = expect(extract).toFollowTrajectory([], { input, adapters });
  await Promise.all([called, inOrder, followed, within]);

  // What holds of the recorded run besides, typed from the step.
  await expect(extract).toMatchBaseline({
    input,
    adapters,
    assert: ({ result: recorded, calls }) => {
      const title: string | undefined = recorded.output.title;
      expect(title).toBe("a");
      expect(calls).toHaveLength(1);
      // @ts-expect-error: no such field of the output
      void recorded.output.heading;
    },
  });
  // A default of the input's schema need not be given; a step may be asked for without its adapters.
  await expect(verify).toMatchBaseline({ input: { claims: [] } });
  await expect(claim).toMatchBaseline({ input: { claims: ["a"] }, start: "verify" });
  await expect(claim).toMatchBaseline({ input, adapters, start: "extract" });
  const recording = await withReplay(extract, input, { adapters });
  expect(recording).toCall("llm.complete");
  expect(recording.result).toBeOk();
  expect(result).not.toBeOk();
  // What stands in a list or a map may be missing; the type says so, and the matcher tells.
  expect([result].at(0)).toBeOk();
  const { value } = result.ok ? result : { value: undefined };
  expect(value).toBeOk();
  await expect(new Map([["first", extract]]).get("first")).toMatchBaseline({ input, adapters });
  // Of what is known for nothing but an object, it may be a result.
  const unnamed: Record<string, unknown> = {};
  expect(unnamed).toBeOk();
  const empty: object = unnamed;
  expect(empty).toBeOk();
  ofAnyValue({ a: 1 });
  await expect(run(extract, input, { adapters })).resolves.toBeOk();
  await expect({ a: 1 }).toMatchBaseline({ name: "value" });
  await expect(3).toMatchBaseline({ name: "three" });
  expect(3).toBe(3);
  expect("a").not.toBe("b");
  expect(extract).toHaveProperty("name", "extract");
  expect(extract).not.toBe(verify);
  // Of what nothing is known, everything may be asked.
  const parsed = JSON.parse("{}");
  await expect(parsed).toMatchBaseline({ input: 3 });
  expect(parsed).toBeOk();
  await ofAnyStep(extract, input);

  // @ts-expect-error: the input is the step's
  await expect(extract).toMatchBaseline({ input: { text: 1 }, adapters });
  // @ts-expect-error: a step has no such input
  await expect(extract).toMatchBaseline({ input: { text: "a", page: 1 }, adapters });
  // @ts-expect-error: a step is run on an input
  await expect(extract).toMatchBaseline();
  // @ts-expect-error: the adapters are the step's
  await expect(extract).toMatchBaseline({ input, adapters: { llm: {} } });
  // @ts-expect-error: the adapters are the step's, in sweeps too
  await expect(extract).toRecomputeClean({ adapters: { llm: {} } });
  // @ts-expect-error: the adapters are the step's, where it is to be pure too
  await expect(extract).toBePure({ input, adapters: { llm: {} } });
  // @ts-expect-error: the input is the step's, where it is run first too
  await expect(extract).toCall("tools.lookup", undefined, { input: 3, adapters });
  // @ts-expect-error: a workflow starts with a step it has
  await expect(claim).toMatchBaseline({ input, adapters, start: "refund" });
  // @ts-expect-error: the input is that of the step it starts with
  await expect(claim).toMatchBaseline({ input, adapters, start: "verify" });
  // @ts-expect-error: the adapters are those of its steps
  await expect(claim).toMatchBaseline({ input, adapters: { llm: {} }, start: "extract" });
  // @ts-expect-error: a baseline has no opposite
  await expect(extract).not.toMatchBaseline({ input, adapters });
  // @ts-expect-error: nor has a sweep
  await expect(extract).not.toRecomputeClean();
  // @ts-expect-error: a step is no result
  expect(extract).toBeOk();
  // @ts-expect-error: a number is no result
  expect(3).toBeOk();
  // @ts-expect-error: a text is no result, and has no opposite of one
  expect("a").not.toFailWith("b");
  // @ts-expect-error: such an object is no result
  expect({ a: 1 }).toBeOk();
  // @ts-expect-error: nor is a list of results
  expect([result]).toBeOk();
  // @ts-expect-error: nor a promise of one
  expect(run(extract, input, { adapters })).toBeOk();
  // @ts-expect-error: a value's baseline has no opposite either
  await expect({ a: 1 }).not.toMatchBaseline({ name: "value" });
  // @ts-expect-error: nor has a result's
  await expect(result).not.toMatchBaseline();
  // @ts-expect-error: a number is no step
  await expect(3).toRecomputeClean();

  // @ts-expect-error: a call is named
  expect(result).toCall(3);
  // @ts-expect-error: no such way of matching
  expect(result).toFollowTrajectory([], { match: "exact" });
  // @ts-expect-error: the option is `name`
  await expect(extract).toMatchBaseline({ input, adapters, nam: "first" });
  // @ts-expect-error: a concurrency is a number
  await expect(extract).toRecomputeClean({ concurrency: "4" });
  // @ts-expect-error: no such way of matching
  await expect(extract).toRecomputeClean({ adapters, mode: "recorded" });
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

/** A helper over values of any kind: the runner's own matchers are all there. */
function ofAnyValue<T extends object>(value: T): void {
  expect(value).toEqual(value);
  expect(value).not.toBe(3);
  expect([value]).toHaveLength(1);
}

/** A helper over steps of any kind. */
async function ofAnyStep<S extends AnyStep>(step: S, input: StepInput<S>): Promise<void> {
  await expect(step).toMatchBaseline({ input });
  await expect(step).toRecomputeClean();
  const plain: AnyStep = step;
  await expect(plain).toMatchBaseline({ input, adapters });
}
