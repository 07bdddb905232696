import { type LanguageModel, generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { MockLanguageModelV4, convertArrayToReadableStream } from "ai/test";
import { beforeEach, describe, expect, test } from "vitest";
import * as z from "zod";
import { recordTools } from "../record/calls/record-tools.ts";
import { withReplay } from "../record/with-replay.ts";
import { recordAiSdk } from "../record/interceptors/ai-sdk-recorder.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import "../vitest-types.ts";

const stage = new MatcherStage(expect);
/** What the tools did. */
let done: string[] = [];
let asked = 0;

type Plan = readonly (readonly [tool: string, input: object])[];
let plan: Plan = [];
/** One with a default left out, one that is refused by its schema, one that a write answers. */
const PLAN: Plan = [
  ["lookup", { city: "Oslo" }],
  ["lookup", { city: 7 }],
  ["book", { city: "Oslo", seats: "2" }],
];

beforeEach(() => {
  stage.begin();
  done = [];
  asked = 0;
  plan = PLAN;
});

const usage = {
  inputTokens: { total: 9, noCache: 9, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 3, text: 3, reasoning: undefined },
};

/** The next call of the plan, or the last word. */
function turn(prompt: readonly { readonly role: string }[]): readonly [string, string, string] | undefined {
  const at = prompt.filter(({ role }) => role === "tool").length;
  asked += 1;
  const next = plan[at];
  return next && [`call-${at}`, next[0], JSON.stringify(next[1])];
}

function model(): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const next = turn(prompt);
      const warnings: never[] = [];
      if (next === undefined)
        return {
          content: [{ type: "text", text: "Done." }],
          finishReason: { unified: "stop", raw: "stop" },
          usage,
          warnings,
        };
      const [toolCallId, toolName, input] = next;
      return {
        content: [{ type: "tool-call", toolCallId, toolName, input }],
        finishReason: { unified: "tool-calls", raw: "tool_calls" },
        usage,
        warnings,
      };
    },
    doStream: async ({ prompt }) => {
      const next = turn(prompt);
      if (next === undefined)
        return {
          stream: convertArrayToReadableStream([
            { type: "text-start", id: "1" },
            { type: "text-delta", id: "1", delta: "Do" },
            { type: "text-delta", id: "1", delta: "ne." },
            { type: "text-end", id: "1" },
            { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
          ]),
        };
      const [toolCallId, toolName, input] = next;
      return {
        stream: convertArrayToReadableStream([
          { type: "tool-call", toolCallId, toolName, input },
          { type: "finish", finishReason: { unified: "tool-calls", raw: "tool_calls" }, usage },
        ]),
      };
    },
  });
}

const tools = {
  lookup: tool({
    description: "How many seats are free.",
    inputSchema: z.object({ city: z.string(), day: z.string().default("today") }),
    execute: async ({ city, day }) => {
      done.push(`lookup ${city} ${day}`);
      return city.length;
    },
  }),
  book: tool({
    description: "Books seats.",
    inputSchema: z.object({ city: z.string(), seats: z.coerce.number() }),
    execute: async ({ city, seats }) => {
      done.push(`book ${seats} ${city}`);
      return { booked: seats };
    },
  }),
};

interface Adapters {
  readonly desk: LanguageModel;
  readonly tools: typeof tools;
}

function agent(streamed: boolean, system = "Help."): AnyStep {
  return defineStep({
    name: "agent",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    roles: { "tools.lookup": "read", "tools.book": "write" },
    run: async ({ text }, { adapters }: StepContext<Adapters>) => {
      const call = {
        model: adapters.desk,
        system,
        prompt: text,
        tools: adapters.tools,
        maxRetries: 0,
        stopWhen: isStepCount(6),
      };
      if (!streamed) return { output: { text: (await generateText(call)).text } };
      return { output: { text: await streamText({ ...call, onError: () => undefined }).text } };
    },
  });
}

const input = { text: "Two seats to Oslo." };

function pathsOf(text: string): readonly string[] {
  const { calls } = z
    .object({ calls: z.array(z.object({ adapter: z.string(), returns: z.string() })) })
    .parse(JSON.parse(text));
  return calls.filter(({ returns }) => returns !== "property").map(({ adapter }) => adapter);
}

