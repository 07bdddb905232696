import type Anthropic from "@anthropic-ai/sdk";
import type OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Via, adaptersAt } from "../../../fixtures/llm/adapters.ts";
import { type StubServer, startStub } from "../../../fixtures/llm/stub-server.ts";
import type { LLMProvider } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

// The expected bodies carry the SDKs' own types, so that a form they do not know is a compile error.
type Responses = OpenAI.Responses.ResponseCreateParamsNonStreaming;

let stub: StubServer;
let adapters: Readonly<Record<Via, LLMProvider>>;

beforeAll(async () => {
  stub = await startStub({ kind: "json", body: {} });
  adapters = adaptersAt(stub.url);
});

afterAll(() => stub.close());

const schema = {
  type: "object",
  properties: { n: { type: "number", minimum: 1 } },
  required: ["n"],
  additionalProperties: false,
};

const request: LLMRequest = {
  model: "m-2",
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "How many?" },
    {
      role: "assistant",
      content: "I look.",
      toolCalls: [
        { id: "a", name: "count", input: { of: "x" } },
        { id: "b", name: "count", input: {} },
      ],
    },
    { role: "tool", toolCallId: "a", content: "1" },
    { role: "tool", toolCallId: "b", content: "2" },
    { role: "assistant", content: "Three." },
    { role: "user", content: "Sure?" },
  ],
  temperature: 0,
  maxTokens: 50,
  tools: [{ name: "count", description: "Counts.", parameters: schema }],
  toolChoice: { name: "count" },
  responseFormat: { name: "answer", schema },
};

async function sentBy(via: Via, asked: LLMRequest, how: "complete" | "stream" = "complete"): Promise<unknown> {
  stub.requests.length = 0;
  if (how === "complete") await adapters[via].complete(asked);
  else await adapters[via].stream(asked).next();
  expect(stub.requests).toHaveLength(1);
  return stub.requests[0]?.body;
}

test("chat completions", async () => {
  const expected: OpenAI.ChatCompletionCreateParamsNonStreaming = {
    n: 1,
    model: "m-2",
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How many?" },
      {
        role: "assistant",
        content: "I look.",
        tool_calls: [
          { id: "a", type: "function", function: { name: "count", arguments: '{"of":"x"}' } },
          { id: "b", type: "function", function: { name: "count", arguments: "{}" } },
        ],
      },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "assistant", content: "Three." },
      { role: "user", content: "Sure?" },
    ],
    temperature: 0,
    max_completion_tokens: 50,
    tools: [{ type: "function", function: { name: "count", description: "Counts.", parameters: schema } }],
    tool_choice: { type: "function", function: { name: "count" } },
    response_format: { type: "json_schema", json_schema: { name: "answer", strict: true, schema } },
  };
  expect(await sentBy("chat", { ...request, providerOptions: { n: 1 } })).toStrictEqual(expected);
  expect(await sentBy("chat", { ...request, providerOptions: { n: 1 } }, "stream")).toStrictEqual({
    ...expected,
    stream: true,
    stream_options: { include_usage: true },
  });
});

test("responses", async () => {
  const expected: Responses = {
    store: false,
    model: "m-2",
    input: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How many?" },
      { role: "assistant", content: "I look." },
      { type: "function_call", call_id: "a", name: "count", arguments: '{"of":"x"}' },
      { type: "function_call", call_id: "b", name: "count", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "1" },
      { type: "function_call_output", call_id: "b", output: "2" },
      { role: "assistant", content: "Three." },
      { role: "user", content: "Sure?" },
    ],
    temperature: 0,
    max_output_tokens: 50,
    tools: [{ type: "function", strict: false, name: "count", description: "Counts.", parameters: schema }],
    tool_choice: { type: "function", name: "count" },
    text: { format: { type: "json_schema", name: "answer", strict: true, schema } },
  };
  expect(await sentBy("responses", { ...request, providerOptions: { store: false } })).toStrictEqual(expected);
  expect(await sentBy("responses", { ...request, providerOptions: { store: false } }, "stream")).toStrictEqual({
    ...expected,
    stream: true,
  });
});

