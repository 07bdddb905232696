import { Socket } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { AIMessageChunk } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { ChatOpenAI } from "@langchain/openai";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import * as z from "zod";
import { type ChatServer, startChatServer } from "../../fixtures/chat-server.ts";
import { recordTools } from "../record/calls/record-tools.ts";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
let server: ChatServer;
/** What the tools did. */
let done: string[] = [];
let uninstall = (): void => undefined;

beforeAll(async () => {
  uninstall = recordGlobalFetch();
  server = await startChatServer();
});

afterAll(() => {
  uninstall();
  server.close();
});

beforeEach(() => {
  stage.begin();
  done = [];
  server.asked.length = 0;
  server.plan = [
    ["lookup", { city: "Oslo" }],
    ["lookup", { city: "Bergen" }],
    ["book", { city: "Oslo" }],
  ];
});

afterEach(() => void vi.restoreAllMocks());

const bodies = {
  lookup: async ({ city }: { city: string }): Promise<string> => {
    done.push(`lookup ${city}`);
    return `${city.length} seats`;
  },
  book: async ({ city }: { city: string }): Promise<string> => {
    done.push(`book ${city}`);
    return `booked in ${city}`;
  },
};
const effects = { effects: { lookup: "read", book: "write" }, stubs: { book: () => "held" } } as const;
const schema = z.object({ city: z.string() });

/** The step of a recipe, with what it asks the model beside the conversation. */
type Recipe = (streamed: boolean, system: string) => AnyStep;

function stepOf(answer: (text: string) => Promise<string>): AnyStep {
  return defineStep({
    name: "agent",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }) => ({ output: { text: await answer(text) } }),
  });
}

const langGraph: Recipe = (streamed, system) => {
  const tools = recordTools(
    [
      tool(bodies.lookup, { name: "lookup", description: "Finds seats.", schema }),
      tool(bodies.book, { name: "book", description: "Books a seat.", schema }),
    ],
    effects,
  );
  return stepOf(async (text) => {
    const configuration = { baseURL: server.url };
    const model = new ChatOpenAI({ model: "m", apiKey: "sk-test", maxRetries: 0, configuration });
    const asking = model.bindTools(tools);
    const graph = new StateGraph(MessagesAnnotation)
      .addNode("agent", async ({ messages }) => ({
        messages: [await asking.invoke([{ role: "system", content: system }, ...messages])],
      }))
      .addNode("tools", new ToolNode(tools))
      .addEdge("__start__", "agent")
      .addConditionalEdges("agent", toolsCondition)
      .addEdge("tools", "agent")
      .compile();
    const begin = { messages: [{ role: "user", content: text }] };
    if (!streamed) return (await graph.invoke(begin)).messages.at(-1)?.text ?? "";
    let said = "";
    for await (const [chunk] of await graph.stream(begin, { streamMode: "messages" }))
      if (AIMessageChunk.isInstance(chunk)) said += chunk.text;
    return said;
  });
};

const anthropicByHand: Recipe = (streamed, system) => {
  const tools = recordTools(bodies, effects);
  return stepOf(async (text) => {
    const client = new Anthropic({ baseURL: server.url.replace(/\/v1$/, ""), apiKey: "sk-test", maxRetries: 0 });
    const input_schema = { type: "object" as const, properties: { city: { type: "string" } } };
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: text }];
    for (;;) {
      const body: Anthropic.MessageCreateParamsNonStreaming = {
        model: "m",
        max_tokens: 100,
        system,
        messages,
        tools: Object.keys(tools).map((name) => ({ name, input_schema })),
      };
      const answer = await (streamed ? client.messages.stream(body).finalMessage() : client.messages.create(body));
      messages.push({ role: "assistant", content: answer.content });
      const results: Anthropic.ToolResultBlockParam[] = [];
      for (const block of answer.content) {
        if (block.type === "text") return block.text;
        if (block.type !== "tool_use" || (block.name !== "lookup" && block.name !== "book")) continue;
        const content = await tools[block.name](schema.parse(block.input));
        results.push({ type: "tool_result", tool_use_id: block.id, content });
      }
      messages.push({ role: "user", content: results });
    }
  });
};

const recipes: readonly { readonly sdk: string; readonly recipe: Recipe }[] = [
  { sdk: "LangGraph, with a chat model of LangChain", recipe: langGraph },
  { sdk: "the Anthropic SDK, its loop written by hand", recipe: anthropicByHand },
];
const input = { text: "Two seats to Oslo." };
const live = { input, adapters: {} };

describe.each(recipes)("an agent of $sdk", ({ recipe }) => {
  describe.each([{ streamed: false }, { streamed: true }])("%j", ({ streamed }) => {
    const agent = recipe(streamed, "Help.");

    test("is captured once, and replays without network and tools", { tags: "deep" }, async () => {
      await expect(agent).toMatchBaseline(live);
      const { calls } = z
        .object({ calls: z.array(z.object({ adapter: z.string() })) })
        .parse(JSON.parse(stage.stagedText()));
      expect(calls.map(({ adapter }) => adapter)).toStrictEqual([
        "fetch",
        "tools.lookup",
        "fetch",
        "tools.lookup",
        "fetch",
        "tools.book",
        "fetch",
      ]);
      stage.settle("none");
      expect([server.asked.length, done]).toStrictEqual([4, ["lookup Oslo", "lookup Bergen"]]);
      const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
        throw new Error("a connection was opened");
      });
      for (let turn = 0; turn < 50; turn += 1) await expect(agent).toReplay();
      await expect(agent).toRecomputeClean();
      await expect(agent).toMatchBaseline({ input });
      expect([server.asked.length, done.length, connect.mock.calls.length]).toStrictEqual([4, 2, 0]);
    });

    test("a model that asks for another write is reported, which does not run", { tags: "deep" }, async () => {
      await expect(agent).toMatchBaseline(live);
      stage.settle("none");
      done = [];
      server.plan = [...server.plan.slice(0, 2), ["book", { city: "Bergen" }]];
      const told = await stage.message(() => expect(agent).toMatchBaseline({ ...live, mode: "live" }));
      expect(told).toContain("calls_changed");
      expect(told).toContain('tools.book: city: "Oslo" → "Bergen"');
      expect(told).toContain(
        "cause: model (call 3 responded differently: now calls tools.book with a different request)",
      );
      expect(done).toStrictEqual(["lookup Oslo", "lookup Bergen"]);
    });

    test("reports a changed prompt as an unrecorded request with its cause", async () => {
      await expect(agent).toMatchBaseline(live);
      stage.settle("none");
      const told = await stage.message(() => expect(recipe(streamed, "Help well.")).toRecomputeClean());
      expect(told).toContain("request_changed");
      expect(told).toContain("cause: prompt");
    });
  });
});
