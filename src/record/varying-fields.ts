import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";

/**
 * Fields that vary from response to response and have no meaning, by the form of the object: for any adapter, at any
 * depth. `[]` is every element of a list, `*` every field.
 */
interface VaryingFields {
  readonly of: string;
  readonly is: (fields: Readonly<Record<string, unknown>>) => boolean;
  readonly ids: readonly string[];
  /** Signatures and encrypted forms of a model's reasoning, which requests send back. */
  readonly signatures?: readonly string[];
  /** Names that a tool may give its records, too: an id that a call of a tool sends back has a meaning. */
  readonly requestIds?: readonly string[];
  /** When it was made: numbers, ISO texts or dates. */
  readonly times?: readonly string[];
}

/** The presets, one for each shape of a response of providers and SDKs. */
const VARYING: readonly VaryingFields[] = [
  {
    of: "OpenAI, chat completions and their chunks",
    is: ({ object, choices }) =>
      typeof object === "string" && /^(?:chat\.|text_)completion(?:\.chunk)?$/.test(object) && isArray(choices),
    ids: [
      "id",
      "system_fingerprint",
      "obfuscation",
      "choices[].message.tool_calls[].id",
      "choices[].delta.tool_calls[].id",
    ],
    times: ["created"],
  },
  {
    of: "OpenAI, responses",
    is: ({ object, output }) => object === "response" && isArray(output),
    ids: ["id", "output[].id", "output[].call_id"],
    times: ["created_at", "completed_at"],
  },
  {
    of: "OpenAI, events of a response",
    is: ({ type }) => typeof type === "string" && type.startsWith("response."),
    ids: ["item_id", "item.id", "item.call_id", "obfuscation"],
  },
  {
    of: "Anthropic, messages",
    is: ({ type, role, content }) => type === "message" && role === "assistant" && isArray(content),
    ids: ["id", "content[].id", "container.id"],
    times: ["container.expires_at"],
  },
  {
    of: "Anthropic, events of a message",
    is: ({ type }) => type === "content_block_start",
    ids: ["content_block.id"],
  },
  {
    of: "Anthropic, parts of a message",
    is: ({ type, delta }) =>
      type === "content_block_delta" && isPlainObject(delta) && delta["type"] === "signature_delta",
    ids: [],
    signatures: ["delta.signature"],
  },
  {
    of: "Gemini",
    is: ({ candidates }) => isArray(candidates),
    ids: ["responseId", "candidates[].content.parts[].functionCall.id"],
    times: ["createTime"],
  },
  {
    of: "AI SDK, what a model generated",
    is: ({ content, finishReason, usage }) => isArray(content) && finishReason !== undefined && usage !== undefined,
    ids: ["response.id", "content[].id", "content[].toolCallId"],
    times: ["response.timestamp"],
  },
  {
    of: "AI SDK, parts of a stream",
    is: ({ type }) =>
      typeof type === "string" &&
      /^(?:response-metadata|(?:text|reasoning|tool-input)-(?:start|delta|end)|tool-(?:call|result))$/.test(type),
    ids: ["id", "toolCallId"],
    times: ["timestamp"],
  },
  {
    of: "OpenAI Agents, what a model answered",
    is: ({ output, usage, responseId }) => isArray(output) && usage !== undefined && responseId !== undefined,
    ids: ["responseId", "output[].id", "output[].callId"],
  },
  {
    of: "reasoning, a part of a message or of a stream: Anthropic, OpenAI, OpenRouter, LangChain",
    is: ({ type }) => typeof type === "string" && /^(?:redacted_)?thinking$|^reasoning(?:\.\w+)?$/.test(type),
    ids: [],
    signatures: ["signature", "data", "encrypted_content", "providerData.encrypted_content"],
  },
  {
    of: "Amazon Bedrock, a part of a message or of a stream",
    is: (part) => ["reasoningContent", "reasoningText", "toolUse"].some((name) => isPlainObject(part[name])),
    ids: ["toolUse.toolUseId"],
    signatures: ["reasoningContent.signature", "reasoningContent.redactedContent", "reasoningText.signature"],
  },
  {
    of: "reasoning, Gemini and clients that speak to it as to OpenAI",
    is: ({ thoughtSignature, thought_signature }) => isText(thoughtSignature) || isText(thought_signature),
    ids: [],
    signatures: ["thoughtSignature", "thought_signature"],
  },
  {
    of: "AI SDK, a part of a message or of a stream",
    is: ({ providerMetadata, providerOptions }) => isPlainObject(providerMetadata) || isPlainObject(providerOptions),
    ids: ["providerMetadata.*.itemId", "providerOptions.*.itemId"],
    signatures: ["providerMetadata", "providerOptions"].flatMap((field) =>
      ["signature", "redactedData", "reasoningEncryptedContent"].map((name) => `${field}.*.${name}`),
    ),
  },
  {
    of: "LangChain, a message: clients send these fields back to OpenAI and Google",
    is: ({ additional_kwargs }) => isPlainObject(additional_kwargs),
    ids: ["id", "tool_calls[].id", "additional_kwargs.__openai_function_call_ids__.*"],
    signatures: [
      "additional_kwargs.reasoning.encrypted_content",
      "additional_kwargs.signatures[]",
      "additional_kwargs.__gemini_function_call_thought_signatures__.*",
    ],
  },
  {
    of: "LangChain, redacted reasoning of Amazon Bedrock",
    is: ({ type }) => type === "reasoning_content",
    ids: [],
    signatures: ["redactedContent"],
  },
  {
    of: "HTTP, headers of a response",
    is: ({ status, headers }) => typeof status === "number" && isPlainObject(headers),
    ids: ["headers.x-request-id", "headers.request-id"],
  },
  {
    of: "the id of a request, by which a provider finds it in its logs",
    is: ({ request_id, requestId, requestID }) => [request_id, requestId, requestID].some(isText),
    ids: [],
    requestIds: ["request_id", "requestId", "requestID"],
  },
];

/** Names on the way to a value. */
export type FieldPath = readonly string[];

/** Paths of the fields of an object that vary. */
interface VaryingPaths {
  readonly is: VaryingFields["is"];
  readonly ids: readonly FieldPath[];
  readonly signatures: readonly FieldPath[];
  readonly requestIds: readonly FieldPath[];
  readonly times: readonly FieldPath[];
}

function pathsOf(dotted: readonly string[] = []): readonly FieldPath[] {
  return dotted.map((path) => path.split("."));
}

const PRESETS: readonly VaryingPaths[] = VARYING.map(({ is, ids, signatures, requestIds, times }) => ({
  is,
  ids: pathsOf(ids),
  signatures: pathsOf(signatures),
  requestIds: pathsOf(requestIds),
  times: pathsOf(times),
}));

/** Returns the paths of the fields of an object that vary, by its form. */
export function varyingPaths(fields: Readonly<Record<string, unknown>>): readonly VaryingPaths[] {
  return PRESETS.filter(({ is }) => is(fields));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
