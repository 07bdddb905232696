import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type AdapterCall, responsePath } from "./adapter-call.ts";
import { tagged } from "./encode/tagged.ts";
import { stableCalls } from "./stable-calls.ts";

function call(adapter: string, request: unknown, response: unknown): AdapterCall {
  return { adapter, occurrence: 0, returns: "promise", request, response };
}
const chat = (id: string, created: number, message: object): object => ({
  id,
  object: "chat.completion",
  created,
  model: "gpt-4o",
  system_fingerprint: `fp_${id.slice(-6)}`,
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const nothing = (): string => "";

/** A tool loop of OpenAI's: what the model calls is named again in the next request. */
function loop(salt: string, created: number): readonly AdapterCall[] {
  const use = { id: `call_${salt}x`, type: "function", function: { name: "look", arguments: '{"id":"INV-2024"}' } };
  const first = { model: "gpt-4o", messages: [{ role: "user", content: "hello" }] };
  const second = {
    ...first,
    messages: [...first.messages, { role: "assistant", tool_calls: [use] }, { role: "tool", tool_call_id: use.id }],
  };
  return [
    call("openai.chat.completions.create", [first], chat(`chatcmpl-${salt}1`, created, { tool_calls: [use] })),
    call("tools.look", [{ id: "INV-2024" }], { total: 9 }),
    call("openai.chat.completions.create", [second], chat(`chatcmpl-${salt}2`, created + 1, { content: "Done." })),
  ];
}

test("two runs that differ only in ids, times and fingerprints are equal", () => {
  const steady = stableCalls(loop("a8Kd92Lx", 1_795_269_729), nothing);
  expect(steady).toStrictEqual(stableCalls(loop("Zq0s8Wm1", 1_795_300_000), nothing));
  const [first, looked, last] = steady;
  expect(first?.response).toMatchObject({ id: "chatcmpl-000001", created: 0, system_fingerprint: "fp_000001" });
  expect(looked).toStrictEqual(call("tools.look", [{ id: "INV-2024" }], { total: 9 }));
  expect(last).toMatchObject({
    request: [{ messages: [{}, { tool_calls: [{ id: "call_000001" }] }, { tool_call_id: "call_000001" }] }],
    response: { id: "chatcmpl-000002", created: 0, system_fingerprint: "fp_000002" },
  });
});

const SIGNED: readonly (readonly [string, (signature: string) => object, (signature: string) => object])[] = [
  [
    "Anthropic",
    (signature) => ({
      type: "message",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature },
        { type: "redacted_thinking", data: `${signature}==` },
      ],
    }),
    (signature) => ({ messages: [{ role: "assistant", content: [{ type: "thinking", thinking: "Hm.", signature }] }] }),
  ],
  [
    "Anthropic, a stream",
    (signature) => ({ type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature } }),
    (signature) => ({ messages: [{ signature }] }),
  ],
  [
    "Gemini",
    (thoughtSignature) => ({
      candidates: [{ content: { parts: [{ functionCall: { name: "look" }, thoughtSignature }] } }],
    }),
    (thoughtSignature) => ({ contents: [{ parts: [{ thoughtSignature }] }] }),
  ],
  [
    "OpenAI, responses",
    (encrypted_content) => ({ object: "response", output: [{ type: "reasoning", encrypted_content }] }),
    (encrypted_content) => ({ input: [{ type: "reasoning", encrypted_content }] }),
  ],
  [
    "AI SDK",
    (signature) => ({
      content: [{ type: "reasoning", text: "Hm.", providerMetadata: { anthropic: { signature } } }],
      finishReason: "stop",
      usage: {},
    }),
    (signature) => ({ prompt: [{ content: [{ providerOptions: { anthropic: { signature } } }] }] }),
  ],
  [
    "AI SDK, another provider, encrypted",
    (reasoningEncryptedContent) => ({ parts: [{ providerMetadata: { azure: { reasoningEncryptedContent } } }] }),
    (reasoningEncryptedContent) => ({ prompt: [{ providerOptions: { azure: { reasoningEncryptedContent } } }] }),
  ],
  [
    "Bedrock, Converse",
    (signature) => ({
      output: { message: { content: [{ reasoningContent: { reasoningText: { text: "Hm.", signature } } }] } },
    }),
    (signature) => ({ messages: [{ content: [{ reasoningContent: { reasoningText: { text: "Hm.", signature } } }] }] }),
  ],
  [
    "Bedrock, a stream",
    (signature) => ({ contentBlockDelta: { delta: { reasoningContent: { signature } } } }),
    (signature) => ({ messages: [{ signature }] }),
  ],
  [
    "Bedrock, redacted bytes",
    (base64) => ({ reasoningContent: { redactedContent: tagged("bytes", { kind: "Uint8Array", base64 }) } }),
    (base64) => ({ messages: [{ redactedContent: tagged("bytes", { kind: "Uint8Array", base64 }) }] }),
  ],
  [
    "Gemini as OpenAI",
    (thought_signature) => ({ tool_calls: [{ extra_content: { google: { thought_signature } } }] }),
    (thought_signature) => ({ messages: [{ extra_content: { google: { thought_signature } } }] }),
  ],
  [
    "OpenRouter",
    (data) => ({ choices: [{ message: { reasoning_details: [{ type: "reasoning.encrypted", data }] } }] }),
    (data) => ({ messages: [{ reasoning_details: [{ type: "reasoning.encrypted", data }] }] }),
  ],
  [
    "LangChain, a stream of OpenAI",
    (encrypted_content) => ({ kwargs: { content: [], additional_kwargs: { reasoning: { encrypted_content } } } }),
    (encrypted_content) => ({ input: [{ type: "reasoning", encrypted_content }] }),
  ],
  [
    "LangChain, a message of Google",
    (signature) => ({ content: "a", additional_kwargs: { signatures: ["", signature] } }),
    (signature) => ({ messages: [{ content: "a", additional_kwargs: { signatures: ["", signature] } }] }),
  ],
  [
    "LangChain, tools of Gemini",
    (signature) => ({
      additional_kwargs: { __gemini_function_call_thought_signatures__: { [`call-${signature}`]: signature } },
      tool_calls: [{ name: "find", id: `call-${signature}` }],
    }),
    (thoughtSignature) => ({ contents: [{ parts: [{ functionCall: { name: "find" }, thoughtSignature }] }] }),
  ],
  [
    "LangChain, redacted reasoning of Bedrock",
    (redactedContent) => ({ content: [{ type: "reasoning_content", redactedContent }] }),
    (redactedContent) => ({ messages: [{ content: [{ type: "reasoning_content", redactedContent }] }] }),
  ],
  [
    "content of a message alone",
    (signature) => [{ type: "thinking", thinking: "Hm.", signature }],
    (signature) => ({ messages: [{ content: [{ type: "thinking", thinking: "Hm.", signature }] }] }),
  ],
  [
    "AI SDK, parts of a stream",
    (signature) => ({ type: "reasoning-end", id: "0", providerMetadata: { anthropic: { signature } } }),
    (signature) => ({ prompt: [{ signature }] }),
  ],
];

