import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Via, VIAS, adaptersAt } from "../../../fixtures/llm/adapters.ts";
import { answerVia, eventsVia } from "../../../fixtures/llm/bodies.ts";
import { type StubServer, startStub } from "../../../fixtures/llm/stub-server.ts";
import { createAnthropic } from "./anthropic.ts";
import { errorOfThrown } from "./classify-client-error.ts";
import type { LLMError } from "./llm-error.ts";
import { createOpenAI } from "./openai.ts";
import type { LLMProvider, LLMResult } from "./provider.ts";
import type { LLMRequest } from "./request.ts";

const request: LLMRequest = { messages: [{ role: "user", content: "hi" }] };

let stub: StubServer;
let adapters: Readonly<Record<Via, LLMProvider>>;

// A server for each test: what a timed-out call still sends arrives late, and must not count in the next one.
beforeEach(async () => {
  stub = await startStub();
  adapters = adaptersAt(stub.url);
});

afterEach(() => stub.close());

function errorOf(result: LLMResult): LLMError {
  if (result.ok) throw new Error(`expected an error, got ${JSON.stringify(result.value)}`);
  return result.error;
}

async function streamed(
  llm: LLMProvider,
  options?: { signal: AbortSignal },
): Promise<{ texts: string[]; result: LLMResult }> {
  const texts: string[] = [];
  const source = llm.stream(request, options);
  let next = await source.next();
  for (; next.done !== true; next = await source.next()) texts.push(next.value);
  return { texts, result: next.value };
}

/** The body of an error, as each provider writes it. */
function errorBody(via: Via, { type, code, message }: { type: string; code?: string; message: string }): unknown {
  return via === "anthropic"
    ? { type: "error", error: { type, message }, request_id: "req_1" }
    : { error: { message, type, code: code ?? null, param: null } };
}

const PROVIDER: Readonly<Record<Via, string>> = {
  chat: "openai",
  responses: "openai",
  anthropic: "anthropic",
  "ai-sdk": "openai.chat",
};

test("a client that throws when its resource is first used, as without a key, is an error of the request", async () => {
  const client = {
    get chat(): never {
      throw new Error("OPENAI_API_KEY is missing");
    },
  };
  const llm = createOpenAI({ client, model: "m" });
  const expected = { code: "provider_error", message: expect.stringContaining("OPENAI_API_KEY is missing") };
  expect(errorOf(await llm.complete(request))).toMatchObject(expected);
  expect(errorOf((await streamed(llm)).result)).toMatchObject(expected);
});

