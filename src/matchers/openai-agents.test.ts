import { Socket } from "node:net";
import {
  Agent,
  OpenAIChatCompletionsModel,
  OpenAIProvider,
  Runner,
  type RunStreamEvent,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { type ChatPlan, type ChatServer, startChatServer } from "../../fixtures/chat-server.ts";
import { recordTools } from "../record/calls/record-tools.ts";
import { recordAgentModel, recordModelProvider } from "../record/interceptors/openai-agents-recorder.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

setTracingDisabled(true);

const stage = new MatcherStage(expect);
let server: ChatServer;
let done: string[] = [];

const LOOK_HAND_AND_REFUND: ChatPlan = [
  ["lookup", { city: "Oslo" }],
  ["transfer_to_billing", {}],
  ["refund", { order: 7, amount: 40 }],
];

beforeAll(async () => void (server = await startChatServer()));

afterAll(() => server.close());

beforeEach(() => {
  stage.begin();
  server.asked.length = 0;
  done = [];
  server.plan = LOOK_HAND_AND_REFUND;
});

afterEach(() => void vi.restoreAllMocks());

function cutTheWire(): () => number {
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was opened");
  });
  return () => connect.mock.calls.length;
}

const lookup = tool({
  name: "lookup",
  description: "Finds seats.",
  parameters: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    done.push(`lookup ${city}`);
    return `${city.length} seats`;
  },
});
const refund = tool({
  name: "refund",
  description: "Refunds.",
  parameters: z.object({ order: z.number(), amount: z.number() }),
  execute: async ({ order, amount }) => {
    done.push(`refund ${amount} of ${order}`);
    return "refunded";
  },
});
const bare = [lookup, refund];
const taped = recordTools(bare, { effects: { lookup: "read", refund: "write" }, stubs: { refund: () => "refunded" } });

interface How {
  readonly streamed?: boolean;
  readonly by?: "model" | "provider";
  readonly tools?: typeof bare;
  readonly instructions?: string;
}

/** Two agents: one looks things up and hands over to the one that pays back. */
function desk({ streamed = false, by = "provider", tools = taped, instructions = "Help." }: How = {}): AnyStep {
  return defineStep({
    name: "desk",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }) => {
      const client = new OpenAI({ baseURL: server.url, apiKey: "sk-test-key", maxRetries: 0 });
      const model = by === "model" ? recordAgentModel(new OpenAIChatCompletionsModel(client, "m"), "m") : "m";
      const [look, pay] = tools;
      const billing = new Agent({ name: "billing", instructions, model, tools: pay === undefined ? [] : [pay] });
      const front = new Agent({
        name: "front",
        instructions,
        model,
        tools: look === undefined ? [] : [look],
        handoffs: [billing],
      });
      const modelProvider = recordModelProvider(new OpenAIProvider({ openAIClient: client, useResponses: false }));
      const runner = new Runner(by === "provider" ? { modelProvider } : {});
      if (!streamed) return { output: { text: (await runner.run(front, text)).finalOutput ?? "" } };
      const result = await runner.run(front, text, { stream: true });
      const events: RunStreamEvent[] = [];
      for await (const event of result) events.push(event);
      return { output: { text: result.finalOutput ?? "" } };
    },
  });
}

const live = { input: { text: "Refund order 7." }, adapters: {} };

