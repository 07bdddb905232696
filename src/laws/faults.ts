import { isArray, isPlainObject } from "../base/plain-data.ts";
import type { CallRole } from "../base/call-role.ts";
import { type AdapterCall, isStreamResponse } from "../record/adapter-call.ts";
import { decode } from "../record/encode/decode.ts";
import { encode } from "../record/encode/encode.ts";
import { withEnd } from "../record/serve/staged-end.ts";
import { type ErrorOf, type Provider, type Trouble, errorBody, fetchFailed, terminated } from "./fault-errors.ts";

/** A way in which a call goes wrong. */
export type FaultName =
  | "error-429"
  | "error-500"
  | "error-network"
  | "timeout"
  | "slow"
  | "truncated"
  | "malformed-cut"
  | "malformed-fenced"
  | "malformed-prose"
  | "malformed-types"
  | "malformed-extra"
  | "malformed-nulls"
  | "refused"
  | "empty"
  | "duplicate"
  | "out-of-order"
  | "aborted"
  | "crash-after-effect";

/** A call that is to go wrong. */
export interface FaultyCall {
  readonly call: AdapterCall;
  readonly role: CallRole;
  readonly provider: Provider;
  readonly errorOf: ErrorOf;
}

/** Milliseconds that a slow answer takes. */
const SLOW_MS = 90_000;

type Fault = (faulty: FaultyCall) => AdapterCall | undefined;

const MALFORMED: Readonly<Record<string, (text: string) => string | undefined>> = {
  "malformed-cut": (text) => text.slice(0, Math.ceil(text.length / 2)),
  "malformed-fenced": (text) => `\`\`\`json\n${text}\n\`\`\``,
  "malformed-prose": (text) => `Sure! Here is what you asked for:\n\n${text}\n\nLet me know if you need more.`,
  "malformed-types": (text) => rewritten(text, otherTypes),
  "malformed-extra": (text) => rewritten(text, withExtra),
  "malformed-nulls": (text) => rewritten(text, nulls),
};

/** What each fault makes of a call; undefined where that makes no sense of it. */
const FAULTS: Readonly<Record<FaultName, Fault>> = {
  "error-429": (faulty) => failing(faulty, 429),
  "error-500": (faulty) => failing(faulty, 500),
  "error-network": (faulty) => failing(faulty, "network"),
  timeout: timedOut,
  slow: ({ call }) => withEnd(call, { kind: "late", ms: SLOW_MS }),
  truncated: (faulty) => answered(faulty, (answer) => truncatedAnswer(answer)),
  "malformed-cut": (faulty) => malformed(faulty, "malformed-cut"),
  "malformed-fenced": (faulty) => malformed(faulty, "malformed-fenced"),
  "malformed-prose": (faulty) => malformed(faulty, "malformed-prose"),
  "malformed-types": (faulty) => malformed(faulty, "malformed-types"),
  "malformed-extra": (faulty) => malformed(faulty, "malformed-extra"),
  "malformed-nulls": (faulty) => malformed(faulty, "malformed-nulls"),
  refused: (faulty) => answered(faulty, refusedAnswer),
  empty: (faulty) => answered(faulty, emptyAnswer),
  duplicate: (faulty) => streamed(faulty, (chunks) => chunks.flatMap((chunk) => [chunk, chunk])),
  "out-of-order": (faulty) => streamed(faulty, swapped),
  aborted: abortedStream,
  "crash-after-effect": (faulty) => (faulty.role === "write" ? failing(faulty, "network") : undefined),
};

/** Every fault there is. */
export const FAULT_NAMES: readonly FaultName[] = Object.keys(FAULTS).filter(isFaultName);

/** Tells the name of a fault. */
export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

/** The call as a fault makes it; undefined where that makes no sense of it, or changes nothing. */
export function faultOf(name: FaultName, faulty: FaultyCall): AdapterCall | undefined {
  // What is a stream at once (`messages.stream()`) fails through its helpers, too, which are calls of their own.
  return faulty.call.returns === "stream" && STAGED.has(name) ? undefined : FAULTS[name](faulty);
}