describe.each([{ streamed: false }, { streamed: true }])("a model and tools as adapters, %j", ({ streamed }) => {
  const asks = streamed ? "desk.doStream" : "desk.doGenerate";

  test("records model calls and tool bodies, and replays without either", {
    tags: "deep",
  }, async () => {
    await expect(agent(streamed)).toMatchBaseline({
      input,
      adapters: { desk: model(), tools },
      effects: "run",
    });
    const text = stage.stagedText();
    expect(pathsOf(text)).toStrictEqual([asks, "tools.lookup", asks, asks, "tools.book", asks]);
    expect(text).not.toContain("user-agent");
    stage.settle("none");
    expect([asked, done]).toStrictEqual([4, ["lookup Oslo today", "book 2 Oslo"]]);
    await Promise.all(Array.from({ length: 50 }, async () => expect(agent(streamed)).toReplay()));
    await expect(agent(streamed)).toRecomputeClean();
    await expect(agent(streamed)).toMatchBaseline({ input });
    expect([asked, done.length]).toStrictEqual([4, 2]);
  });

  test("calls the model with the same request as without recording", async () => {
    const bare = model();
    await agent(streamed).run(input, {
      adapters: { desk: bare, tools },
      workflowId: "w",
      workflowVersion: "1",
      runId: "r",
      emitEvent: () => undefined,
    });
    const recorded = model();
    await withReplay(agent(streamed), input, { adapters: { desk: recorded, tools } });
    const askedOf = ({ doGenerateCalls, doStreamCalls }: MockLanguageModelV4): unknown =>
      [...doGenerateCalls, ...doStreamCalls].map(({ prompt, tools: offered }) => ({ prompt, offered }));
    expect(askedOf(recorded)).toStrictEqual(askedOf(bare));
    expect(askedOf(bare)).toHaveLength(4);
  });

  test("a model that asks for another write is reported, and nothing is written", async () => {
    const taped = recordTools(tools, {
      effects: { lookup: "read", book: "write" },
      stubs: { book: () => ({ booked: 0 }) },
    });
    await expect(agent(streamed)).toMatchBaseline({ input, adapters: { desk: model(), tools: taped } });
    stage.settle("none");
    plan = [...PLAN.slice(0, 2), ["book", { city: "Oslo", seats: "3" }]];
    const told = await stage.message(() =>
      expect(agent(streamed)).toMatchBaseline({ input, adapters: { desk: model(), tools: taped }, mode: "live" }),
    );
    expect(told).toContain("calls_changed");
    expect(told).toContain(
      "cause: model (call 3 responded differently: now calls tools.book with a different request)",
    );
    expect(told).toContain("tools.book: seats: 2 → 3");
    expect(done).toStrictEqual(["lookup Oslo today", "lookup Oslo today"]);
  });
});

describe("reports parts of a tool adapter that can't be recorded, with advice", () => {
  const recordings: readonly (readonly [string, object, string])[] = [
    [
      "code beside its body",
      { ...tools.lookup, toModelOutput: () => ({ type: "text", value: "x" }) },
      'adapter "tools.lookup" has functions that veritest can\'t record: toModelOutput. Wrap the tools where you create them: recordTools(tools)',
    ],
    [
      "a schema without JSON Schema",
      { ...tools.lookup, inputSchema: { parse: (value: unknown) => value } },
      'adapter "tools.lookup.inputSchema" has no JSON Schema. Wrap such tools with recordTools(tools) where you create them',
    ],
  ];
  test.each(recordings)("%s", async (_what, lookup, problem) => {
    const step = defineStep({
      name: "peek",
      input: z.object({}),
      output: z.object({}),
      run: async (_, { adapters }: StepContext<{ tools: { lookup: { description: string } } }>) => {
        expect(adapters.tools.lookup.description).toBe("How many seats are free.");
        return { output: {} };
      },
    });
    const { result } = await withReplay(step, {}, { adapters: { tools: { lookup } } });
    expect(result).toMatchObject({ ok: false, error: { code: "recording_failed", message: problem } });
  });
});

test("records a schema of the SDK, even a lazy one, as its JSON", async () => {
  plan = [["lookup", { city: "Oslo" }]];
  const schema = jsonSchema<{ city: string; day: string }>({
    type: "object",
    properties: { city: { type: "string" } },
  });
  const own = { ...tools, lookup: { ...tools.lookup, inputSchema: () => schema } };
  await expect(agent(false)).toMatchBaseline({ input, adapters: { desk: model(), tools: own } });
  stage.settle("none");
  await expect(agent(false)).toReplay();
  expect([asked, done]).toStrictEqual([2, ["lookup Oslo undefined"]]);
});

test("a model that the SDK's own recorder records as well is recorded once", async () => {
  const uninstall = recordAiSdk();
  try {
    await expect(agent(false)).toMatchBaseline({ input, adapters: { desk: model(), tools }, effects: "run" });
    expect(pathsOf(stage.stagedText()).filter((path) => !path.startsWith("tools."))).toStrictEqual(
      Array.from({ length: 4 }, () => "model.generate"),
    );
    stage.settle("none");
    await expect(agent(false)).toRecomputeClean();
    expect(asked).toBe(4);
  } finally {
    uninstall();
  }
});