test("Anthropic's messages: separate system text, tool results in one turn, limits as text", async () => {
  const expected: Anthropic.MessageCreateParamsNonStreaming = {
    stop_sequences: ["END"],
    model: "m-2",
    max_tokens: 50,
    system: "Be brief.",
    messages: [
      { role: "user", content: "How many?" },
      {
        role: "assistant",
        content: [
          { type: "text", text: "I look." },
          { type: "tool_use", id: "a", name: "count", input: { of: "x" } },
          { type: "tool_use", id: "b", name: "count", input: {} },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "1" },
          { type: "tool_result", tool_use_id: "b", content: "2" },
        ],
      },
      { role: "assistant", content: "Three." },
      { role: "user", content: "Sure?" },
    ],
    tools: [{ name: "count", description: "Counts.", input_schema: { ...schema, type: "object" } }],
    tool_choice: { type: "tool", name: "count" },
    output_config: {
      effort: "low",
      format: {
        type: "json_schema",
        schema: { ...schema, properties: { n: { type: "number", description: "(minimum: 1)" } } },
      },
    },
  };
  const asked: LLMRequest = {
    ...request,
    providerOptions: { stop_sequences: ["END"], output_config: { effort: "low" } },
  };
  // Newer models take no temperature and the SDK's types know none; older ones do, so it is the provider's to refuse.
  expect(await sentBy("anthropic", asked)).toStrictEqual({ ...expected, temperature: 0 });
  expect(await sentBy("anthropic", asked, "stream")).toStrictEqual({ ...expected, temperature: 0, stream: true });
});

test("the AI SDK sends the request that its provider builds", async () => {
  expect(await sentBy("ai-sdk", { ...request, providerOptions: { openai: { user: "u" } } })).toMatchObject({
    model: "m-2",
    user: "u",
    max_tokens: 50,
    messages: [
      { role: "system", content: "Be brief." },
      { role: "user", content: "How many?" },
      { role: "assistant", content: "I look.", tool_calls: [{ id: "a" }, { id: "b" }] },
      { role: "tool", tool_call_id: "a", content: "1" },
      { role: "tool", tool_call_id: "b", content: "2" },
      { role: "assistant", content: "Three." },
      { role: "user", content: "Sure?" },
    ],
    tools: [{ type: "function", function: { name: "count", description: "Counts.", parameters: schema } }],
    tool_choice: { type: "function", function: { name: "count" } },
    response_format: { type: "json_schema", json_schema: { name: "answer", schema } },
  });
});

test.each([
  ["chat", { tool_choice: "required", response_format: { type: "json_object" } }],
  ["responses", { tool_choice: "required", text: { format: { type: "json_object" } } }],
  ["anthropic", { tool_choice: { type: "any" }, max_tokens: 4096 }],
  ["ai-sdk", { tool_choice: "required", response_format: { type: "json_object" } }],
] as const)("via %s, omits unset fields for the defaults of adapter and provider", async (via, expected) => {
  const body = await sentBy(via, {
    messages: [{ role: "user", content: "JSON, please." }],
    tools: request.tools ?? [],
    toolChoice: "required",
    responseFormat: "json",
  });
  expect(body).toMatchObject({ model: "m-1", ...expected });
  expect(body).not.toHaveProperty("temperature");
  expect(body).not.toHaveProperty("output_config");
});

test("adds to objects in the provider's options instead of replacing them", async () => {
  const asked: LLMRequest = {
    messages: [{ role: "user", content: "JSON, please." }],
    responseFormat: "json",
    providerOptions: { text: { verbosity: "low" }, stream_options: { include_obfuscation: false } },
  };
  expect(await sentBy("responses", asked)).toMatchObject({
    text: { verbosity: "low", format: { type: "json_object" } },
  });
  expect(await sentBy("chat", asked, "stream")).toMatchObject({
    stream_options: { include_obfuscation: false, include_usage: true },
  });
});

test("sends a schema with optional fields without strict mode", async () => {
  const open = { type: "object", properties: { n: { type: "number" } }, additionalProperties: false };
  const asked: LLMRequest = {
    messages: [{ role: "user", content: "?" }],
    responseFormat: { name: "open", schema: open },
  };
  expect(await sentBy("chat", asked)).toMatchObject({
    response_format: { json_schema: { strict: false, schema: open } },
  });
  expect(await sentBy("responses", asked)).toMatchObject({ text: { format: { strict: false, schema: open } } });
});
