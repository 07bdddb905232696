import { eventsIn } from "../kernel/event-stream.ts";
import { TAG, isArray, isPlainObject, parsedJson } from "../kernel/json/plain-data.ts";
import { type AdapterCall, RESPONSE_MARK, isMethodCall, responsePath } from "./adapter-call.ts";

/** Tokens of one model call, by the names that every provider's counts are brought to. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** A recorded model call; `tokens` is undefined if its response doesn't report them. */
export interface ModelCallUsage {
  readonly tokens: Tokens | undefined;
  /** Name of the model that the request or the response contains. */
  readonly model?: string;
}

/**
 * The recorded model calls, with the tokens that their responses report: complete responses, streams chunk by
 * chunk, and properties that were read from a response afterwards, of the SDKs of OpenAI, Anthropic and Gemini, the AI
 * SDK, LangChain and plain HTTP. `isModel` selects the calls of models; without it, those whose responses count tokens.
 */
export function modelCallUsages(
  calls: readonly AdapterCall[],
  isModel?: (call: AdapterCall) => boolean,
): readonly ModelCallUsage[] {
  const byCall = new Map<string, { readonly tokens: Partial<Tokens>; readonly model?: string }>();
  for (const call of calls) {
    if (!isMethodCall(call) || isModel?.(call) === false) continue;
    const tokens = tokensIn(call.response);
    // Most calls of most steps: a call without counts needs no name.
    if (isModel === undefined && Object.keys(tokens).length === 0) continue;
    const key = modelCallKey(call);
    const earlier = byCall.get(key);
    const model = earlier?.model ?? modelOf(call);
    byCall.set(key, {
      tokens: merged(earlier?.tokens ?? {}, tokens),
      ...(model !== undefined && { model }),
    });
  }
  const usages = [...byCall.values()].map(({ tokens: { input, output }, ...model }) => ({
    tokens: input === undefined || output === undefined ? undefined : { input, output },
    ...model,
  }));
  return isModel === undefined ? usages.filter(({ tokens }) => tokens !== undefined) : usages;
}

/** The call that uses of a response belong to: `llm.stream(9f31c2d8#0).finalMessage` to `llm.stream(9f31c2d8#0)`. */
function modelCallKey(call: AdapterCall): string {
  const match = RESPONSE_MARK.exec(call.adapter);
  return match === null ? responsePath(call) : call.adapter.slice(0, match.index + match[0].length);
}

/** Paths of the counts in responses. */
const USAGE_AT: readonly (readonly string[])[] = [
  ["usage"],
  ["usageMetadata"],
  ["usage_metadata"],
  ["response", "usage"],
  ["message", "usage"],
  ["value", "trace", "usage"],
];

function tokensIn(whole: unknown): Partial<Tokens> {
  return partsOf(whole)
    .flatMap((part) => USAGE_AT.map((path) => at(part, path)))
    .reduce<Partial<Tokens>>((most, usage) => merged(most, countsOf(usage)), {});
}

/** Paths of a model's name in a request, then in parts of its response. */
const REQUEST_MODEL_AT: readonly (readonly string[])[] = [
  ["modelId"],
  ["model"],
  ["body", "model"],
  ["body", "json", "model"],
];
const RESPONSE_MODEL_AT: readonly (readonly string[])[] = [
  ["model"],
  ["modelVersion"],
  ["modelId"],
  ["message", "model"],
  ["response", "model"],
  ["response", "modelId"],
  ["value", "trace", "model"],
];

/** Paths of URLs that name a model: of Gemini and Vertex, Azure, and Bedrock. */
const MODEL_IN_URL = /\/(?:(?:models|deployments)\/([^/:]+)|model\/([^/]+))/;

