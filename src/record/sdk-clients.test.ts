import { LLMock } from "@copilotkit/aimock";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, RetryError, generateText, streamText, wrapLanguageModel } from "ai";
import { Socket } from "node:net";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type { AdapterCall } from "./adapter-call.ts";
import { recordFetch, replayFetch } from "./interceptors/record-fetch-run.ts";
import { recordGlobalFetch } from "./interceptors/fetch-recorder.ts";
import { createModelRecorder, createModelReplayer } from "./interceptors/model-recorder.ts";
import { serve } from "../../test-support/serve.ts";
import { recordAdapters } from "./proxy/record-adapters.ts";
import { replayAdapters } from "./replay/replay-adapters.ts";

const mock = new LLMock({ port: 0 });
const KEY = ["sk", "proj", "a1B2c3D4e5F6g7H8i9J0k1L2"].join("-");

beforeAll(async () => {
  mock.onMessage(/weather/, { content: "It is sunny, and it will stay so." });
  mock.onMessage(/key/, { content: `The key is ${KEY}, keep it.` });
  await mock.start();
});

afterAll(() => mock.stop());

afterEach(() => {
  vi.restoreAllMocks();
});

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

function liveClients(): Clients {
  return {
    openai: new OpenAI({ baseURL: `${mock.url}/v1`, apiKey: KEY, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: mock.url, apiKey: KEY, maxRetries: 0 }),
  };
}

function isClients(adapters: object): adapters is Clients {
  return "openai" in adapters || "anthropic" in adapters;
}

/** Fails on every connection from here on, and tells how many were tried. */
function trapSockets(): () => number {
  const connect = vi.spyOn(Socket.prototype, "connect").mockImplementation(() => {
    throw new Error("a connection was opened");
  });
  return () => connect.mock.calls.length;
}

const throughJson = (calls: readonly AdapterCall[]): readonly AdapterCall[] => JSON.parse(JSON.stringify(calls));

/** Records a use of real clients, then serves it without a network; answers with what both saw. */
async function recordAndServe(
  use: (clients: Clients) => Promise<unknown>,
): Promise<{ readonly live: unknown; readonly served: unknown; readonly calls: readonly AdapterCall[] }> {
  const recorder = recordAdapters(liveClients());
  const live = await use(recorder.adapters);
  expect(recorder.problems()).toStrictEqual([]);
  const calls = throughJson(recorder.calls());
  const connections = trapSockets();
  const server = replayAdapters(calls);
  const served = isClients(server.adapters) ? await use(server.adapters) : undefined;
  expect([server.unrecorded(), connections()]).toStrictEqual([[], 0]);
  return { live, served, calls };
}

const asking = (content: string) => ({ model: "gpt-4o", messages: [{ role: "user" as const, content }] });
const claude = (content: string) => ({
  model: "claude-x",
  max_tokens: 100,
  messages: [{ role: "user" as const, content }],
});

test("chat completions, responses and messages replay unchanged", async () => {
  const { live, served } = await recordAndServe(async ({ openai, anthropic }) => [
    await openai.chat.completions.create(asking("weather?")),
    await openai.responses.create({ model: "gpt-4o", input: "weather?" }),
    await anthropic.messages.create(claude("weather?")),
  ]);
  expect(JSON.stringify(live)).toContain("sunny");
  expect(JSON.parse(JSON.stringify(served))).toStrictEqual(JSON.parse(JSON.stringify(live)));
});

test("streams replay chunk by chunk", async () => {
  const { live, served } = await recordAndServe(async ({ openai, anthropic }) => {
    const seen: string[] = [];
    // Written at once: the SDKs go on changing some of the objects they have handed out.
    const keep = (chunk: unknown): void => void seen.push(JSON.stringify(chunk));
    for await (const chunk of await openai.chat.completions.create({ ...asking("weather?"), stream: true }))
      keep(chunk);
    for await (const event of await openai.responses.create({ model: "gpt-4o", input: "weather?", stream: true }))
      keep(event);
    for await (const event of await anthropic.messages.create({ ...claude("weather?"), stream: true })) keep(event);
    for await (const event of anthropic.messages.stream(claude("weather!"))) keep(event);
    return seen;
  });
  expect(served).toStrictEqual(live);
});