test.each(SIGNED)("runs that differ only in signatures of reasoning are equal: %s", (_of, response, request) => {
  const run = (signature: string): readonly AdapterCall[] =>
    stableCalls(
      [call("llm.ask", [{}], response(signature)), call("llm.ask", [request(signature)], { text: "a" })],
      nothing,
    );
  const steady = run("EqQBCkYIBRgCKkB8");
  // The letters before a hyphen are no kind of id.
  expect(run("Zz-9Qk_aPq0Lm")).toStrictEqual(steady);
  expect(JSON.stringify(steady)).not.toContain("EqQB");
  expect(steady[1]?.request).toStrictEqual([request("signature0000001")]);
  expect(stableCalls(steady, nothing)).toStrictEqual(steady);
});

test.each([
  [
    "Bedrock",
    (id: string): object => ({ output: { message: { content: [{ toolUse: { toolUseId: id, name: "a" } }] } } }),
  ],
  ["Bedrock, a stream", (id: string): object => ({ contentBlockStart: { start: { toolUse: { toolUseId: id } } } })],
  [
    "LangChain",
    (id: string): object => ({
      kwargs: { id: `chatcmpl-${id}`, additional_kwargs: { __openai_function_call_ids__: { [id]: `fc_${id}` } } },
      message: { additional_kwargs: {}, tool_calls: [{ id, name: "find" }] },
    }),
  ],
  ["AI SDK", (id: string): object => ({ parts: [{ providerMetadata: { azure: { itemId: id } } }] })],
])("runs that differ only in IDs of parts are equal: %s", (_of, response) => {
  const run = (id: string): readonly AdapterCall[] =>
    stableCalls([call("llm.ask", [{}], response(id)), call("llm.ask", [{ id }], { text: "a" })], nothing);
  expect(run("tooluse_aB3dE5")).toStrictEqual(run("tooluse_Zz9Qk"));
});

