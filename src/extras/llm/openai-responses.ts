import { err, ok } from "../../kernel/result.ts";
import {
  type ProviderResponse,
  type RequestedTool,
  type ReadBody,
  type StreamFold,
  problemOf,
} from "./provider-response.ts";
import { isArray } from "../../kernel/json/plain-data.ts";
import { openaiUsage } from "./openai-chat.ts";
import { isStrictSchema } from "./provider-schemas.ts";
import { fieldAt, listAt, objectAt, textAt } from "./read-body.ts";
import { type LLMMessage, type LLMRequest, withoutUndefined } from "./request.ts";
import type { StopReason } from "./response.ts";

/** Returns a request as the body of OpenAI's responses. */
export function responsesBody(request: LLMRequest, model: string, streamed: boolean): object {
  const { messages, temperature, maxTokens, tools, toolChoice, responseFormat, providerOptions } = request;
  return {
    ...providerOptions,
    model,
    input: messages.flatMap(responsesItems),
    ...withoutUndefined({
      temperature,
      max_output_tokens: maxTokens,
      tools: tools?.map((tool) => ({ type: "function", strict: false, ...tool })),
      tool_choice: typeof toolChoice === "object" ? { type: "function", name: toolChoice.name } : toolChoice,
      text: responseFormat && { ...objectAt(providerOptions, "text"), format: responsesFormat(responseFormat) },
      stream: streamed || undefined,
    }),
  };
}

/** Reads a response: the texts of its messages are its content. */
export const readResponses: ReadBody = (body) => {
  const status = textAt(body, "status");
  const items = fieldAt(body, "output");
  if (status === "cancelled") return err({ code: status, message: "the response was cancelled" });
  if (status === "failed" || !isArray(items)) return err(problemOf(body, "the response has no output"));
  const parts = items.filter((item) => textAt(item, "type") === "message").flatMap((item) => listAt(item, "content"));
  const refusals = parts.filter((part) => textAt(part, "type") === "refusal");
  const tools = items.filter((item) => textAt(item, "type") === "function_call");
  const answer: ProviderResponse = {
    id: textAt(body, "id"),
    model: textAt(body, "model"),
    content: parts.map((part) => (textAt(part, "type") === "output_text" ? textAt(part, "text") : "")).join(""),
    refusal: refusals.map((part) => textAt(part, "refusal")).join(""),
    tools: tools.map(responsesTool),
    // A refusal leaves the status "completed", so it's checked first.
    ...(refusals.length > 0 ? { stop: "refusal", reason: "refusal" } : stopOf(body, tools.length > 0)),
    usage: openaiUsage(fieldAt(body, "usage"), "input_tokens", "output_tokens"),
  };
  return ok(answer);
};

/** Takes the response from the last event of its stream. */
export function foldResponses(): StreamFold {
  let last: unknown;
  return {
    add: (event) => {
      const type = textAt(event, "type");
      if (/^response\.(completed|incomplete|failed)$/.test(type)) last = fieldAt(event, "response");
      if (type === "error") {
        const own = { code: fieldAt(event, "code"), message: fieldAt(event, "message") };
        last = { status: "failed", error: fieldAt(event, "error") ?? own };
      }
      return type === "response.output_text.delta" ? textAt(event, "delta") : "";
    },
    body: () => last,
  };
}

function stopOf(body: unknown, requestsTools: boolean): Pick<ProviderResponse, "stop" | "reason"> {
  const status = textAt(body, "status");
  const reason = textAt(body, "incomplete_details", "reason");
  const stops: Readonly<Record<string, StopReason>> = { max_output_tokens: "length", content_filter: "filter" };
  switch (status) {
    case "completed":
      return { stop: requestsTools ? "tool" : "stop", reason: status };
    case "incomplete":
      return { stop: (Object.hasOwn(stops, reason) ? stops[reason] : undefined) ?? "unknown", reason };
    case "in_progress":
    case "queued":
      return { stop: "paused", reason: status };
    default:
      return { stop: "unknown", reason: status };
  }
}

function responsesItems(message: LLMMessage): object[] {
  switch (message.role) {
    case "system":
    case "user":
      return [{ role: message.role, content: message.content }];
    case "assistant": {
      const { content, toolCalls = [] } = message;
      const calls = toolCalls.map(({ id, name, input }) => ({
        type: "function_call",
        call_id: id,
        name,
        arguments: JSON.stringify(input),
      }));
      return content === "" && calls.length > 0 ? calls : [{ role: "assistant", content }, ...calls];
    }
    case "tool":
      return [{ type: "function_call_output", call_id: message.toolCallId, output: message.content }];
  }
}

function responsesFormat(format: NonNullable<LLMRequest["responseFormat"]>): object {
  if (format === "json") return { type: "json_object" };
  const { name, schema } = format;
  return { type: "json_schema", name, strict: isStrictSchema(schema), schema };
}

function responsesTool(item: unknown): RequestedTool {
  return { id: textAt(item, "call_id"), name: textAt(item, "name"), json: textAt(item, "arguments") };
}
