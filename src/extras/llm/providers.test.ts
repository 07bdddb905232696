import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { eventsVia } from "../../../fixtures/llm/bodies.ts";
import { hashValueSync } from "../../kernel/json/hash.ts";
import { err, unwrap } from "../../kernel/result.ts";
import type { LLMProvider } from "../../llm.ts";
import { type AISDKModel, fromAISDK } from "./ai-sdk.ts";
import { createAnthropic } from "./anthropic.ts";
import { foldChat, readChat } from "./openai-chat.ts";
import { foldAnthropic, readAnthropic } from "./anthropic-body.ts";
import { createOpenAI } from "./openai.ts";
import type { LLMRequest } from "./request.ts";
import { runCount } from "../../../test-support/run-count.ts";

const request: LLMRequest = { model: "m", messages: [{ role: "user", content: "?" }] };
const body = {
  id: "c",
  model: "m-1",
  choices: [{ message: { content: "yes" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 2 },
};

function clientOf(answer: () => unknown): {
  chat: { completions: { create: (...args: unknown[]) => Promise<unknown> } };
  calls: unknown[][];
} {
  const calls: unknown[][] = [];
  const completions = {
    async create(...args: unknown[]): Promise<unknown> {
      expect(this).toBe(completions);
      calls.push(args);
      return answer();
    },
  };
  return { chat: { completions }, calls };
}

describe("a client that only resembles the SDK's", () => {
  test("is called with the right this, without retries, and may return a plain promise", async () => {
    const client = clientOf(() => ({ ...body, _request_id: "req_9" }));
    const result = await createOpenAI({ client }).complete(request);
    expect(result).toMatchObject({ ok: true, value: { content: "yes", trace: { model: "m-1", requestId: "req_9" } } });
    expect(client.calls).toStrictEqual([
      [{ model: "m", messages: [{ role: "user", content: "?" }] }, { maxRetries: 0 }],
    ]);
  });

  test("may return a wrong type without failing the step", async () => {
    const llm = createOpenAI({ client: clientOf(() => "no stream") });
    const source = llm.stream(request);
    expect(await source.next()).toMatchObject({
      done: true,
      value: {
        ok: false,
        error: {
          code: "provider_error",
          message: expect.stringContaining("the client didn't return a stream for a streamed request"),
        },
      },
    });
    expect(await createOpenAI({ client: clientOf(() => undefined) }).complete(request)).toMatchObject({
      ok: false,
      error: { code: "provider_error", retryable: true },
    });
  });

  test.each([
    [new TypeError("x is not a function"), "provider_error", false],
    ["just text", "provider_error", false],
    [null, "provider_error", false],
    [
      Object.assign(new Error("fetch failed"), { cause: Object.assign(new Error("?"), { code: "UND_ERR_SOCKET" }) }),
      "provider_error",
      true,
    ],
    [
      Object.assign(new Error("late"), { cause: Object.assign(new Error("?"), { code: "UND_ERR_HEADERS_TIMEOUT" }) }),
      "timeout",
      true,
    ],
    [new DOMException("stop", "AbortError"), "aborted", false],
    [Object.assign(new Error("key"), { name: "AI_LoadAPIKeyError" }), "auth", false],
    [Object.assign(new Error("pay"), { status: 402 }), "quota", false],
    [Object.assign(new Error("conflict"), { status: 409 }), "provider_error", true],
    [Object.assign(new Error("slow"), { status: 408 }), "timeout", true],
  ])("may throw anything: %s", async (thrown, code, retryable) => {
    const client = clientOf(() => unwrap(err(thrown)));
    expect(await createOpenAI({ client }).complete(request)).toMatchObject({
      ok: false,
      error: { code, retryable, provider: "openai" },
    });
  });

  test("may throw an endless chain of causes and control characters", async () => {
    const looped = new Error(`\u001b[2J${"x".repeat(10_000)}`);
    looped.cause = looped;
    const client = clientOf(() => {
      throw looped;
    });
    const result = await createOpenAI({ client }).complete(request);
    expect(!result.ok && result.error.message).toBe(
      `openai: provider error: \\u001b[2J${"x".repeat(491)}… (+9509 characters). Check the provider's status and the client's setup.`,
    );
  });
});

describe("options of every adapter", () => {
  const clock = (): (() => number) => {
    let now = 0;
    return () => (now += 20.4);
  };

  test("a clock times the call in whole milliseconds", async () => {
    const result = await createOpenAI({ client: clientOf(() => body), clock: clock() }).complete(request);
    expect(result).toMatchObject({ ok: true, value: { trace: { durationMs: 20 } } });
  });

  test("raw input and output are kept on request, and only then", async () => {
    const sent = { model: "m", messages: [{ role: "user", content: "?" }] };
    const raw = await createOpenAI({ client: clientOf(() => body), includeRawIO: true }).complete(request);
    expect(raw).toMatchObject({
      ok: true,
      value: { trace: { input: sent, output: body, requestHash: hashValueSync(sent) } },
    });
    const plain = await createOpenAI({ client: clientOf(() => body) }).complete(request);
    expect(plain.ok && Object.keys(plain.value.trace)).not.toContain("input");
  });

  test("set a default model and limit", async () => {
    const calls: unknown[] = [];
    const create = async (given: unknown): Promise<unknown> => calls.push(given);
    const llm = createAnthropic({ client: { messages: { create } }, model: "d", maxTokens: 7 });
    await llm.complete({ messages: request.messages });
    expect(calls).toStrictEqual([{ model: "d", max_tokens: 7, messages: [{ role: "user", content: "?" }] }]);
  });
});

describe("throws for wrong use", () => {
  const model: AISDKModel = {
    specificationVersion: "v4",
    provider: "p",
    modelId: "m",
    doGenerate: async () => ({}),
    doStream: async () => ({}),
  };

  test.each<[string, () => LLMProvider]>([
    ["openai", () => createOpenAI({ client: clientOf(() => body) })],
    ["anthropic", () => createAnthropic({ client: { messages: { create: async () => body } } })],
    ["ai-sdk", () => fromAISDK(() => model)],
  ])("%s: a request without a model", async (_name, make) => {
    const error = new TypeError(
      "The request doesn't set a model, and the adapter doesn't have a default model. Set the model in one of them.",
    );
    await expect(make().complete({ messages: [] })).rejects.toThrow(error);
    await expect(make().stream({ messages: [] }).next()).rejects.toThrow(error);
  });

  test("a request for another model than the adapter's", async () => {
    await expect(fromAISDK(model).complete({ ...request, model: "other" })).rejects.toThrow(
      new TypeError(
        'The request is for the model "other", but the adapter is for "m". To let requests choose the model, create the adapter from the provider: fromAISDK(openai).',
      ),
    );
  });

  test("a model of another specification", async () => {
    const error = new TypeError(
      'fromAISDK takes models of provider specification "v4" (the ai package, version 7), got "v2". Update the provider\'s package.',
    );
    expect(() => fromAISDK({ ...model, specificationVersion: "v2" })).toThrow(error);
    await expect(fromAISDK(() => ({ ...model, specificationVersion: "v2" })).complete(request)).rejects.toThrow(error);
  });
});

describe("properties of streams", () => {
  const pieces = fc.array(fc.string({ unit: "binary" }), { maxLength: 8 });

  test("any split of a response gives the same result", () => {
    fc.assert(
      fc.property(pieces, (texts) => {
        const folds = [
          [foldChat(), eventsVia("chat", texts), readChat],
          [foldAnthropic(), eventsVia("anthropic", texts), readAnthropic],
        ] as const;
        for (const [fold, events, read] of folds) {
          const heard = events.map((event) => fold.add(event)).join("");
          expect(heard).toBe(texts.join(""));
          expect(read(fold.body())).toMatchObject({
            ok: true,
            value: { content: texts.join(""), stop: "stop", usage: { input: 9, output: 4 } },
          });
        }
      }),
      { numRuns: runCount(1000) },
    );
  });

  test("any split of a tool's input gives the same result", () => {
    fc.assert(
      fc.property(pieces, pieces, (first, second) => {
        const chat = foldChat();
        const anthropic = foldAnthropic();
        for (const [index, texts] of [first, second].entries()) {
          chat.add({
            choices: [{ delta: { tool_calls: [{ index, id: `t${index}`, function: { name: "f", arguments: "" } }] } }],
          });
          anthropic.add({
            type: "content_block_start",
            index,
            content_block: { type: "tool_use", id: `t${index}`, name: "f", input: {} },
          });
          for (const text of texts) {
            chat.add({ choices: [{ delta: { tool_calls: [{ index, function: { arguments: text } }] } }] });
            anthropic.add({
              type: "content_block_delta",
              index,
              delta: { type: "input_json_delta", partial_json: text },
            });
          }
        }
        chat.add({ choices: [{ delta: {}, finish_reason: "tool_calls" }] });
        anthropic.add({ type: "message_delta", delta: { stop_reason: "tool_use" } });
        const whole = [first, second].map((texts) => texts.join(""));
        expect(readChat(chat.body())).toMatchObject({
          ok: true,
          value: { tools: whole.map((json, index) => ({ id: `t${index}`, name: "f", json })), stop: "tool" },
        });
        const inputs = whole.map((json, index) => ({
          id: `t${index}`,
          name: "f",
          ...(json === "" ? { input: {} } : { json }),
        }));
        expect(readAnthropic(anthropic.body())).toMatchObject({ ok: true, value: { tools: inputs, stop: "tool" } });
      }),
      { numRuns: runCount(1000) },
    );
  });
});

test("takes the first choice of a stream of several", () => {
  const fold = foldChat();
  const pieces = [0, 1, 0, 1].map((index) =>
    fold.add({ choices: [{ index, delta: { content: `${index}` }, finish_reason: index === 1 ? "length" : null }] }),
  );
  expect(pieces).toStrictEqual(["0", "", "0", ""]);
  expect(fold.body()).toBeUndefined();
  fold.add({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  expect(readChat(fold.body())).toMatchObject({ ok: true, value: { content: "00", stop: "stop" } });
});

test("keeps a count of a stream's start that its end doesn't have", () => {
  const fold = foldAnthropic();
  fold.add({
    type: "message_start",
    message: { usage: { input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 1 } },
  });
  fold.add({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens: 4, cache_read_input_tokens: null },
  });
  expect(readAnthropic(fold.body())).toMatchObject({
    ok: true,
    value: { usage: { input: 5, output: 4, cacheRead: 3 } },
  });
});

test.each([
  [{ "request-id": "r" }, { requestId: "r" }],
  [new Headers({ "x-request-id": "r", "retry-after-ms": "1500" }), { requestId: "r", retryAfterMs: 1500 }],
  [{ "retry-after": "Sat, 21 Nov 2026 18:00:00 GMT" }, {}],
])("reads the headers of an error: %o", async (headers, expected) => {
  const client = clientOf(() => unwrap(err(Object.assign(new Error("slow"), { status: 429, headers }))));
  const result = await createOpenAI({ client }).complete(request);
  const said = {
    code: "rate_limit",
    retryable: true,
    provider: "openai",
    status: 429,
    message: "openai: rate limit (status 429): slow. Retry later, in your step. The adapter itself doesn't retry.",
  };
  expect(result).toStrictEqual({ ok: false, error: { ...said, ...expected } });
});

test("a streamed tool's input may arrive with its start", () => {
  const fold = foldAnthropic();
  fold.add({
    type: "content_block_start",
    index: 0,
    content_block: { type: "tool_use", id: "t", name: "f", input: { a: 1 } },
  });
  fold.add({ type: "message_delta", delta: { stop_reason: "tool_use" } });
  expect(readAnthropic(fold.body())).toMatchObject({
    ok: true,
    value: { tools: [{ id: "t", name: "f", input: { a: 1 } }] },
  });
});

test("a tool's input that isn't JSON is retryable, and the response is kept", async () => {
  const message = { content: "", tool_calls: [{ id: "t", function: { name: "f\u0007", arguments: "{" } }] };
  const client = clientOf(() => ({ ...body, choices: [{ message, finish_reason: "tool_calls" }] }));
  expect(await createOpenAI({ client }).complete(request)).toMatchObject({
    ok: false,
    error: {
      code: "json_error",
      message: 'openai: the input of the tool "f\\u0007" isn\'t JSON: "{". Retry.',
      retryable: true,
      provider: "openai",
      response: { content: "", trace: { stop: "tool" } },
    },
  });
});

test("reads a forced tool call with another stop reason as one, and a missing input as empty", async () => {
  const message = { content: null, tool_calls: [{ id: "t", function: { name: "f", arguments: "" } }] };
  const client = clientOf(() => ({ ...body, choices: [{ message, finish_reason: "stop" }] }));
  expect(await createOpenAI({ client }).complete(request)).toMatchObject({
    ok: true,
    value: { content: "", toolCalls: [{ id: "t", name: "f", input: {} }], trace: { stop: "tool" } },
  });
});

test.each([
  [
    "pause_turn",
    "paused",
    'anthropic: the response isn\'t finished ("pause_turn"). Continue it, or request a shorter response.',
  ],
  ["novel", "provider_error", 'anthropic: the response ended for the unknown reason "novel".'],
])("a response that ends with %s is an error with the response", async (reason, code, message) => {
  const create = async (): Promise<unknown> => ({ content: [{ type: "text", text: "half" }], stop_reason: reason });
  expect(await createAnthropic({ client: { messages: { create } } }).complete(request)).toMatchObject({
    ok: false,
    error: { code, message, retryable: false, response: { content: "half" } },
  });
});