/** Name of the model of a call: as the step requested it, else as the response reports it. */
function modelOf({ request, response }: AdapterCall): string | undefined {
  const [first] = isArray(request) ? request : [];
  const named = REQUEST_MODEL_AT.map((path) => at(first, path)).find(isName);
  if (named !== undefined) return named;
  const url = at(first, ["path"]);
  const [, inUrl, ofBedrock] = (typeof url === "string" && MODEL_IN_URL.exec(url)) || [];
  return (
    inUrl ??
    // Its versions follow a colon, which clients encode: "…-v1%3A0".
    ofBedrock?.replaceAll(/%3a/gi, ":") ??
    partsOf(response)
      .flatMap((part) => RESPONSE_MODEL_AT.map((path) => at(part, path)))
      .find(isName)
  );
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** A response and the parts that may contain its counts: chunks of a stream, or the JSON or events of an HTTP body. */
function partsOf(whole: unknown): readonly unknown[] {
  const response = fieldsOf(whole);
  if (response === undefined) return [];
  const { chunks, returned, body } = response;
  return [response, ...(isArray(chunks) ? [...chunks, returned] : bodyParts(body))];
}

function bodyParts(body: unknown): readonly unknown[] {
  if (!isPlainObject(body)) return [];
  const { json, text: written, chunks } = body;
  if (!isArray(chunks)) return [typeof written === "string" ? parsedJson(written) : json];
  const text = chunks.filter((chunk) => typeof chunk === "string").join("");
  // A stream of JSON lines has no events.
  const events = eventsIn(text).map(({ data }) => data);
  const lines = events.length > 0 ? events : text.split("\n");
  // Counts are in `usage` or `totalUsage`: only such events are parsed.
  return lines.filter((line) => line.trimStart().startsWith("{") && line.includes("sage")).map(parsedJson);
}

function countsOf(value: unknown): Partial<Tokens> {
  const usage = fieldsOf(value);
  // If a provider reported no usage, veritest/llm keeps zeros that aren't counts.
  if (usage === undefined || usage["raw"] === null) return {};
  const input = first(usage, ["prompt_tokens", "promptTokenCount", "inputTokens", "promptTokens", "input"]);
  const output = first(usage, ["completion_tokens", "output_tokens", "outputTokens", "completionTokens", "output"]);
  // Anthropic's count leaves out what its cache took or gave.
  const messages = sum(usage, ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]);
  // A response of thoughts alone has no candidates.
  const gemini = sum(usage, ["candidatesTokenCount", "thoughtsTokenCount"]) ?? count(usage["thoughtsTokenCount"]);
  return defined({ input: input ?? messages, output: output ?? gemini });
}

function first(usage: Readonly<Record<string, unknown>>, names: readonly string[]): number | undefined {
  return names.map((name) => count(usage[name])).find((tokens) => tokens !== undefined);
}

function sum(
  usage: Readonly<Record<string, unknown>>,
  [lead, ...rest]: readonly [string, ...string[]],
): number | undefined {
  const counted = count(usage[lead]);
  return counted === undefined ? undefined : rest.reduce((total, name) => total + (count(usage[name]) ?? 0), counted);
}

/** A count, or the total of one that is reported in parts, as the AI SDK does. */
function count(value: unknown): number | undefined {
  const total = isPlainObject(value) ? value["total"] : value;
  return typeof total === "number" && Number.isFinite(total) && total >= 0 ? total : undefined;
}

/** Streams count up, so the highest reported count is the total. */
function merged(left: Partial<Tokens>, right: Partial<Tokens>): Partial<Tokens> {
  const most = (left: number | undefined, right: number | undefined): number | undefined =>
    left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
  return defined({ input: most(left.input, right.input), output: most(left.output, right.output) });
}

function defined({ input, output }: { readonly [K in keyof Tokens]: number | undefined }): Partial<Tokens> {
  return { ...(input !== undefined && { input }), ...(output !== undefined && { output }) };
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => {
    const fields = fieldsOf(inner);
    return fields !== undefined && Object.hasOwn(fields, key) ? fields[key] : undefined;
  }, value);
}

/** The fields of an object, also of one of a class as it is recorded. */
function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isPlainObject(value)) return undefined;
  const { v } = value;
  return value[TAG] === "instance" && isPlainObject(v) && isPlainObject(v["fields"]) ? v["fields"] : value;
}
