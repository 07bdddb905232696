import { isArray, isPlainObject } from "../../../kernel/json/plain-data.ts";

type Fields = Readonly<Record<string, unknown>>;
/** Returns the name of a field with a value, among the fields below a key. */
type FieldName = (fields: Fields, key: string) => string | undefined;
/** Makes other fields of some below a key; undefined takes them out of the list, or the stream, they are in. */
export type Rewrite = (fields: Fields, key: string) => Fields | undefined;

/** Shape of the responses of one kind of service, and of the chunks of its streams. */
export interface ServiceShape {
  readonly is: (fields: Fields) => boolean;
  /** Field with the complete text. */
  readonly whole: FieldName;
  /** The field with a piece of a streamed text. */
  readonly piece?: FieldName;
  /** Field of the data, next to the text. */
  readonly data?: string;
  /** True if a client joins the pieces itself. */
  readonly gathers?: true;
  /**
   * Rewrites a response, or a stream, as one that the model's limit cuts off; absent if the service has no such end.
   */
  readonly cut?: Rewrite;
  /** Rewrites a response, or a stream, as a refusal. The text is already the text of the refusal. */
  readonly refused?: Rewrite;
  /** Rewrites a response, or a stream, as one without content. The text is already empty. */
  readonly empty: Rewrite;
  /** Makes what repeats the text agree with it. */
  readonly tidy?: Rewrite;
}

/** Text of a model that refuses. */
export const REFUSAL = "I cannot help with that.";

const CHAT: ServiceShape = {
  is: ({ choices, role, refusal }) => isArray(choices) || (role !== undefined && refusal !== undefined),
  whole: (fields, key) => (isMessage(fields, key) ? "content" : undefined),
  piece: (_, key) => (key === "delta" ? "content" : undefined),
  gathers: true,
  cut: (fields) => ended(fields, "finish_reason", "length"),
  refused: (fields, key) => {
    const { content, tool_calls: _calls, ...rest } = fields;
    if (isMessage(fields, key)) return { ...rest, content: null, refusal: REFUSAL };
    return key === "delta" && content !== undefined
      ? { ...rest, refusal: content }
      : ended(fields, "finish_reason", "stop");
  },
  empty: (fields) => fields,
};

/** Returns true for a message within a response, or alone. */
function isMessage({ refusal }: Fields, key: string): boolean {
  return key === "message" || (key === "" && refusal !== undefined);
}

const RESPONSES: ServiceShape = {
  is: (fields) => isArray(fields["output"]) || isOf(fields, /^response\./),
  whole: (fields) => (isOf(fields, /^(?:output_text|response\.output_text\.done)$/) ? "text" : undefined),
  piece: (fields) => (isOf(fields, /^response\.output_text\.delta$/) ? "delta" : undefined),
  cut: (fields) => {
    if (isOf(fields, /^response\.completed$/)) return { ...fields, type: "response.incomplete" };
    if (fields["status"] !== "completed") return fields;
    const why = isArray(fields["output"]) && { incomplete_details: { reason: "max_output_tokens" } };
    return isOf(fields, /^message$/) || why !== false ? { ...fields, status: "incomplete", ...why } : fields;
  },
  refused: ({ type, text, ...rest }) => {
    const { annotations: _annotations, logprobs: _logprobs, parsed, ...part } = rest;
    if (type === "output_text") return { ...part, type: "refusal", refusal: text, ...(parsed === null && { parsed }) };
    if (type === "response.output_text.delta") return { type: "response.refusal.delta", ...rest };
    if (type === "response.output_text.done") return { type: "response.refusal.done", ...rest, refusal: text };
    const fields = { ...(type !== undefined && { type }), ...(text !== undefined && { text }), ...rest };
    return isArray(rest["output"]) ? refusedResponse(fields, rest["output"]) : fields;
  },
  empty: (fields) => {
    if (isOf(fields, /^response\.(?!created|in_progress|queued|completed)/)) return undefined;
    return isArray(fields["output"]) ? { ...fields, output: [] } : fields;
  },
  // OpenAI's client writes the texts of all messages into a field of their own.
  tidy: (fields) => {
    if (!("output_text" in fields)) return fields;
    const texts: unknown[] = [];
    rewritten(fields["output"], (part) => {
      if (isOf(part, /^output_text$/)) texts.push(part["text"]);
      return part;
    });
    return { ...fields, output_text: texts.join("") };
  },
};