const STAGED: ReadonlySet<FaultName> = new Set([
  "error-429",
  "error-500",
  "error-network",
  "timeout",
  "slow",
  "crash-after-effect",
]);

/** Whose client made a call, as far as that shows. */
export function providerOf({ adapter, request, response }: AdapterCall): Provider {
  const [first] = isArray(request) ? request : [];
  const path = isPlainObject(first) && typeof first["path"] === "string" ? first["path"] : "";
  const where = adapter === "fetch" ? path.replaceAll("/", ".") : adapter;
  if (/(?:^|\.)(?:completions|responses)(?:\.create|\.stream|\.parse)?$/.test(where)) return "openai";
  if (/(?:^|\.)messages(?:\.create|\.stream)?$/.test(where)) return "anthropic";
  if (/(?:^model|\.model)\.(?:generate|stream)$|\.do(?:Generate|Stream)$/.test(where)) return "ai-sdk";
  return isPlainObject(response) && "stop_reason" in response ? "anthropic" : "other";
}

/** Clients of models give up by themselves at last; others wait until somebody else does. */
const CLIENT_TIMEOUT_MS = 600_000;

function timedOut({ call, provider, errorOf }: FaultyCall): AdapterCall {
  const givesUp = (provider === "openai" || provider === "anthropic") && !isHttp(call);
  return withEnd(
    call,
    givesUp ? { kind: "throws", error: () => errorOf("timeout"), after: CLIENT_TIMEOUT_MS } : { kind: "never" },
  );
}

function failing({ call, provider, errorOf }: FaultyCall, trouble: Trouble): AdapterCall {
  if (call.adapter === "fetch" && isHttp(call)) {
    if (typeof trouble !== "number") return withEnd(call, { kind: "throws", error: fetchFailed });
    const headers = { "content-type": "application/json" };
    return withAnswer(call, { status: trouble, headers, body: { json: errorBody(provider, trouble) } });
  }
  return withEnd(call, { kind: "throws", error: () => errorOf(trouble) });
}

function withAnswer({ error: _error, ...call }: AdapterCall, response: unknown): AdapterCall {
  return { ...call, response: encode(response, { opaque: "omit" }) };
}

function isHttp({ response }: AdapterCall): boolean {
  return isPlainObject(response) && typeof response["status"] === "number" && "headers" in response;
}

/** Changes what a call answered, below the HTTP that carried it. Undefined where nothing changes. */
function answered({ call }: FaultyCall, change: (answer: unknown) => unknown): AdapterCall | undefined {
  if (Object.hasOwn(call, "error") || isStreamResponse(call.response)) return undefined;
  const answer = decode(call.response);
  if (call.adapter === "fetch" && isPlainObject(answer) && isPlainObject(answer["body"])) {
    const { json } = answer["body"];
    const changed = json === undefined ? undefined : change(json);
    return changed === undefined ? undefined : withAnswer(call, { ...answer, body: { json: changed } });
  }
  const changed = change(answer);
  return changed === undefined ? undefined : withAnswer(call, changed);
}

function malformed(faulty: FaultyCall, name: string): AdapterCall | undefined {
  const change = MALFORMED[name] ?? (() => undefined);
  return answered(faulty, (answer) => {
    if (textIn(answer) !== undefined) return withText(answer, change);
    const ofData = { "malformed-types": otherTypes, "malformed-extra": withExtra, "malformed-nulls": nulls }[name];
    return ofData !== undefined && (isPlainObject(answer) || isArray(answer)) && faulty.provider === "other"
      ? ofData(answer)
      : undefined;
  });
}

/** Where an answer has its text, by the shape of the client that gave it; undefined where it has none. */
function textIn(answer: unknown): string | undefined {
  let found: string | undefined;
  withText(answer, (text) => ((found ??= text), text));
  return found;
}