test("finalMessage() and similar methods replay, with and without reading the chunks", async () => {
  const { live, served } = await recordAndServe(async ({ openai, anthropic }) => {
    const read = anthropic.messages.stream(claude("weather?"));
    for await (const _event of read);
    const message = await read.finalMessage();
    const text = await anthropic.messages.stream(claude("weather!")).finalText();
    const completion = await openai.chat.completions.stream(asking("weather?")).finalChatCompletion();
    return [message.content, text, completion.choices[0]?.message.content];
  });
  expect(JSON.stringify(live)).toContain("sunny");
  expect(served).toStrictEqual(JSON.parse(JSON.stringify(live)));
});

test("withResponse() replays with its request id and status, and isn't parallel to its call", async () => {
  const { live, served, calls } = await recordAndServe(async ({ openai }) => {
    const { data, response, request_id } = await openai.chat.completions.create(asking("weather?")).withResponse();
    return [data.choices[0]?.message.content, response.status, request_id];
  });
  expect(live).toStrictEqual(["It is sunny, and it will stay so.", 200, expect.any(String)]);
  expect(served).toStrictEqual(live);
  expect(calls.map(({ parallel }) => parallel)).not.toContain(1);
});

test("withResponse() of a failed call replays its error", async () => {
  const { live, served } = await recordAndServe(async ({ openai }) => [
    await openai.chat.completions.create(asking("nobody knows")).withResponse().catch(String),
    await openai.files.retrieve("none").withResponse().catch(String),
  ]);
  expect(live).toStrictEqual([expect.stringContaining("404"), expect.stringContaining("404")]);
  expect(served).toStrictEqual(live);
});

test("withResponse() of a stream replays with the stream", async () => {
  const { live, served } = await recordAndServe(async ({ anthropic }) => {
    const types: unknown[] = [];
    for (const sent of [
      anthropic.messages.create({ ...claude("weather?"), stream: true }).withResponse(),
      anthropic.messages.stream(claude("weather!")).withResponse(),
    ]) {
      const { data, response } = await sent;
      types.push(response.status, response.headers.get("content-type"));
      for await (const { type } of data) types.push(type);
    }
    return types;
  });
  expect(live).toContain("message_stop");
  expect(served).toStrictEqual(live);
});

test("withResponse() replays the headers of the response, without their secrets", async () => {
  const headers = [
    ["content-type", "application/json"],
    ["x-ratelimit-limit-tokens", "9000"],
    ["set-cookie", "session=a8Kd92LxQ0; Path=/"],
    ["set-cookie", "theme=k2Lm83NxP5; Path=/"],
  ] satisfies [string, string][];
  const fetch = async (): Promise<Response> => new Response('{"choices":[]}', { headers });
  const recorder = recordAdapters({ openai: new OpenAI({ apiKey: KEY, fetch }) });
  const use = async ({ openai }: { readonly openai: OpenAI }): Promise<unknown> => {
    const { response } = await openai.chat.completions.create(asking("weather?")).withResponse();
    return ["x-ratelimit-limit-tokens", "content-type", "x-request-id"].map((name) => response.headers.get(name));
  };
  const live = await use(recorder.adapters);
  expect(live).toStrictEqual(["9000", "application/json", null]);
  const calls = throughJson(recorder.calls());
  expect(JSON.stringify(calls)).not.toMatch(/a8Kd92LxQ0|k2Lm83NxP5/);
  expect(calls[1]?.response).toMatchObject({
    status: 200,
    request_id: null,
    headers: { "x-ratelimit-limit-tokens": "9000" },
  });
  const { adapters } = replayAdapters(calls);
  expect(isClients(adapters) && (await use(adapters))).toStrictEqual(live);
});