test("keeps a signature that the step reads", () => {
  const calls = [call("llm.ask", [{}], SIGNED[0]?.[1]("EqQBCkYIBRgCKkB8"))];
  expect(JSON.stringify(stableCalls(calls, () => "signed EqQBCkYIBRgCKkB8"))).toContain('"EqQBCkYIBRgCKkB8"');
});

test("keeps the key order of a response", () => {
  const [first] = stableCalls(loop("a8Kd92Lx", 1_795_269_729), nothing);
  expect(Object.keys(Object(first?.response))).toStrictEqual(Object.keys(chat("chatcmpl-1", 1, {})));
});

test("keeps values of responses that are in the result of the run", () => {
  const calls = loop("a8Kd92Lx", 1_795_269_729);
  const made = (): string => JSON.stringify({ answer: "chatcmpl-a8Kd92Lx2", at: 1_795_269_730 });
  const [first, , last] = stableCalls(calls, made);
  expect(last?.response).toMatchObject({ id: "chatcmpl-a8Kd92Lx2", created: 1_795_269_730 });
  expect(first?.response).toMatchObject({ id: "chatcmpl-000001", created: 0 });
});

test("keeps an id that is in a longer text of a request", () => {
  const [first] = loop("a8Kd92Lx", 1_795_269_729);
  const told = call("tools.log", ["answered by chatcmpl-a8Kd92Lx1"], null);
  const [steady] = stableCalls(first === undefined ? [] : [first, told], nothing);
  expect(steady?.response).toMatchObject({ id: "chatcmpl-a8Kd92Lx1", created: 0 });
});