/** An answer with its text changed, and all else as it is; undefined where it has none, or the change makes none. */
function withText(answer: unknown, change: (text: string) => string | undefined): unknown {
  if (typeof answer === "string") return change(answer);
  if (!isPlainObject(answer)) return undefined;
  const { choices, output, content, text } = answer;
  if (isArray(choices)) {
    const [first, ...others] = choices;
    const message = isPlainObject(first) ? first["message"] : undefined;
    const changed = isPlainObject(message) ? textField(message, "content", change) : undefined;
    return changed && isPlainObject(first)
      ? { ...answer, choices: [{ ...first, message: changed }, ...others] }
      : undefined;
  }
  if (isArray(output)) return withOutputText(listed(answer, "output", (item) => withText(item, change)));
  if (isArray(content))
    return listed(answer, "content", (part) => (isPlainObject(part) ? textField(part, "text", change) : undefined));
  return typeof text === "string" && "usage" in answer ? textField(answer, "text", change) : undefined;
}

/** OpenAI's client writes the texts of an answer's messages into a field of their own. */
function withOutputText(answer: Record<string, unknown> | undefined): Record<string, unknown> | undefined {
  if (answer === undefined || !("output_text" in answer)) return answer;
  const { output } = answer;
  const messages = isArray(output) ? output.filter(isPlainObject) : [];
  const parts = messages.flatMap(({ content }) => (isArray(content) ? content.filter(isPlainObject) : []));
  const texts = parts.filter(({ type }) => type === "output_text").map(({ text }) => String(text));
  return { ...answer, output_text: texts.join("") };
}

function textField(
  owner: Readonly<Record<string, unknown>>,
  name: string,
  change: (text: string) => string | undefined,
): Record<string, unknown> | undefined {
  const text = owner[name];
  const changed = typeof text === "string" ? change(text) : undefined;
  return changed === undefined ? undefined : { ...owner, [name]: changed };
}

/** The first element that can be changed is. */
function listed(
  owner: Readonly<Record<string, unknown>>,
  name: string,
  change: (item: unknown) => unknown,
): Record<string, unknown> | undefined {
  const found = owner[name];
  const list: readonly unknown[] = isArray(found) ? found : [];
  const at = list.findIndex((item) => change(item) !== undefined);
  return at === -1 ? undefined : { ...owner, [name]: list.with(at, change(list[at])) };
}

function truncatedAnswer(answer: unknown): unknown {
  if (!isPlainObject(answer)) return undefined;
  const cut = withText(answer, (text) => text.slice(0, Math.ceil(text.length / 2)));
  const base = isPlainObject(cut) ? cut : answer;
  return ended(base, { openai: "length", responses: "max_output_tokens", anthropic: "max_tokens", aiSdk: "length" });
}

function refusedAnswer(answer: unknown): unknown {
  if (!isPlainObject(answer)) return undefined;
  const words = "I cannot help with that.";
  const { choices, output, stop_reason: stop } = answer;
  if (isArray(choices)) {
    const [first, ...others] = choices;
    if (!isPlainObject(first) || !isPlainObject(first["message"])) return undefined;
    const message = { ...first["message"], content: null, refusal: words };
    return { ...answer, choices: [{ ...first, message, finish_reason: "stop" }, ...others] };
  }
  if (isArray(output))
    return {
      ...answer,
      ...("output_text" in answer && { output_text: "" }),
      output: [{ type: "message", role: "assistant", content: [{ type: "refusal", refusal: words }] }],
    };
  if (stop !== undefined) return { ...answer, content: [], stop_reason: "refusal" };
  const spoken = withText(answer, () => words);
  return isPlainObject(spoken) && "finishReason" in spoken
    ? { ...spoken, finishReason: reasonLike(spoken["finishReason"], "content-filter") }
    : undefined;
}

function emptyAnswer(answer: unknown): unknown {
  if (typeof answer === "string") return "";
  if (isArray(answer)) return answer.length === 0 ? undefined : [];
  if (!isPlainObject(answer)) return undefined;
  const { choices, output } = answer;
  if (isArray(output)) return { ...answer, ...("output_text" in answer && { output_text: "" }), output: [] };
  if (isArray(choices)) return withText(answer, () => "");
  const { content } = answer;
  if (isArray(content) && ("stop_reason" in answer || "finishReason" in answer)) return { ...answer, content: [] };
  return withText(answer, () => "");
}

