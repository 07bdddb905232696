import Anthropic, { AnthropicError } from "@anthropic-ai/sdk";
import OpenAI, { OpenAIError } from "openai";
import { expect } from "vitest";
import { z } from "zod";
import { errorBody } from "../src/extras/properties/faults/fault-errors.ts";
import type { OutputFaultName } from "../src/extras/properties/faults/output-faults.ts";
import type { FaultName } from "../src/extras/properties/faults/faults.ts";
import { withReplay } from "../src/record/with-replay.ts";
import { isObject } from "../src/kernel/json/plain-data.ts";
import type { StepContext } from "../src/kernel/step/context.ts";
import { type AnyStep, defineStep } from "../src/kernel/step/define-step.ts";
import { FaultService, type ServiceAnswer, seenUnder } from "./fault-service.ts";
import { CHAT_SERVICE, type Ending, MESSAGES_SERVICE, type ModelService, RESPONSES_SERVICE } from "./model-services.ts";

/** The service that all clients here ask. */
export const service: FaultService = new FaultService();

/** What it says where nothing is wrong. */
export const TEXT = '{"cents":12}';
/** The same as a stream tells it. */
export const PIECES: readonly string[] = ['{"cen', 'ts":', "12}"];

const REFUSAL = "I cannot help with that.";
const PROSE = `Sure! Here is what you asked for:\n\n${TEXT}\n\nLet me know if you need more.`;

/** What the service says under each fault of what is said, and how it ends. */
export const OUTPUTS: Readonly<Record<OutputFaultName, readonly [text: string, ending: Ending]>> = {
  truncated: ['{"cent', "cut"],
  refused: [REFUSAL, "refused"],
  empty: ["", "empty"],
  "malformed-cut": ['{"cent', "stop"],
  "malformed-fenced": [`\`\`\`json\n${TEXT}\n\`\`\``, "stop"],
  "malformed-prose": [PROSE, "stop"],
  "malformed-types": ['{"cents":"12"}', "stop"],
  "malformed-extra": ['{"cents":12,"reasoning":"It was asked for."}', "stop"],
  "malformed-nulls": ['{"cents":null}', "stop"],
};

/** The names of those faults. */
export const OUTPUT_FAULT_NAMES: readonly OutputFaultName[] = Object.keys(OUTPUTS).filter(isSaying);

function isSaying(name: string): name is OutputFaultName {
  return Object.hasOwn(OUTPUTS, name);
}

/** Tells OpenAI's client. */
export function isOpenAi(client: object): client is OpenAI {
  return "chat" in client || "responses" in client;
}

/** Tells Anthropic's client. */
export function isAnthropic(client: object): client is Anthropic {
  return "messages" in client;
}

const overFetch = { apiKey: "k", maxRetries: 0, fetch: async (...args: Parameters<typeof fetch>) => fetch(...args) };

interface Address {
  readonly baseURL: string;
  readonly timeout?: number;
}

/** A client of the service, and one call of it. */
export interface ClientCall {
  readonly client: (at: Address) => object;
  readonly service: ModelService;
  readonly call: (client: object) => Promise<unknown>;
}

const openai = (at: Address): OpenAI => new OpenAI({ timeout: 600_000, ...at, ...overFetch });
const anthropic = (at: Address): Anthropic => new Anthropic({ timeout: 600_000, ...at, ...overFetch });

const USER = [{ role: "user" as const, content: "How much?" }];

interface Questions {
  readonly chat: Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "stream">;
  readonly responses: { readonly model: string; readonly input: string };
  readonly messages: Anthropic.MessageCreateParamsNonStreaming;
}

/** What clients are asked: one question, in the words of each. */
export const QUESTIONS: Questions = {
  chat: { model: "m", messages: USER },
  responses: { model: "m", input: "How much?" },
  messages: { model: "m", max_tokens: 9, messages: USER },
};

