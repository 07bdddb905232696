import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OpenTelemetry } from "@ai-sdk/otel";
import { trace } from "@opentelemetry/api";
import { type LanguageModel, generateText, isStepCount, registerTelemetry } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { tool } from "../../record/calls/tool.ts";
import { unwrap } from "../result.ts";
import { withReplay } from "../../record/with-replay.ts";
import { createRunner } from "../../extras/runs/runner/runner.ts";
import { emit, invoke, suspend } from "../step/command.ts";
import type { StepContext } from "../step/context.ts";
import { type AnyStep, defineStep } from "../step/define-step.ts";
import { defineWorkflow } from "../step/define-workflow.ts";
import { fail } from "../step/fail.ts";
import { run } from "../step/run.ts";
import { createMemoryStore } from "../../extras/runs/store/memory.ts";
import { openSqliteStore } from "../../extras/runs/store/sqlite.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import { registerSpanLog, unregisterSpanLog } from "../../../test-support/span-log.ts";
import "../../vitest-types.ts";

const log = registerSpanLog();
const stage = new MatcherStage(expect);
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-spans-")));

beforeEach(async () => {
  await log.forget();
  stage.begin(realpathSync(mkdtempSync(join(directory, "stage-"))));
});
afterAll(() => unregisterSpanLog());

const text = z.object({ text: z.string() });
const any = z.looseObject({});

function step(name: string, body: (input: { text: string }) => ReturnType<AnyStep["run"]>): AnyStep {
  return defineStep({ name, input: text, output: any, run: async (input) => body(input) });
}

const USAGE = { prompt_tokens: 20, completion_tokens: 7 };

interface Chat {
  readonly llm: { readonly complete: (asked: { model: string; messages: readonly object[] }) => Promise<object> };
}

const MESSAGES = [{ role: "user", content: "How much is it?" }];

/** Asks a model once. */
const asking = defineStep({
  name: "ask",
  input: text,
  output: any,
  run: async (_input, { adapters }: StepContext<Chat>) => {
    const answer = await adapters.llm.complete({ model: "gpt-5", messages: MESSAGES });
    return { output: { answer } };
  },
});

function llm(around: <T>(ask: () => Promise<T>) => Promise<T> = async (ask) => ask()): Chat {
  return {
    llm: { complete: async () => around(async () => ({ id: "a1", model: "gpt-5-1", content: "9 €", usage: USAGE })) },
  };
}

/** An instrumentation of somebody else's. */
async function spanned<T>(name: string, attributes: Record<string, string>, work: () => Promise<T>): Promise<T> {
  return trace.getTracer("other").startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work();
    } finally {
      span.end();
    }
  });
}

const INPUT = { text: "a b" };

