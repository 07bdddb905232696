import { describe, expect, test } from "vitest";
import { anthropicAnswer, chatAnswer, responsesAnswer } from "../../../fixtures/llm/bodies.ts";
import { readAiSdk } from "./ai-sdk.ts";
import { readAnthropic } from "./anthropic-body.ts";
import type { ProviderResponse, ReadBody } from "./provider-response.ts";
import { readChat } from "./openai-chat.ts";
import { readResponses } from "./openai-responses.ts";
import type { StopReason, TokenUsage } from "./response.ts";

function read(reader: ReadBody, body: unknown): ProviderResponse {
  const answer = reader(body);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

function aiSdk(unified: string, raw?: string, usage?: unknown): unknown {
  return {
    content: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "t" },
    ],
    finishReason: { unified, raw },
    usage,
    response: { id: "c_1", modelId: "m-1-0" },
  };
}

const tool = { id: "t_1", name: "f", json: "{}" };

describe("stop reasons", () => {
  test.each<[StopReason, ReadBody, unknown]>([
    ["stop", readChat, chatAnswer({ finish: "stop" })],
    ["length", readChat, chatAnswer({ finish: "length" })],
    ["filter", readChat, chatAnswer({ finish: "content_filter" })],
    ["refusal", readChat, chatAnswer({ finish: "stop", refusal: "No." })],
    ["tool", readChat, chatAnswer({ finish: "tool_calls", tool })],
    ["tool", readChat, chatAnswer({ finish: "function_call" })],
    ["unknown", readChat, chatAnswer({ finish: "constructor" })],
    ["stop", readResponses, responsesAnswer({ finish: "completed" })],
    ["length", readResponses, responsesAnswer({ finish: "max_output_tokens" })],
    ["filter", readResponses, responsesAnswer({ finish: "content_filter" })],
    ["refusal", readResponses, responsesAnswer({ finish: "completed", refusal: "No." })],
    ["tool", readResponses, responsesAnswer({ finish: "completed", tool })],
    ["paused", readResponses, responsesAnswer({ finish: "in_progress" })],
    ["paused", readResponses, responsesAnswer({ finish: "queued" })],
    ["unknown", readResponses, responsesAnswer({ finish: "constructor" })],
    ["stop", readAnthropic, anthropicAnswer({ finish: "end_turn" })],
    ["stop", readAnthropic, anthropicAnswer({ finish: "stop_sequence" })],
    ["length", readAnthropic, anthropicAnswer({ finish: "max_tokens" })],
    ["length", readAnthropic, anthropicAnswer({ finish: "model_context_window_exceeded" })],
    ["refusal", readAnthropic, anthropicAnswer({ finish: "refusal" })],
    ["tool", readAnthropic, anthropicAnswer({ finish: "tool_use", tool })],
    ["paused", readAnthropic, anthropicAnswer({ finish: "pause_turn" })],
    ["unknown", readAnthropic, anthropicAnswer({ finish: "new_reason" })],
    ["stop", readAiSdk, aiSdk("stop", "stop")],
    ["length", readAiSdk, aiSdk("length", "length")],
    ["filter", readAiSdk, aiSdk("content-filter", "content_filter")],
    ["filter", readAiSdk, aiSdk("content-filter", "SAFETY")],
    ["refusal", readAiSdk, aiSdk("content-filter", "refusal")],
    ["refusal", readAiSdk, aiSdk("content-filter", "stop")],
    ["tool", readAiSdk, aiSdk("tool-calls", "tool_calls")],
    ["paused", readAiSdk, aiSdk("interrupted", "pause_turn")],
    ["unknown", readAiSdk, aiSdk("other", "x")],
    ["unknown", readAiSdk, aiSdk("error")],
  ])("%s: %o %j", (stop, reader, body) => {
    expect(read(reader, body).stop).toBe(stop);
  });
});

