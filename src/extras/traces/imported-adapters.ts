import { isPlainObject, memberOf } from "../../kernel/json/plain-data.ts";
import { listIn, recordIn, recordsIn } from "../../kernel/json/read-data.ts";
import { unpacked } from "./json-items.ts";
import { joinPath } from "../../record/adapter-call.ts";
import { isAsyncIterable } from "../../record/encode/builtins.ts";
import { isNamespace, isUnrecordedKey } from "../../record/encode/members.ts";
import { mirrorTraps } from "../../record/proxy/mirror.ts";
import { isSdkTool } from "../../record/interceptors/ai-sdk-adapters.ts";
import type { Interceptors } from "../../record/interceptors/recording-scope.ts";
import { markTool, toolFacts } from "../../record/interceptors/tool-mark.ts";
import type { BaseAdapters } from "../../kernel/step/context.ts";
import {
  type ResponseDialect,
  agentsResult,
  aiSdkResult,
  aiSdkStream,
  knownShape,
  shapedResponse,
} from "./response-shapes.ts";
import type { ImportedResponses } from "./imported-responses.ts";
import type { SeenAdapter, SeenModel, SeenTool } from "./observation.ts";
import { textField } from "./turns.ts";

/** Adapters and handlers that respond to a step from a trace. */
export interface ImportedContext {
  /** Replaces the current adapters, if there are any. */
  readonly adapters: BaseAdapters;
  /** Respond to calls that bypass the adapters. */
  readonly handlers: Interceptors;
  /** True if a call had a method whose shape is unknown. */
  readonly isGuessed: () => boolean;
}

/**
 * Makes the adapters and handlers for one run of a step. The current adapters are never called; only their data is
 * read. A method of unknown kind responds in `dialect`.
 */
export function importedContext(
  answers: ImportedResponses,
  { today, dialect }: { readonly today: BaseAdapters | undefined; readonly dialect: ResponseDialect },
): ImportedContext {
  let isGuessed = false;
  let count = 0;
  const respond: Respond = (path, args) => {
    const kind = answers.kindOf(path);
    if (kind?.kind === "adapter") return givenOf(answers.adapter(path, args));
    if (kind?.kind === "tool") return givenOf(answers.tool(kind.name, args[0]));
    const { answer, ...traced } = answeredOf(answers.model(path, withModelId(path, args, today)));
    count += 1;
    // LangGraph takes a message with an id that it has for a new version of that message.
    const model = { ...traced, answer: { ...answer, id: answer.id ?? `imported-${count}` } };
    if (knownShape(path) === undefined) isGuessed = true;
    const whole = shapedResponse(path, model, dialect);
    if (!isStreamed(args)) return whole;
    if (/completions/.test(path)) return streamedCompletion(whole);
    return isPlainObject(whole) && /(?:^|[./])messages/.test(path) ? streamedMessage(whole) : whole;
  };
  return {
    adapters: today === undefined ? unknownAdapter("", respond) : mirrored("", today, respond),
    handlers: handlersOf(answers, respond),
    isGuessed: () => isGuessed,
  };
}

/** Adds the model that a method of the AI SDK belongs to: its request doesn't name it. */
function withModelId(path: string, args: readonly unknown[], today: BaseAdapters | undefined): readonly unknown[] {
  if (today === undefined || !/(?:^|\.)do(?:Generate|Stream)$/.test(path)) return args;
  const owner = path.split(".").slice(0, -1).reduce<unknown>(memberOf, today);
  return owner === undefined ? args : requestOf(args[0], { modelId: memberOf(owner, "modelId") });
}

type Respond = (path: string, args: readonly unknown[]) => unknown;

function givenOf(call: SeenTool | SeenAdapter): unknown {
  if (call.error !== undefined) throw new Error(call.error);
  return call.kind === "tool" ? call.result?.value : call.response?.value;
}

function answeredOf(model: SeenModel): SeenModel & { readonly answer: NonNullable<SeenModel["answer"]> } {
  const { answer, error } = model;
  if (error !== undefined || answer === undefined)
    throw new Error(error ?? "The trace doesn't have the response of the model.");
  return { ...model, answer };
}

/** Copies the current adapters, with all calls replayed from the trace. */
function mirrored(path: string, original: object, respond: Respond): object {
  const read = (key: string | symbol): unknown => {
    const value: unknown = Reflect.get(original, key, original);
    if (typeof key === "symbol" || isUnrecordedKey(original, key) || !isNamespace(value)) return value;
    const memberPath = joinPath(path, key);
    if (isSdkTool(value)) return toolOf(value, memberPath, respond);
    return mirrored(memberPath, value, respond);
  };
  const traps = mirrorTraps(original, read);
  if (typeof original !== "function") return new Proxy<object>({}, traps);
  const facts = toolFacts(original);
  const answering = async (...args: readonly unknown[]): Promise<unknown> => respond(path, args);
  const target = facts === undefined ? answering : markTool(answering, facts);
  return new Proxy<object>(target, {
    get(own, key): unknown {
      return typeof key === "string" && !isUnrecordedKey(original, key) ? read(key) : Reflect.get(own, key);
    },
  });
}

/** Replaces a tool of the AI SDK with one that responds from the trace. */
function toolOf(tool: { readonly execute: object }, path: string, respond: Respond): object {
  const execute = async (input: unknown): Promise<unknown> => respond(path, [input]);
  const facts = toolFacts(tool.execute);
  return { ...tool, execute: facts === undefined ? execute : markTool(execute, facts) };
}