describe("spans of runs, as an exporter receives them", () => {
  test("a run is a span with hashes, and without content", async () => {
    await run(
      step("split", () => ({ output: { parts: 2 } })),
      INPUT,
      { runId: "r1", workflowId: "words" },
    );
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.step split {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"split","veritest.workflow.name":"words","veritest.workflow.version":"0.0.0"}",
      ]
    `);
    expect(log.spans()[0]?.attributes).toMatchObject({
      "veritest.input.hash": expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      "veritest.output.hash": expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });

  test("a failed run has its code, and not its message", async () => {
    await run(
      step("split", () => fail("too_long", "a b is too long")),
      INPUT,
    );
    await run(
      step("split", () => {
        throw new Error("a b broke it");
      }),
      INPUT,
    );
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.step split {"error.type":"too_long","veritest.input.hash":"…","veritest.run.id":"…","veritest.status":"failed","veritest.step.name":"split","veritest.workflow.name":"split","veritest.workflow.version":"0.0.0"} ERROR too_long",
        "veritest.step split {"error.type":"execution_failed","veritest.input.hash":"…","veritest.run.id":"…","veritest.status":"failed","veritest.step.name":"split","veritest.workflow.name":"split","veritest.workflow.version":"0.0.0"} ERROR execution_failed",
      ]
    `);
  });

  test("a recorded model call is a span below its step, with its tokens", async () => {
    await withReplay(asking, INPUT, { adapters: llm() });
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.step ask {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"ask","veritest.workflow.name":"ask","veritest.workflow.version":"0.0.0"}",
        "  chat gpt-5 {"gen_ai.operation.name":"chat","gen_ai.request.model":"gpt-5","gen_ai.response.id":"…","gen_ai.response.model":"gpt-5-1","gen_ai.usage.input_tokens":20,"gen_ai.usage.output_tokens":7,"veritest.adapter":"llm.complete"}",
      ]
    `);
    expect(await log.metrics()).toMatchInlineSnapshot(`
      [
        "gen_ai.client.token.usage {"gen_ai.operation.name":"chat","gen_ai.token.type":"input","gen_ai.provider.name":"_OTHER","gen_ai.request.model":"gpt-5"}: 1 times",
        "gen_ai.client.token.usage {"gen_ai.operation.name":"chat","gen_ai.token.type":"output","gen_ai.provider.name":"_OTHER","gen_ai.request.model":"gpt-5"}: 1 times",
        "veritest.calls {"veritest.call.source":"live"}: 1",
      ]
    `);
  });

  test("a failed model call has the class of its error", async () => {
    const broken = llm(async () => Promise.reject(Object.assign(new Error("key sk-1 is wrong"), { status: 401 })));
    await withReplay(asking, INPUT, { adapters: broken });
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.step ask {"error.type":"execution_failed","veritest.input.hash":"…","veritest.run.id":"…","veritest.status":"failed","veritest.step.name":"ask","veritest.workflow.name":"ask","veritest.workflow.version":"0.0.0"} ERROR execution_failed",
        "  chat gpt-5 {"error.type":"401","gen_ai.operation.name":"chat","gen_ai.request.model":"gpt-5","veritest.adapter":"llm.complete"} ERROR 401",
      ]
    `);
  });

  test("a tool is a span, another adapter isn't", async () => {
    const lookup = tool({
      name: "lookup",
      effect: "read",
      run: async ({ city }: { city: string }) => ({ warm: city === "Rome" }),
    });
    const db = { find: async () => 7 };
    const uses = defineStep({
      name: "uses",
      input: text,
      output: any,
      run: async (_input, { adapters }: StepContext<{ lookup: typeof lookup; db: typeof db }>) => ({
        output: { weather: await adapters.lookup({ city: "Rome" }), found: await adapters.db.find() },
      }),
    });
    await withReplay(uses, INPUT, { adapters: { lookup, db } });
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.step uses {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"uses","veritest.workflow.name":"uses","veritest.workflow.version":"0.0.0"}",
        "  execute_tool lookup {"gen_ai.operation.name":"execute_tool","gen_ai.tool.name":"lookup","gen_ai.tool.type":"function","veritest.adapter":"lookup"}",
      ]
    `);
  });
});

describe("calls that somebody else traces aren't reported twice", () => {
  test("if an instrumentation in the adapter has a span of the model", async () => {
    const traced = llm(async (ask) => spanned("chat gpt-5", { "gen_ai.operation.name": "chat" }, ask));
    await withReplay(asking, INPUT, { adapters: traced });
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.step ask {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"ask","veritest.workflow.name":"ask","veritest.workflow.version":"0.0.0"}",
        "  chat gpt-5 {"gen_ai.operation.name":"chat"}",
      ]
    `);
    expect((await log.metrics()).filter((line) => line.startsWith("gen_ai"))).toEqual([]);
  });

  test("but are traced if it only has an HTTP span", async () => {
    const traced = llm(async (ask) => spanned("POST", { "http.request.method": "POST" }, ask));
    await withReplay(asking, INPUT, { adapters: traced });
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.step ask {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"ask","veritest.workflow.name":"ask","veritest.workflow.version":"0.0.0"}",
        "  POST {"http.request.method":"POST"}",
        "  chat gpt-5 {"gen_ai.operation.name":"chat","gen_ai.request.model":"gpt-5","gen_ai.response.id":"…","gen_ai.response.model":"gpt-5-1","gen_ai.usage.input_tokens":20,"gen_ai.usage.output_tokens":7,"veritest.adapter":"llm.complete"}",
      ]
    `);
  });

  test("if the AI SDK's telemetry is on, and are traced if it is off", async () => {
    await withReplay(agent, INPUT, { adapters: { model: sdkModel() } });
    const alone = log.tree();
    await log.forget();
    registerTelemetry(new OpenTelemetry());
    await withReplay(agent, INPUT, { adapters: { model: sdkModel() } });
    globalThis.AI_SDK_TELEMETRY_INTEGRATIONS = undefined;
    expect(namesOf(alone)).toMatchInlineSnapshot(`
      [
        "veritest.step agent",
        "  chat gpt-5",
      ]
    `);
    expect(namesOf(log.tree())).toMatchInlineSnapshot(`
      [
        "veritest.step agent",
        "  invoke_agent gpt-5",
        "    step 1",
        "      chat gpt-5",
      ]
    `);
  });
});

const agent = defineStep({
  name: "agent",
  input: text,
  output: any,
  run: async (input, { adapters }: StepContext<{ model: LanguageModel }>) => {
    const { text: said } = await generateText({ model: adapters.model, prompt: input.text, stopWhen: isStepCount(2) });
    return { output: { said } };
  },
});

function sdkModel(): LanguageModel {
  return new MockLanguageModelV4({
    provider: "openai.chat",
    modelId: "gpt-5",
    doGenerate: async () => ({
      content: [{ type: "text", text: "Done." }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 9, noCache: 9, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: 3, text: 3, reasoning: undefined },
      },
      warnings: [],
    }),
  });
}

function namesOf(tree: readonly string[]): readonly string[] {
  return tree.map((line) => line.slice(0, line.indexOf(" {")));
}

describe("workflows", () => {
  const split = defineStep({
    name: "split",
    input: text,
    output: any,
    run: () => ({ output: { parts: 2 }, commands: [invoke("rate", INPUT), emit("told", 1)] }),
  });
  const rate = defineStep({ name: "rate", input: text, output: any, run: () => ({ output: { risk: "low" } }) });
  const words = defineWorkflow({ name: "words", version: "1.0.0", steps: { split, rate } });
  const REQUEST = { workflow: "words", step: "split", input: INPUT, runId: "r1" };

  test("a workflow over several runners is one trace: start, dispatches, steps, commits", {
    tags: "deep",
  }, async () => {
    const store = unwrap(await openSqliteStore({ path: join(directory, "one-trace.sqlite") }));
    const options = { store, workflows: [words], sinks: { "*": () => undefined } };
    unwrap(await createRunner(options).startRun(REQUEST));
    // Each its own machine: what they share is the store alone.
    for (let round = 0; round < 3; round += 1) {
      const runner = createRunner(options);
      unwrap(await runner.dispatchOutbox());
      await runner.stop();
    }
    await store.close();
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.lease {"veritest.lease.rows":1}",
        "veritest.lease {"veritest.lease.rows":2}",
        "veritest.start words {"veritest.run.id":"…","veritest.step.name":"split","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
        "  veritest.dispatch split {"veritest.command.attempt":1,"veritest.command.key":"…","veritest.command.kind":"invoke","veritest.run.id":"…","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
        "    veritest.commit split {"veritest.commit.duplicate":false,"veritest.run.id":"…","veritest.run.version":2,"veritest.step.name":"split","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
        "      veritest.dispatch rate {"veritest.command.attempt":1,"veritest.command.key":"…","veritest.command.kind":"invoke","veritest.run.id":"…","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
        "        veritest.commit rate {"veritest.commit.duplicate":false,"veritest.run.id":"…","veritest.run.version":3,"veritest.step.name":"rate","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
        "        veritest.step rate {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"rate","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
        "      veritest.dispatch told {"veritest.command.attempt":1,"veritest.command.key":"…","veritest.command.kind":"emit","veritest.run.id":"…","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
        "    veritest.step split {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"split","veritest.workflow.name":"words","veritest.workflow.version":"1.0.0"}",
      ]
    `);
    const traces = log
      .spans()
      .filter(({ name }) => name !== "veritest.lease")
      .map((span) => span.spanContext().traceId);
    expect(new Set(traces).size).toBe(1);
    const leases = log.spans().filter(({ name }) => name === "veritest.lease");
    expect(leases.flatMap(({ links }) => links.map((link) => link.context.traceId === traces[0]))).toEqual([
      true,
      true,
    ]);
    expect((await log.metrics()).map((line) => line.replace(/: \d.*/, ""))).toMatchInlineSnapshot(`
      [
        "veritest.dispatch.lag {"veritest.workflow.name":"words","veritest.command.kind":"emit"}",
        "veritest.dispatch.lag {"veritest.workflow.name":"words","veritest.command.kind":"invoke"}",
      ]
    `);
  });

  test("a run stays in its trace after it was resumed", async () => {
    const waits = defineStep({
      name: "split",
      input: any,
      output: any,
      run: (input: object) =>
        "resumeData" in input ? { output: {} } : { output: {}, commands: [suspend({ reason: "wait", checkpoint: 1 })] },
    });
    const waiting = defineWorkflow({ name: "words", version: "1.0.0", steps: { split: waits } });
    const store = createMemoryStore();
    const runner = createRunner({ store, workflows: [waiting], pollMs: 1 });
    unwrap(await runner.startRun(REQUEST));
    unwrap(await runner.runUntilIdle("words", "r1"));
    const [block] = unwrap(await store.blocks.list());
    const decision = { kind: "resume", data: 1 } as const;
    unwrap(await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "it came", actor: "ann" }));
    unwrap(await runner.runUntilIdle("words", "r1"));
    const dispatches = log.spans().filter(({ name }) => name === "veritest.dispatch split");
    expect(dispatches.length).toBe(2);
    expect(new Set(dispatches.map((span) => span.spanContext().traceId)).size).toBe(1);
  });

  test("an attempt that fails is reported, and tried again in the same trace", async () => {
    let tries = 0;
    const flaky = defineStep({
      name: "split",
      input: any,
      output: any,
      run: () => (tries++ === 0 ? fail("busy", "a b is busy", { retryable: true }) : { output: {} }),
    });
    const retrying = defineWorkflow({ name: "words", version: "1.0.0", steps: { split: flaky } });
    const store = createMemoryStore();
    const runner = createRunner({ store, workflows: [retrying], retry: { baseMs: 1 }, pollMs: 1 });
    unwrap(await runner.startRun(REQUEST));
    unwrap(await runner.runUntilIdle("words", "r1"));
    expect(namesOf(log.tree()).filter((name) => !name.includes("lease"))).toMatchInlineSnapshot(`
      [
        "veritest.start words",
        "  veritest.dispatch split",
        "    veritest.step split",
        "  veritest.dispatch split",
        "    veritest.commit split",
        "    veritest.step split",
      ]
    `);
    expect((await log.metrics()).filter((line) => line.startsWith("veritest.retries"))).toMatchInlineSnapshot(`
      [
        "veritest.retries {"veritest.workflow.name":"words","veritest.command.kind":"invoke"}: 1",
      ]
    `);
  });
});

