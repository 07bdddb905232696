import { expect, test } from "vitest";
import { type AdapterCall, responsePath } from "./adapter-call.ts";
import { modelCallUsages } from "./model-usage.ts";

function call(adapter: string, response: unknown, more: Partial<AdapterCall> = {}): AdapterCall {
  return { adapter, occurrence: 0, returns: "promise", request: [{ q: adapter }], response, ...more };
}

function sse(...events: readonly object[]): string {
  return events.map((event) => `event: x\ndata: ${JSON.stringify(event)}\n\n`).join("");
}

const usage = { input_tokens: 5, output_tokens: 2 };

test.each<[string, unknown, readonly [input: number, output: number]]>([
  ["a chat completion of OpenAI", { usage: { prompt_tokens: 20, completion_tokens: 7 } }, [20, 7]],
  ["a response of OpenAI", { usage: { input_tokens: 20, output_tokens: 7 } }, [20, 7]],
  [
    "a message of Anthropic, whose cache counts beside",
    { usage: { input_tokens: 3, cache_read_input_tokens: 10, cache_creation_input_tokens: 4, output_tokens: 9 } },
    [17, 9],
  ],
  [
    "an answer of Gemini, which thinks beside",
    { usageMetadata: { promptTokenCount: 8, candidatesTokenCount: 5, thoughtsTokenCount: 30 } },
    [8, 35],
  ],
  [
    "an answer of Gemini that is only thoughts",
    { usageMetadata: { promptTokenCount: 8, thoughtsTokenCount: 30, totalTokenCount: 38 } },
    [8, 30],
  ],
  ["an answer of the AI SDK 7", { usage: { inputTokens: { total: 12 }, outputTokens: { total: 3 } } }, [12, 3]],
  ["an answer of the AI SDK 5", { usage: { inputTokens: 12, outputTokens: 3 } }, [12, 3]],
  ["a message of LangChain", { usage_metadata: { input_tokens: 12, output_tokens: 3 } }, [12, 3]],
  [
    "an answer of veritest/llm",
    { ok: true, value: { content: "a", trace: { usage: { input: 4, output: 6, raw: {} } } } },
    [4, 6],
  ],
  [
    "an answer of OpenAI Agents, whose usage is an object of a class",
    { output: [], usage: { $t: "instance", v: { fields: { inputTokens: 4, outputTokens: 6 }, methods: ["add"] } } },
    [4, 6],
  ],
  ["an HTTP answer", { status: 200, body: { json: { usage: { prompt_tokens: 1, completion_tokens: 0 } } } }, [1, 0]],
  [
    "a stream of OpenAI's chat, which counts at its end",
    {
      chunks: [
        { choices: [], usage: null },
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } },
      ],
      done: true,
    },
    [9, 4],
  ],
  [
    "a stream of OpenAI's responses",
    { chunks: [{ type: "response.created" }, { type: "response.completed", response: { usage } }], done: true },
    [5, 2],
  ],
  [
    "a stream of Anthropic, which counts its answer up",
    {
      chunks: [
        { type: "message_start", message: { usage: { input_tokens: 25, output_tokens: 1 } } },
        { type: "message_delta", usage: { output_tokens: 15 } },
      ],
      done: true,
    },
    [25, 15],
  ],
  [
    "events over HTTP, cut where they like",
    {
      status: 200,
      body: {
        chunks: [
          sse({ type: "message_start", message: { usage: { input_tokens: 25, output_tokens: 1 } } }).slice(0, 40),
          sse({ type: "message_start", message: { usage: { input_tokens: 25, output_tokens: 1 } } }).slice(40),
          `${sse({ type: "message_delta", usage: { output_tokens: 15 } })}data: {"usage": cut`,
        ],
      },
    },
    [25, 15],
  ],
])("counts the tokens of %s", (_, response, [input, output]) => {
  expect(modelCallUsages([call("gpt", response)])).toEqual([{ tokens: { input, output } }]);
});

test("a question whose answer is read afterwards is one question, with the most that was reported of it", () => {
  const asked = call("openai.chat.completions.stream", { chunks: [], done: true });
  const path = responsePath(asked);
  const final = call(`${path}.finalMessage`, { usage: { prompt_tokens: 9, completion_tokens: 4 } });
  const read = call(`${path}.totalUsage`, { usage: { prompt_tokens: 9, completion_tokens: 4 } });
  expect(modelCallUsages([asked, final, read], () => true)).toEqual([{ tokens: { input: 9, output: 4 } }]);
});

test("what reports no tokens is a question only where it is known to go to a model", () => {
  const silent = [
    call("llm", { text: "yes" }),
    call("llm", { usage: { raw: null, input: 0, output: 0 } }, { occurrence: 1 }),
    call("llm", undefined, { occurrence: 2, error: { message: "503" } }),
    call("llm", { usage: { prompt_tokens: -3, completion_tokens: "4" } }, { occurrence: 3 }),
    call("llm", { usage: { prompt_tokens: 3 } }, { occurrence: 4 }),
  ];
  expect(modelCallUsages(silent)).toEqual([]);
  expect(modelCallUsages(silent, () => true)).toEqual(silent.map(() => ({ tokens: undefined })));
  expect(modelCallUsages([call("crm", { usage: { prompt_tokens: 1, completion_tokens: 1 } })], () => false)).toEqual(
    [],
  );
});

const counts = { usage: { prompt_tokens: 1, completion_tokens: 1 } };

test.each<[string, unknown, unknown, string | undefined]>([
  ["a client's options", [{ model: "gpt-5" }], { ...counts, model: "gpt-5-2026-01-01" }, "gpt-5"],
  ["the AI SDK", [{ provider: "openai", modelId: "gpt-5", params: {} }], counts, "gpt-5"],
  ["an HTTP body", [{ path: "/v1/chat/completions", body: { json: { model: "gpt-5" } } }], counts, "gpt-5"],
  ["a URL of Gemini", [{ path: "/v1beta/models/gemini-3:generateContent" }], counts, "gemini-3"],
  ["a URL of Bedrock", [{ path: "/model/amazon.nova/invoke" }], counts, "amazon.nova"],
  ["its version", [{ path: "/model/anthropic.claude-5-v1%3A0/converse" }], counts, "anthropic.claude-5-v1:0"],
  ["its version, not encoded", [{ path: "/model/meta.llama-v1:0/invoke" }], counts, "meta.llama-v1:0"],
  ["the response, if the request doesn't name it", ["Hi"], { ...counts, modelVersion: "gemini-3" }, "gemini-3"],
  [
    "the first event of a stream",
    ["Hi"],
    {
      chunks: [
        { type: "message_start", message: { model: "claude-5", usage } },
        { type: "message_delta", usage },
      ],
      done: true,
    },
    "claude-5",
  ],
  ["neither", ["Hi"], counts, undefined],
])("reads the model of a call from %s", (_what, request, response, model) => {
  expect(modelCallUsages([call("gpt", response, { request })]).map((question) => question.model)).toEqual([model]);
});