describe.each(VIAS)("via %s", (via) => {
  test.each([
    [
      429,
      { type: "rate_limit_error", message: "Slow down." },
      { code: "rate_limit", retryable: true, retryAfterMs: 7000 },
    ],
    [500, { type: "api_error", message: "Oops." }, { code: "provider_error", retryable: true, retryAfterMs: 7000 }],
    [
      529,
      { type: "overloaded_error", message: "Busy." },
      { code: "provider_error", retryable: true, retryAfterMs: 7000 },
    ],
    [401, { type: "authentication_error", message: "No." }, { code: "auth", retryable: false }],
    [403, { type: "permission_error", message: "No." }, { code: "auth", retryable: false }],
    [400, { type: "invalid_request_error", message: "Bad field." }, { code: "invalid_request", retryable: false }],
    [404, { type: "not_found_error", message: "No such model." }, { code: "invalid_request", retryable: false }],
    [422, { type: "invalid_request_error", message: "No recording." }, { code: "invalid_request", retryable: false }],
    [
      400,
      { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 5 maximum" },
      { code: "context_length", retryable: false },
    ],
  ] as const)("status %s sends one request and returns an error with advice: %j", async (status, said, expected) => {
    stub.reply = { kind: "json", status, headers: { "retry-after": "7" }, body: errorBody(via, said) };
    for (const result of [await adapters[via].complete(request), (await streamed(adapters[via])).result]) {
      const { message, ...error } = errorOf(result);
      expect(error).toStrictEqual({
        ...expected,
        provider: PROVIDER[via],
        status,
        providerCode: said.type,
        requestId: "req_1",
      });
      expect(message).toContain(
        `${PROVIDER[via]}: ${expected.code.replaceAll("_", " ")} (status ${status}, ${said.type}): ${said.message.replace(/\.$/, "")}. `,
      );
    }
    expect(stub.requests).toHaveLength(2);
  });

  test("a response that isn't JSON is a provider error", async () => {
    stub.reply = { kind: "text", body: "<html>" };
    expect(errorOf(await adapters[via].complete(request))).toMatchObject({ code: "provider_error", retryable: true });
    expect(stub.requests).toHaveLength(1);
  });

  test("a response of another form is a provider error", async () => {
    stub.reply = { kind: "json", body: {} };
    expect(errorOf(await adapters[via].complete(request))).toMatchObject({ code: "provider_error", retryable: true });
  });

  test("a refused connection is a provider error", async () => {
    const gone = await startStub();
    await gone.close();
    const llm = adaptersAt(gone.url)[via];
    const expected = { code: "provider_error", retryable: true, provider: PROVIDER[via], providerCode: "ECONNREFUSED" };
    expect(errorOf(await llm.complete(request))).toStrictEqual({
      ...expected,
      message: expect.stringContaining("provider error (ECONNREFUSED): "),
    });
    expect(errorOf((await streamed(llm)).result)).toMatchObject(expected);
  });

  test("an aborted call is an error, even before it is sent", async () => {
    stub.reply = { kind: "silence" };
    const controller = new AbortController();
    const pending = adapters[via].complete(request, { signal: controller.signal });
    await vi.waitFor(() => expect(stub.requests).toHaveLength(1), { timeout: 60_000 });
    controller.abort();
    const expected = {
      code: "aborted",
      retryable: false,
      provider: PROVIDER[via],
      message: expect.stringContaining(". The caller aborted the call."),
    };
    expect(errorOf(await pending)).toMatchObject(expected);
    expect(errorOf(await adapters[via].complete(request, { signal: controller.signal }))).toMatchObject(expected);
    expect(stub.requests).toHaveLength(1);
  });

  test("a passed deadline is a timeout", async () => {
    stub.reply = { kind: "silence" };
    const result = await adapters[via].complete(request, { signal: AbortSignal.timeout(30) });
    expect(errorOf(result)).toMatchObject({ code: "timeout", retryable: true, provider: PROVIDER[via] });
  });

  test("a stream returns its pieces, then its result with its tokens", async () => {
    stub.reply = { kind: "events", events: eventsVia(via, ["Hel", "lo"]) };
    const { texts, result } = await streamed(adapters[via]);
    expect(texts).toStrictEqual(["Hel", "lo"]);
    expect(result).toMatchObject({
      ok: true,
      value: {
        content: "Hello",
        trace: {
          stop: "stop",
          model: "m-1-0",
          promptTokens: 9,
          completionTokens: 4,
          requestId: "req_1",
          responseId: "c_1",
        },
      },
    });
    expect(stub.requests).toHaveLength(1);
  });

  test.each([
    ["ends too early", {}],
    ["is cut off", { then: "cut" }],
  ] as const)("a stream that %s is a provider error, after its pieces", async (_how, end) => {
    stub.reply = { kind: "events", events: eventsVia(via, ["Hel"], { whole: false }), ...end };
    const { texts, result } = await streamed(adapters[via]);
    expect(texts).toStrictEqual(["Hel"]);
    expect(errorOf(result)).toMatchObject({ code: "provider_error", retryable: true, provider: PROVIDER[via] });
    expect(stub.requests).toHaveLength(1);
  });

  test("an abort in the middle of a stream is an error, after its pieces", async () => {
    stub.reply = { kind: "events", events: eventsVia(via, ["Hel"], { whole: false }), then: "wait" };
    const controller = new AbortController();
    const source = adapters[via].stream(request, { signal: controller.signal });
    expect(await source.next()).toStrictEqual({ done: false, value: "Hel" });
    controller.abort();
    expect(await source.next()).toMatchObject({ done: true, value: { ok: false, error: { code: "aborted" } } });
  });

  test("leaving a stream early ends its request", async () => {
    stub.reply = { kind: "events", events: eventsVia(via, ["Hel"], { whole: false }), then: "wait" };
    const before = stub.dropped;
    for await (const text of adapters[via].stream(request)) {
      expect(text).toBe("Hel");
      break;
    }
    await vi.waitFor(() => expect(stub.dropped).toBe(before + 1), { timeout: 60_000 });
    expect(stub.requests).toHaveLength(1);
  });

  test("a token limit is an error with the response so far", async () => {
    const finish = { chat: "length", responses: "max_output_tokens", anthropic: "max_tokens", "ai-sdk": "length" }[via];
    stub.reply = { kind: "json", body: answerVia(via, { text: '{"a":', finish }) };
    const { response, ...error } = errorOf(await adapters[via].complete(request));
    expect(error).toStrictEqual({
      code: "truncated",
      message: `${PROVIDER[via]}: the response was cut off after 4 tokens ("${finish}"). Increase maxTokens, or request a shorter response.`,
      retryable: false,
      provider: PROVIDER[via],
      requestId: "req_1",
    });
    expect(response).toMatchObject({ content: '{"a":', trace: { stop: "length", usage: { input: 9, output: 4 } } });
  });

  test("a refusal is an error with the model's text", async () => {
    stub.reply = {
      kind: "json",
      body: answerVia(via, { refusal: "I \u001b[31mwon't.", ...(via === "anthropic" && { finish: "refusal" }) }),
    };
    expect(errorOf(await adapters[via].complete(request))).toMatchObject({
      code: "refused",
      message: `${PROVIDER[via]}: the model refused: "I \\u001b[31mwon't.". Change the messages.`,
      retryable: false,
      response: { trace: { stop: "refusal" } },
    });
  });
});

test.each([
  [
    "openai",
    (url: string) =>
      createOpenAI({ client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "none", timeout: 500 }), model: "m" }),
  ],
  [
    "anthropic",
    (url: string) =>
      createAnthropic({ client: new Anthropic({ baseURL: url, apiKey: "none", timeout: 500 }), model: "m" }),
  ],
] as const)("the %s client's own timeout is a timeout, after one request", { tags: "deep" }, async (provider, make) => {
  stub.reply = { kind: "silence" };
  expect(errorOf(await make(stub.url).complete(request))).toStrictEqual({
    code: "timeout",
    message: `${provider}: timeout: Request timed out. Retry, or set a longer timeout on the client.`,
    retryable: true,
    provider,
  });
  expect(stub.requests).toHaveLength(1);
});