describe.each<How>([
  { streamed: false },
  { streamed: true },
  { by: "model" },
  { by: "model", streamed: true },
])("agents of OpenAI Agents, %j", (how) => {
  const kind = how.streamed === true ? "stream" : "generate";

  test("are captured once with their handoff, and replay without network or tools", { tags: "deep" }, async () => {
    await expect(desk(how)).toMatchBaseline(live);
    const { calls } = z
      .object({ calls: z.array(z.object({ adapter: z.string() })) })
      .parse(JSON.parse(stage.stagedText()));
    expect(calls.map(({ adapter }) => adapter)).toStrictEqual([
      `model.${kind}`,
      "tools.lookup",
      `model.${kind}`,
      `model.${kind}`,
      "tools.refund",
      `model.${kind}`,
    ]);
    stage.settle("none");
    expect([server.asked.length, done]).toStrictEqual([4, ["lookup Oslo"]]);
    const connections = cutTheWire();
    await Promise.all(Array.from({ length: 50 }, async () => expect(desk(how)).toReplay()));
    await expect(desk(how)).toRecomputeClean({ budget: { maxTurns: 4, maxToolCalls: 2 } });
    expect([server.asked.length, done.length, connections()]).toStrictEqual([4, 1, 0]);
  });

  test("a model that refunds more is reported, with the model as its cause; nothing is refunded", async () => {
    await expect(desk(how)).toMatchBaseline({ ...live, budget: { maxTokens: 48 } });
    stage.settle("none");
    server.plan = [...LOOK_HAND_AND_REFUND.slice(0, 2), ["refund", { order: 7, amount: 400 }]];
    const told = await stage.message(() => expect(desk(how)).toMatchBaseline({ ...live, mode: "live" }));
    expect(told).toContain("calls_changed\n    cause: model");
    expect(told).toContain("tools.refund: amount: 40 → 400");
    expect(done.filter((line) => line.startsWith("refund"))).toStrictEqual([]);
  });

  test("reports a tool that isn't recorded once, with advice", async () => {
    const told = await stage.message(() => expect(desk({ ...how, tools: bare })).toMatchBaseline(live));
    expect(told.split("isn't recorded. Wrap the tools with recordTools(tools)")).toHaveLength(3);
    expect(told).toContain(
      `recording_failed: adapter "tools.lookup" isn't recorded. Wrap the tools with recordTools(tools)`,
    );
    await expect(desk(how)).toMatchBaseline(live);
    stage.settle("none");
    expect(await stage.message(() => expect(desk({ ...how, tools: bare })).toRecomputeClean())).toContain(
      `Tool "lookup" ran but isn't recorded. Wrap the tools with recordTools(tools)`,
    );
  });

  test("reports a changed prompt as an unrecorded request with its cause", async () => {
    await expect(desk(how)).toMatchBaseline(live);
    stage.settle("none");
    const told = await stage.message(() => expect(desk({ ...how, instructions: "Be brief." })).toRecomputeClean());
    expect(told).toContain(`cause: prompt (model.${kind} request[0].params.systemInstructions changed (4 times))`);
  });
});

test("doesn't run tools of a conversation that were called before", async () => {
  const model = recordAgentModel(
    new OpenAIChatCompletionsModel(new OpenAI({ baseURL: server.url, apiKey: "sk-test-key" }), "m"),
  );
  server.plan = [];
  const chat = defineStep({
    name: "chat",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }) => {
      const agent = new Agent({ name: "chat", model, tools: [] });
      const before = [
        {
          type: "function_call" as const,
          callId: "old",
          name: "lookup",
          arguments: "{}",
          status: "completed" as const,
        },
        {
          type: "function_call_result" as const,
          callId: "old",
          name: "lookup",
          status: "completed" as const,
          output: { type: "text" as const, text: "4 seats" },
        },
      ];
      const result = await new Runner().run(agent, [...before, { role: "user", content: text }]);
      return { output: { text: result.finalOutput ?? "" } };
    },
  });
  await expect(chat).toMatchBaseline(live);
  stage.settle("none");
  await expect(chat).toReplay();
});

test("outside of tests models are called as usual, and an invalid model is refused", async () => {
  const provider = recordModelProvider(
    new OpenAIProvider({
      openAIClient: new OpenAI({ baseURL: server.url, apiKey: "sk-test-key" }),
      useResponses: false,
    }),
  );
  const agent = new Agent({ name: "front", model: "m", tools: bare });
  server.plan = [["refund", { order: 7, amount: 40 }]];
  const result = await new Runner({ modelProvider: provider }).run(agent, "Refund.");
  expect([result.finalOutput, done]).toStrictEqual(["Done in 1 calls.", ["refund 40 of 7"]]);
  expect(() => recordAgentModel({})).toThrow("recordAgentModel needs an OpenAI Agents model");
  expect(() => recordModelProvider({})).toThrow("recordModelProvider needs an OpenAI Agents model provider");
});
