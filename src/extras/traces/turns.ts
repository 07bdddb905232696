import { isArray, isPlainObject } from "../../kernel/json/plain-data.ts";
import { recordIn, recordsIn } from "../../kernel/json/read-data.ts";
import { hashText } from "../../kernel/json/hash.ts";
import { unpacked } from "./json-items.ts";
import type { RequestedToolCall, ModelAnswer, Turn } from "./observation.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the turns of a conversation in any notation that tracers write: parts of the OpenTelemetry conventions,
 * messages of OpenAI, Anthropic, the AI SDK and LangChain, or a plain text. Returns no turns if it has none.
 */
export function turnsOf(value: unknown): readonly Turn[] {
  const data = unpacked(value);
  if (typeof data === "string") return data === "" ? [] : [{ ...NO_TURN, text: data }];
  if (isArray(data)) return data.flatMap((item) => (isArray(item) ? turnsOf(item) : turnsOfMessage(item)));
  if (!isPlainObject(data)) return [];
  const inner = ["messages", "input", "prompt", "contents"].find((name) => data[name] !== undefined);
  if (inner !== undefined && data["role"] === undefined) return [...systemTurns(data), ...turnsOf(data[inner])];
  return turnsOfMessage(data);
}

/** Returns the texts of turns, each on its own line. */
export function textOfTurns(turns: readonly Turn[]): string {
  return turns.map(({ text }) => text).join("\n");
}

const NO_TURN: Turn = {
  role: "user",
  text: "",
  reasoning: "",
  toolCalls: [],
  media: [],
  results: [],
};

/** Reads the instructions that a request has besides its messages. */
function systemTurns(request: Fields): readonly Turn[] {
  const config = recordIn(request["config"]);
  const written =
    request["system"] ??
    request["instructions"] ??
    request["systemInstruction"] ??
    request["system_instruction"] ??
    config["systemInstruction"] ??
    config["system_instruction"];
  const parts = partsOf(isPlainObject(written) ? (written["parts"] ?? [written]) : written);
  const turn = turnOf("system", parts);
  return turn.text === "" ? [] : [turn];
}

function turnsOfMessage(value: unknown): readonly Turn[] {
  if (typeof value === "string") return value === "" ? [] : [{ ...NO_TURN, text: value }];
  if (!isPlainObject(value)) return [];
  const message = langChainFields(value) ?? value;
  // An item of OpenAI's responses is a separate turn.
  if (message["type"] === "function_call" || message["type"] === "function_call_output")
    return [turnOf(message["type"] === "function_call" ? "assistant" : "tool", [message])];
  const role = roleOf(message) ?? impliedRole(message);
  if (role === undefined) return [];
  const parts = partsOf(message["parts"] ?? message["content"]);
  const more = recordIn(message["additional_kwargs"])["tool_calls"];
  const calls = [message["tool_calls"], message["toolCalls"]].flatMap(partsOf);
  const turn = turnOf(role, [...parts, ...(calls.length > 0 ? calls : partsOf(more))]);
  const finish = textField(message, "finish_reason");
  const result = finish === undefined ? turn : { ...turn, finish };
  const id = textField(message, "tool_call_id", "toolCallId");
  if (role !== "tool" || turn.results.length > 0) return [result];
  // Events have data as the content of a tool's message.
  const { content } = message;
  const data = isPlainObject(content) && content["type"] === undefined ? content : unpacked(turn.text);
  return [{ ...result, results: [{ id: id ?? "", value: data }] }];
}

/** Reads a message of LangChain in its serialized form, with its role. */
function langChainFields(value: Fields): Fields | undefined {
  const { id, kwargs, data, type } = value;
  if (isPlainObject(data) && typeof type === "string" && "content" in data) return { type, ...data };
  const name = isArray(id) ? id.at(-1) : undefined;
  if (!isPlainObject(kwargs) || typeof name !== "string") return undefined;
  return { ...kwargs, type: name.replace(/Message(?:Chunk)?$/, "").toLowerCase() };
}

const ROLES: Readonly<Record<string, Turn["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  ai: "assistant",
  model: "assistant",
  tool: "tool",
  function: "tool",
};

function roleOf({ role, type }: Fields): Turn["role"] | undefined {
  const name = typeof role === "string" ? role : type;
  return typeof name === "string" && Object.hasOwn(ROLES, name) ? ROLES[name] : undefined;
}

/** Role of a message that doesn't name one of the roles. */
function impliedRole({ role, parts, ...message }: Fields): Turn["role"] | undefined {
  // Gemini's contents may leave out the role of the user.
  if (isArray(parts) && role === undefined) return "user";
  if (typeof role !== "string" || role === "") return undefined;
  // Langfuse writes the result of a LangChain tool with the tool's name as its role.
  if ("additional_kwargs" in message) return "tool";
  // Without this turn, a request that lacks it would equal the traced one.
  return "content" in message || parts !== undefined ? "user" : undefined;
}

