import * as ai5 from "ai5";
import * as mock5 from "ai5/test";
import * as ai6 from "ai6";
import * as mock6 from "ai6/test";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { recordTools } from "../record/calls/record-tools.ts";
import { recordModel } from "../record/interceptors/model-recorder.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

// The version of today has tests of its own: these hold what older ones need, middleware and adapters.

const stage = new MatcherStage(expect);
/** What the tools did. */
let done: string[] = [];
/** How often the model was asked. */
let asked = 0;
let city = "Oslo";

beforeEach(() => {
  stage.begin();
  done = [];
  asked = 0;
  city = "Oslo";
});
afterEach(() => {
  expect(done.filter((line) => line.startsWith("book"))).toStrictEqual([]);
});

const tools = {
  lookup: {
    description: "How many seats are free.",
    inputSchema: z.object({ city: z.string(), day: z.string().default("today") }),
    execute: async ({ city: place }: { city: string }): Promise<number> => {
      done.push(`lookup ${place}`);
      return place.length;
    },
  },
  book: {
    description: "Books a seat.",
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city: place }: { city: string }): Promise<string> => {
      done.push(`book ${place}`);
      return place;
    },
  },
};
const taped = recordTools(tools, { effects: { lookup: "read", book: "write" }, stubs: { book: () => "held" } });

/** The model looks up, books, and says so. */
function turnOf(prompt: readonly { readonly role: string }[]): readonly ["lookup" | "book", string] | undefined {
  asked += 1;
  const tool = (["lookup", "book"] as const)[prompt.filter(({ role }) => role === "tool").length];
  return tool && [tool, JSON.stringify({ city })];
}

type PartOf<Answer> = Awaited<Answer> extends { readonly stream: ReadableStream<infer Part> } ? Part : never;
type Part5 = PartOf<ReturnType<mock5.MockLanguageModelV2["doStream"]>>;
type Part6 = PartOf<ReturnType<mock6.MockLanguageModelV3["doStream"]>>;

function model5(): mock5.MockLanguageModelV2 {
  const usage = { inputTokens: 9, outputTokens: 3, totalTokens: 12 };
  return new mock5.MockLanguageModelV2({
    doGenerate: async ({ prompt }) => {
      const next = turnOf(prompt);
      return next === undefined
        ? { content: [{ type: "text", text: "Done." }], finishReason: "stop", usage, warnings: [] }
        : {
            content: [{ type: "tool-call", toolCallId: `call-${asked}`, toolName: next[0], input: next[1] }],
            finishReason: "tool-calls",
            usage,
            warnings: [],
          };
    },
    doStream: async ({ prompt }) => {
      const next = turnOf(prompt);
      return {
        stream: mock5.convertArrayToReadableStream<Part5>(
          next === undefined
            ? [
                { type: "text-start", id: "1" },
                { type: "text-delta", id: "1", delta: "Done." },
                { type: "text-end", id: "1" },
                { type: "finish", finishReason: "stop", usage },
              ]
            : [
                { type: "tool-call", toolCallId: `call-${asked}`, toolName: next[0], input: next[1] },
                { type: "finish", finishReason: "tool-calls", usage },
              ],
        ),
      };
    },
  });
}

function model6(): mock6.MockLanguageModelV3 {
  const usage = {
    inputTokens: { total: 9, noCache: 9, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 3, text: 3, reasoning: undefined },
  };
  return new mock6.MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const next = turnOf(prompt);
      return next === undefined
        ? {
            content: [{ type: "text", text: "Done." }],
            finishReason: { unified: "stop", raw: "stop" },
            usage,
            warnings: [],
          }
        : {
            content: [{ type: "tool-call", toolCallId: `call-${asked}`, toolName: next[0], input: next[1] }],
            finishReason: { unified: "tool-calls", raw: "tool_calls" },
            usage,
            warnings: [],
          };
    },
    doStream: async ({ prompt }) => {
      const next = turnOf(prompt);
      return {
        stream: mock6.convertArrayToReadableStream<Part6>(
          next === undefined
            ? [
                { type: "text-start", id: "1" },
                { type: "text-delta", id: "1", delta: "Done." },
                { type: "text-end", id: "1" },
                { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
              ]
            : [
                { type: "tool-call", toolCallId: `call-${asked}`, toolName: next[0], input: next[1] },
                { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
              ],
        ),
      };
    },
  });
}

