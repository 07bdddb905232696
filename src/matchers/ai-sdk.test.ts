import { Socket } from "node:net";
import { createOpenAI } from "@ai-sdk/openai";
import { type ModelMessage, generateText, isStepCount, streamText, tool } from "ai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import * as z from "zod";
import { type ChatPlan, type ChatServer, startChatServer } from "../../fixtures/chat-server.ts";
import { recordTools } from "../record/calls/record-tools.ts";
import { types } from "node:util";
import { sharedValue } from "../kernel/shared-value.ts";
import { aiSdkIntegration, recordAiSdk } from "../record/interceptors/ai-sdk-recorder.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let server: ChatServer;
/** What the tools did. */
let done: string[] = [];
let uninstall = (): void => undefined;

const LOOK_AND_BOOK: ChatPlan = [
  ["lookup", { city: "Oslo" }],
  ["lookup", { city: "Bergen" }],
  ["book", { city: "Oslo", seats: 2 }],
];

beforeAll(async () => void (server = await startChatServer()));

afterAll(() => server.close());

beforeEach(() => {
  stage.begin();
  server.asked.length = 0;
  done = [];
  server.plan = LOOK_AND_BOOK;
  uninstall = recordAiSdk();
});

afterEach(() => {
  vi.restoreAllMocks();
  uninstall();
});

/** From here on the network is not there. */
function cutTheWire(): () => number {
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was opened");
  });
  return () => connect.mock.calls.length;
}

const bare = {
  lookup: tool({
    description: "How many seats are free.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => {
      done.push(`lookup ${city}`);
      return city.length;
    },
  }),
  book: tool({
    description: "Books seats.",
    inputSchema: z.object({ city: z.string(), seats: z.number() }),
    execute: async ({ city, seats }) => {
      done.push(`book ${seats} ${city}`);
      return { booked: seats };
    },
  }),
};
const taped = recordTools(bare, { effects: { lookup: "read", book: "write" }, stubs: { book: () => ({ booked: 0 }) } });

interface How {
  readonly streamed?: boolean;
  readonly system?: string;
  readonly tools?: typeof bare;
  readonly telemetry?: NonNullable<Parameters<typeof generateText>[0]["telemetry"]>;
}

/** An agent of the AI SDK whose code knows nothing of veritest but its tools. */
function agent({ streamed = false, system = "Help.", tools = taped, telemetry = {} }: How = {}): AnyStep {
  return defineStep({
    name: "agent",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }) => {
      const model = createOpenAI({ baseURL: server.url, apiKey: "sk-test-key" }).chat("m");
      const messages: ModelMessage[] = [{ role: "user", content: text }];
      const call = { model, system, messages, tools, telemetry, maxRetries: 0, stopWhen: isStepCount(6) };
      if (!streamed) return { output: { text: (await generateText(call)).text } };
      return { output: { text: await streamText({ ...call, onError: () => undefined }).text } };
    },
  });
}

const input = { text: "Two seats to Oslo." };
const live = { input, adapters: {} };