/** The clients, each with what its service says. */
export const CLIENTS: Readonly<Record<keyof Questions, Omit<ClientCall, "call">>> = {
  chat: { client: openai, service: CHAT_SERVICE },
  responses: { client: openai, service: RESPONSES_SERVICE },
  messages: { client: anthropic, service: MESSAGES_SERVICE },
};

/** What a step can tell of an error. */
export function errorSummary(thrown: unknown): object {
  const error = isObject(thrown) ? thrown : {};
  const field = (name: string): unknown => Reflect.get(error, name) ?? null;
  const cause: unknown = Reflect.get(Object(Reflect.get(error, "cause") ?? null), "message") ?? null;
  return {
    class: error.constructor.name,
    isOfSdk: thrown instanceof OpenAIError || thrown instanceof AnthropicError,
    status: field("status"),
    code: field("code"),
    type: field("type"),
    message: field("message"),
    // Whether a time-out has a cause differs between clients and versions, and nobody goes by it.
    hasCause: cause !== null && error.constructor.name !== "APIConnectionTimeoutError",
  };
}

/** What a step sees of a call: an answer, or what it can tell of an error. */
async function seen(ask: () => Promise<unknown>): Promise<object> {
  try {
    const value: unknown = JSON.parse(JSON.stringify((await ask()) ?? null));
    return { value };
  } catch (thrown) {
    return errorSummary(thrown);
  }
}

/** A step that says what it sees: of a client that is an adapter, or one of its own, on the tape of `fetch`. */
function watcher({ client, call }: ClientCall, isAdapter: boolean): AnyStep {
  const own = client({ baseURL: `${service.url}/v1` });
  return defineStep({
    name: "watcher",
    input: z.object({}),
    output: z.looseObject({}),
    run: async (_, { adapters }: StepContext<{ readonly client: object }>) => ({
      output: await seen(async () => call(isAdapter ? adapters.client : own)),
    }),
  });
}

/** What differs between two runs of one call. */
interface Compared {
  readonly fault: FaultName;
  /** Whether the client is an adapter; else it is seen by the tape of `fetch`. */
  readonly isAdapter: boolean;
  readonly well: ServiceAnswer;
  /** How the service answers where it misbehaves as the fault says; "nobody" where it is not there. */
  readonly ill: ServiceAnswer | "nobody";
}

/** What a step sees of a served fault, and what the real client shows of the service that misbehaves so. */
export async function servedAndReal(
  call: ClientCall,
  { fault, isAdapter, well, ill }: Compared,
): Promise<{ readonly served: unknown; readonly real: object }> {
  service.answer = well;
  const step = watcher(call, isAdapter);
  const baseURL = `${service.url}/v1`;
  const { result, calls } = await withReplay(step, {}, { adapters: { client: call.client({ baseURL }) } });
  expect(result.ok && result.value.output).toHaveProperty("value");
  if (ill !== "nobody") service.answer = ill;
  const isSilent = ill !== "nobody" && ill.kind === "silent";
  const at = { baseURL: ill === "nobody" ? "http://127.0.0.1:1/v1" : baseURL, ...(isSilent && { timeout: 50 }) };
  const real = await seen(async () => call.call(call.client(at)));
  return { served: await seenUnder(fault, step, calls), real };
}

/** How a client's calls are recorded. */
export const WAYS = [
  ["an adapter", true],
  ["on the tape of fetch", false],
] as const;

/** The faults of calls that fail: how the service fails them, and what the client throws. */
export const FAILURES = [
  ["error-429", 429, "RateLimitError"],
  ["error-500", 500, "InternalServerError"],
  ["error-network", "nobody", "APIConnectionError"],
  ["timeout", "silent", "APIConnectionTimeoutError"],
] as const;

/** How the service of a call fails it. */
export function failing({ client }: ClientCall, how: (typeof FAILURES)[number][1]): ServiceAnswer | "nobody" {
  if (how === "nobody") return how;
  if (how === "silent") return { kind: "silent" };
  return { kind: "body", status: how, body: errorBody(client === anthropic ? "anthropic" : "openai", how) };
}