test("replays withResponse() of recordings without headers", async () => {
  const { calls } = await recordAndServe(async ({ openai }) =>
    openai.chat.completions.create(asking("weather?")).withResponse(),
  );
  const older = calls.map((call) => {
    const { headers: _headers, ...response } = Object(call.response);
    return call.adapter.endsWith(".withResponse") ? { ...call, response } : call;
  });
  expect(older[1]?.response).toStrictEqual({ request_id: expect.any(String), status: 200 });
  const { adapters } = replayAdapters(older);
  if (!isClients(adapters)) throw new Error("no clients");
  const { response } = await adapters.openai.chat.completions.create(asking("weather?")).withResponse();
  expect([response.status, [...response.headers]]).toStrictEqual([200, []]);
});

/** An OpenAI client with three parts of a stream, and lists of files in two pages. */
function openAiWithFetch(): OpenAI {
  const parts = ["a", "b", "c"].map((content) => ({ id: "x", choices: [{ index: 0, delta: { content } }] }));
  const stream = [...parts.map((part) => JSON.stringify(part)), "[DONE]"].map((data) => `data: ${data}\n\n`).join("");
  const fetch = async (to: unknown): Promise<Response> => {
    const url = String(to instanceof Request ? to.url : to);
    if (url.includes("/chat/")) return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    const isLast = url.includes("after");
    const page = { data: [{ id: isLast ? "file-2" : "file-1" }], has_more: !isLast };
    return new Response(JSON.stringify(page), { headers: { "content-type": "application/json" } });
  };
  return new OpenAI({ apiKey: KEY, fetch });
}

const streaming = (openai: OpenAI) => openai.chat.completions.create({ ...asking("weather?"), stream: true });
type Chunks = AsyncIterable<OpenAI.ChatCompletionChunk>;

async function textsOf(stream: Chunks, limit = Infinity): Promise<readonly unknown[]> {
  const texts: unknown[] = [];
  for await (const { choices } of stream) if (texts.push(choices[0]?.delta.content) === limit) break;
  return texts;
}

async function namesOf(files: AsyncIterable<{ readonly id: string }>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const { id } of files) names.push(id);
  return names;
}

const DERIVED: readonly (readonly [string, (openai: OpenAI) => Promise<unknown>, unknown])[] = [
  ["all pages of a promise", async (openai) => namesOf(openai.files.list()), ["file-1", "file-2"]],
  [
    "the data of a page, and of the next one",
    async (openai) => {
      const ids: unknown[] = [];
      let page = await openai.files.list();
      for (;;) {
        ids.push(page.has_more, page.data.length, page.data[0]?.id);
        if (!page.hasNextPage()) return ids;
        page = await page.getNextPage();
      }
    },
    [true, 1, "file-1", false, 1, "file-2"],
  ],
  [
    "the items of pages",
    async (openai) => {
      const ids: unknown[] = [];
      for await (const page of (await openai.files.list()).iterPages())
        ids.push(page.hasNextPage(), ...page.getPaginatedItems().map(({ id }) => id));
      return ids;
    },
    [true, "file-1", false, "file-2"],
  ],
  ["all pages of an awaited page", async (openai) => namesOf(await openai.files.list()), ["file-1", "file-2"]],
  [
    "both branches of tee()",
    async (openai) => {
      const [one, other] = (await streaming(openai)).tee();
      return [await textsOf(one), await textsOf(other)];
    },
    [
      ["a", "b", "c"],
      ["a", "b", "c"],
    ],
  ],
  [
    "branches of a branch that are left, read in turns",
    async (openai) => {
      const [one, rest] = (await streaming(openai)).tee();
      const [two, three] = rest.tee();
      return [await textsOf(two, 1), await Promise.all([textsOf(one, 2), textsOf(three)])];
    },
    [
      ["a"],
      [
        ["a", "b"],
        ["a", "b", "c"],
      ],
    ],
  ],
  [
    "the controller of a stream that is left, read, or aborted",
    async (openai) => {
      const [left, read, aborted] = [await streaming(openai), await streaming(openai), await streaming(openai)];
      await Promise.all([textsOf(left, 1), textsOf(read)]);
      aborted.controller.abort();
      await textsOf(aborted);
      return [left, read, aborted].map(({ controller }) => controller.signal.aborted);
    },
    [true, false, true],
  ],
];