describe("checks", () => {
  let rate = 1;
  const priced = defineStep({
    name: "priced",
    input: text,
    output: any,
    run: async (_input, { adapters }: StepContext<Chat>) => {
      await adapters.llm.complete({ model: "gpt-5", messages: MESSAGES });
      return { output: { total: 9 * rate, currency: "EUR" } };
    },
  });

  test("a check is a span with its class; its run is a child, and replayed calls have none", async () => {
    await expect(priced).toMatchBaseline({ input: INPUT, adapters: llm() });
    stage.settle("none");
    await log.forget();
    await expect(priced).toMatchBaseline({ input: INPUT, adapters: llm() });
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.check priced {"veritest.check.class":"clean","veritest.check.file":"priced/the-test-8d8f61d3.json","veritest.step.name":"priced"} | gen_ai.evaluation.result {"gen_ai.evaluation.name":"veritest.recompute","gen_ai.evaluation.score.label":"clean"}",
        "  veritest.step priced {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"priced","veritest.workflow.name":"priced","veritest.workflow.version":"0.0.0"}",
      ]
    `);
    expect(await log.metrics()).toMatchInlineSnapshot(`
      [
        "veritest.calls {"veritest.call.source":"replayed"}: 1",
        "veritest.checks {"veritest.check.class":"clean","veritest.step.name":"priced"}: 1",
      ]
    `);
  });

  test("a capture is reported as one run of its step, not of the replays that prove it", async () => {
    await expect(priced).toMatchBaseline({ input: INPUT, adapters: llm() });
    expect(stage.stagedText()).toContain('"total": 9');
    expect(namesOf(log.tree())).toEqual(["veritest.check priced", "  veritest.step priced", "    chat gpt-5"]);
  });

  test("a change is reported by its location and its class, never by a number", async () => {
    await expect(priced).toMatchBaseline({ input: INPUT, adapters: llm() });
    stage.settle("none");
    await log.forget();
    rate = 2;
    await expect(async () => expect(priced).toMatchBaseline({ input: INPUT, adapters: llm() })).rejects.toThrow(
      "total",
    );
    rate = 1;
    expect(log.tree().filter((line) => line.startsWith("veritest.check"))).toMatchInlineSnapshot(`
      [
        "veritest.check priced {"veritest.check.class":"value_changed","veritest.check.file":"priced/the-test-8d8f61d3.json","veritest.step.name":"priced"} | gen_ai.evaluation.result {"gen_ai.evaluation.name":"veritest.recompute","gen_ai.evaluation.score.label":"value_changed","gen_ai.evaluation.explanation":"total changed"}",
      ]
    `);
  });

  test("a check that fails to run is a failed span", async () => {
    const broken = step("broken", () => fail("no_answer", "a b has none"));
    await expect(async () => expect(broken).toMatchBaseline({ input: INPUT, adapters: {} })).rejects.toThrow();
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.check broken {"error.type":"no_answer","veritest.check.class":"failed","veritest.check.file":"broken/the-test-8d8f61d3.json","veritest.step.name":"broken"} ERROR no_answer | gen_ai.evaluation.result {"gen_ai.evaluation.name":"veritest.recompute","gen_ai.evaluation.score.label":"failed","gen_ai.evaluation.explanation":"no_answer"}",
        "  veritest.step broken {"error.type":"no_answer","veritest.input.hash":"…","veritest.run.id":"…","veritest.status":"failed","veritest.step.name":"broken","veritest.workflow.name":"broken","veritest.workflow.version":"0.0.0"} ERROR no_answer",
      ]
    `);
  });

  test("a value and a replay are checks too", async () => {
    await expect({ total: 9 }).toMatchBaseline({ name: "sum" });
    await expect(priced).toMatchBaseline({ input: INPUT, adapters: llm() });
    stage.settle("none");
    await log.forget();
    await expect({ total: 9 }).toMatchBaseline({ name: "sum" });
    await expect(priced).toReplay();
    expect(log.tree()).toMatchInlineSnapshot(`
      [
        "veritest.check priced {"veritest.check.class":"clean","veritest.check.file":"priced/the-test-8d8f61d3.json","veritest.step.name":"priced"} | gen_ai.evaluation.result {"gen_ai.evaluation.name":"veritest.recompute","gen_ai.evaluation.score.label":"clean"}",
        "  veritest.step priced {"veritest.input.hash":"…","veritest.output.hash":"…","veritest.run.id":"…","veritest.status":"ok","veritest.step.name":"priced","veritest.workflow.name":"priced","veritest.workflow.version":"0.0.0"}",
        "veritest.check sum {"veritest.check.class":"clean","veritest.check.file":"a.test.ts/sum-5bf6d9e3.json","veritest.step.name":"sum"} | gen_ai.evaluation.result {"gen_ai.evaluation.name":"veritest.recompute","gen_ai.evaluation.score.label":"clean"}",
      ]
    `);
  });
});
