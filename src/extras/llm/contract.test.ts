import { createOpenAI as createOpenAIProvider } from "@ai-sdk/openai";
import { LLMock } from "@copilotkit/aimock";
import { type LanguageModelMiddleware, wrapLanguageModel } from "ai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { type Via, VIAS, adaptersAt } from "../../../fixtures/llm/adapters.ts";
import { hashValueSync } from "../../kernel/json/hash.ts";
import type { Artifact } from "../../kernel/step/artifact.ts";
import { fromAISDK } from "./ai-sdk.ts";
import { complete, stream } from "./complete.ts";
import { jsonFormat } from "./json-format.ts";
import type { LLMCallContext, LLMProvider, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

const mock = new LLMock({ port: 0, logLevel: "silent" });
const ANSWER = '{"claims":["the sky is blue"]}';
const USAGE = { prompt_tokens: 12, completion_tokens: 5, input_tokens: 12, output_tokens: 5 };

let adapters: Readonly<Record<Via, LLMProvider>>;

beforeAll(async () => {
  mock.onMessage("claims", { content: ANSWER, usage: USAGE });
  mock.onMessage("weather", {
    toolCalls: [{ id: "call_7", name: "weather", arguments: '{"city":"Graz"}' }],
    usage: USAGE,
  });
  await mock.start();
  adapters = adaptersAt(mock.url);
});

afterAll(() => mock.stop());

beforeEach(() => mock.clearRequests());

const claims: LLMRequest = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "List the claims." },
  ],
  temperature: 0,
  maxTokens: 100,
  responseFormat: jsonFormat(z.object({ claims: z.array(z.string()) }), "claims") ?? "json",
};

const weather: LLMRequest = {
  messages: [{ role: "user", content: "How is the weather?" }],
  tools: [
    {
      name: "weather",
      description: "Looks outside.",
      parameters: {
        type: "object",
        properties: { city: { type: "string" } },
        required: ["city"],
        additionalProperties: false,
      },
    },
  ],
  toolChoice: "required",
};

function contextOf(llm: LLMProvider): { ctx: LLMCallContext; artifacts: Artifact[] } {
  const artifacts: Artifact[] = [];
  return {
    artifacts,
    ctx: { adapters: { llm }, onArtifact: (artifact) => void ("kind" in artifact && artifacts.push(artifact)) },
  };
}

async function ways(ctx: LLMCallContext, request: LLMRequest): Promise<LLMResult[]> {
  return [await complete(ctx, request), await stream(ctx, request).finish()];
}

const SCHEMA_HASH = hashValueSync({
  type: "object",
  properties: { claims: { type: "array", items: { type: "string" } } },
  required: ["claims"],
  additionalProperties: false,
});

describe.each(VIAS)("via %s", (via) => {
  test("a response is the same complete or streamed, and so are its artifacts", async () => {
    const { ctx, artifacts } = contextOf(adapters[via]);
    for (const result of await ways(ctx, claims)) {
      expect(result).toMatchObject({
        ok: true,
        value: {
          content: ANSWER,
          trace: { stop: "stop", promptTokens: 12, completionTokens: 5, usage: { input: 12, output: 5 } },
        },
      });
      expect(result.ok && "toolCalls" in result.value).toBe(false);
    }
    expect(mock.getRequests()).toHaveLength(2);
    const input = {
      messages: claims.messages,
      temperature: 0,
      maxTokens: 100,
      responseFormat: { name: "claims", schemaHash: SCHEMA_HASH },
    };
    const output = { content: ANSWER, stop: "stop" };
    const expected = [
      { kind: "llm-input", content: input, hash: hashValueSync(input) },
      { kind: "llm-output", content: output, hash: hashValueSync(output) },
    ];
    const trace = {
      kind: "llm-trace",
      content: expect.objectContaining({ inputHash: expected[0]?.hash, outputHash: expected[1]?.hash }),
      hash: expect.any(String),
    };
    expect(artifacts).toStrictEqual([...expected, trace, ...expected, trace]);
  });

  test("a tool call is the same complete or streamed, and so is its artifact", async () => {
    const { ctx, artifacts } = contextOf(adapters[via]);
    for (const result of await ways(ctx, weather)) {
      expect(result).toMatchObject({
        ok: true,
        value: {
          content: "",
          toolCalls: [{ id: expect.any(String), name: "weather", input: { city: "Graz" } }],
          trace: { stop: "tool" },
        },
      });
    }
    const content = { content: "", stop: "tool", toolCalls: [{ name: "weather", input: { city: "Graz" } }] };
    const artifact = { kind: "llm-output", content, hash: hashValueSync(content) };
    expect(artifacts.filter(({ kind }) => kind === "llm-output")).toStrictEqual([artifact, artifact]);
  });

  test("a conversation continues with a tool's result, and its ids don't change the hash", async () => {
    const { ctx, artifacts } = contextOf(adapters[via]);
    const first = await complete(ctx, weather);
    const toolCalls = first.ok ? (first.value.toolCalls ?? []) : [];
    const request: LLMRequest = {
      ...weather,
      messages: [
        ...weather.messages,
        { role: "assistant", content: "", toolCalls },
        { role: "tool", toolCallId: toolCalls[0]?.id ?? "", content: "Sunny." },
        { role: "user", content: "So, the claims?" },
      ],
    };
    const second = await complete(ctx, request);
    expect(second).toMatchObject({ ok: true, value: { content: ANSWER } });
    expect(artifacts[3]).toMatchObject({
      kind: "llm-input",
      content: {
        messages: [
          { role: "user", content: "How is the weather?" },
          { role: "assistant", content: "", toolCalls: [{ id: 0, name: "weather", input: { city: "Graz" } }] },
          { role: "tool", toolCallId: 0, content: "Sunny." },
          { role: "user", content: "So, the claims?" },
        ],
      },
    });
  });
});

test("accepts a wrapped model of the AI SDK, and one of OpenAI's Responses API", async () => {
  const provider = createOpenAIProvider({ baseURL: `${mock.url}/v1`, apiKey: "none" });
  const seen: string[] = [];
  const middleware: LanguageModelMiddleware = {
    specificationVersion: "v4",
    wrapGenerate: ({ doGenerate, model }) => {
      seen.push(model.modelId);
      return doGenerate();
    },
  };
  for (const llm of [fromAISDK(provider), fromAISDK(wrapLanguageModel({ model: provider("m-1"), middleware }))]) {
    const { ctx, artifacts } = contextOf(llm);
    for (const result of await ways(ctx, { ...claims, model: "m-1" })) {
      expect(result).toMatchObject({
        ok: true,
        value: {
          content: ANSWER,
          trace: { provider: "openai.responses", stop: "stop", usage: { input: 12, output: 5 } },
        },
      });
    }
    const content = { content: ANSWER, stop: "stop" };
    expect(artifacts[1]).toStrictEqual({ kind: "llm-output", content, hash: hashValueSync(content) });
  }
  expect(seen).toStrictEqual(["m-1"]);
});