function partsOf(value: unknown): readonly Fields[] {
  if (typeof value === "string") return partOf(value);
  if (isArray(value)) return value.flatMap(partOf);
  return isPlainObject(value) ? [value] : [];
}

function partOf(part: unknown): readonly Fields[] {
  const text = isPlainObject(part) && part["type"] === "text" ? (part["content"] ?? part["text"]) : part;
  if (typeof text !== "string") return isPlainObject(part) ? [part] : [];
  // OpenLLMetry writes the parts of a LangChain message as one text.
  const parts = text.startsWith('[{"type":') ? unpacked(text) : undefined;
  return isArray(parts) ? parts.filter(isPlainObject) : [{ type: "text", text }];
}

function turnOf(role: Turn["role"], parts: readonly Fields[]): Turn {
  return {
    role,
    text: parts.map(textOfPart).join(""),
    reasoning: parts.map(reasoningOf).join(""),
    toolCalls: distinct(parts.flatMap(toolCallsOf)),
    media: parts.flatMap(mediaOf),
    results: parts.flatMap(resultOf),
  };
}

function distinct(toolCalls: readonly RequestedToolCall[]): readonly RequestedToolCall[] {
  // LangChain lists Anthropic's calls twice: among the parts, and separately.
  return toolCalls.filter(({ id }, at) => id === "" || toolCalls.findIndex((other) => other.id === id) === at);
}

function textOfPart(part: Fields): string {
  const { type } = part;
  if (type !== undefined && type !== "text" && type !== "output_text" && type !== "input_text") return "";
  if (part["thought"] === true) return "";
  return textField(part, "content", "text") ?? "";
}

const MEDIA_FIELDS = [
  "image_url",
  "image",
  "data",
  "source",
  "url",
  "uri",
  "inlineData",
  "inline_data",
  "fileData",
  "file_data",
  "fileUri",
  "file_uri",
  "file",
  "file_id",
  "input_audio",
  "content",
] as const;
const MEDIA_TYPES = /image|file|blob|uri|audio|video|document|media/;

/** Reads an image or a file; without a recorded content, its type is compared. */
function mediaOf(part: Fields): readonly string[] {
  const { type } = part;
  const isMedia =
    typeof type === "string"
      ? MEDIA_TYPES.test(type)
      : "inlineData" in part || "inline_data" in part || "fileData" in part;
  return isMedia ? [mediaId(contentOf(part, 3) ?? (typeof type === "string" ? type : "file"))] : [];
}

function contentOf(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value;
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof URL) return value.href;
  if (!isPlainObject(value) || depth === 0) return undefined;
  return MEDIA_FIELDS.map((field) => contentOf(value[field], depth - 1)).find((content) => content !== undefined);
}

/** Returns a URL, or the hash of a content: the same for base64 with and without the prefix of a data URL. */
export function mediaId(content: string): string {
  const data = content.replace(/^data:[^,]*;base64,|=+$/g, "");
  return data.length > 200 || data !== content ? hashText(data) : data;
}

function reasoningOf(part: Fields): string {
  // Gemini marks the parts of a response that are thoughts.
  if (part["type"] !== "reasoning" && part["type"] !== "thinking" && part["thought"] !== true) return "";
  return textField(part, "content", "text", "thinking") ?? "";
}

const CALLS = new Set<unknown>(["tool_call", "tool-call", "tool_use", "function", "function_call"]);

function toolCallsOf(part: Fields): readonly RequestedToolCall[] {
  const { function: inner, type } = part;
  const gemini = part["functionCall"] ?? (type === undefined ? part["function_call"] : undefined);
  if (isPlainObject(gemini)) return toolCallsOf({ type: "function_call", ...gemini });
  const called = isPlainObject(inner) ? inner : part;
  const name = textField(called, "name") ?? textField(part, "toolName");
  // Calls of LangChain and of the AI SDK's telemetry have no type.
  const isCall =
    CALLS.has(type) || (type === undefined && ("args" in part || "toolCallId" in part || isPlainObject(inner)));
  if (name === undefined || !isCall) return [];
  const id = textField(part, "call_id", "id", "toolCallId") ?? "";
  const args = called["arguments"] ?? called["input"] ?? called["args"] ?? {};
  return [{ id, name, args: unpacked(args) }];
}

const RESULTS = new Set<unknown>(["tool_call_response", "tool-result", "tool_result", "function_call_output"]);

function resultOf(part: Fields): Turn["results"] {
  const gemini = part["functionResponse"] ?? part["function_response"];
  if (isPlainObject(gemini)) return resultOf({ ...gemini, type: "tool_result" });
  if (!RESULTS.has(part["type"])) return [];
  const id = textField(part, "call_id", "id", "toolCallId", "tool_use_id") ?? "";
  const name = ["response", "result", "output", "content"].find((field) => part[field] !== undefined);
  if (name === undefined) return [];
  return [{ id, value: toolValue(part[name]) }];
}

