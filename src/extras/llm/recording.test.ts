import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Via, VIAS, adaptersAt } from "../../../fixtures/llm/adapters.ts";
import { answerVia, chatAnswer, eventsVia } from "../../../fixtures/llm/bodies.ts";
import { type StubReply, type StubServer, startStub } from "../../../fixtures/llm/stub-server.ts";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { replayAdapters } from "../../record/replay/replay-adapters.ts";
import { type Recording, withReplay } from "../../record/with-replay.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import { createContextFactory } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { executeStep } from "../../kernel/step/run.ts";
import { fail } from "../../kernel/step/fail.ts";
import { complete, stream } from "./complete.ts";
import { defineExtractionStep } from "./extract.ts";
import { llmEvent } from "./response.ts";
import type { LLMContext, LLMProvider } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

let stub: StubServer;
let adapters: Readonly<Record<Via, LLMProvider>>;

beforeAll(async () => {
  stub = await startStub();
  adapters = adaptersAt(stub.url);
});

afterAll(() => stub.close());

beforeEach(() => {
  stub.requests.length = 0;
});

const asking = (text: string): LLMRequest => ({ messages: [{ role: "user", content: text }] });

const asks = defineStep({
  name: "asks",
  input: z.string(),
  output: z.object({ answers: z.array(z.unknown()) }),
  run: async (text, ctx: LLMContext) => {
    const answers = await Promise.all([1, 2, 3].map((n) => complete(ctx, asking(`${text} ${n % 2}`))));
    const events = answers.flatMap((answer) => (answer.ok ? [llmEvent("answered", answer.value)] : []));
    return { output: { answers: [...answers] }, events };
  },
});

const streams = defineStep({
  name: "streams",
  input: z.string(),
  output: z.object({ pieces: z.array(z.string()), result: z.unknown() }),
  run: async (text, ctx: LLMContext) => {
    const pieces: string[] = [];
    const answer = stream(ctx, asking(text));
    for await (const piece of answer) pieces.push(piece);
    return { output: { pieces, result: await answer.finish() } };
  },
});

const leaves = defineStep({
  name: "leaves",
  input: z.string(),
  output: z.object({ pieces: z.array(z.string()), result: z.unknown() }),
  run: async (text, ctx: LLMContext) => {
    const pieces: string[] = [];
    const answer = stream(ctx, asking(text));
    for await (const piece of answer) {
      pieces.push(piece);
      break;
    }
    return { output: { pieces, result: await answer.finish() } };
  },
});

const extracts = defineExtractionStep({
  name: "extracts",
  input: z.string(),
  output: z.object({ n: z.number() }),
  request: asking,
});

const LENGTH: Readonly<Record<Via, string>> = {
  chat: "length",
  responses: "max_output_tokens",
  anthropic: "max_tokens",
  "ai-sdk": "length",
};

interface Replayed {
  readonly result: unknown;
  readonly artifacts: readonly Artifact[];
  readonly misses: number;
  readonly unused: number;
}

/** Runs the step on its recording, after a trip through JSON. */
async function replayed(step: AnyStep, calls: readonly AdapterCall[]): Promise<Replayed> {
  const server = replayAdapters(JSON.parse(JSON.stringify(calls)));
  const artifacts: Artifact[] = [];
  const contextFactory = createContextFactory(server.adapters);
  const onArtifact = (artifact: Artifact): void => void artifacts.push(artifact);
  const result = await executeStep({
    step,
    input: "hi",
    contextFactory,
    workflowId: step.name,
    workflowVersion: "0.0.0",
    runId: "another",
    onArtifact,
  });
  return { result: partsOf(result), artifacts, misses: server.unrecorded().length, unused: server.uncalled().length };
}

function partsOf(result: Recording["result"]): unknown {
  if (!result.ok) return result;
  const { output, events, commands } = result.value;
  return { output, events, commands };
}

function own({ artifacts }: Pick<Recording, "artifacts">): readonly Artifact[] {
  return artifacts.filter(({ kind }) => kind.startsWith("llm-"));
}

const byHash = (artifacts: readonly Artifact[]): readonly Artifact[] =>
  artifacts.toSorted((a, b) => (a.hash < b.hash ? -1 : 1));

