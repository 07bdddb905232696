import { type Server, type ServerResponse, createServer } from "node:http";
import Anthropic, { APIError as AnthropicError } from "@anthropic-ai/sdk";
import OpenAI, { APIError as OpenAIError } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { isPlainObject } from "../base/plain-data.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { serveAdapters } from "../record/serve/serve-adapters.ts";
import { installFetch } from "../record/tape/fetch-tape.ts";
import { tapedStep } from "../record/tape/tapes.ts";
import { withReplay } from "../record/with-replay.ts";
import type { StepContext } from "../step/context.ts";
import { type AnyStep, defineStep } from "../step/define-step.ts";
import { run } from "../step/run.ts";
import { errorBody, errorsOf } from "./fault-errors.ts";
import { type FaultName, faultOf, providerOf } from "./faults.ts";
import { inVirtualTime } from "./virtual-time.ts";

/** How the service answers; what it says is what real ones do, in their shapes. */
type Mode = { readonly status: number; readonly body: unknown } | "silent" | { readonly cutAfter: number };

let server: Server;
let port = 0;
let mode: Mode = { status: 200, body: {} };
let uninstall: () => void;

const EVENTS = ["Hel", "lo ", "you", "!"].map((content) => ({
  id: "c-1",
  object: "chat.completion.chunk",
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
}));

