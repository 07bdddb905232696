import type { ServerResponse } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import OpenAI from "openai";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import * as z from "zod";
import type { RoleRules } from "../kernel/call-role.ts";
import type { StepContext } from "../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../kernel/step/define-step.ts";
import { recordGlobalFetch } from "../record/interceptors/fetch-recorder.ts";
import { MatcherStage } from "../../test-support/matcher-stage.ts";
import { serve } from "../../test-support/serve.ts";
import "../vitest-types.ts";

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);

type Reply = (response: ServerResponse, hit: number) => unknown;
let reply: Reply = (response) => response.end();
let hits = 0;
/** Long for the recorded run: the machine may be busy. */
let timeout = 60_000;
let uninstall = (): void => undefined;

const { url, close } = await serve((request, response) => {
  hits += 1;
  request.resume().on("end", () => void reply(response, hits));
});
afterAll(close);

beforeEach(() => {
  stage.begin();
  timeout = 60_000;
  uninstall = recordGlobalFetch();
});

afterEach(() => uninstall());

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

/** Sends a question to a model, and returns the text that arrived before an error. `clients` are adapters. */
type Ask = (content: string, clients: Clients) => Promise<string>;

const messagesOf = (content: string): { role: "user"; content: string }[] => [{ role: "user", content }];
const retrying = (maxRetries: number): OpenAI =>
  new OpenAI({ apiKey: "test", baseURL: `${url}/v1`, maxRetries, timeout });
const openai = (): OpenAI => retrying(0);
const anthropic = (): Anthropic => new Anthropic({ apiKey: "test", baseURL: url, maxRetries: 0, timeout });

const handled = async <T>(
  parts: () => Promise<AsyncIterable<T>>,
  textOf: (part: T) => string | null | undefined,
): Promise<string> => {
  let said = "";
  try {
    for await (const part of await parts()) said += textOf(part) ?? "";
  } catch {
    return `${said}, interrupted`;
  }
  return said;
};
const openaiOf =
  (client: (clients: Clients) => OpenAI): Ask =>
  async (content, clients) =>
    handled(
      async () => client(clients).chat.completions.create({ model: "m", stream: true, messages: messagesOf(content) }),
      (chunk) => chunk.choices[0]?.delta.content,
    );
const anthropicOf =
  (client: (clients: Clients) => Anthropic): Ask =>
  async (content, clients) =>
    handled(
      async () =>
        client(clients).messages.create({ model: "m", stream: true, max_tokens: 9, messages: messagesOf(content) }),
      (event) => (event.type === "content_block_delta" && event.delta.type === "text_delta" ? event.delta.text : ""),
    );
const finalTextOf =
  (client: (clients: Clients) => Anthropic): Ask =>
  async (content, clients) =>
    client(clients)
      .messages.stream({ model: "m", max_tokens: 9, messages: messagesOf(content) })
      .finalText()
      .catch(() => "");
const responsesOf: Ask = async (content) =>
  handled(
    async () => openai().responses.create({ model: "m", stream: true, input: content }),
    (event) => (event.type === "response.output_text.delta" ? event.delta : ""),
  );
const viaAiSdk: Ask = async (content) => {
  const model = createOpenAI({ apiKey: "test", baseURL: `${url}/v1` }).chat("m");
  const { text } = streamText({ model, prompt: content, maxRetries: 0, onError: () => undefined });
  return Promise.resolve(text).catch(() => "");
};
const postTo =
  (path: string, initOf: () => RequestInit = () => ({})): Ask =>
  async (content) =>
    handled(
      async () => {
        const body = JSON.stringify({ model: "m", messages: messagesOf(content) });
        const response = await fetch(`${url}${path}`, { method: "POST", body, ...initOf() });
        if (!response.ok || response.body === null) throw new Error("no response");
        return response.body.pipeThrough(new TextDecoderStream());
      },
      (part) => part,
    );