/** Facts about a model of the AI SDK, for a step without one. */
const MODEL_FACTS: Readonly<Record<string, unknown>> = {
  specificationVersion: "v4",
  provider: "imported",
  modelId: "imported",
  supportedUrls: {},
};

/** Adapters of unknown shape: every member is callable and has members. */
function unknownAdapter(path: string, respond: Respond): object {
  const members = new Map<string, object>();
  const answering = async (...args: readonly unknown[]): Promise<unknown> => respond(path, args);
  return new Proxy<object>(path === "" ? {} : answering, {
    get(own, key): unknown {
      if (typeof key === "symbol" || isUnrecordedKey(own, key)) return Reflect.get(own, key);
      if (Object.hasOwn(MODEL_FACTS, key)) return MODEL_FACTS[key];
      const member = members.get(key) ?? unknownAdapter(joinPath(path, key), respond);
      members.set(key, member);
      return member;
    },
    has: (_own, key) => typeof key === "string",
  });
}

function handlersOf(answers: ImportedResponses, respond: Respond): Interceptors {
  const agents = "openai-agents";
  return {
    model: {
      generate: async ({ params, model }) => {
        const answered = answeredOf(answers.model("model.generate", requestOf(params, model)));
        return model.provider === agents ? agentsResult(answered) : aiSdkResult(answered);
      },
      stream: async ({ params, model }) => {
        if (model.provider === agents) throw answers.unrecordedError("requests a stream from a model of OpenAI Agents");
        return aiSdkStream(answeredOf(answers.model("model.stream", requestOf(params, model))));
      },
      unrecordedModel: (tool) =>
        void answers.unrecordedError(
          `runs tool "${tool}" outside the recording. Wrap the tools with recordTools(tools)`,
        ),
      isRecorded: () => true,
    },
    tools: async ({ facts, args }) => {
      const path = `tools.${facts.name}`;
      if (answers.kindOf(path) === undefined) throw answers.unrecordedError(`calls tool "${facts.name}"`);
      return respond(path, args);
    },
    facts: async (path) => {
      throw answers.unrecordedError(`lists what an MCP server offers (${path})`);
    },
    fetch: async (input, init) => fetched(new Request(input, init), answers, respond),
  };
}

/** Returns the request of a model of an SDK. The model of unknown adapters says nothing about the request's. */
function requestOf(params: unknown, { modelId }: { readonly modelId?: unknown }): readonly unknown[] {
  const isKnown = typeof modelId === "string" && modelId !== MODEL_FACTS["modelId"];
  return [isKnown && isPlainObject(params) ? { model: modelId, ...params } : params];
}

/** Returns the response to a request that a client sends by `fetch`, if its URL shows the API. */
async function fetched(request: Request, answers: ImportedResponses, respond: Respond): Promise<Response> {
  const { origin, pathname } = new URL(request.url);
  const text = await request.text();
  const traced = answers.fetched([request.method, request.url, unpacked(text)]);
  if (isPlainObject(traced)) return new Response(String(traced["text"]), { ...traced });
  const body = unpacked(text);
  if (knownShape(pathname) === undefined || !isPlainObject(body))
    throw answers.unrecordedError(`fetches ${origin}${pathname}`);
  const response = respond(pathname, [body]);
  if (body["stream"] !== true) return Response.json(response);
  if (!isAsyncIterable(response)) throw answers.unrecordedError(`streams ${origin}${pathname} by fetch`);
  return new Response(await eventsOf(response), { headers: { "content-type": "text/event-stream" } });
}

/** Writes chunks as server-sent events. */
async function eventsOf(chunks: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) {
    const type = textField(chunk, "type");
    text += `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(chunk)}\n\n`;
  }
  return text.startsWith("event:") ? text : `${text}data: [DONE]\n\n`;
}

function isStreamed([first]: readonly unknown[]): boolean {
  return recordIn(first)["stream"] === true;
}

/** Yields a message in Anthropic's streaming format, each block of it in one piece. */
async function* streamedMessage(message: Readonly<Record<string, unknown>>): AsyncGenerator<unknown, void> {
  const { content, stop_reason: reason, stop_sequence: sequence, usage } = message;
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null, stop_sequence: null } };
  for (const [index, block] of recordsIn(content).entries()) {
    const isCall = block["type"] === "tool_use";
    const empty = isCall ? { ...block, input: {} } : { ...block, text: "" };
    const delta = isCall
      ? { type: "input_json_delta", partial_json: JSON.stringify(block["input"]) }
      : { type: "text_delta", text: block["text"] };
    yield { type: "content_block_start", index, content_block: empty };
    yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason: reason, stop_sequence: sequence }, usage };
  yield { type: "message_stop" };
}

/** Yields a completion in one piece, in OpenAI's streaming format. */
async function* streamedCompletion(completion: unknown): AsyncGenerator<unknown, void> {
  if (!isPlainObject(completion)) return;
  const { choices, ...rest } = completion;
  const { message, finish_reason: finish } = recordIn(listIn(choices)[0]);
  const whole = recordIn(message);
  const calls = recordsIn(whole["tool_calls"]);
  const delta = { ...whole, ...(calls.length > 0 && { tool_calls: calls.map((call, index) => ({ index, ...call })) }) };
  yield { ...rest, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: null }] };
  yield { ...rest, object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: finish }] };
}