beforeAll(async () => {
  uninstall = installFetch();
  server = createServer((_, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});

afterAll(() => {
  uninstall();
  server.closeAllConnections();
  server.close();
});

function answer(response: ServerResponse): void {
  if (mode === "silent") return;
  if ("cutAfter" in mode) {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of EVENTS.slice(0, mode.cutAfter)) response.write(`data: ${JSON.stringify(event)}\n\n`);
    if (mode.cutAfter < EVENTS.length) setTimeout(() => response.destroy(), 20);
    else response.end("data: [DONE]\n\n");
    return;
  }
  response.writeHead(mode.status, { "content-type": "application/json" }).end(JSON.stringify(mode.body));
}

/** A client of the service, one call of it, and the service's usual answer. */
interface Kind {
  readonly client: (baseURL: string, timeout?: number) => object;
  readonly ask: (client: object) => Promise<unknown>;
  readonly body: object;
}

const TEXT = '{"cents":12}';
const isOpenAi = (client: object): client is OpenAI => "chat" in client || "responses" in client;
const isAnthropic = (client: object): client is Anthropic => "messages" in client;
const openai = (baseURL: string, timeout = 600_000): OpenAI =>
  new OpenAI({ baseURL, apiKey: "k", maxRetries: 0, timeout, fetch: async (input, init) => fetch(input, init) });

const KINDS: Readonly<Record<string, Kind>> = {
  "OpenAI's chat completions": {
    client: openai,
    ask: async (client) =>
      isOpenAi(client) &&
      client.chat.completions.create({ model: "m", messages: [{ role: "user", content: "How much?" }] }),
    body: {
      id: "c-1",
      object: "chat.completion",
      created: 1,
      model: "m",
      choices: [{ index: 0, message: { role: "assistant", content: TEXT, refusal: null }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    },
  },
  "OpenAI's responses": {
    client: openai,
    ask: async (client) => isOpenAi(client) && client.responses.create({ model: "m", input: "How much?" }),
    body: {
      id: "r-1",
      object: "response",
      status: "completed",
      model: "m",
      output: [
        {
          type: "message",
          id: "m-1",
          role: "assistant",
          content: [{ type: "output_text", text: TEXT, annotations: [] }],
        },
      ],
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    },
  },
  "Anthropic's messages": {
    client: (baseURL, timeout = 600_000) =>
      new Anthropic({ baseURL, apiKey: "k", maxRetries: 0, timeout, fetch: async (input, init) => fetch(input, init) }),
    ask: async (client) =>
      isAnthropic(client) &&
      client.messages.create({ model: "m", max_tokens: 9, messages: [{ role: "user", content: "How much?" }] }),
    body: {
      id: "m-1",
      type: "message",
      role: "assistant",
      model: "m",
      content: [{ type: "text", text: TEXT }],
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  },
};

/** What a step sees of a call: an answer, or what it can tell of an error. */
async function seen(ask: () => Promise<unknown>): Promise<object> {
  try {
    const value: unknown = JSON.parse(JSON.stringify((await ask()) ?? null));
    return { value };
  } catch (thrown) {
    const error = Object(thrown);
    const field = (name: string): unknown => Reflect.get(error, name) ?? null;
    const cause: unknown = Reflect.get(Object(Reflect.get(error, "cause") ?? null), "message") ?? null;
    return {
      class: error.constructor.name,
      isOfSdk: thrown instanceof OpenAIError || thrown instanceof AnthropicError,
      status: field("status"),
      code: field("code"),
      type: field("type"),
      message: field("message"),
      hasCause: cause !== null,
    };
  }
}

/** A step that says what it sees: of a client that is an adapter, or one of its own, on the tape of `fetch`. */
function watcher({ client, ask }: Kind, isAdapter: boolean, timeout?: number): AnyStep {
  const own = client(`http://127.0.0.1:${port}/v1`, timeout);
  return defineStep({
    name: "watcher",
    input: z.object({}),
    output: z.looseObject({}),
    run: async (_, { adapters }: StepContext<{ readonly client: object }>) => ({
      output: await seen(async () => ask(isAdapter ? adapters.client : own)),
    }),
  });
}

async function recorded(step: AnyStep, client: object): Promise<readonly AdapterCall[]> {
  const { result, calls } = await withReplay(step, {}, { adapters: { client } });
  expect(result.ok && "value" in result.value.output).toBe(true);
  return calls.filter(({ returns }) => returns !== "property");
}

/** The recorded call with a fault in it, and what the step sees of that. */
async function faulty(
  step: AnyStep,
  calls: readonly AdapterCall[],
  name: FaultName,
): Promise<{ readonly call: AdapterCall; readonly sees: unknown }> {
  const [call] = calls;
  if (call === undefined) throw new Error("Nothing was recorded.");
  const provider = providerOf(call);
  const struck = faultOf(name, { call, role: "model", provider, errorOf: await errorsOf(provider) });
  if (struck === undefined) throw new Error(`${name} makes no sense of ${call.adapter}.`);
  const served = serveAdapters([struck]);
  const end = await inVirtualTime(async () => run(tapedStep(step, served.within), {}, { adapters: served.adapters }));
  if (end.kind !== "ended" || !end.value.ok) throw new Error(`It ${end.kind}: ${JSON.stringify(end)}`);
  return { call: struck, sees: end.value.value.output };
}

describe.each(Object.entries(KINDS))("a fault of %s is served as its client would show it", (_name, kind) => {
  const url = (): string => `http://127.0.0.1:${port}/v1`;
  const provider = (): "anthropic" | "openai" => ("stop_reason" in kind.body ? "anthropic" : "openai");

  describe.each([
    ["an adapter", true],
    ["on the tape of fetch", false],
  ] as const)("as %s", (_how, isAdapter) => {
    const record = async (): Promise<{ readonly step: AnyStep; readonly calls: readonly AdapterCall[] }> => {
      mode = { status: 200, body: kind.body };
      const step = watcher(kind, isAdapter);
      return { step, calls: await recorded(step, kind.client(url())) };
    };

    test.each([
      ["error-429", 429],
      ["error-500", 500],
    ] as const)("%s", async (fault, status) => {
      const { step, calls } = await record();
      mode = { status, body: errorBody(provider(), status) };
      const real = await seen(async () => kind.ask(kind.client(url())));
      expect((await faulty(step, calls, fault)).sees).toStrictEqual(real);
      expect(real).toMatchObject({ isOfSdk: true, status });
    });

    test("error-network", async () => {
      const { step, calls } = await record();
      const real = await seen(async () => kind.ask(kind.client("http://127.0.0.1:1/v1")));
      expect((await faulty(step, calls, "error-network")).sees).toStrictEqual(real);
      expect(real).toMatchObject({ isOfSdk: true, class: "APIConnectionError" });
    });

    test("timeout", async () => {
      const { step, calls } = await record();
      mode = "silent";
      const real = await seen(async () => kind.ask(kind.client(url(), 50)));
      const { sees } = await faulty(step, calls, "timeout");
      // Whether the error has a cause differs between clients and versions, and nobody goes by it.
      const { hasCause: _real, ...expected }: Record<string, unknown> = { ...real };
      const { hasCause: _served, ...found }: Record<string, unknown> = isPlainObject(sees) ? sees : {};
      expect(found).toStrictEqual(expected);
      expect(real).toMatchObject({ class: "APIConnectionTimeoutError" });
    });

    test.each<FaultName>([
      "truncated",
      "refused",
      "empty",
      "malformed-cut",
      "malformed-fenced",
      "malformed-prose",
      "malformed-types",
      "malformed-extra",
      "malformed-nulls",
    ])("%s", async (fault) => {
      const { step, calls } = await record();
      const { call, sees } = await faulty(step, calls, fault);
      const response = isPlainObject(call.response) ? call.response : {};
      // What the service would have to say for the client to show that.
      const http = isPlainObject(response["body"]) ? response["body"]["json"] : response;
      mode = { status: 200, body: http };
      expect(sees).toStrictEqual(await seen(async () => kind.ask(kind.client(url()))));
      expect(JSON.stringify(http)).not.toBe(JSON.stringify(kind.body));
    });
  });
});

describe("a stream that breaks off", () => {
  const streaming: Kind = {
    client: openai,
    ask: async (client) => {
      if (!isOpenAi(client)) return undefined;
      const texts: string[] = [];
      const stream = await client.chat.completions.create({
        model: "m",
        stream: true,
        messages: [{ role: "user", content: "Hello" }],
      });
      try {
        for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content ?? "");
        return { texts };
      } catch (thrown) {
        const { name, message } = thrown instanceof Error ? thrown : { name: "", message: "" };
        return { texts, name, message };
      }
    },
    body: {},
  };

  test.each([
    ["of an adapter", true],
    ["on the tape of fetch", false],
  ] as const)("%s gives what came before, and the error that its client gives", async (_how, isAdapter) => {
    const url = `http://127.0.0.1:${port}/v1`;
    mode = { cutAfter: EVENTS.length };
    const step = watcher(streaming, isAdapter);
    const calls = await recorded(step, openai(url));
    const { sees } = await faulty(step, calls, "aborted");
    mode = { cutAfter: isAdapter ? 2 : 3 };
    expect(sees).toStrictEqual(await seen(async () => streaming.ask(openai(url))));
    expect(sees).toMatchObject({ value: { message: "terminated" } });
    expect((await faulty(step, calls, "out-of-order")).sees).toMatchObject({ value: { texts: expect.any(Array) } });
    expect((await faulty(step, calls, "duplicate")).sees).toMatchObject({
      value: { texts: EVENTS.flatMap(({ choices: [choice] }) => [choice?.delta.content, choice?.delta.content]) },
    });
  });
});