/** Unwraps a tool's result from the box that the AI SDK and Anthropic send it in. */
function toolValue(value: unknown): unknown {
  const data = unpacked(value);
  if (
    isPlainObject(data) &&
    "value" in data &&
    typeof data["type"] === "string" &&
    /^(?:error-)?(?:text|json)$/.test(data["type"])
  )
    return data["value"];
  if (isArray(data) && data.length > 0 && data.every((part) => isPlainObject(part) && part["type"] === "text"))
    return unpacked(recordsIn(data).map(textOfPart).join(""));
  return data;
}

/** Reads a model's response in any notation; undefined if it has none. */
export function modelAnswerOf(value: unknown): ModelAnswer | undefined {
  const data = unpacked(value);
  const turn = turnsOf(messageIn(data) ?? data)
    .filter(({ role, text }) => role === "assistant" || (typeof data === "string" && text !== ""))
    .at(-1);
  if (turn === undefined) return undefined;
  const { text, reasoning, toolCalls, finish } = turn;
  const own = recordIn(data);
  return {
    text,
    reasoning,
    toolCalls,
    finish: finish ?? finishIn(own),
    usage: usageIn(own),
    id: textField(own, "id"),
  };
}

/**
 * Finds the message in the wrappers of a response: a completion of OpenAI, candidates of Gemini, generations of
 * LangChain, or the output of a response.
 */
function messageIn(value: unknown): unknown {
  if (!isPlainObject(value)) return undefined;
  const { choices, candidates, generations, output, message, content, role, messages, type, text } = value;
  if (isArray(choices)) return recordIn(choices[0])["message"] ?? recordIn(choices[0])["text"];
  if (isArray(candidates)) return messageIn(candidates[0]);
  if (isPlainObject(content) && isArray(content["parts"])) return { role: "model", ...content };
  if (isArray(generations)) {
    const first = recordIn(generations.flat()[0]);
    return first["message"] ?? assistant(first["text"]);
  }
  if (isArray(output)) return mergedItems(output);
  if (output !== undefined && role === undefined)
    return typeof output === "string" ? assistant(output) : (messageIn(output) ?? output);
  if (isPlainObject(message)) return message;
  if (isArray(messages)) return messages;
  if (role === undefined && type !== "ai" && (content !== undefined || typeof text === "string"))
    return assistant(content ?? text);
  return undefined;
}

function assistant(content: unknown): unknown {
  return content === undefined ? undefined : { role: "assistant", content };
}

/** Merges the items of one response of OpenAI. */
function mergedItems(items: readonly unknown[]): unknown {
  const parts = recordsIn(items).flatMap((item) => (item["type"] === "message" ? partsOf(item["content"]) : [item]));
  return parts.length === 0 ? undefined : { role: "assistant", content: parts };
}

function finishIn({ choices, candidates, ...own }: Fields): string | undefined {
  const [first] = [choices, candidates].flatMap((list) => (isArray(list) && isPlainObject(list[0]) ? [list[0]] : []));
  return textField(first ?? own, "finish_reason", "finishReason", "stop_reason");
}

/** Names of the counts in all notations. */
const INPUT_TOKENS =
  "input_tokens prompt_tokens input inputTokens promptTokens promptTokenCount prompt_token_count".split(" ");
const OUTPUT_TOKENS = (
  "output_tokens completion_tokens output outputTokens completionTokens candidatesTokenCount " +
  "candidates_token_count"
).split(" ");

function usageIn({ usage, usageDetails, usageMetadata, usage_metadata: metadata }: Fields): ModelAnswer["usage"] {
  const counts = [usage, usageDetails, usageMetadata, metadata].find(isPlainObject) ?? {};
  const first = (names: readonly string[]): unknown =>
    names.map((name) => counts[name]).find((count) => count !== undefined && count !== null);
  return countedUsage(first(INPUT_TOKENS), first(OUTPUT_TOKENS));
}

/** Returns the tokens of a response, also if they are written as texts; undefined unless both are counts. */
export function countedUsage(input: unknown, output: unknown): ModelAnswer["usage"] {
  const [read, written] = [input, output].map((count) =>
    typeof count === "bigint" || (typeof count === "string" && count !== "") ? Number(count) : count,
  );
  const isCount = (count: unknown): count is number =>
    typeof count === "number" && Number.isFinite(count) && count >= 0;
  return isCount(read) && isCount(written) ? { input: read, output: written } : undefined;
}

/** Returns the first of these fields that is a text. */
export function textField(value: unknown, ...names: readonly string[]): string | undefined {
  const fields = recordIn(value);
  return names
    .map((name) => (Object.hasOwn(fields, name) ? fields[name] : undefined))
    .find((text) => typeof text === "string");
}

/** Returns the field `name` of a record, as the names of its observation. */
export function namesOf(record: unknown): readonly string[] {
  const name = textField(record, "name");
  return name === undefined ? [] : [name];
}

/** Returns the first of these fields that is a text, and not an empty one. */
export function filledText(value: unknown, ...names: readonly string[]): string | undefined {
  return names.map((name) => textField(value, name)).find((text) => text !== undefined && text !== "");
}