/** An answer that ended for another reason, in the words of its client. */
function ended(answer: Record<string, unknown>, words: Readonly<Record<string, string>>): unknown {
  const { choices, output, stop_reason: stop, finishReason } = answer;
  if (isArray(choices))
    return {
      ...answer,
      choices: choices.map((one) => (isPlainObject(one) ? { ...one, finish_reason: words["openai"] } : one)),
    };
  if (isArray(output)) return { ...answer, status: "incomplete", incomplete_details: { reason: words["responses"] } };
  if (stop !== undefined) return { ...answer, stop_reason: words["anthropic"] };
  return finishReason === undefined
    ? undefined
    : { ...answer, finishReason: reasonLike(finishReason, words["aiSdk"] ?? "") };
}

/** A finish reason of the AI SDK: a word, or, from version 6 on, a record of two. */
function reasonLike(was: unknown, word: string): unknown {
  return isPlainObject(was) ? { ...was, unified: word } : word;
}

function rewritten(text: string, change: (value: unknown) => unknown): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(change(value));
  } catch {
    // Its text is no JSON: nothing in it has a type.
    return undefined;
  }
}

function eachLeaf(value: unknown, change: (leaf: unknown) => unknown): unknown {
  if (isArray(value)) return value.map((item) => eachLeaf(item, change));
  if (!isPlainObject(value)) return change(value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, eachLeaf(one, change)]));
}

function otherTypes(value: unknown): unknown {
  return eachLeaf(value, (leaf) => (typeof leaf === "string" ? [leaf] : String(leaf)));
}

function nulls(value: unknown): unknown {
  return eachLeaf(value, () => null);
}

function withExtra(value: unknown): unknown {
  return isPlainObject(value) ? { ...value, reasoning: "It was asked for." } : [{ reasoning: "It was asked for." }];
}

/** Changes the chunks of a stream: those of an iterable, or the events of a body. */
function streamed(
  { call }: FaultyCall,
  change: (chunks: readonly unknown[]) => readonly unknown[],
): AdapterCall | undefined {
  const { response } = call;
  if (isStreamResponse(response) && response.chunks.length > 1)
    return { ...call, response: { ...response, chunks: change(response.chunks) } };
  return withEvents(call, (events) => change(events).map(String));
}

function swapped(chunks: readonly unknown[]): readonly unknown[] {
  const middle = Math.floor(chunks.length / 2);
  const [one, other] = [chunks[middle - 1], chunks[middle]];
  return chunks.with(middle - 1, other).with(middle, one);
}

function abortedStream({ call }: FaultyCall): AdapterCall | undefined {
  const { response } = call;
  const half = (chunks: readonly unknown[]): readonly unknown[] => chunks.slice(0, Math.ceil(chunks.length / 2));
  const error = encode(terminated(), { opaque: "omit" });
  if (isStreamResponse(response))
    return { ...call, response: { ...response, chunks: half(response.chunks), done: false }, error };
  return withEvents(call, (events) => half(events).map(String), error);
}

/** The events of a recorded body, one text each; undefined where it has none. */
function withEvents(
  call: AdapterCall,
  change: (events: readonly string[]) => readonly string[],
  error?: unknown,
): AdapterCall | undefined {
  const { response } = call;
  const body = isPlainObject(response) ? response["body"] : undefined;
  const chunks = isPlainObject(body) ? body["chunks"] : undefined;
  if (call.adapter !== "fetch" || !isPlainObject(response) || !isArray(chunks)) return undefined;
  const texts = chunks.filter((chunk) => typeof chunk === "string");
  const events = texts.join("").split(/(?<=\n\n)/);
  if (texts.length < chunks.length || events.length < 2) return undefined;
  return {
    ...call,
    response: { ...response, body: { chunks: change(events), ...(error !== undefined && { error }) } },
  };
}