type Ask = (prompt: string, streamed: boolean) => Promise<string>;

/** An agent, and where its calls are recorded. */
interface Agent {
  readonly name: string;
  readonly step: (streamed: boolean) => AnyStep;
  readonly adapters: () => object;
  readonly model: (streamed: boolean) => string;
}

const besides = { system: "Help.", maxRetries: 0 };

function ask5(model: ai5.LanguageModel, offered: typeof tools): Ask {
  return async (prompt, streamed) => {
    const call = { ...besides, model, tools: offered, prompt, stopWhen: ai5.stepCountIs(5) };
    if (!streamed) return (await ai5.generateText(call)).text;
    return ai5.streamText({ ...call, onError: () => undefined }).text;
  };
}

function ask6(model: ai6.LanguageModel, offered: typeof tools): Ask {
  return async (prompt, streamed) => {
    const call = { ...besides, model, tools: offered, prompt, stopWhen: ai6.stepCountIs(5) };
    if (!streamed) return (await ai6.generateText(call)).text;
    return ai6.streamText({ ...call, onError: () => undefined }).text;
  };
}

interface Given<Model> {
  readonly llm: Model;
  readonly tools: typeof tools;
}

function agent<Adapters extends object>(streamed: boolean, askOf: (adapters: Adapters) => Ask): AnyStep {
  return defineStep({
    name: "agent",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, { adapters }: StepContext<Adapters>) => ({
      output: { text: await askOf(adapters)(text, streamed) },
    }),
  });
}

const throughTape = (streamed: boolean): string => (streamed ? "model.stream" : "model.generate");
const throughAdapters = (streamed: boolean): string => (streamed ? "llm.doStream" : "llm.doGenerate");

const agents: readonly Agent[] = [
  {
    name: "AI SDK 5, its model in our middleware",
    step: (streamed) =>
      agent(streamed, () => ask5(ai5.wrapLanguageModel({ model: model5(), middleware: recordModel() }), taped)),
    adapters: () => ({}),
    model: throughTape,
  },
  {
    name: "AI SDK 6, its model in our middleware",
    step: (streamed) =>
      agent(streamed, () => ask6(ai6.wrapLanguageModel({ model: model6(), middleware: recordModel("v3") }), taped)),
    adapters: () => ({}),
    model: throughTape,
  },
  {
    name: "AI SDK 5, its model and tools as adapters",
    step: (streamed) => agent(streamed, (given: Given<ai5.LanguageModel>) => ask5(given.llm, given.tools)),
    adapters: () => ({ llm: model5(), tools: taped }),
    model: throughAdapters,
  },
  {
    name: "AI SDK 6, its model and tools as adapters",
    step: (streamed) => agent(streamed, (given: Given<ai6.LanguageModel>) => ask6(given.llm, given.tools)),
    adapters: () => ({ llm: model6(), tools: taped }),
    model: throughAdapters,
  },
];

const input = { text: "A seat to Oslo." };

describe.each(agents)("$name", ({ step: stepOf, adapters, model }) => {
  test.each([false, true])("is captured once and replays without model and tools, streamed: %s", {
    tags: "deep",
  }, async (streamed) => {
    const step = stepOf(streamed);
    await expect(step).toMatchBaseline({ input, adapters: adapters() });
    const { calls } = z
      .object({ calls: z.array(z.object({ adapter: z.string(), returns: z.string() })) })
      .parse(JSON.parse(stage.stagedText()));
    const asks = model(streamed);
    expect(calls.filter(({ returns }) => returns !== "property").map(({ adapter }) => adapter)).toStrictEqual([
      asks,
      "tools.lookup",
      asks,
      "tools.book",
      asks,
    ]);
    stage.settle("none");
    expect([asked, done]).toStrictEqual([3, ["lookup Oslo"]]);
    await Promise.all(Array.from({ length: 50 }, async () => expect(step).toReplay()));
    await expect(step).toRecomputeClean();
    expect([asked, done]).toStrictEqual([3, ["lookup Oslo"]]);
    city = "Bergen";
    const live = { input, adapters: adapters(), mode: "live" as const };
    const told = await stage.message(() => expect(step).toMatchBaseline(live));
    expect(told).toContain("calls_changed");
    expect(told).toContain('tools.book: city: "Oslo" → "Bergen"');
  });
});
