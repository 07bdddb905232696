import type { IncomingMessage, ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { ChatOpenAI } from "@langchain/openai";
import { generateId, generateText } from "ai";
import OpenAI, { toFile } from "openai";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import type { AdapterCall } from "./adapter-call.ts";
import { recordFetch, replayFetch } from "./interceptors/record-fetch-run.ts";
import { recordGlobalFetch } from "./interceptors/fetch-recorder.ts";
import type { RecordingOptions } from "./recording-rules.ts";
import { stableCalls } from "./stable-calls.ts";
import { watchPurity } from "./watch-purity.ts";
import { serve } from "../../test-support/serve.ts";

let hits = 0;
let isOff = false;
let polls = 0;
let uninstall = (): void => undefined;

const chat = {
  id: "chatcmpl-a1b2c3",
  object: "chat.completion",
  created: 1_795_269_729,
  model: "gpt-5",
  choices: [{ index: 0, message: { role: "assistant", content: "At nine." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
const message = {
  id: "msg_a1b2c3",
  type: "message",
  role: "assistant",
  model: "claude-x",
  content: [{ type: "text", text: "At nine." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};

function respond({ url: path = "" }: IncomingMessage, response: ServerResponse): void {
  hits += 1;
  const json = (data: unknown): void => void response.end(JSON.stringify(data, undefined, 2));
  response.setHeader("content-type", "application/json");
  response.setHeader("x-request-id", `req_${hits}0b54f7`).setHeader("request-id", `req_${hits}0b54f7`);
  if (isOff) response.destroy();
  else if (path.includes("/vector_stores/")) {
    polls += 1;
    response.setHeader("openai-poll-after-ms", "2");
    json({ id: "f_1", object: "vector_store.file", status: polls % 2 === 0 ? "completed" : "in_progress" });
  } else if (path.includes("/files")) json({ id: "file_1", object: "file", bytes: 5, filename: "a.txt" });
  else if (path.includes("/messages")) json(message);
  else if (path.includes("/models") && hits === 1) response.writeHead(503, { "retry-after": "0" }).end();
  else if (path.includes("/models?page=2")) json({ data: [{ id: "b", object: "model" }], object: "list" });
  else if (path.includes("/models")) json({ data: [{ id: "a", object: "model" }], object: "list" });
  else json(chat);
}

const { url, close } = await serve(
  (request, response) => void request.resume().on("end", () => respond(request, response)),
);
afterAll(close);

beforeEach(() => {
  [hits, polls, isOff] = [0, 0, false];
  uninstall = recordGlobalFetch();
});

afterEach(() => uninstall());

const openai = (options: object = {}): OpenAI => new OpenAI({ apiKey: "made-up", baseURL: `${url}/v1`, ...options });
const anthropic = (): Anthropic => new Anthropic({ apiKey: "made-up", baseURL: url });
const messages = [{ role: "user" as const, content: "When do you open?" }];

/** Records a use of an SDK, and returns what it returns if it is replayed while the server is off. */
async function recordAndReplay(
  use: () => Promise<unknown>,
  { again = use, ...options }: RecordingOptions & { readonly again?: () => Promise<unknown> } = {},
): Promise<{ readonly live: unknown; readonly replayed: unknown; readonly calls: readonly AdapterCall[] }> {
  const { value: live, calls, problems } = await recordFetch(use, options);
  expect(problems).toStrictEqual([]);
  const stored: readonly AdapterCall[] = JSON.parse(JSON.stringify(stableCalls(calls, () => "")));
  isOff = true;
  const before = hits;
  const { value: replayed, unrecorded, uncalled } = await replayFetch(stored, again, options);
  expect([unrecorded, uncalled, hits - before]).toStrictEqual([[], [], 0]);
  return { live, replayed, calls: stored };
}

test("OpenAI polls as often as the server requests", async () => {
  const { live, replayed } = await recordAndReplay(
    async () => (await openai().vectorStores.files.poll("v", "f")).status,
  );
  expect([live, replayed]).toStrictEqual(["completed", "completed"]);
});

test("OpenAI uploads a file in parts, whose boundary is ignored", async () => {
  const { live, replayed, calls } = await recordAndReplay(async () => {
    const file = await toFile(Buffer.from("hello"), "a.txt");
    return (await openai().files.create({ file, purpose: "assistants" })).id;
  });
  expect([live, replayed]).toStrictEqual(["file_1", "file_1"]);
  expect(calls[0]?.request).toMatchObject([{ form: { purpose: "assistants", file: { name: "a.txt" } } }]);
});

test("OpenAI sends a schema with the largest safe integer, as zod writes it, as data", async () => {
  const parameters = { type: "object", properties: { n: { type: "integer", maximum: Number.MAX_SAFE_INTEGER } } };
  const { calls } = await recordAndReplay(async () =>
    openai().chat.completions.create({
      model: "gpt-5",
      messages,
      tools: [{ type: "function", function: { name: "look", parameters } }],
    }),
  );
  expect(calls[0]?.request).toMatchObject([{ body: { tools: [{ function: { name: "look", parameters } }] } }]);
});

test("OpenAI retries after 503, and only the final response is stored", async () => {
  const { live, replayed, calls } = await recordAndReplay(async () => (await openai().models.list()).data[0]?.id);
  expect([live, replayed, hits]).toStrictEqual(["a", "a", 2]);
  expect(calls).toHaveLength(1);
});

test("OpenAI's request id is a placeholder, and its organization explains another response", async () => {
  const use = async (): Promise<unknown> => {
    const { _request_id } = await openai({ organization: "acme" }).chat.completions.create({
      model: "gpt-5",
      messages,
    });
    return _request_id;
  };
  const { live, replayed, calls } = await recordAndReplay(use);
  expect([live, replayed]).toStrictEqual(["req_10b54f7", "req_000001"]);
  expect(calls[0]?.headers).toStrictEqual({ "openai-organization": "acme" });
});

test("Anthropic's beta header is compared if it is named", async () => {
  const ask = (beta: string) => async (): Promise<unknown> =>
    (
      await anthropic().messages.create(
        { model: "claude-x", max_tokens: 9, messages },
        { headers: { "anthropic-beta": beta } },
      )
    ).content;
  const options = { matchHeaders: ["anthropic-beta"] };
  const { live, replayed, calls } = await recordAndReplay(ask("a"), options);
  expect(replayed).toStrictEqual(live);
  const { unrecorded } = await replayFetch(calls, async () => ask("b")().catch(() => undefined), options);
  expect(unrecorded).toMatchObject([{ request: [{ headers: { "anthropic-beta": "b" } }] }]);
});

test("a pattern removes a date in Anthropic's system prompt", async () => {
  const ask = (day: string) => async (): Promise<unknown> => {
    const system = [{ type: "text" as const, text: `Today is ${day}. Be kind.` }];
    return (await anthropic().messages.create({ model: "claude-x", max_tokens: 9, system, messages })).content;
  };
  const ignore = [{ path: "fetch[0].body.system", match: /Today is .*?\./ }];
  const { live, replayed, calls } = await recordAndReplay(ask("Monday"), { again: ask("Friday"), ignore });
  expect(replayed).toStrictEqual(live);
  expect(calls[0]?.request).toMatchObject([{ body: { system: [{ type: "text", text: "… Be kind." }] } }]);
});

test("LangChain and the AI SDK can read the stored headers", async () => {
  const { live, replayed } = await recordAndReplay(async () => {
    const model = new ChatOpenAI({ model: "gpt-5", apiKey: "made-up", configuration: { baseURL: `${url}/v1` } });
    const { content } = await model.invoke("When do you open?");
    const provider = createOpenAI({ apiKey: "made-up", baseURL: `${url}/v1` });
    const { text, finalStep } = await generateText({ model: provider.chat("gpt-5"), prompt: "When?" });
    return [content, text, finalStep.response.headers?.["content-type"]];
  });
  expect(live).toStrictEqual(["At nine.", "At nine.", "application/json"]);
  expect(replayed).toStrictEqual(live);
});

test("pages of a list with another order of parameters are the same requests", async () => {
  const page = (query: Readonly<Record<string, string>>) => async (): Promise<unknown> =>
    openai()
      .models.list({ query })
      .then(({ data }) => data.map(({ id }) => id));
  hits = 1;
  const { live, replayed } = await recordAndReplay(page({ page: "2", limit: "1" }), {
    again: page({ limit: "1", page: "2" }),
  });
  expect(live).toStrictEqual(["b"]);
  expect(replayed).toStrictEqual(live);
});

const chatModel = (): ReturnType<ReturnType<typeof createOpenAI>["chat"]> =>
  createOpenAI({ apiKey: "made-up", baseURL: `${url}/v1` }).chat("gpt-5");

test.each<[string, () => Promise<unknown>]>([
  ["OpenAI", async () => openai().chat.completions.create({ model: "gpt-5", messages })],
  ["OpenAI, with a retry", async () => openai().models.list()],
  ["Anthropic", async () => anthropic().messages.create({ model: "claude-x", max_tokens: 9, messages })],
  ["the AI SDK", async () => generateText({ model: chatModel(), prompt: "When?" })],
  [
    "LangChain",
    async () =>
      new ChatOpenAI({ model: "gpt-5", apiKey: "made-up", configuration: { baseURL: `${url}/v1` } }).invoke("When?"),
  ],
])("ignores uses of clock and random numbers by %s, but not by the step", async (_sdk, send) => {
  expect((await watchPurity(() => recordFetch(send))).uses).toStrictEqual([]);
  const own = async (): Promise<unknown> => [await send(), Date.now(), generateId()];
  const { uses } = await watchPurity(() => recordFetch(own));
  expect(uses.map(({ api, at }) => [api, at.replace(/.*\/(.*):\d+:\d+$/, "$1")])).toStrictEqual([
    ["Date.now", "sdk-requests.test.ts"],
    ["Math.random", "sdk-requests.test.ts"],
  ]);
});

test("counts an SDK's request without a recorder as the step's", async () => {
  uninstall();
  const { uses } = await watchPurity(async () => openai().models.list());
  expect(uses.map(({ api }) => api)).toContain("fetch");
});