const event = (data: object, name?: string): string =>
  `${name === undefined ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const delta = (content: string): string => event({ choices: [{ index: 0, delta: { content } }] });
const send =
  (...events: readonly string[]): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const each of events) response.write(each);
    return response;
  };
const complete =
  (...events: readonly string[]): Reply =>
  (response, hit) => {
    send(...events)(response, hit);
    response.end();
  };
const resetAfter =
  (...events: readonly string[]): Reply =>
  (response, hit) => {
    send(...events)(response, hit);
    setTimeout(() => response.socket?.resetAndDestroy(), 20);
  };
const fail =
  (status: number): Reply =>
  (response) =>
    response.writeHead(status).end("{}");
/** Fails at first, and then responds. */
const late =
  (first: Reply): Reply =>
  (response, hit) =>
    (hit === 1 ? first : chat)(response, hit);
const hang: Reply = () => undefined;

const chat = complete(delta("Fine"), "data: [DONE]\n\n");
const message = complete(
  ...[
    { type: "message_start", message: { id: "a", role: "assistant", content: [], usage: { output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Fine" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ].map((data) => event(data, data.type)),
);
const responded = complete(event({ type: "response.output_text.delta", delta: "Fine" }, "response.output_text.delta"));
const OPENAI = event({ error: { message: "The server had an error", type: "server_error", code: null } });
const ANTHROPIC = event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }, "error");
const GEMINI = event({ error: { code: 503, message: "The model is overloaded.", status: "UNAVAILABLE" } });
const RESPONSES = event(
  { type: "response.failed", response: { status: "failed", error: { code: "server_error", message: "error" } } },
  "response.failed",
);

const stepOf = (ask: Ask, content: string, roles: RoleRules): AnyStep =>
  defineStep({
    name: "ask",
    input: z.object({}),
    output: z.object({ said: z.string() }),
    roles,
    run: async (_input, { adapters }: StepContext<Clients>) => ({ output: { said: await ask(content, adapters) } }),
  });

interface Replies {
  readonly before: Reply;
  readonly now: Reply;
  /** Timeout of the live run. */
  readonly wait?: number;
}

/** Records a step with one reply of the server, and returns the message of its live run with another one. */
async function rerun(ask: Ask, { before, now, wait = timeout }: Replies, roles: RoleRules = {}): Promise<string> {
  const check = async (content: string, options: object): Promise<void> => {
    hits = 0;
    const adapters = { openai: openai(), anthropic: anthropic() };
    await expect(stepOf(ask, content, roles)).toMatchBaseline({ input: {}, adapters, ...options });
  };
  reply = before;
  await check("How is it?", {});
  stage.settle("all");
  reply = now;
  timeout = wait;
  return stage.message(async () => check("How are you?", { mode: "live" }));
}

const openaiAdapter = openaiOf((clients) => clients.openai);
const anthropicAdapter = anthropicOf((clients) => clients.anthropic);
const chatPath = "/v1/chat/completions";
const afterTimeout = postTo(chatPath, () => ({ signal: AbortSignal.timeout(timeout) }));

test.each<[situation: string, ask: Ask, before: Reply, now: Reply]>([
  ["a stream that breaks off", openaiOf(openai), chat, resetAfter(delta("F"))],
  ["a stream of an adapter that breaks off", openaiAdapter, chat, resetAfter(delta("F"))],
  ["a stream that breaks off in the AI SDK", viaAiSdk, chat, resetAfter(delta("F"))],
  ["an error event of OpenAI", openaiOf(openai), chat, complete(delta("F"), OPENAI)],
  ["an error event of OpenAI to an adapter", openaiAdapter, chat, complete(delta("F"), OPENAI)],
  ["an error event of OpenAI to the AI SDK", viaAiSdk, chat, complete(delta("F"), OPENAI)],
  ["a failed response of OpenAI", responsesOf, responded, complete(RESPONSES)],
  ["an error event of Anthropic", anthropicOf(anthropic), message, complete(ANTHROPIC)],
  ["an error event of Anthropic to an adapter", anthropicAdapter, message, complete(ANTHROPIC)],
  ["a final text of an adapter's stream", finalTextOf((clients) => clients.anthropic), message, fail(503)],
  ["an error event of Gemini", postTo("/v1beta/models/m:streamGenerateContent?alt=sse"), chat, complete(GEMINI)],
  ["a body with an error and status 200", postTo(chatPath), chat, (response) => response.end(GEMINI.slice(5))],
  ["a timeout of OpenAI's client", openaiOf(openai), chat, hang],
  ["a timeout of OpenAI's client as an adapter", openaiAdapter, chat, hang],
  ["a timeout of Anthropic's client", anthropicOf(anthropic), message, hang],
  ["a timeout of Anthropic's client as an adapter", anthropicAdapter, message, hang],
  ["a timeout of a signal", afterTimeout, chat, hang],
  ["a timeout of a signal in a stream", afterTimeout, chat, send(delta("F"))],
])("a handled outage doesn't replace a recorded response: %s", async (_situation, ask, before, now) => {
  const told = await rerun(ask, { before, now, wait: 100 });
  expect(told.replace(" (503)", "")).toBe(`ask: 1 of 1 baseline failed (live adapters)

  ROOT/ask/the-test-HASH.json  failed
    model_failed: 1 request to a model failed, and the step handled the error. Its result isn't stored, because the \
recording has a response. Run the test again when the model responds, or with recorded responses: \
VERITEST_MODE=replay`);
  expect(stage.changes).toStrictEqual([]);
});

const breaking: Ask = async (content) => {
  const params = { model: "m", stream: true, messages: messagesOf(content) } as const;
  for await (const chunk of await openai().chat.completions.create(params)) {
    if (chunk.choices[0] !== undefined) return String(chunk.choices[0].delta.content);
  }
  return "";
};
const aborting: Ask = async (content) => {
  const controller = new AbortController();
  const body = JSON.stringify({ model: "m", messages: messagesOf(content) });
  const response = await fetch(`${url}${chatPath}`, { method: "POST", body, signal: controller.signal });
  return handled(
    async () => response.body?.pipeThrough(new TextDecoderStream()) ?? (async function* () {})(),
    (part) => {
      controller.abort();
      return part;
    },
  );
};

test.each<[situation: string, ask: Ask, now: Reply]>([
  ["a retry", openaiOf(() => retrying(1)), late(fail(503))],
  ["a stream that the step stops reading", breaking, send(delta("F"))],
  ["a stream that the step aborts", aborting, send(delta("F"))],
  ["a refused prompt", openaiOf(openai), complete(event({ error: { type: "invalid_request_error", code: 400 } }))],
  ["a response with an empty error", postTo(chatPath), (response) => response.end('{"choices":[],"error":null}')],
])("a run with a response of a model replaces its recording: %s", async (_situation, ask, now) => {
  expect(await rerun(ask, { before: chat, now })).toBe("it passed");
  expect(stage.stagedText()).toContain("How are you?");
});

test.each<[roles: RoleRules, isRefused: boolean]>([
  [{ [`fetch POST ${url}/*`]: "model" }, true],
  [{}, false],
])("a gateway is a model if `roles` declares it: %j", async (roles, isRefused) => {
  const told = await rerun(postTo("/gateway"), { before: chat, now: fail(503) }, roles);
  expect(told.includes("model_failed: 1 request to a model failed (503)")).toBe(isRefused);
});
