/** A JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool call that the model requested: the provider's id of the call, the tool's name, and its parsed input. */
export interface LLMToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** One message of a conversation, in the same form for every provider. */
export type LLMMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string }
  | { readonly role: "assistant"; readonly content: string; readonly toolCalls?: readonly LLMToolCall[] }
  /** Result of the tool call with this id. */
  | { readonly role: "tool"; readonly toolCallId: string; readonly content: string };

/** A tool that the model can call. `parameters` is the JSON Schema of its input. */
export interface LLMTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonSchema;
}

/** Response format that requires a JSON Schema. `name` has at most 64 letters, digits, `_` and `-`. */
export interface LLMJsonFormat {
  readonly name: string;
  readonly schema: JsonSchema;
}

/**
 * Request to a model. It contains only plain JSON data, so a recording contains the complete request. veritest reports
 * a changed prompt, schema or parameter as a changed request.
 */
export interface LLMRequest {
  /** Model, as the provider names it. Optional if the adapter has a default model. */
  readonly model?: string;
  readonly messages: readonly LLMMessage[];
  readonly temperature?: number;
  /** Maximum number of tokens of the response. A longer response is the error `truncated`. */
  readonly maxTokens?: number;
  readonly tools?: readonly LLMTool[];
  readonly toolChoice?: "auto" | "none" | "required" | { readonly name: string };
  /**
   * Format of the response. `"json"` requests any JSON, if the provider has such a mode. A JSON schema format requests
   * JSON of that schema.
   */
  readonly responseFormat?: "json" | LLMJsonFormat;
  /** Fields that this interface doesn't have, sent unchanged (for the AI SDK: its `providerOptions`). */
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}

/** Returns the fields of a provider's request that have a value. */
export function withoutUndefined(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
