import { isArray } from "../../kernel/json/plain-data.ts";
import { err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import {
  type ProviderResponse,
  type RequestedTool,
  type Exchange,
  MALFORMED,
  type ReadBody,
  type Sent,
  type StreamFold,
} from "./provider-response.ts";
import { type AdapterOptions, createProvider, modelOf } from "./create-provider.ts";
import type { LLMProvider } from "./provider.ts";
import { countAt, fieldAt, headerOf, textAt } from "./read-body.ts";
import { type LLMMessage, type LLMRequest, type LLMToolCall, withoutUndefined } from "./request.ts";
import type { LLMUsage, StopReason } from "./response.ts";

/** A language model from a provider of the `ai` package, with specification `v4`. */
export interface AISDKModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  readonly doGenerate: (options: never) => PromiseLike<unknown>;
  readonly doStream: (options: never) => PromiseLike<unknown>;
}

/** Options for {@link fromAISDK}, in addition to the model. */
export interface AISDKOptions extends AdapterOptions {
  /** Default model of requests. Only used if you pass a provider. */
  readonly model?: string | undefined;
}

/**
 * Creates an adapter from a model (`openai("gpt-4o")`) or from a provider (`openai`, with the model named in each
 * request) of the `ai` package. The model is called directly, with one HTTP request for each call and without the
 * retries of `generateText`. Throws a TypeError for a model of a different specification, and for a request that names
 * a different model.
 *
 * @example
 * const llm = fromAISDK(openai("gpt-4o"));
 */
export function fromAISDK(
  source: AISDKModel | ((modelId: string) => AISDKModel),
  options: AISDKOptions = {},
): LLMProvider {
  if (typeof source !== "function") checkVersion(source);
  const modelFor = (request: LLMRequest): AISDKModel =>
    typeof source === "function" ? checkVersion(source(modelOf(request, options.model))) : checkName(source, request);
  return createProvider(options, (request, streamed) => exchangeOf(modelFor(request), request, streamed));
}

function exchangeOf(model: AISDKModel, request: LLMRequest, streamed: boolean): Exchange {
  const body = aiSdkBody(request);
  const send = streamed ? sendStreamed : sendWhole;
  return {
    provider: model.provider,
    model: model.modelId,
    body,
    send: (signal) => send(model, signal === undefined ? body : { ...body, abortSignal: signal }),
    read: readAiSdk,
    fold: foldAiSdk,
  };
}

async function sendWhole(model: AISDKModel, options: object): Promise<Sent> {
  const data: unknown = await Reflect.apply(model.doGenerate, model, [options]);
  return { data, requestId: requestIdOf(data) };
}

async function sendStreamed(model: AISDKModel, options: object): Promise<Sent> {
  const answered: unknown = await Reflect.apply(model.doStream, model, [options]);
  return { data: fieldAt(answered, "stream"), requestId: requestIdOf(answered) };
}

function requestIdOf(answered: unknown): string {
  const headers = fieldAt(answered, "response", "headers");
  return headerOf(headers, "x-request-id") || headerOf(headers, "request-id");
}

function checkVersion(model: AISDKModel): AISDKModel {
  if (model.specificationVersion === "v4") return model;
  const version = quote(model.specificationVersion);
  throw new TypeError(
    `fromAISDK takes models of provider specification "v4" (the ai package, version 7), got ${version}. ` +
      "Update the provider's package.",
  );
}

function checkName(model: AISDKModel, { model: requested }: LLMRequest): AISDKModel {
  if (requested === undefined || requested === model.modelId) return model;
  throw new TypeError(
    `The request is for the model ${quote(requested)}, but the adapter is for ${quote(model.modelId)}. ` +
      "To let requests choose the model, create the adapter from the provider: fromAISDK(openai).",
  );
}

const STOPS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["content-filter", "filter"],
  ["tool-calls", "tool"],
  ["interrupted", "paused"],
]);

/** Returns a request as the call options of an AI SDK language model (provider specification v4), without signal. */
function aiSdkBody(request: LLMRequest): object {
  const { messages, temperature, maxTokens, tools, toolChoice, responseFormat, providerOptions } = request;
  return withoutUndefined({
    prompt: promptOf(messages),
    temperature,
    maxOutputTokens: maxTokens,
    tools: tools?.map(({ parameters, ...tool }) => ({ type: "function", ...tool, inputSchema: parameters })),
    toolChoice:
      typeof toolChoice === "object" ? { type: "tool", toolName: toolChoice.name } : toolChoice && { type: toolChoice },
    responseFormat: responseFormat && { type: "json", ...(responseFormat === "json" ? {} : responseFormat) },
    providerOptions,
  });
}

