import { eventsIn } from "../kernel/event-stream.ts";
import { isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { type AdapterCall, responsePath } from "./adapter-call.ts";
import { TAG } from "./encode/tagged.ts";

/** Tokens of one question to a model, by the names every provider's counts are brought to. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** A recorded question to a model; `tokens` is undefined where its answer tells nothing of them. */
export interface ModelCallUsage {
  readonly tokens: Tokens | undefined;
}

/**
 * The questions that recorded calls put to models, with the tokens their answers tell of: whole answers, streams chunk
 * by chunk, and what was read from an answer afterwards, of the SDKs of OpenAI, Anthropic and Gemini, the AI SDK,
 * LangChain and plain HTTP. `isModel` tells which calls ask a model; without it those do whose answers count tokens.
 */
export function modelCallUsages(
  calls: readonly AdapterCall[],
  isModel?: (call: AdapterCall) => boolean,
): readonly ModelCallUsage[] {
  const asked = new Map<string, Partial<Tokens>>();
  for (const call of calls) {
    if (call.returns === "property" || isModel?.(call) === false) continue;
    const tokens = tokensIn(call.response);
    // Most calls of most steps: what tells nothing needs no name.
    if (isModel === undefined && Object.keys(tokens).length === 0) continue;
    const question = questionOf(call);
    asked.set(question, merged(asked.get(question) ?? {}, tokens));
  }
  const questions = [...asked.values()].map(({ input, output }) => ({
    tokens: input === undefined || output === undefined ? undefined : { input, output },
  }));
  return isModel === undefined ? questions.filter(({ tokens }) => tokens !== undefined) : questions;
}

/** The call that uses of an answer belong to: `llm.stream(9f31c2d8#0).finalMessage` to `llm.stream(9f31c2d8#0)`. */
function questionOf(call: AdapterCall): string {
  const asked = /^.*?\([0-9a-f]{8}#\d+\)/s.exec(call.adapter);
  return asked === null ? responsePath(call) : asked[0];
}

/** Where answers keep their counts. */
const USAGE_AT: readonly (readonly string[])[] = [
  ["usage"],
  ["usageMetadata"],
  ["usage_metadata"],
  ["response", "usage"],
  ["message", "usage"],
  ["value", "trace", "usage"],
];

function tokensIn(whole: unknown): Partial<Tokens> {
  const answer = fieldsOf(whole);
  if (answer === undefined) return {};
  const { chunks, returned, body } = answer;
  const parts = isArray(chunks) ? [...chunks, returned] : bodyParts(body);
  return [answer, ...parts]
    .flatMap((part) => USAGE_AT.map((path) => at(part, path)))
    .reduce<Partial<Tokens>>((most, usage) => merged(most, countsOf(usage)), {});
}

/** What a recorded HTTP body says: its JSON, or the events of its stream. */
function bodyParts(body: unknown): readonly unknown[] {
  if (!isPlainObject(body)) return [];
  const { json, chunks } = body;
  if (!isArray(chunks)) return [json];
  const text = chunks.filter((chunk) => typeof chunk === "string").join("");
  // A stream of JSON lines has no events.
  const events = eventsIn(text).map(({ data }) => data);
  const lines = events.length > 0 ? events : text.split("\n");
  return lines.filter((line) => line.trimStart().startsWith("{") && line.includes("sage")).map(parsedJson);
}

function countsOf(told: unknown): Partial<Tokens> {
  const usage = fieldsOf(told);
  // Where a provider reported nothing, veritest/llm keeps zeros that nobody counted.
  if (usage === undefined || usage["raw"] === null) return {};
  const input = first(usage, ["prompt_tokens", "promptTokenCount", "inputTokens", "promptTokens", "input"]);
  const output = first(usage, ["completion_tokens", "output_tokens", "outputTokens", "completionTokens", "output"]);
  const candidates = count(usage["candidatesTokenCount"]);
  // Anthropic's count leaves out what its cache took or gave.
  const messages = sum(usage, ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);
  const gemini = candidates === undefined ? undefined : candidates + (count(usage["thoughtsTokenCount"]) ?? 0);
  return defined({ input: input ?? messages, output: output ?? gemini });
}

function first(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  return names.map((name) => count(usage[name])).find((found) => found !== undefined);
}

function sum(
  usage: Readonly<Record<string, unknown>>,
  [lead, ...others]: readonly [string, ...string[]],
): number | undefined {
  const counted = count(usage[lead]);
  return counted === undefined ? undefined : others.reduce((total, name) => total + (count(usage[name]) ?? 0), counted);
}

/** A count, or the total of one that is told in parts, as the AI SDK does. */
function count(value: unknown): number | undefined {
  const found = isPlainObject(value) ? value["total"] : value;
  return typeof found === "number" && Number.isFinite(found) && found >= 0 ? found : undefined;
}

/** Streams count up: the most that was told is what it came to. */
function merged(one: Partial<Tokens>, other: Partial<Tokens>): Partial<Tokens> {
  const most = (left: number | undefined, right: number | undefined): number | undefined =>
    left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
  return defined({ input: most(one.input, other.input), output: most(one.output, other.output) });
}

function defined({ input, output }: { readonly [K in keyof Tokens]: number | undefined }): Partial<Tokens> {
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((found, key) => {
    const fields = fieldsOf(found);
    return fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
  }, value);
}

/** The fields of an object, also of one of a class as it is recorded. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isPlainObject(value)) return undefined;
  const { v } = value;
  return value[TAG] === "instance" && isPlainObject(v) && isPlainObject(v["fields"]) ? v["fields"] : value;
}
