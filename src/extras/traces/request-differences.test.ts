import { describe, expect, test } from "vitest";
import type { SeenModel } from "./observation.ts";
import { requestDifferences, uncomparedParts } from "./request-differences.ts";
import { requestFacts } from "./request-facts.ts";
import { turnsOf } from "./turns.ts";

const PNG = "iVBORw0KGgoA".repeat(40);
const MESSAGES = [
  { role: "system", content: "You are a desk." },
  { role: "user", content: "Hello." },
  { role: "assistant", content: "Yes?" },
  {
    role: "user",
    content: [
      { type: "text", text: "What is on it?" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG}` } },
    ],
  },
];
const LOOKUP = { type: "object", properties: { id: { type: "number" } } };
const REQUEST = {
  model: "gpt-5",
  temperature: 0.2,
  max_tokens: 100,
  messages: MESSAGES,
  tools: [{ type: "function", function: { name: "lookup", description: "Looks up.", parameters: LOOKUP } }],
};

function traced(request: Readonly<Record<string, unknown>> = REQUEST, model = "gpt-5-2025-08-07"): SeenModel {
  return {
    kind: "model",
    provider: undefined,
    model,
    turns: turnsOf(request),
    request: requestFacts(request),
    answer: undefined,
    error: undefined,
  };
}

const differences = (today: unknown, seen = traced(), isProvider = true): readonly string[] =>
  requestDifferences(seen, [today], isProvider);

describe("requests with the same content", () => {
  test.each<[string, unknown]>([
    ["the same request", REQUEST],
    [
      "Anthropic's notation",
      {
        model: "gpt-5",
        temperature: 0.2,
        max_tokens: 100,
        system: [{ type: "text", text: "You are a desk." }],
        messages: [
          MESSAGES[1],
          MESSAGES[2],
          {
            role: "user",
            content: [
              { type: "text", text: "What is on it?" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: PNG } },
            ],
          },
        ],
        tools: [{ name: "lookup", description: "Looks up.", input_schema: LOOKUP }],
      },
    ],
    [
      "the AI SDK's notation",
      {
        model: "gpt-5",
        temperature: 0.2,
        maxOutputTokens: 100,
        prompt: [
          MESSAGES[0],
          { role: "user", content: [{ type: "text", text: "Hello." }] },
          { role: "assistant", content: [{ type: "text", text: "Yes?" }] },
          {
            role: "user",
            content: [
              { type: "text", text: "What is on it?" },
              { type: "file", mediaType: "image/png", data: new Uint8Array(Buffer.from(PNG, "base64")) },
            ],
          },
        ],
        tools: [{ type: "function", name: "lookup", description: "Looks up.", inputSchema: LOOKUP }],
      },
    ],
    [
      "Gemini's notation",
      {
        model: "models/gpt-5",
        config: { temperature: 0.2, maxOutputTokens: 100, systemInstruction: "You are a desk." },
        tools: [{ functionDeclarations: [{ name: "lookup", description: "Looks up.", parameters: LOOKUP }] }],
        contents: [
          { parts: [{ text: "Hello." }] },
          { role: "model", parts: [{ text: "Yes?" }] },
          {
            role: "user",
            parts: [{ text: "What is on it?" }, { inlineData: { mimeType: "image/png", data: PNG } }],
          },
        ],
      },
    ],
  ])("%s has no difference", (_name, today) => {
    expect(differences(today)).toEqual([]);
  });

  test("ignore a response that names a dated version of the requested model", () => {
    const seen = traced({ messages: MESSAGES }, "gpt-5-2025-08-07");
    expect(differences({ model: "gpt-5", messages: MESSAGES }, seen)).toEqual([]);
    expect(differences({ model: "gpt-5-mini", messages: MESSAGES }, seen)).toEqual([
      'model: "gpt-5-2025-08-07" → "gpt-5-mini"',
    ]);
    expect(differences({ model: "gpt-5", messages: MESSAGES }, traced({ messages: MESSAGES }, "gpt-5-mini"))).toEqual([
      'model: "gpt-5-mini" → "gpt-5"',
    ]);
  });

  test("ignore parts that the trace doesn't have", () => {
    expect(differences(REQUEST, { ...traced({ messages: [] }, ""), turns: [] })).toEqual([]);
  });
});

describe("different requests", () => {
  const other: unknown = JSON.parse(JSON.stringify(MESSAGES).replace(PNG, `${PNG}A`));
  test.each<[string, unknown, string]>([
    [
      "the system message",
      { ...REQUEST, messages: [{ role: "system", content: "You are a good desk." }, ...MESSAGES.slice(1)] },
      'message 1, system: "You are a desk." → "You are a good desk."',
    ],
    [
      "an earlier turn that is left out",
      { ...REQUEST, messages: [MESSAGES[0], MESSAGES[3]] },
      'message 2, user: "Hello." → "What is on it?\\n[image or file sha256:',
    ],
    ["the last turn", { ...REQUEST, messages: MESSAGES.slice(0, 3) }, 'message 4, user, only in the trace: "What is'],
    ["an image", { ...REQUEST, messages: other }, "message 4, user: "],
    ["the model", { ...REQUEST, model: "gpt-5-mini" }, 'model: "gpt-5" → "gpt-5-mini"'],
    ["a parameter", { ...REQUEST, temperature: 0.7 }, 'temperature: "0.2" → "0.7"'],
    ["a parameter that is left out", { ...REQUEST, max_tokens: undefined }, 'max_tokens: "100" → none'],
    ["a tool that is left out", { ...REQUEST, tools: [] }, 'tool "lookup": only in the trace'],
    [
      "a tool's description",
      { ...REQUEST, tools: [{ type: "function", function: { name: "lookup", description: "Looks it up." } }] },
      'description of tool "lookup": "Looks up." → "Looks it up."',
    ],
    [
      "a tool's arguments",
      { ...REQUEST, tools: [{ name: "lookup", input_schema: { type: "object", properties: {} } }] },
      'arguments of tool "lookup": ',
    ],
  ])("%s", (_name, today, words) => {
    const [first = "", ...more] = differences(today);
    expect(first.startsWith(words), first).toBe(true);
    expect(more).toEqual([]);
  });
});

describe("words after a tool's result", () => {
  const call = { role: "assistant", content: [{ type: "tool_use", id: "t", name: "lookup", input: { id: 1 } }] };
  const anthropic = (text: string): object => ({
    messages: [
      MESSAGES[1],
      call,
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "t", content: "Ann" },
          { type: "text", text },
        ],
      },
    ],
  });
  const openai = (text: string): object => ({
    messages: [MESSAGES[1], call, { role: "tool", tool_call_id: "t", content: "Ann" }, { role: "user", content: text }],
  });
  const gemini = (text: string): object => ({
    contents: [
      { parts: [{ text: "Hello." }] },
      { role: "model", parts: [{ functionCall: { name: "lookup", args: { id: 1 } } }] },
      { role: "user", parts: [{ functionResponse: { name: "lookup", response: "Ann" } }, { text }] },
    ],
  });

  test.each([
    ["Anthropic's", anthropic],
    ["OpenAI's", openai],
    ["Gemini's", gemini],
  ])("are compared in %s notation", (_name, today) => {
    const seen = traced({ ...anthropic("Reject it.") });
    expect(differences(today("Reject it."), seen)).toEqual([]);
    expect(differences(today("Approve it."), seen)).toEqual(['message 4, user: "Reject it." → "Approve it."']);
  });
});

test.each([
  [{ tool_choice: "required" }, 'tool_choice: "\\"required\\"" → none'],
  [{ response_format: { type: "json_object" } }, 'response_format: "{\\"type\\":\\"json_object\\"}" → none'],
  [{ thinking: { type: "enabled" } }, 'thinking: "{\\"type\\":\\"enabled\\"}" → none'],
  [{ n: 2 }, 'n: "2" → none'],
  [{ tools: [...REQUEST.tools, { type: "web_search" }] }, 'tool "web_search": only in the trace'],
  [{ tools: [...REQUEST.tools, { googleSearch: {} }] }, 'tool "googleSearch": only in the trace'],
])("what only the trace's request to a provider has differs, but not in the AI SDK's notation: %j", (more, expected) => {
  const seen = traced({ ...REQUEST, ...more });
  expect(differences(REQUEST, seen)).toEqual([expected]);
  const { messages: prompt, ...rest } = REQUEST;
  expect(differences({ ...rest, prompt }, seen)).toEqual("tools" in more ? [expected] : []);
});

describe("a method of an unknown format", () => {
  const seen = traced({ messages: MESSAGES.slice(0, 3).concat({ role: "user", content: "Letter: water damage" }) });
  const ask = (...args: readonly unknown[]): readonly string[] => requestDifferences(seen, args, false);

  test("may send a part of each message", () => {
    expect(ask("Hello.", "water damage")).toEqual([]);
    expect(ask({ history: ["Hello.", "Yes?"], letter: "water damage" })).toEqual([]);
  });

  test("differs if either request has an additional turn or text", () => {
    expect(ask("water damage")).toEqual(['message 1, user, only in the trace: "Hello."']);
    expect(ask("Hello.", "water damage", "Answer in French.")).toEqual([
      'only in the current request: "Answer in French."',
    ]);
  });
});

describe("parts that the trace doesn't have aren't compared", () => {
  const lookup = { type: "function", function: { name: "lookup" } };
  test.each<[what: string, request: Readonly<Record<string, unknown>>, expected: readonly string[]]>([
    ["everything", REQUEST, []],
    ["everything but tools", { ...REQUEST, tools: undefined }, ["tools"]],
    ["names of tools", { ...REQUEST, tools: [lookup] }, ["descriptions of tools", "arguments of tools"]],
    ["the model alone", { model: "gpt-5" }, ["messages", "tools"]],
  ])("a trace with %s", (_what, request, expected) => {
    expect(uncomparedParts(traced(request), [REQUEST])).toEqual(expected);
  });

  test("a request without tools lacks none", () => {
    expect(uncomparedParts(traced({ ...REQUEST, tools: undefined }), [{ ...REQUEST, tools: [] }])).toEqual([]);
  });
});