describe.each([{ streamed: false }, { streamed: true }])("an agent of the AI SDK, %j", ({ streamed }) => {
  const kind = streamed ? "stream" : "generate";

  test("is captured once, and replays without network and tools", { tags: "deep" }, async () => {
    await expect(agent({ streamed })).toMatchBaseline(live);
    expect(JSON.parse(stage.stagedText()).calls.map(({ adapter }: { adapter: string }) => adapter)).toStrictEqual([
      `model.${kind}`,
      "tools.lookup",
      `model.${kind}`,
      "tools.lookup",
      `model.${kind}`,
      "tools.book",
      `model.${kind}`,
    ]);
    stage.settle("none");
    // Reads run once where answers are captured, writes never.
    expect([server.asked.length, done]).toStrictEqual([4, ["lookup Oslo", "lookup Bergen"]]);
    const connections = cutTheWire();
    await Promise.all(Array.from({ length: 50 }, async () => expect(agent({ streamed })).toReplay()));
    await expect(agent({ streamed })).toRecomputeClean();
    await expect(agent({ streamed })).toMatchBaseline({ input });
    expect([server.asked.length, done.length, connections()]).toStrictEqual([4, 2, 0]);
  });

  test("a model that asks for another call is reported, with the model as its cause", { tags: "deep" }, async () => {
    await expect(agent({ streamed })).toMatchBaseline(live);
    stage.settle("none");
    server.plan = [...LOOK_AND_BOOK.slice(0, 2), ["book", { city: "Oslo", seats: 3 }]];
    const told = await stage.message(() => expect(agent({ streamed })).toMatchBaseline({ ...live, mode: "live" }));
    expect(told).toContain("calls_changed");
    expect(told).toContain("tools.book: seats: 2 → 3");
    expect(told).toContain("cause: model");
    expect(done.filter((line) => line.startsWith("book"))).toStrictEqual([]);
  });

  test("one more write is reported, though the answer is the same, and does not run", async () => {
    server.plan = [["lookup", { city: "Oslo" }]];
    await expect(agent({ streamed })).toMatchBaseline(live);
    stage.settle("none");
    done = [];
    server.plan = [...server.plan, ["book", { city: "Oslo", seats: 9 }]];
    const silent = {
      ...agent({ streamed }),
      run: async (...args: Parameters<AnyStep["run"]>) => {
        await agent({ streamed }).run(...args);
        return { output: { text: "Done in 1 calls." } };
      },
    };
    const told = await stage.message(() => expect(silent).toMatchBaseline({ ...live, mode: "live" }));
    expect(told).toContain(`calls_changed
    cause: model (call 2 responded differently: now calls tools.book)
  + tools.book({"city":"Oslo","seats":9})  write, new
`);
    expect(done).toStrictEqual(["lookup Oslo"]);
  });

  test("reports a changed prompt as an unrecorded request with its cause", async () => {
    await expect(agent({ streamed })).toMatchBaseline(live);
    stage.settle("none");
    const connections = cutTheWire();
    const told = await stage.message(() => expect(agent({ streamed, system: "Be brief." })).toRecomputeClean());
    expect(told).toContain(`cause: prompt (model.${kind} request[0].params.instructions changed (4 times))`);
    expect(told).toContain('request[0].params.instructions: "Help." → "Be brief."');
    expect([done.length, connections()]).toStrictEqual([2, 0]);
  });

  test("reports a tool that isn't recorded, with advice", async () => {
    const told = await stage.message(() => expect(agent({ streamed, tools: bare })).toMatchBaseline(live));
    expect(told).toContain(
      `recording_failed: adapter "tools.lookup" isn't recorded. Wrap the tools with recordTools(tools)\n`,
    );
    expect(done).toStrictEqual([]);
  });

  test("without its recorder a case ends as recorder_missing", async () => {
    await expect(agent({ streamed })).toMatchBaseline(live);
    stage.settle("none");
    uninstall();
    // Uninstalling keeps the recorder, for models that are wrapped.
    const recorders = sharedValue("recorders", types.isMap, () => new Map<unknown, unknown>())();
    const recorder = recorders.get("model");
    recorders.delete("model");
    onTestFinished(() => void recorders.set("model", recorder));
    const connections = cutTheWire();
    const problem =
      "it was recorded by the recorder of models, which isn't active here. With the AI SDK in Vitest, use " +
      "veritest({ aiSdk: true }); elsewhere, call recordAiSdk() of veritest/ai-sdk in a setup file or next to the " +
      "step, or wrap the model with recordModel().";
    const step = agent({ streamed });
    const told = await stage.message(() => expect(step).toRecomputeClean());
    expect(told).toMatch(/recorder_missing: ROOT\/.+\.json: it was/);
    expect(told).toContain(problem);
    expect(told).not.toMatch(/cause:|delete the baseline/);
    expect(await stage.message(() => expect(step).toReplay())).toContain(
      `recorder_missing: Step "${step.name}" can't be replayed: ${problem}`,
    );
    expect([done.length, connections()]).toStrictEqual([2, 0]);
  });

  test("a tool that is no longer recorded doesn't run in a replay", async () => {
    await expect(agent({ streamed })).toMatchBaseline(live);
    stage.settle("none");
    done = [];
    const told = await stage.message(() => expect(agent({ streamed, tools: bare })).toRecomputeClean());
    expect(told).toContain(
      `Tool \\"lookup\\" was about to run but isn't recorded. Wrap the tools with recordTools(tools)`,
    );
    expect(done).toStrictEqual([]);
  });
});