const iso = "2026-11-24T17:00:00.000Z";
const SHAPES: readonly (readonly [of: string, response: unknown, steady: unknown])[] = [
  [
    "OpenAI, responses",
    {
      object: "response",
      id: "resp_9f31",
      created_at: 1_795_269_729,
      output: [
        { id: "msg_77ab", type: "message" },
        { id: "fc_1234", call_id: "call_aaaa" },
      ],
    },
    {
      object: "response",
      id: "resp_000001",
      created_at: 0,
      output: [
        { id: "msg_000001", type: "message" },
        { id: "fc_000001", call_id: "call_000001" },
      ],
    },
  ],
  [
    "OpenAI, chunks",
    {
      chunks: [
        {
          object: "chat.completion.chunk",
          id: "chatcmpl-9f",
          created: 1_795_269_729,
          choices: [],
          obfuscation: "aZ81kd",
        },
      ],
    },
    {
      chunks: [
        { object: "chat.completion.chunk", id: "chatcmpl-000001", created: 0, choices: [], obfuscation: "000001" },
      ],
    },
  ],
  [
    "OpenAI, events of a response",
    { chunks: [{ type: "response.output_text.delta", item_id: "msg_77ab", delta: "Hi", sequence_number: 1 }] },
    { chunks: [{ type: "response.output_text.delta", item_id: "msg_000001", delta: "Hi", sequence_number: 1 }] },
  ],
  [
    "Anthropic, messages, whose inputs of tools are data",
    {
      type: "message",
      role: "assistant",
      id: "msg_01Aq",
      content: [{ type: "tool_use", id: "toolu_01Zx", input: { id: "INV-20" } }],
    },
    {
      type: "message",
      role: "assistant",
      id: "msg_000001",
      content: [{ type: "tool_use", id: "toolu_000001", input: { id: "INV-20" } }],
    },
  ],
  [
    "Anthropic, events",
    { chunks: [{ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_01Zx" } }] },
    { chunks: [{ type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "toolu_000001" } }] },
  ],
  [
    "Gemini",
    { candidates: [{ content: { parts: [{ text: "Hi" }] } }], responseId: "x9Qz81", createTime: iso },
    {
      candidates: [{ content: { parts: [{ text: "Hi" }] } }],
      responseId: "000001",
      createTime: "1970-01-01T00:00:00.000Z",
    },
  ],
  [
    "AI SDK",
    {
      content: [{ type: "tool-call", toolCallId: "call_zz99", toolName: "look" }],
      finishReason: { unified: "stop" },
      usage: {},
      response: { id: "3f2504e0-4f89-41d3-9a0c-0305e82c3301", timestamp: { $t: "date", v: iso }, modelId: "m" },
    },
    {
      content: [{ type: "tool-call", toolCallId: "call_000001", toolName: "look" }],
      finishReason: { unified: "stop" },
      usage: {},
      response: {
        id: "00000000-0000-4000-8000-000000000001",
        timestamp: { $t: "date", v: "1970-01-01T00:00:00.000Z" },
        modelId: "m",
      },
    },
  ],
  [
    "AI SDK, streams",
    {
      chunks: [
        { type: "response-metadata", id: "resp_9f31", timestamp: { $t: "date", v: iso } },
        { type: "text-start", id: "0" },
      ],
    },
    {
      chunks: [
        { type: "response-metadata", id: "resp_000001", timestamp: { $t: "date", v: "1970-01-01T00:00:00.000Z" } },
        { type: "text-start", id: "0" },
      ],
    },
  ],
  [
    "OpenAI Agents",
    { output: [{ type: "function_call", callId: "call_zz99" }], usage: {}, responseId: "resp_9f31" },
    { output: [{ type: "function_call", callId: "call_000001" }], usage: {}, responseId: "resp_000001" },
  ],
  [
    "veritest/llm",
    { trace: { requestId: "req_9f31", provider: "openai" } },
    { trace: { requestId: "req_000001", provider: "openai" } },
  ],
  [
    "the text of a stream of events, to the last blank",
    {
      status: 200,
      body: {
        chunks: [
          'data: {"id":"chatcmpl-9f31", "object":"chat.completion.chunk","created": 1795269729,"choices":[]}\n\n',
          "data: [DONE]\n\n",
        ],
      },
    },
    {
      status: 200,
      body: {
        chunks: [
          'data: {"id":"chatcmpl-000001", "object":"chat.completion.chunk","created": 0,"choices":[]}\n\n',
          "data: [DONE]\n\n",
        ],
      },
    },
  ],
];

test.each(SHAPES)("%s", (_of, response, steady) => {
  expect(stableCalls([call("any", [], response)], nothing)).toStrictEqual([call("any", [], steady)]);
});

test.each(["requestId", "request_id", "requestID"])("keeps the %s that a call of a tool sends back", (name) => {
  const found = call("tools.find", ["ada"], { [name]: "REQ-1001", state: "open" });
  const closed = call("tools.close", [{ [name]: "REQ-1001" }], "ok");
  expect(stableCalls([found, closed], nothing)).toStrictEqual([found, closed]);
  const listed = call("tools.list", [], { rows: [{ [name]: "REQ-1001" }, { [name]: "REQ-1002" }] });
  const fetched = call(
    "fetch",
    [{ method: "POST", origin: "https://api.shop.test", path: "/close", body: { ids: ["REQ-1001", "REQ-1002"] } }],
    { status: 200 },
  );
  expect(stableCalls([listed, fetched], nothing)).toStrictEqual([listed, fetched]);
});

test("replaces the id of a request that only a model gets back, or no call", () => {
  const found = (id: string): AdapterCall => call("tools.find", ["ada"], { requestId: id });
  const model = (id: string): AdapterCall => call("llm.ask", [{ previous: id }], "ok");
  expect(stableCalls([found("req_9f31"), model("req_9f31")], nothing)).toStrictEqual([
    found("req_000001"),
    model("req_000001"),
  ]);
  const declared = { ...call("chat", [{ previous: "req_9f31" }], "ok"), role: "model" } as const;
  expect(stableCalls([found("req_9f31"), declared], nothing)[0]).toStrictEqual(found("req_000001"));
});

test("a use of a response follows its call", () => {
  const [first, , second] = loop("a8Kd92Lx", 1_795_269_729);
  if (first === undefined || second === undefined) throw new Error("no loop");
  const use = { ...call(`${responsePath(second)}.withResponse`, [], null) };
  const [, kept, used] = stableCalls([first, second, use], nothing);
  expect(used?.adapter).toBe(`${kept === undefined ? "" : responsePath(kept)}.withResponse`);
  expect(used?.adapter).not.toBe(use.adapter);
});

test("returns calls without volatile values themselves", () => {
  const calls = [call("tools.look", [{ id: "INV-2024-000017" }], { id: "INV-2024-000017", created: 1_795_269_729 })];
  expect(stableCalls(calls, nothing)).toBe(calls);
});

test("is idempotent, and never uses a placeholder that is an id", () => {
  const ids = fc.uniqueArray(
    fc.oneof(
      fc.stringMatching(/^(?:call|chatcmpl|msg)[-_][A-Za-z0-9]{4,12}$/),
      fc.stringMatching(/^(?:call|chatcmpl|msg)[-_]00000[0-9]$/),
      fc.uuid(),
    ),
    { minLength: 1, maxLength: 8 },
  );
  fc.assert(
    fc.property(ids, fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }), (drawn, created) => {
      const calls = drawn.map((id, at) => call("llm", [{ after: drawn[at - 1] ?? null }], chat(id, created, {})));
      const once = stableCalls(calls, nothing);
      expect(stableCalls(once, nothing)).toStrictEqual(once);
      const kept = new Set(once.map(({ response }) => Reflect.get(Object(response), "id")));
      expect(kept.size).toBe(drawn.length);
      // What a request named it names still.
      const named = once.slice(1).map(({ request }) => Reflect.get(Object(Reflect.get(Object(request), 0)), "after"));
      expect(named).toStrictEqual([...kept].slice(0, -1));
    }),
  );
});