test.each(DERIVED)("replays %s of an SDK", async (_name, use, expected) => {
  const recorder = recordAdapters({ openai: openAiWithFetch() });
  expect(await use(recorder.adapters.openai)).toStrictEqual(expected);
  expect(recorder.problems()).toStrictEqual([]);
  const { adapters, unrecorded, uncalled } = replayAdapters(throughJson(recorder.calls()));
  if (!isClients(adapters)) throw new Error("no clients");
  expect(await use(adapters.openai)).toStrictEqual(expected);
  expect([unrecorded(), uncalled()]).toStrictEqual([[], []]);
});

test("reports a promise that is awaited and iterated, and a method of a branch", async () => {
  const recorder = recordAdapters({ openai: openAiWithFetch() });
  const { openai } = recorder.adapters;
  const files = openai.files.list();
  expect([await files.then(({ data }) => data.length), await namesOf(files)]).toStrictEqual([1, ["file-1", "file-2"]]);
  const [branch] = (await streaming(openai)).tee();
  expect((await new Response(branch.toReadableStream()).text()).split("\n").length).toBe(4);
  expect(recorder.problems()).toStrictEqual([
    'adapter "openai.files.list" returned a promise that was awaited and iterated, which a recording can\'t replay. ' +
      "Await it, and iterate its result",
    'adapter "openai.chat.completions.create" returned a stream whose tee() has a branch on which "toReadableStream" ' +
      "was called, which a recording can't replay. Read the branch",
  ]);
});

test("reports what can't be replayed", async () => {
  const recorder = recordAdapters(liveClients());
  const { openai, anthropic } = recorder.adapters;
  expect((await openai.chat.completions.create(asking("weather?")).asResponse()).status).toBe(200);
  const texts: string[] = [];
  await anthropic.messages
    .stream(claude("weather?"))
    .on("text", (text) => void texts.push(text))
    .done();
  expect(texts.join("")).toContain("sunny");
  const [asResponse, on] = recorder.problems();
  expect(asResponse).toBe(
    'adapter "openai.chat.completions.create" returned a promise whose method "asResponse" was called, which a recording can\'t replay. Await the promise itself',
  );
  expect(on).toMatch(
    /^adapter "anthropic\.messages\.stream\([0-9a-f]{8}#0\)\.on" was called with a function, which a recording can't call. Read the response, or await its result$/,
  );
});

test("rethrows a provider's errors with name, code and status", async () => {
  const { live, served } = await recordAndServe(async ({ openai }) =>
    openai.chat.completions.create(asking("nobody knows this")).then(
      () => "answered",
      (error: Error & { status?: number; code?: string }) => [
        error.name,
        error.message,
        error.status,
        error.code,
        error instanceof Error,
      ],
    ),
  );
  expect(live).toMatchObject(["Error", expect.stringContaining("404"), 404, expect.anything(), true]);
  expect(served).toStrictEqual(live);
});

test("no key is in a recording, neither the client's own nor one in a response or in chunks", async () => {
  const { served, calls } = await recordAndServe(async ({ openai }) => {
    const answer = await openai.chat.completions.create(asking("key?"));
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ ...asking("key?"), stream: true }))
      text += chunk.choices[0]?.delta.content ?? "";
    return [openai.apiKey, answer.choices[0]?.message.content, text];
  });
  expect(JSON.stringify(calls)).not.toContain(KEY.slice(8));
  const placeholder = "«redacted:openai-key#\\d+»";
  expect(String(served)).toMatch(
    new RegExp(`^(${placeholder}),The key is \\1, keep it\\.,The key is \\1, keep it\\.$`),
  );
});