test("its tokens, turns and tool calls are compared with a budget, live and on recorded responses", async () => {
  const budget = { maxTokens: 48, maxTurns: 4, maxToolCalls: 3 };
  await expect(agent()).toMatchBaseline({ ...live, budget });
  stage.settle("none");
  await expect(agent()).toRecomputeClean({ budget: { ...budget, maxTokens: 1 } });
  expect(await stage.message(() => expect(agent()).toRecomputeClean({ budget: { maxTurns: 3 } }))).toContain(
    "over_budget: 4 calls, 48 tokens, 0 ms\n      turns: 4 (maximum: 3)",
  );
  const over = { ...live, mode: "live", budget: { maxTokens: 47 } } as const;
  expect(await stage.message(() => expect(agent({ streamed: true })).toMatchBaseline(over))).toContain(
    "tokens: 48 (maximum: 47)",
  );
  const timed = await stage.message(() =>
    expect(agent()).toMatchBaseline({ ...live, mode: "live", budget: { maxDurationMs: 9000 } }),
  );
  expect(timed).toContain(
    "recorded calls have no durations, so maxDurationMs can't be checked. " +
      "Remove it from the budget, or use an adapter of veritest/llm\n\n" +
      "A run that exceeds its budget isn't stored. Reduce its cost, or change the budget.",
  );
  expect(timed).not.toContain("delete the baseline");
});

test("a call that hides its input is an error with advice", async () => {
  const told = await stage.message(() => expect(agent({ telemetry: { recordInputs: false } })).toMatchBaseline(live));
  expect(told).toContain(
    "the call's telemetry has recordInputs: false. Remove that setting in tests, or wrap the model",
  );
});

test("records a call with custom integrations if ours is among them", async () => {
  const telemetry = { integrations: [aiSdkIntegration()] };
  await expect(agent({ telemetry })).toMatchBaseline(live);
  stage.settle("none");
  const connections = cutTheWire();
  await expect(agent({ telemetry })).toReplay();
  expect([server.asked.length, connections()]).toStrictEqual([4, 0]);
});

test("outside of tests models and tools are called as usual, and integrations can be removed", async () => {
  const model = createOpenAI({ baseURL: server.url, apiKey: "sk-test-key" }).chat("m");
  const ask = async (): Promise<string> =>
    (await generateText({ model, prompt: "Two seats.", tools: bare, stopWhen: isStepCount(6) })).text;
  expect(await ask()).toBe("Done in 3 calls.");
  expect(done).toStrictEqual(["lookup Oslo", "lookup Bergen", "book 2 Oslo"]);
  const second = recordAiSdk();
  second();
  second();
  expect(Reflect.get(globalThis, "AI_SDK_TELEMETRY_INTEGRATIONS")).toHaveLength(1);
  uninstall();
  expect(Reflect.get(globalThis, "AI_SDK_TELEMETRY_INTEGRATIONS")).toHaveLength(0);
});

test("an attempt that the SDK makes again isn't stored, so that a replay doesn't wait", { tags: "deep" }, async () => {
  let left = 1;
  const model = createOpenAI({
    apiKey: "k",
    baseURL: server.url,
    fetch: async (url, init) => {
      left -= 1;
      return left < 0 ? fetch(url, init) : new Response("busy", { status: 503, headers: { "retry-after-ms": "1" } });
    },
  }).chat("m");
  const step = defineStep({
    name: "retried",
    input: z.object({}),
    output: z.object({ text: z.string() }),
    run: async () => ({ output: { text: (await generateText({ model, prompt: "hi" })).text } }),
  });
  server.plan = [];
  await expect(step).toMatchBaseline({ input: {}, adapters: {} });
  const baseline: unknown = JSON.parse(stage.stagedText());
  expect(baseline).toMatchObject({ calls: [{ adapter: "model.generate", occurrence: 0, response: {} }] });
  stage.settle("new");
  cutTheWire();
  await expect(step).toMatchBaseline({ input: {} });
});