test("replaces the ids of thousands of events, which all have another one, in linear time", () => {
  const event = (id: string): string =>
    `data: ${JSON.stringify({ id: "chatcmpl-a8Kd92Lx", object: "chat.completion.chunk", choices: [], obfuscation: id })}\n\n`;
  const ids = Array.from({ length: 3000 }, (_, index) => `${(index * 7919) % 100_003}xyz"\\${index}`);
  const streamed = (chunks: readonly string[]): AdapterCall =>
    call("fetch", [{ body: "see 7919xyz" }], { status: 200, type: "basic", body: { chunks } });
  const steady = stableCalls([streamed(ids.map(event))], () => `read ${ids[2] ?? ""}`);
  const placeholders = ids.map((id, index) => (index === 2 ? id : String(index + 1).padStart(6, "0")));
  const expected = placeholders.map((id) => event(id).replace("chatcmpl-a8Kd92Lx", "chatcmpl-000001"));
  expect(steady).toStrictEqual([streamed(expected)]);
});

test("finds an id in the rest of an event, which begins inside of a text", () => {
  const whole = JSON.stringify({ object: "chat.completion.chunk", id: "chatcmpl-a8Kd92Lx", choices: [] });
  const pieces = (id: string): readonly string[] => [
    `data: ${whole.replace("chatcmpl-a8Kd92Lx", id)}\n\ndata: {"object":"chat`,
    `.completion","path":"C:\\\\","id":"${id}"}\n\ndata: [DONE]\n\n`,
  ];
  const stream = (id: string): AdapterCall => call("model.stream", [], { chunks: pieces(id), done: true });
  expect(stableCalls([stream("chatcmpl-a8Kd92Lx")], nothing)).toStrictEqual([stream("chatcmpl-000001")]);
});
