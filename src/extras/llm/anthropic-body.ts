import { isArray } from "../../kernel/json/plain-data.ts";
import { err, ok } from "../../kernel/result.ts";
import {
  type ProviderResponse,
  type RequestedTool,
  type ReadBody,
  type StreamFold,
  problemOf,
} from "./provider-response.ts";
import { anthropicSchema } from "./provider-schemas.ts";
import { countAt, fieldAt, objectAt, textAt } from "./read-body.ts";
import { type LLMMessage, type LLMRequest, withoutUndefined } from "./request.ts";
import type { LLMUsage, StopReason } from "./response.ts";

const STOPS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["end_turn", "stop"],
  ["stop_sequence", "stop"],
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["refusal", "refusal"],
  ["tool_use", "tool"],
  ["pause_turn", "paused"],
]);

/** Defaults of a body, for fields that a request omits. */
interface AnthropicDefaults {
  readonly model: string;
  /** Anthropic requires a limit; this one is for requests without. */
  readonly maxTokens: number;
  readonly streamed: boolean;
}

/**
 * Returns a request as the body of Anthropic's messages. System messages at any position go to its `system` field.
 * JSON without a schema has no mode, so the messages must request it.
 */
export function anthropicBody(request: LLMRequest, { model, maxTokens, streamed }: AnthropicDefaults): object {
  const { messages, temperature, tools, toolChoice, responseFormat, providerOptions } = request;
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  return {
    ...providerOptions,
    model,
    max_tokens: request.maxTokens ?? maxTokens,
    messages: turnsOf(messages),
    ...withoutUndefined({
      system: system.length === 0 ? undefined : system.join("\n\n"),
      temperature,
      tools: tools?.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
      tool_choice: toolChoice && anthropicToolChoice(toolChoice),
      output_config: outputConfig(responseFormat, objectAt(providerOptions, "output_config")),
      stream: streamed || undefined,
    }),
  };
}

/** Reads a message: its text blocks are the response. */
export const readAnthropic: ReadBody = (body) => {
  const blocks = fieldAt(body, "content");
  if (!isArray(blocks)) return err(problemOf(body, "the response has no content"));
  const reason = textAt(body, "stop_reason");
  const answer: ProviderResponse = {
    id: textAt(body, "id"),
    model: textAt(body, "model"),
    content: blocks.map((block) => (textAt(block, "type") === "text" ? textAt(block, "text") : "")).join(""),
    refusal: textAt(body, "stop_details", "explanation"),
    tools: blocks.filter((block) => textAt(block, "type") === "tool_use").map(anthropicTool),
    stop: STOPS.get(reason) ?? "unknown",
    reason,
    usage: anthropicUsage(fieldAt(body, "usage")),
  };
  return ok(answer);
};

/** Token counts of an Anthropic message. Its `input_tokens` exclude tokens read from or written to the cache. */
function anthropicUsage(raw: unknown): LLMUsage {
  const cacheRead = countAt(raw, "cache_read_input_tokens");
  const cacheWrite = countAt(raw, "cache_creation_input_tokens");
  return {
    input: countAt(raw, "input_tokens") + cacheRead + cacheWrite,
    output: countAt(raw, "output_tokens"),
    cacheRead,
    cacheWrite,
    reasoning: countAt(raw, "output_tokens_details", "thinking_tokens"),
    raw: raw ?? null,
  };
}

/** Converts messages to turns. Results of tools are a user's turn for Anthropic, all in one. */
function turnsOf(messages: readonly LLMMessage[]): object[] {
  const turns: { role: "user" | "assistant"; content: string | object[] }[] = [];
  let results: object[] | undefined;
  for (const message of messages) {
    if (message.role === "system") continue;
    if (message.role === "tool") {
      const result = { type: "tool_result", tool_use_id: message.toolCallId, content: message.content };
      if (results !== undefined) results.push(result);
      else turns.push({ role: "user", content: (results = [result]) });
      continue;
    }
    results = undefined;
    turns.push(
      message.role === "user"
        ? { role: "user", content: message.content }
        : { role: "assistant", content: assistantContent(message) },
    );
  }
  return turns;
}

function assistantContent({
  content,
  toolCalls = [],
}: Extract<LLMMessage, { readonly role: "assistant" }>): string | object[] {
  if (toolCalls.length === 0) return content;
  const calls = toolCalls.map(({ id, name, input }) => ({ type: "tool_use", id, name, input }));
  return content === "" ? calls : [{ type: "text", text: content }, ...calls];
}

function anthropicToolChoice(choice: NonNullable<LLMRequest["toolChoice"]>): object {
  if (typeof choice !== "string") return { type: "tool", name: choice.name };
  return { type: choice === "required" ? "any" : choice };
}

function outputConfig(format: LLMRequest["responseFormat"], config: object): object | undefined {
  if (format === undefined || format === "json") return undefined;
  return { ...config, format: { type: "json_schema", schema: anthropicSchema(format.schema) } };
}

function anthropicTool(block: unknown): RequestedTool {
  const id = textAt(block, "id");
  const name = textAt(block, "name");
  const input = fieldAt(block, "input");
  // The input from a stream is text.
  return typeof input === "string" ? { id, name, json: input } : { id, name, input: input ?? {} };
}

interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  text: string;
  /** Input of a tool: JSON text in pieces, or a value with the block's start. */
  input: unknown;
}

/** Assembles the events of a streamed Anthropic message. */
export function foldAnthropic(): StreamFold {
  const blocks = new Map<unknown, Block>();
  let message: unknown;
  let end: unknown;
  let usage: Record<string, unknown> = {};
  let failure: unknown;
  const addDelta = (event: unknown): string => {
    const block = blocks.get(fieldAt(event, "index"));
    const text = textAt(event, "delta", "text");
    if (block === undefined) return text;
    block.text += text;
    const json = textAt(event, "delta", "partial_json");
    if (json !== "") block.input = typeof block.input === "string" ? block.input + json : json;
    return text;
  };
  return {
    add: (event) => {
      switch (textAt(event, "type")) {
        case "message_start":
          message = fieldAt(event, "message");
          usage = mergeCounts(usage, fieldAt(message, "usage"));
          return "";
        case "content_block_start": {
          const block = blockOf(fieldAt(event, "content_block"));
          blocks.set(fieldAt(event, "index"), block);
          return block.text;
        }
        case "content_block_delta":
          return addDelta(event);
        case "message_delta":
          end = fieldAt(event, "delta");
          // Counts here are running totals; unchanged ones may be missing.
          usage = mergeCounts(usage, fieldAt(event, "usage"));
          return "";
        case "error":
          failure = fieldAt(event, "error");
          return "";
        default:
          return "";
      }
    },
    body: () => {
      if (failure !== undefined) return { error: failure };
      if (textAt(end, "stop_reason") === "") return undefined;
      const { id, model } = { id: textAt(message, "id"), model: textAt(message, "model") };
      const reason = { stop_reason: textAt(end, "stop_reason"), stop_details: fieldAt(end, "stop_details") };
      return { id, model, content: [...blocks.values()], ...reason, usage };
    },
  };
}

function blockOf(block: unknown): Block {
  return {
    type: textAt(block, "type"),
    id: textAt(block, "id"),
    name: textAt(block, "name"),
    text: textAt(block, "text"),
    input: fieldAt(block, "input"),
  };
}

function mergeCounts(before: Record<string, unknown>, counts: unknown): Record<string, unknown> {
  if (typeof counts !== "object" || counts === null) return before;
  const counted = Object.entries(counts).filter(([, count]) => count !== null && count !== undefined);
  return { ...before, ...Object.fromEntries(counted) };
}