test("the fetch recorder records clients as they are: answers, streams, errors, and replays them without a network", {
  tags: "deep",
}, async () => {
  const uninstall = recordGlobalFetch();
  const use = async (): Promise<unknown> => {
    const { openai, anthropic } = liveClients();
    const model = createOpenAI({ baseURL: `${mock.url}/v1`, apiKey: KEY }).chat("gpt-4o");
    const seen: unknown[] = await Promise.all([
      openai.chat.completions.create(asking("weather?")),
      anthropic.messages.stream(claude("weather?")).finalMessage(),
      generateText({ model, prompt: "weather?", maxRetries: 0 }).then(({ text, usage }) => [text, usage]),
      openai.chat.completions.create(asking("nobody knows")).catch((error: unknown) => String(error)),
    ]);
    for await (const chunk of await openai.chat.completions.create({ ...asking("weather?"), stream: true }))
      seen.push(chunk);
    return JSON.parse(JSON.stringify(seen));
  };
  const recorded = await recordFetch(use);
  expect([recorded.problems, recorded.calls.length]).toStrictEqual([[], 5]);
  expect(JSON.stringify(recorded.calls)).not.toContain(KEY);
  const connections = trapSockets();
  const calls = throughJson(recorded.calls);
  const served = await replayFetch(calls, use);
  expect(served).toStrictEqual({
    source: "recorded",
    value: recorded.value,
    replayed: 5,
    unrecorded: [],
    uncalled: [],
  });
  expect(connections()).toBe(0);
  uninstall();
});

test("an unrecorded request gets status 400, which no client retries", async () => {
  const uninstall = recordGlobalFetch();
  const connections = trapSockets();
  const ask = async (send: () => Promise<unknown>): Promise<unknown> => {
    const { unrecorded, replayed, value } = await replayFetch([], () =>
      send().then(
        () => "answered",
        (error: { status?: number; statusCode?: number }) => error.status ?? error.statusCode,
      ),
    );
    return [value, unrecorded.length, replayed];
  };
  const openai = new OpenAI({ baseURL: `${mock.url}/v1`, apiKey: KEY });
  const anthropic = new Anthropic({ baseURL: mock.url, apiKey: KEY });
  const model = createOpenAI({ baseURL: `${mock.url}/v1`, apiKey: KEY }).chat("gpt-4o");
  expect(await ask(() => openai.chat.completions.create(asking("weather?")))).toStrictEqual([400, 1, 0]);
  expect(await ask(() => anthropic.messages.create(claude("weather?")))).toStrictEqual([400, 1, 0]);
  expect(await ask(() => generateText({ model, prompt: "weather?" }))).toStrictEqual([400, 1, 0]);
  expect(connections()).toBe(0);
  uninstall();
});

test("records a model of the AI SDK by middleware, and replays it over any model", async () => {
  const model = createOpenAI({ baseURL: `${mock.url}/v1`, apiKey: KEY }).chat("gpt-4o");
  const use = async (middleware: Parameters<typeof wrapLanguageModel>[0]["middleware"]): Promise<unknown> => {
    const wrapped = wrapLanguageModel({ model, middleware });
    const generated = await generateText({ model: wrapped, prompt: "weather?", headers: { "x-trace": "1" } });
    const streamed = streamText({ model: wrapped, prompt: "weather?" });
    const parts: string[] = [];
    for await (const part of streamed.textStream) parts.push(part);
    return JSON.parse(
      JSON.stringify([generated.text, generated.usage, generated.finishReason, parts, await streamed.usage]),
    );
  };
  const recorder = createModelRecorder();
  const live = await use(recorder.middleware);
  expect(recorder.problems()).toStrictEqual([]);
  expect(recorder.calls().map(({ adapter, returns }) => [adapter, returns])).toStrictEqual([
    ["model.generate", "promise"],
    ["model.stream", "promise-of-stream"],
  ]);
  const connections = trapSockets();
  const server = createModelReplayer(throughJson(recorder.calls()));
  expect(await use(server.middleware)).toStrictEqual(live);
  expect([server.replayed(), server.unrecorded(), server.uncalled(), connections()]).toStrictEqual([2, [], [], 0]);
  const missed = generateText({ model: wrapLanguageModel({ model, middleware: server.middleware }), prompt: "other?" });
  await expect(missed).rejects.toThrow(
    'No recorded call of adapter "model.generate" matches this request (1 recorded).',
  );
});

