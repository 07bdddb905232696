import { type Server, createServer } from "node:http";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, type LanguageModel, generateText } from "ai";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { isPlainObject } from "../base/plain-data.ts";
import type { AdapterCall } from "../record/adapter-call.ts";
import { serveAdapters } from "../record/serve/serve-adapters.ts";
import { tapedStep } from "../record/tape/tapes.ts";
import { withReplay } from "../record/with-replay.ts";
import type { StepContext } from "../step/context.ts";
import { defineStep } from "../step/define-step.ts";
import { run } from "../step/run.ts";
import { errorBody, errorsOf } from "./fault-errors.ts";
import { type FaultName, faultOf, providerOf } from "./faults.ts";
import { inVirtualTime } from "./virtual-time.ts";

let server: Server;
let port = 0;
let mode: { readonly status: number; readonly body: unknown } | "silent" = "silent";

beforeAll(async () => {
  server = createServer((_, response) => {
    if (mode === "silent") return;
    response.writeHead(mode.status, { "content-type": "application/json" }).end(JSON.stringify(mode.body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const completion = (content: string | null, reason = "stop", more: object = {}): object => ({
  id: "c-1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content, ...more }, finish_reason: reason }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const modelAt = (address: number): LanguageModel =>
  createOpenAI({ baseURL: `http://127.0.0.1:${address}/v1`, apiKey: "k" }).chat("m");

/** What a step sees of a model: its text and why it ended, or what it can tell of an error. */
async function seen(model: LanguageModel, wait: number): Promise<Record<string, unknown>> {
  try {
    const abortSignal = AbortSignal.timeout(wait);
    const { text, finishReason } = await generateText({ model, prompt: "How much?", maxRetries: 0, abortSignal });
    return { text, finishReason };
  } catch (thrown) {
    const error: object = Object(thrown);
    const field = (name: string): unknown => Reflect.get(error, name) ?? null;
    const told = { name: field("name"), isRetryable: field("isRetryable"), statusCode: field("statusCode") };
    // Which port refused is in the words.
    const message = String(field("message")).replace(/:\d+$/, "");
    return { ...told, message, isOfSdk: APICallError.isInstance(thrown) };
  }
}

const watcher = defineStep({
  name: "watcher",
  input: z.object({}),
  output: z.looseObject({}),
  run: async (_, { adapters }: StepContext<{ readonly model: LanguageModel }>) => ({
    output: await seen(adapters.model, 60_000),
  }),
});

async function recorded(): Promise<readonly AdapterCall[]> {
  mode = { status: 200, body: completion('{"cents":12}') };
  const { result, calls } = await withReplay(watcher, {}, { adapters: { model: modelAt(port) } });
  expect(result.ok && result.value.output).toMatchObject({ text: '{"cents":12}' });
  return calls;
}

async function faulty(name: FaultName): Promise<unknown> {
  const calls = await recorded();
  const served = [];
  for (const call of calls) {
    const provider = providerOf(call);
    const errorOf = await errorsOf(provider);
    served.push(
      call.returns === "property" ? call : (faultOf(name, { call, role: "model", provider, errorOf }) ?? call),
    );
  }
  const place = serveAdapters(served);
  const end = await inVirtualTime(async () =>
    run(tapedStep(watcher, place.within), {}, { adapters: asModel(place.adapters) }),
  );
  if (end.kind !== "ended" || !end.value.ok) throw new Error(`It ${end.kind}: ${JSON.stringify(end)}`);
  return end.value.value.output;
}

function asModel(adapters: object): { readonly model: LanguageModel } {
  const model: unknown = Reflect.get(adapters, "model");
  if (!isModel(model)) throw new Error("No model was recorded.");
  return { model };
}

function isModel(value: unknown): value is LanguageModel {
  return (isPlainObject(value) || typeof value === "object" || typeof value === "function") && value !== null;
}

/** A port that somebody had, and nobody has. */
async function closedPort(): Promise<number> {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const address = other.address();
  await new Promise((resolve) => other.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

test.each([
  ["error-429", { status: 429, body: errorBody("openai", 429) }],
  ["error-500", { status: 500, body: errorBody("openai", 500) }],
  ["truncated", { status: 200, body: completion('{"cent', "length") }],
  ["malformed-fenced", { status: 200, body: completion('```json\n{"cents":12}\n```') }],
  ["empty", { status: 200, body: completion("") }],
] as const)("a model of the AI SDK under %s shows what the SDK shows of the service", async (fault, answers) => {
  const sees = await faulty(fault);
  mode = answers;
  expect(sees).toStrictEqual(await seen(modelAt(port), 60_000));
});

test("a model of the AI SDK whose service is not there, or says nothing", async () => {
  expect(await faulty("error-network")).toStrictEqual(await seen(modelAt(await closedPort()), 60_000));
  const sees = await faulty("timeout");
  mode = "silent";
  expect(sees).toStrictEqual(await seen(modelAt(port), 50));
});
