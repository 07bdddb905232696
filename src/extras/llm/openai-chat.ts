import { err, ok } from "../../kernel/result.ts";
import {
  type ProviderResponse,
  type RequestedTool,
  type ReadBody,
  type StreamFold,
  problemOf,
} from "./provider-response.ts";
import { isStrictSchema } from "./provider-schemas.ts";
import { countAt, fieldAt, listAt, objectAt, textAt } from "./read-body.ts";
import { type LLMMessage, type LLMRequest, withoutUndefined } from "./request.ts";
import type { LLMUsage, StopReason } from "./response.ts";

const STOPS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["stop", "stop"],
  ["length", "length"],
  ["content_filter", "filter"],
  ["tool_calls", "tool"],
  ["function_call", "tool"],
]);

/** Returns a request as the body of OpenAI's chat completions. */
export function chatBody(request: LLMRequest, model: string, streamed: boolean): object {
  const { messages, temperature, maxTokens, tools, toolChoice, responseFormat, providerOptions } = request;
  return {
    ...providerOptions,
    model,
    messages: messages.map(chatMessage),
    ...withoutUndefined({
      temperature,
      max_completion_tokens: maxTokens,
      tools: tools?.map((tool) => ({ type: "function", function: tool })),
      tool_choice:
        typeof toolChoice === "object" ? { type: "function", function: { name: toolChoice.name } } : toolChoice,
      response_format: responseFormat && chatFormat(responseFormat),
    }),
    ...(streamed
      ? { stream: true, stream_options: { ...objectAt(providerOptions, "stream_options"), include_usage: true } }
      : {}),
  };
}

/** Reads a chat completion; its first choice is the response. */
export const readChat: ReadBody = (body) => {
  const choice = fieldAt(body, "choices", 0);
  if (choice === undefined) return err(problemOf(body, "the response has no choices"));
  const reason = textAt(choice, "finish_reason");
  const refusal = textAt(choice, "message", "refusal");
  const answer: ProviderResponse = {
    id: textAt(body, "id"),
    model: textAt(body, "model"),
    content: textAt(choice, "message", "content"),
    refusal,
    tools: listAt(choice, "message", "tool_calls").map(chatTool),
    stop: refusal === "" ? (STOPS.get(reason) ?? "unknown") : "refusal",
    reason,
    usage: openaiUsage(fieldAt(body, "usage"), "prompt_tokens", "completion_tokens"),
  };
  return ok(answer);
};

/** Token counts of OpenAI, by the names of one of its interfaces. The count of the input includes the cached tokens. */
export function openaiUsage(raw: unknown, input: string, output: string): LLMUsage {
  return {
    input: countAt(raw, input),
    output: countAt(raw, output),
    cacheRead: countAt(raw, `${input}_details`, "cached_tokens"),
    cacheWrite: countAt(raw, `${input}_details`, "cache_write_tokens"),
    reasoning: countAt(raw, `${output}_details`, "reasoning_tokens"),
    raw: raw ?? null,
  };
}

/** Assembles the chunks of a chat completion. */
export function foldChat(): StreamFold {
  const seen = {
    id: "",
    model: "",
    content: "",
    refusal: "",
    reason: "",
    usage: fieldAt(undefined),
    error: fieldAt(undefined),
  };
  const tools = new Map<unknown, { id: string; name: string; arguments: string }>();
  const addTool = (delta: unknown): void => {
    const index = fieldAt(delta, "index") ?? tools.size;
    const tool = tools.get(index) ?? { id: "", name: "", arguments: "" };
    tools.set(index, tool);
    tool.id ||= textAt(delta, "id");
    tool.name ||= textAt(delta, "function", "name");
    tool.arguments += textAt(delta, "function", "arguments");
  };
  return {
    add: (chunk) => {
      seen.id ||= textAt(chunk, "id");
      seen.model ||= textAt(chunk, "model");
      seen.usage = fieldAt(chunk, "usage") ?? seen.usage;
      seen.error = fieldAt(chunk, "error") ?? seen.error;
      // Each chunk has a piece of one of several choices.
      const choice = listAt(chunk, "choices").find((each) => countAt(each, "index") === 0);
      seen.reason ||= textAt(choice, "finish_reason");
      const delta = fieldAt(choice, "delta");
      const text = textAt(delta, "content");
      seen.content += text;
      seen.refusal += textAt(delta, "refusal");
      for (const tool of listAt(delta, "tool_calls")) addTool(tool);
      return text;
    },
    body: () => {
      if (seen.error !== undefined && seen.error !== null) return { error: seen.error };
      if (seen.reason === "") return undefined;
      const { id, model, content, refusal, reason, usage } = seen;
      const toolCalls = [...tools.values()].map(({ id, ...called }) => ({ id, type: "function", function: called }));
      const message = { role: "assistant", content, refusal: refusal === "" ? null : refusal, tool_calls: toolCalls };
      return { id, model, choices: [{ index: 0, message, finish_reason: reason }], usage };
    },
  };
}

function chatMessage(message: LLMMessage): object {
  switch (message.role) {
    case "system":
    case "user":
      return { role: message.role, content: message.content };
    case "assistant": {
      const { content, toolCalls = [] } = message;
      if (toolCalls.length === 0) return { role: "assistant", content };
      const calls = toolCalls.map(({ id, name, input }) => ({
        id,
        type: "function",
        function: { name, arguments: JSON.stringify(input) },
      }));
      return { role: "assistant", content: content === "" ? null : content, tool_calls: calls };
    }
    case "tool":
      return { role: "tool", tool_call_id: message.toolCallId, content: message.content };
  }
}

function chatFormat(format: NonNullable<LLMRequest["responseFormat"]>): object {
  if (format === "json") return { type: "json_object" };
  const { name, schema } = format;
  return { type: "json_schema", json_schema: { name, strict: isStrictSchema(schema), schema } };
}

function chatTool(call: unknown): RequestedTool {
  return {
    id: textAt(call, "id"),
    name: textAt(call, "function", "name"),
    json: textAt(call, "function", "arguments"),
  };
}