test("an error of a client keeps its headers in a replay, without secrets", async () => {
  const response = (): Response =>
    Response.json(
      { type: "error", error: { type: "rate_limit_error", message: "slow down" } },
      { status: 429, headers: { "retry-after": "7", "x-echo": KEY, "request-id": "req_1", "x-request-id": "req_1" } },
    );
  const options = { apiKey: KEY, maxRetries: 0, fetch: async () => response() };
  const failure = async (ask: () => PromiseLike<unknown>): Promise<unknown> => {
    try {
      return await ask();
    } catch (error) {
      const { status, headers }: { status?: unknown; headers?: unknown } = Object(error);
      return headers instanceof Headers ? [status, headers.get("retry-after"), headers.get("x-echo")] : error;
    }
  };
  const use = async ({ openai, anthropic }: Clients): Promise<unknown> => [
    await failure(() => openai.chat.completions.create({ model: "m", messages: [] })),
    await failure(() => anthropic.messages.create({ model: "m", max_tokens: 1, messages: [] })),
  ];
  const recorder = recordAdapters({ openai: new OpenAI(options), anthropic: new Anthropic(options) });
  expect(await use(recorder.adapters)).toStrictEqual([
    [429, "7", KEY],
    [429, "7", KEY],
  ]);
  const calls: readonly AdapterCall[] = JSON.parse(JSON.stringify(recorder.calls()));
  expect(recorder.problems()).toStrictEqual([]);
  const { adapters } = replayAdapters(calls);
  if (!isClients(adapters)) throw new TypeError("the clients are missing");
  const hidden: unknown = expect.stringMatching(/^«redacted:openai-key#\d+»$/);
  expect(await use(adapters)).toStrictEqual([
    [429, "7", hidden],
    [429, "7", hidden],
  ]);
});

test("an error of the AI SDK keeps its class: the SDK repeats a failed request in the replay as it did live", async () => {
  let busy = 0;
  let requests = 0;
  const server = await serve((_request, response) => {
    requests += 1;
    busy -= 1;
    response.writeHead(busy >= 0 ? 503 : 200, { "content-type": "application/json", "retry-after-ms": "1" });
    const message = { role: "assistant", content: "Hello" };
    const choices = [{ index: 0, message, finish_reason: "stop" }];
    response.end(
      JSON.stringify(busy >= 0 ? { error: { message: "busy" } } : { id: "c", created: 1, model: "m", choices }),
    );
  });
  try {
    const adapters = { model: createOpenAI({ apiKey: KEY, baseURL: server.url }).chat("m") };
    const use = async ({ model }: typeof adapters): Promise<unknown> => {
      busy = 1;
      const { text } = await generateText({ model, prompt: "one" });
      busy = 2;
      const failed: unknown = await generateText({ model, prompt: "two", maxRetries: 1 }).catch(
        (error: unknown) => error,
      );
      if (!RetryError.isInstance(failed)) return failed;
      return [text, failed.errors.length, APICallError.isInstance(failed.lastError), failed.message];
    };
    const recorder = recordAdapters(adapters);
    const live = await use(recorder.adapters);
    expect(live).toStrictEqual(["Hello", 2, true, "Failed after 2 attempts. Last error: AI_APICallError: busy"]);
    const replayer = replayAdapters(throughJson(recorder.calls()));
    expect(await use(Object.assign({}, adapters, replayer.adapters))).toStrictEqual(live);
    expect(requests).toBe(4);
  } finally {
    server.close();
  }
});