/** Replaces the tool calls of a refused response by the refusal. */
function refusedResponse(fields: Fields, output: readonly unknown[]): Fields {
  const spoken = output.filter((item) => isPlainObject(item) && isOf(item, /^message$/));
  const message = { type: "message", role: "assistant", content: [{ type: "refusal", refusal: REFUSAL }] };
  const isBegun = fields["status"] === "in_progress" || fields["status"] === "queued";
  return { ...fields, output: spoken.length > 0 || isBegun ? spoken : [message] };
}

const ANTHROPIC: ServiceShape = {
  is: (fields) => "stop_reason" in fields || isOf(fields, /^(?:message_start|content_block_\w+)$/),
  whole: (fields) => (isOf(fields, /^text$/) ? "text" : undefined),
  piece: (fields) => (isOf(fields, /^text_delta$/) ? "text" : undefined),
  gathers: true,
  cut: (fields) => ended(fields, "stop_reason", "max_tokens"),
  refused: (fields) => withoutContent(ended(fields, "stop_reason", "refusal"), /^content_block_/),
  empty: (fields) => withoutContent(fields, /^content_block_/),
};

const AI_SDK: ServiceShape = {
  is: (fields) => "finishReason" in fields || isOf(fields, /^(?:text-delta|stream-start)$/) || isSpoken(fields),
  whole: (fields, key) => (isOf(fields, /^text$/) || (key === "" && isSpoken(fields)) ? "text" : undefined),
  piece: (fields) => (isOf(fields, /^text-delta$/) ? "delta" : undefined),
  cut: (fields) => ended(fields, "finishReason", "length"),
  refused: (fields) => (isOf(fields, /^tool-/) ? undefined : ended(fields, "finishReason", "content-filter")),
  empty: (fields) => withoutContent(fields, /^(?:text|tool)-/),
};

/** Returns true for a response with its text and usage side by side, as those of `veritest/llm`. */
function isSpoken({ text, usage }: Fields): boolean {
  return typeof text === "string" && usage !== undefined;
}

/** Results of `veritest/llm`: an incomplete response is an error that contains it. */
const LLM: ServiceShape = {
  is: ({ ok, value }) => ok === true && isPlainObject(value) && isPlainObject(value["trace"]),
  whole: ({ trace }, key) => (key === "value" && trace !== undefined ? "content" : undefined),
  cut: (fields, key) => failedAnswer(fields, key, "truncated"),
  refused: (fields, key) => failedAnswer(fields, key, "refused"),
  empty: (fields) => fields,
};

function failedAnswer(fields: Fields, key: string, code: string): Fields {
  if (key === "trace") return { ...fields, stop: code === "refused" ? "refusal" : "length" };
  if (key === "value" && code === "refused") return { ...fields, content: "" };
  if (key !== "" || !isPlainObject(fields["value"])) return fields;
  const { value: response } = fields;
  return { ok: false, error: { code, message: `The answer is ${code}.`, retryable: false, response } };
}

const MCP: ServiceShape = {
  is: ({ content }) => isArray(content) && content.every((part) => isPlainObject(part) && isOf(part, /./)),
  whole: ANTHROPIC.whole,
  data: "structuredContent",
  empty: ({ structuredContent: _data, ...fields }) => withoutContent(fields, /^$/),
};

const TEXT: ServiceShape = { is: () => false, whole: () => undefined, empty: (fields) => fields };

/** The shape of an answer, or of the chunks of a stream: the first that knows one of them, or mere text. */
export function serviceShape(values: readonly unknown[]): ServiceShape | undefined {
  if (values.length > 0 && values.every((value) => typeof value === "string")) return TEXT;
  const known = [CHAT, RESPONSES, ANTHROPIC, AI_SDK, LLM, MCP];
  return known.find(({ is }) => values.some((value) => isPlainObject(value) && is(value)));
}

function isOf({ type }: Fields, types: RegExp): boolean {
  return typeof type === "string" && types.test(type);
}

function ended(fields: Fields, name: string, word: string): Fields {
  const was = fields[name];
  if (was === undefined || was === null) return fields;
  // From version 6 on, the AI SDK's reason is a record of its word and the provider's.
  return { ...fields, [name]: isPlainObject(was) ? { ...was, unified: word } : word };
}

function withoutContent(fields: Fields, events: RegExp): Fields | undefined {
  if (isOf(fields, events)) return undefined;
  return isArray(fields["content"]) ? { ...fields, content: [] } : fields;
}

/** Rewrites all fields within a value, the inner ones first. */
export function rewritten(value: unknown, rewrite: Rewrite, key = ""): unknown {
  if (isArray(value))
    return value
      .map((item) => rewritten(item, rewrite, key))
      .filter((item, at) => item !== undefined || value[at] === undefined);
  if (!isPlainObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, rewritten(field, rewrite, name)] as const);
  return rewrite(Object.fromEntries(fields), key);
}