/** Reads the result of `doGenerate`: its text parts are the response. */
export const readAiSdk: ReadBody = (body) => {
  const parts = fieldAt(body, "content");
  if (!isArray(parts)) return err({ code: MALFORMED, message: "the result has no content" });
  const unified = textAt(body, "finishReason", "unified");
  const raw = textAt(body, "finishReason", "raw");
  // The SDK's word for a stream without an end; with a reason of the provider it's a pause.
  if (unified === "interrupted" && raw === "")
    return err({ code: MALFORMED, message: "the stream ended before the response was complete" });
  const text = parts.map((part) => (textAt(part, "type") === "text" ? textAt(part, "text") : "")).join("");
  // The SDK reports a refusal as a filter and its words as text; only the provider's own reason shows the difference.
  const refused = unified === "content-filter" && ["", "refusal", "stop"].includes(raw);
  const answer: ProviderResponse = {
    id: textAt(body, "response", "id"),
    model: textAt(body, "response", "modelId"),
    content: refused ? "" : text,
    refusal: refused ? text : "",
    // A tool that the provider ran is part of its response, not a request to us.
    tools: parts
      .filter((part) => textAt(part, "type") === "tool-call" && fieldAt(part, "providerExecuted") !== true)
      .map(aiSdkTool),
    stop: refused ? "refusal" : (STOPS.get(unified) ?? "unknown"),
    reason: raw || unified,
    usage: aiSdkUsage(fieldAt(body, "usage")),
  };
  return ok(answer);
};

/** Token counts of an AI SDK result, which has the same form for all providers; `raw` is the provider's own. */
function aiSdkUsage(usage: unknown): LLMUsage {
  return {
    input: countAt(usage, "inputTokens", "total"),
    output: countAt(usage, "outputTokens", "total"),
    cacheRead: countAt(usage, "inputTokens", "cacheRead"),
    cacheWrite: countAt(usage, "inputTokens", "cacheWrite"),
    reasoning: countAt(usage, "outputTokens", "reasoning"),
    raw: fieldAt(usage, "raw") ?? usage ?? null,
  };
}

/** Assembles the parts of `doStream`. */
function foldAiSdk(): StreamFold {
  const content: unknown[] = [];
  let response: unknown;
  let finish: unknown;
  let failure: { readonly error: unknown } | undefined;
  return {
    add: (part) => {
      switch (textAt(part, "type")) {
        case "response-metadata":
          response = { id: fieldAt(part, "id"), modelId: fieldAt(part, "modelId") };
          return "";
        case "text-delta":
          content.push({ type: "text", text: textAt(part, "delta") });
          return textAt(part, "delta");
        case "tool-call":
          content.push(part);
          return "";
        case "finish":
          finish = part;
          return "";
        case "error":
          failure ??= { error: fieldAt(part, "error") };
          return "";
        default:
          return "";
      }
    },
    body: () => {
      if (failure !== undefined) throw failure.error;
      if (finish === undefined) return undefined;
      return { content, finishReason: fieldAt(finish, "finishReason"), usage: fieldAt(finish, "usage"), response };
    },
  };
}

function promptOf(messages: readonly LLMMessage[]): object[] {
  const names = new Map(
    messages
      .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
      .map(({ id, name }) => [id, name]),
  );
  return messages.map((message) => {
    switch (message.role) {
      case "system":
        return { role: "system", content: message.content };
      case "user":
        return { role: "user", content: [{ type: "text", text: message.content }] };
      case "assistant":
        return { role: "assistant", content: assistantParts(message.content, message.toolCalls ?? []) };
      case "tool": {
        const { toolCallId, content } = message;
        const output = { type: "text", value: content };
        return {
          role: "tool",
          content: [{ type: "tool-result", toolCallId, toolName: names.get(toolCallId) ?? "", output }],
        };
      }
    }
  });
}

function assistantParts(content: string, toolCalls: readonly LLMToolCall[]): object[] {
  const calls = toolCalls.map(({ id, name, input }) => ({ type: "tool-call", toolCallId: id, toolName: name, input }));
  return content === "" && calls.length > 0 ? calls : [{ type: "text", text: content }, ...calls];
}

function aiSdkTool(part: unknown): RequestedTool {
  return { id: textAt(part, "toolCallId"), name: textAt(part, "toolName"), json: textAt(part, "input") };
}