describe.each(VIAS)("via %s, a recorded run replays offline, with its artifacts", (via) => {
  const replies: readonly (readonly [string, AnyStep, StubReply])[] = [
    ["answers", asks, { kind: "json", body: answerVia(via, { text: "yes" }) }],
    [
      "errors",
      asks,
      {
        kind: "json",
        status: 429,
        headers: { "retry-after": "1" },
        body: { error: { type: "rate_limit_error", message: "Slow down." } },
      },
    ],
    ["an answer cut off", asks, { kind: "json", body: answerVia(via, { text: "y", finish: LENGTH[via] }) }],
    ["a stream", streams, { kind: "events", events: eventsVia(via, ["Hel", "lo"]) }],
    ["a stream that breaks", streams, { kind: "events", events: eventsVia(via, ["Hel"], { whole: false }) }],
    ["a stream left early", leaves, { kind: "events", events: eventsVia(via, ["Hel", "lo"]) }],
    ["an extraction", extracts, { kind: "json", body: answerVia(via, { text: '```json\n{"n":1}\n```' }) }],
    ["an extraction of no JSON", extracts, { kind: "json", body: answerVia(via, { text: "one" }) }],
  ];

  test.each(replies)("%s", async (_name, step, reply) => {
    stub.reply = reply;
    const recording = await withReplay(step, "hi", { adapters: { llm: adapters[via] } });
    const requests = stub.requests.length;
    const again = await replayed(step, recording.calls);
    expect(again.result).toStrictEqual(partsOf(recording.result));
    expect(byHash(again.artifacts)).toStrictEqual(byHash(own(recording)));
    expect(again.artifacts.filter(({ kind }) => kind === "llm-input").map(({ hash }) => hash)).toStrictEqual(
      own(recording)
        .filter(({ kind }) => kind === "llm-input")
        .map(({ hash }) => hash),
    );
    expect(again).toMatchObject({ misses: 0, unused: 0 });
    expect(stub.requests).toHaveLength(requests);
    expect(requests).toBe(step === asks ? 3 : 1);
  });
});

test("a recorded call has the request and its result as plain data", async () => {
  stub.reply = { kind: "json", body: chatAnswer({ text: "yes" }) };
  const step = defineStep({
    name: "asks-once",
    input: z.string(),
    output: z.object({}),
    run: async (text, ctx: LLMContext) => (await complete(ctx, asking(text)), { output: {} }),
  });
  const { calls } = await withReplay(step, "hi", { adapters: { llm: adapters.chat } });
  expect(calls).toStrictEqual([
    {
      adapter: "llm.complete",
      occurrence: 0,
      returns: "promise",
      request: [{ messages: [{ role: "user", content: "hi" }] }],
      response: {
        ok: true,
        value: {
          content: "yes",
          trace: {
            provider: "openai",
            model: "m-1-0",
            promptTokens: 9,
            completionTokens: 4,
            durationMs: expect.any(Number),
            inputHash: expect.stringMatching(/^sha256:/),
            outputHash: expect.stringMatching(/^sha256:/),
            usage: {
              input: 9,
              output: 4,
              cacheRead: 0,
              cacheWrite: 0,
              reasoning: 0,
              raw: { prompt_tokens: 9, completion_tokens: 4 },
            },
            stop: "stop",
            requestHash: expect.stringMatching(/^sha256:/),
            requestId: "req_1",
            responseId: "c_1",
          },
        },
      },
    },
  ]);
});

test("a signal isn't part of the recorded request", async () => {
  stub.reply = { kind: "json", body: chatAnswer({ text: "yes" }) };
  const step = defineStep({
    name: "in-time",
    input: z.string(),
    output: z.object({ answer: z.unknown() }),
    run: async (text, ctx: LLMContext) => ({
      output: { answer: await complete(ctx, asking(text), { signal: AbortSignal.timeout(10_000) }) },
    }),
  });
  const recording = await withReplay(step, "hi", { adapters: { llm: adapters.chat } });
  expect(recording.calls[0]?.request).toStrictEqual([asking("hi"), { signal: { $t: "omitted", v: "AbortSignal" } }]);
  expect(await replayed(step, recording.calls)).toMatchObject({ result: partsOf(recording.result), misses: 0 });
});

test("refuses a context passed to the adapter, because the recorded request would have its run id", async () => {
  const step = defineStep({
    name: "wrong",
    input: z.string(),
    output: z.object({}),
    run: async (text, ctx: LLMContext) => {
      // @ts-expect-error -- a context is no call options.
      const answer = await ctx.adapters.llm.complete(asking(text), ctx);
      return answer.ok ? { output: {} } : fail(answer.error);
    },
  });
  const { result } = await withReplay(step, "hi", { adapters: { llm: adapters.chat } });
  expect(result).toMatchObject({
    ok: false,
    error: {
      code: "execution_failed",
      message:
        'llm.complete received a step\'s context. Call complete(ctx, request) of "veritest/llm" instead: it calls ctx.adapters.llm and keeps the artifacts.',
    },
  });
  await expect(
    adapters.chat
      .stream(asking("hi"), Object(createContextFactory({})({ workflowId: "w", workflowVersion: "1", runId: "r" })))
      .next(),
  ).rejects.toThrow("llm.stream received a step's context.");
  expect(stub.requests).toHaveLength(0);
});

test("concurrent calls replay their own responses a hundred times", async () => {
  stub.reply = { kind: "json", body: chatAnswer({ text: "yes" }) };
  const recording = await withReplay(asks, "hi", { adapters: { llm: adapters.chat } });
  const texts = new Set<string>();
  for (let round = 0; round < 100; round += 1) texts.add(JSON.stringify(await replayed(asks, recording.calls)));
  expect(texts.size).toBe(1);
  expect(stub.requests).toHaveLength(3);
});
