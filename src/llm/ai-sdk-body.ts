import { err, ok } from "../base/result.ts";
import { isArray } from "../base/plain-data.ts";
import { type Answer, type AskedTool, MALFORMED, type ReadBody, type StreamFold } from "./answer.ts";
import { fieldAt, textAt } from "./read-body.ts";
import type { LLMMessage, LLMRequest, LLMToolCall } from "./request.ts";
import type { StopReason } from "./response.ts";
import { aiSdkUsage } from "./usage.ts";

const STOPS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["content-filter", "filter"],
  ["tool-calls", "tool"],
  ["interrupted", "paused"],
]);

/** A request as the call options of an AI SDK language model (provider specification v4), without signal. */
export function aiSdkBody(request: LLMRequest): object {
  const { messages, temperature, maxTokens, tools, toolChoice, responseFormat, providerOptions } = request;
  return {
    prompt: promptOf(messages),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(tools === undefined
      ? {}
      : { tools: tools.map(({ parameters, ...tool }) => ({ type: "function", ...tool, inputSchema: parameters })) }),
    ...(toolChoice === undefined ? {} : { toolChoice: aiSdkToolChoice(toolChoice) }),
    ...(responseFormat === undefined
      ? {}
      : { responseFormat: { type: "json", ...(responseFormat === "json" ? {} : responseFormat) } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
  };
}

/** Reads what `doGenerate` resolved to: its text parts are the answer. */
export const readAiSdk: ReadBody = (body) => {
  const parts = fieldAt(body, "content");
  if (!isArray(parts)) return err({ code: MALFORMED, message: "the result has no content" });
  const unified = textAt(body, "finishReason", "unified");
  const raw = textAt(body, "finishReason", "raw");
  // The SDK's word for a stream that ended without an end; with a word of the provider's it is a pause.
  if (unified === "interrupted" && raw === "")
    return err({ code: MALFORMED, message: "the stream ended before the answer did" });
  const text = parts.map((part) => (textAt(part, "type") === "text" ? textAt(part, "text") : "")).join("");
  // The SDK files a refusal under filters and its words under text; only the provider's own word tells the two apart.
  const refused = unified === "content-filter" && ["", "refusal", "stop"].includes(raw);
  const answer: Answer = {
    id: textAt(body, "response", "id"),
    model: textAt(body, "response", "modelId"),
    content: refused ? "" : text,
    refusal: refused ? text : "",
    // What the provider ran itself is part of its answer, not asked of us.
    tools: parts
      .filter((part) => textAt(part, "type") === "tool-call" && fieldAt(part, "providerExecuted") !== true)
      .map(aiSdkTool),
    stop: refused ? "refusal" : (STOPS.get(unified) ?? "unknown"),
    reason: raw || unified,
    usage: aiSdkUsage(fieldAt(body, "usage")),
  };
  return ok(answer);
};

/** Puts the parts of `doStream` together. */
export function foldAiSdk(): StreamFold {
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

function aiSdkToolChoice(choice: NonNullable<LLMRequest["toolChoice"]>): object {
  return typeof choice === "string" ? { type: choice } : { type: "tool", toolName: choice.name };
}

function aiSdkTool(part: unknown): AskedTool {
  return { id: textAt(part, "toolCallId"), name: textAt(part, "toolName"), json: textAt(part, "input") };
}
