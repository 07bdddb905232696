import { hashValueSync } from "../../kernel/json/hash.ts";
import type { LLMMessage, LLMRequest } from "./request.ts";
import type { LLMResponse } from "./response.ts";

/**
 * Content of the artifact `llm-input`: the request without the model's name and in no provider's form, so that the
 * same prompt has the same hash for every model. Ids of tool calls, which providers generate, are replaced with their
 * order, and a schema with its hash.
 */
export function inputContent({
  model: _model,
  messages,
  responseFormat,
  ...rest
}: LLMRequest): Readonly<Record<string, unknown>> {
  return {
    ...rest,
    messages: withOrdinals(messages),
    ...(responseFormat === undefined ? {} : { responseFormat: formatContent(responseFormat) }),
  };
}

/** Content of the artifact `llm-output`: equal for equal responses of any provider. */
export function outputContentOf({ content, toolCalls, trace: { stop } }: LLMOutput): Readonly<Record<string, unknown>> {
  if (toolCalls === undefined) return { content, stop };
  return { content, stop, toolCalls: toolCalls.map(({ name, input }) => ({ name, input })) };
}

type LLMOutput = Pick<LLMResponse, "content" | "toolCalls"> & { readonly trace: Pick<LLMResponse["trace"], "stop"> };

function formatContent(format: NonNullable<LLMRequest["responseFormat"]>): unknown {
  return format === "json" ? format : { name: format.name, schemaHash: hashValueSync(format.schema) };
}

function withOrdinals(messages: readonly LLMMessage[]): unknown[] {
  const ordinals = new Map<string, number>();
  const ordinal = (id: string): number => {
    const known = ordinals.get(id) ?? ordinals.size;
    ordinals.set(id, known);
    return known;
  };
  return messages.map((message) => {
    switch (message.role) {
      case "system":
      case "user":
        return message;
      case "assistant":
        if (message.toolCalls === undefined) return message;
        return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: ordinal(call.id) })) };
      case "tool":
        return { ...message, toolCallId: ordinal(message.toolCallId) };
    }
  });
}
