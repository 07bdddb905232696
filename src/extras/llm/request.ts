/** A JSON Schema as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A tool the model asked for: the provider's id of the call, the tool's name, and its input, parsed. */
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
  /** What a tool answered to the call of this id. */
  | { readonly role: "tool"; readonly toolCallId: string; readonly content: string };

/** A tool the model may ask for; `parameters` is the JSON Schema of its input. */
export interface LLMTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonSchema;
}

/** Asks for an answer that fits a JSON Schema. `name`: letters, digits, `_` and `-`, at most 64. */
export interface LLMJsonFormat {
  readonly name: string;
  readonly schema: JsonSchema;
}

/**
 * What is asked of a model. Plain JSON data throughout, so that a recording holds it whole and a changed prompt, schema
 * or parameter shows as a changed request.
 */
export interface LLMRequest {
  /** The provider's name of the model; may be left out where the adapter has a default. */
  readonly model?: string;
  readonly messages: readonly LLMMessage[];
  readonly temperature?: number;
  /** The most tokens the answer may have; a longer one is the error `truncated`. */
  readonly maxTokens?: number;
  readonly tools?: readonly LLMTool[];
  readonly toolChoice?: "auto" | "none" | "required" | { readonly name: string };
  /** `"json"` asks for any JSON where the provider has such a mode; a format asks for JSON of that schema. */
  readonly responseFormat?: "json" | LLMJsonFormat;
  /** Fields this interface does not know, sent as they are (for the AI SDK: its `providerOptions`). */
  readonly providerOptions?: Readonly<Record<string, unknown>>;
}
