import { isArray, isPlainObject } from "../kernel/json/plain-data.ts";

/**
 * Fields that vary from response to response and have no meaning, by the form of the object: for any adapter, at any
 * depth. `[]` is every element of a list.
 */
interface VaryingFields {
  readonly of: string;
  readonly is: (fields: Readonly<Record<string, unknown>>) => boolean;
  readonly ids: readonly string[];
  /** Signatures and encrypted forms of a model's reasoning, which requests send back. */
  readonly signatures?: readonly string[];
  /** When it was made: numbers, ISO texts or dates. */
  readonly times?: readonly string[];
}

/** Signatures of reasoning as providers of the AI SDK pass them on. */
const SDK_SIGNATURES = [
  "providerMetadata.anthropic.signature",
  "providerMetadata.anthropic.redactedData",
  "providerMetadata.bedrock.signature",
  "providerMetadata.bedrock.redactedData",
  "providerMetadata.google.thoughtSignature",
  "providerMetadata.vertex.thoughtSignature",
  "providerMetadata.openai.reasoningEncryptedContent",
] as const;

/** The presets, one for each shape in which providers and SDKs answer. */
export const VARYING: readonly VaryingFields[] = [
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
    signatures: ["output[].encrypted_content"],
    times: ["created_at", "completed_at"],
  },
  {
    of: "OpenAI, events of a response",
    is: ({ type }) => typeof type === "string" && type.startsWith("response."),
    ids: ["item_id", "item.id", "item.call_id", "obfuscation"],
    signatures: ["item.encrypted_content"],
  },
  {
    of: "Anthropic, messages",
    is: ({ type, role, content }) => type === "message" && role === "assistant" && isArray(content),
    ids: ["id", "content[].id", "container.id"],
    signatures: ["content[].signature", "content[].data"],
    times: ["container.expires_at"],
  },
  {
    of: "Anthropic, events of a message",
    is: ({ type }) => type === "content_block_start",
    ids: ["content_block.id"],
    signatures: ["content_block.signature", "content_block.data"],
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
    signatures: ["candidates[].content.parts[].thoughtSignature"],
    times: ["createTime"],
  },
  {
    of: "AI SDK, what a model generated",
    is: ({ content, finishReason, usage }) => isArray(content) && finishReason !== undefined && usage !== undefined,
    ids: ["response.id", "content[].id", "content[].toolCallId", "content[].providerMetadata.openai.itemId"],
    signatures: SDK_SIGNATURES.map((path) => `content[].${path}`),
    times: ["response.timestamp"],
  },
  {
    of: "AI SDK, parts of a stream",
    is: ({ type }) =>
      typeof type === "string" &&
      /^(?:response-metadata|(?:text|reasoning|tool-input)-(?:start|delta|end)|tool-(?:call|result))$/.test(type),
    ids: ["id", "toolCallId", "providerMetadata.openai.itemId"],
    signatures: SDK_SIGNATURES,
    times: ["timestamp"],
  },
  {
    of: "OpenAI Agents, what a model answered",
    is: ({ output, usage, responseId }) => isArray(output) && usage !== undefined && responseId !== undefined,
    ids: ["responseId", "output[].id", "output[].callId"],
  },
  {
    of: "HTTP, headers of a response",
    is: ({ status, headers }) => typeof status === "number" && isPlainObject(headers),
    ids: ["headers.x-request-id", "headers.request-id"],
  },
  {
    of: "the id of a request, by which a provider finds it in its logs",
    is: ({ request_id, requestId, requestID }) => [request_id, requestId, requestID].some(isText),
    ids: ["request_id", "requestId", "requestID"],
  },
];

function isText(value: unknown): boolean {
  return typeof value === "string";
}