describe("usage", () => {
  const chat = {
    prompt_tokens: 10,
    completion_tokens: 6,
    prompt_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };
  const responses = {
    input_tokens: 10,
    output_tokens: 6,
    input_tokens_details: { cached_tokens: 3, cache_write_tokens: 2 },
    output_tokens_details: { reasoning_tokens: 4 },
  };
  const anthropic = {
    input_tokens: 5,
    output_tokens: 6,
    cache_read_input_tokens: 3,
    cache_creation_input_tokens: 2,
    output_tokens_details: { thinking_tokens: 4 },
  };
  const sdk = {
    inputTokens: { total: 10, noCache: 5, cacheRead: 3, cacheWrite: 2 },
    outputTokens: { total: 6, text: 2, reasoning: 4 },
    raw: chat,
  };
  const full: TokenUsage = { input: 10, output: 6, cacheRead: 3, cacheWrite: 2, reasoning: 4 };
  const none: TokenUsage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };

  test.each<[string, ReadBody, unknown, TokenUsage, unknown]>([
    ["chat", readChat, chatAnswer({ usage: chat }), full, chat],
    ["responses", readResponses, responsesAnswer({ usage: responses }), full, responses],
    [
      "anthropic, whose input leaves out the cache",
      readAnthropic,
      anthropicAnswer({ usage: anthropic }),
      full,
      anthropic,
    ],
    ["AI SDK", readAiSdk, aiSdk("stop", "stop", sdk), full, chat],
    [
      "chat without details",
      readChat,
      chatAnswer({}),
      { ...none, input: 9, output: 4 },
      { prompt_tokens: 9, completion_tokens: 4 },
    ],
    [
      "anthropic with nulls",
      readAnthropic,
      anthropicAnswer({ usage: { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null } }),
      { ...none, input: 1, output: 2 },
      { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: null },
    ],
    ["none reported", readChat, chatAnswer({ usage: null }), none, null],
    [
      "nonsense",
      readChat,
      chatAnswer({ usage: { prompt_tokens: "9", completion_tokens: -1 } }),
      none,
      { prompt_tokens: "9", completion_tokens: -1 },
    ],
  ])("%s", (_name, reader, body, usage, raw) => {
    expect(read(reader, body).usage).toStrictEqual({ ...usage, raw });
  });
});

describe("bodies without a response", () => {
  test.each<[string, ReadBody, unknown, unknown]>([
    ["chat", readChat, { choices: [] }, { code: "malformed_body", message: "the response has no choices" }],
    ["chat", readChat, null, { code: "malformed_body", message: "the response has no choices" }],
    [
      "a gateway's error with status 200",
      readChat,
      { error: { code: "rate_limit_exceeded", message: "Slow down." } },
      { code: "rate_limit_exceeded", message: "Slow down." },
    ],
    ["responses", readResponses, "text", { code: "malformed_body", message: "the response has no output" }],
    [
      "responses",
      readResponses,
      { status: "cancelled", output: [] },
      { code: "cancelled", message: "the response was cancelled" },
    ],
    [
      "responses",
      readResponses,
      { status: "failed", error: { code: "server_error", message: "Oops." } },
      { code: "server_error", message: "Oops." },
    ],
    ["anthropic", readAnthropic, {}, { code: "malformed_body", message: "the response has no content" }],
    [
      "anthropic",
      readAnthropic,
      { error: { type: "api_error", message: "Oops." } },
      { code: "api_error", message: "Oops." },
    ],
    ["AI SDK", readAiSdk, {}, { code: "malformed_body", message: "the result has no content" }],
    [
      "AI SDK",
      readAiSdk,
      { content: [], finishReason: { unified: "interrupted" } },
      { code: "malformed_body", message: "the stream ended before the response was complete" },
    ],
  ])("%s: %o %j", (_name, reader, body, error) => {
    expect(reader(body)).toStrictEqual({ ok: false, error });
  });
});

test("reads only the text of the response: no reasoning, and no tools that the provider ran", () => {
  expect(read(readAiSdk, aiSdk("stop")).content).toBe("t");
  const ran = {
    content: [{ type: "tool-call", toolCallId: "1", toolName: "search", input: "{}", providerExecuted: true }],
    finishReason: { unified: "stop" },
  };
  expect(read(readAiSdk, ran).tools).toStrictEqual([]);
  const thought = {
    content: [
      { type: "thinking", thinking: "hm", signature: "s" },
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ],
    stop_reason: "end_turn",
  };
  expect(read(readAnthropic, thought).content).toBe("ab");
});

test("reads only own fields", () => {
  const inherited = Object.setPrototypeOf({}, chatAnswer({ text: "x" }));
  expect(readChat(inherited)).toStrictEqual({
    ok: false,
    error: { code: "malformed_body", message: "the response has no choices" },
  });
});