test.each([
  ["insufficient_quota", 429, "quota"],
  ["context_length_exceeded", 400, "context_length"],
  ["rate_limit_exceeded", 429, "rate_limit"],
  ["content_filter", 400, "filtered"],
] as const)("OpenAI's code %s is more specific than its status", async (code, status, expected) => {
  stub.reply = { kind: "json", status, body: errorBody("chat", { type: "x", code, message: "Words." }) };
  for (const via of ["chat", "responses", "ai-sdk"] as const) {
    expect(errorOf(await adapters[via].complete(request))).toMatchObject({
      code: expected,
      providerCode: code,
      status,
    });
  }
});

test("an error inside a stream keeps its code", async () => {
  const [start] = eventsVia("anthropic", []);
  stub.reply = {
    kind: "events",
    events: [start, { type: "error", error: { type: "overloaded_error", message: "Busy." } }],
  };
  expect(errorOf((await streamed(adapters.anthropic)).result)).toMatchObject({
    code: "provider_error",
    retryable: true,
    providerCode: "overloaded_error",
  });
  stub.reply = {
    kind: "events",
    events: [{ type: "error", code: "rate_limit_exceeded", message: "Slow down.", param: null }],
  };
  expect(errorOf((await streamed(adapters.responses)).result)).toMatchObject({ code: "rate_limit", retryable: true });
  stub.reply = {
    kind: "events",
    events: [{ error: { message: "Oops.", type: "server_error", code: null, param: null } }],
  };
  expect(errorOf((await streamed(adapters.chat)).result)).toMatchObject({ code: "provider_error", retryable: true });
  expect(errorOf((await streamed(adapters["ai-sdk"])).result)).toMatchObject({ code: "provider_error" });
});

test("a failed response keeps the provider's code and message", async () => {
  stub.reply = {
    kind: "json",
    body: {
      id: "c_1",
      object: "response",
      status: "failed",
      output: [],
      error: { code: "server_error", message: "Oops." },
    },
  };
  expect(errorOf(await adapters.responses.complete(request))).toStrictEqual({
    code: "provider_error",
    message: "openai: provider error (server_error): Oops. Retry.",
    retryable: true,
    provider: "openai",
    providerCode: "server_error",
    requestId: "req_1",
  });
});

describe.each(["chat", "responses", "anthropic"] as const)("a gateway's error with status 200, via %s", (via) => {
  test.each([
    [400, "invalid_request", false],
    [401, "auth", false],
    [402, "quota", false],
    [429, "rate_limit", true],
    [502, "provider_error", true],
  ] as const)("has its code %s as the status", async (code, expected, retryable) => {
    stub.reply = { kind: "json", body: { error: { code, message: "Words." }, user_id: "u" } };
    const error = errorOf(await adapters[via].complete(request));
    expect(error).toMatchObject({ code: expected, retryable, status: code });
    expect(error.message).toContain(`${PROVIDER[via]}: ${expected.replaceAll("_", " ")} (status ${code}): Words. `);
  });

  test("isn't a status with a code of another kind", async () => {
    stub.reply = { kind: "json", body: { error: { code: 1301, message: "Words." } } };
    expect(errorOf(await adapters[via].complete(request))).toMatchObject({
      code: "provider_error",
      retryable: true,
      providerCode: "malformed_body",
    });
  });
});

test.each([
  ["chat", { error: { code: 402, message: "No credits." } }],
  ["responses", { type: "error", error: { code: 402, message: "No credits." } }],
  ["anthropic", { type: "error", error: { code: 402, message: "No credits." } }],
] as const)("a numeric code inside a stream is the status, via %s", async (via, event) => {
  async function* events(): AsyncGenerator<unknown> {
    yield event;
  }
  const resource = { create: async () => events() };
  const client = { chat: { completions: resource }, responses: resource, messages: resource };
  const llm = {
    chat: createOpenAI({ client, model: "m" }),
    responses: createOpenAI({ client, model: "m", api: "responses" }),
    anthropic: createAnthropic({ client, model: "m" }),
  }[via];
  expect(errorOf((await streamed(llm)).result)).toMatchObject({ code: "quota", retryable: false, status: 402 });
});

test.each(["EAI_AGAIN", "ERR_STREAM_PREMATURE_CLOSE"])("a connection that fails with %s can be retried", (code) => {
  const cause = Object.assign(new Error("It failed."), { code });
  expect(errorOfThrown(new TypeError("fetch failed", { cause }), { provider: "openai" })).toMatchObject({
    code: "provider_error",
    retryable: true,
    providerCode: code,
  });
});
