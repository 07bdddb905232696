import { isDeepStrictEqual } from "node:util";
import { parseUrl } from "../../kernel/parse-url.ts";
import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import { FETCH } from "../adapter-call.ts";
import { decode } from "../encode/decode.ts";
import { encode } from "../encode/encode.ts";
import { urlSafe } from "../../redact/placeholder.ts";
import type { RecordingRules } from "../recording-rules.ts";
import { utf8Text } from "../http-fields.ts";
import { headerPairs, recordedHeaders } from "../response-headers.ts";
import { type WatchedBody, closeStream, withFacts } from "./watched-body.ts";
import { changedFrame, readFrame, repairedFrame, splitFrames } from "./event-frames.ts";
import type { ReplayContext } from "../replay/replay-call.ts";
import { errorOrReason, untilAborted, untilStuck } from "../replay/release-timers.ts";
import { type JsonText, jsonText, layoutJson, parseLayout } from "./json-layout.ts";

/** Body of a response as it is recorded. It is readable in a review if possible. */
type HttpBody =
  | JsonText
  | { readonly text: string }
  | { readonly bytes: Buffer }
  /**
   * Events of a stream, with the number of bytes of each packet if they arrived in other parts, and the error that cut
   * the stream off. `aborted` marks an error of a request whose signal was aborted. `open` marks a stream that had not
   * ended when the run ended.
   */
  | {
      readonly chunks: readonly (string | Buffer)[];
      readonly packets?: readonly number[];
      readonly error?: unknown;
      readonly aborted?: true;
      readonly open?: true;
    };

/** Context of a recorded response. */
export interface ResponseContext {
  /** URL of the request. */
  readonly href: string;
  readonly signal?: AbortSignal | undefined;
  readonly rules: RecordingRules;
}

/** Returns a response as it is recorded, once its body has ended, without secrets that are split between chunks. */
export async function recordedResponse(
  response: Response,
  watched: WatchedBody | undefined,
  { href, rules }: ResponseContext,
): Promise<object> {
  const body = watched === undefined ? undefined : await readBody(watched, response.headers.get("content-type") ?? "");
  const { status, statusText, redirected, type } = response;
  return {
    status,
    ...(statusText !== "" && { statusText }),
    type: type === "default" ? "basic" : type,
    ...(redirected && { url: relativeUrl(rules.text(response.url), href), redirected }),
    headers: recordedHeaders(response.headers),
    ...(body !== undefined && { body: redactedBody(body, rules, isFrames(response.headers.get("content-type"))) }),
  };
}

/** A path for a response of the same origin: the port of a local server may differ in the next run. */
function relativeUrl(url: string, base: string): string {
  const { origin } = new URL(base);
  return url.startsWith(`${origin}/`) ? url.slice(origin.length) : url;
}

const EVENTS = /^text\/event-stream/i;
const LINES = /^application\/(?:(?:x-)?(?:ndjson|jsonl)|stream\+json|json-seq)/i;
const FRAMES = /^application\/vnd\.amazon\.eventstream/i;

function isFrames(type: string | null): boolean {
  return type !== null && FRAMES.test(type);
}

async function readBody({ parts, end }: WatchedBody, type: string): Promise<HttpBody> {
  const { error, aborted, open } = await end;
  if (open === true) return { ...streamBody(parts, type), open };
  if (error !== undefined) return { ...streamBody(parts, type), error, ...(aborted === true && { aborted }) };
  const isStream = EVENTS.test(type) || LINES.test(type) || FRAMES.test(type);
  return isStream ? streamBody(parts, type) : wholeBody(Buffer.concat(parts));
}

function wholeBody(bytes: Buffer): HttpBody {
  const text = utf8Text(bytes);
  return text === undefined ? { bytes } : (jsonText(text) ?? { text });
}

function streamBody(
  parts: readonly Buffer[],
  type: string,
): { readonly chunks: readonly (string | Buffer)[]; readonly packets?: readonly number[] } {
  const bytes = Buffer.concat(parts);
  const frames = isFrames(type) ? splitFrames(bytes) : undefined;
  if (frames !== undefined) return { chunks: frames };
  const text = utf8Text(bytes);
  if (text === undefined) return { chunks: parts };
  const pattern = EVENTS.test(type) ? /[\s\S]+?(?:\r?\n\r?\n|\r\r|$)/g : /[\s\S]+?(?:\n|$)/g;
  const chunks = EVENTS.test(type) || LINES.test(type) ? (text.match(pattern) ?? []) : textParts(parts);
  const packets = parts.map(({ length }) => length);
  const isSame =
    chunks.length === packets.length && chunks.every((chunk, at) => Buffer.byteLength(chunk) === packets[at]);
  return { chunks, ...(!isSame && { packets }) };
}

/** Returns the texts of parts whose bounds may be inside of a character: such a character is in the later part. */
function textParts(parts: readonly Buffer[]): readonly string[] {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return parts.map((part) => decoder.decode(part, { stream: true })).filter((text) => text !== "");
}

function redactedBody(body: HttpBody, rules: RecordingRules, hasFrames: boolean): HttpBody {
  if ("chunks" in body) {
    const { packets, ...stream } = body;
    const chunks = hasFrames ? redactedFrames(body.chunks, rules) : redactedChunks(body.chunks, rules);
    const isSame = chunks.every((chunk, at) => chunk === body.chunks[at]);
    return { ...stream, chunks, ...(isSame && packets !== undefined && { packets }) };
  }
  if ("json" in body) {
    const json = acrossEvents(body.json, rules);
    return json === body.json ? body : { ...body, json };
  }
  return "text" in body ? redactedText(body, rules) : body;
}

function redactedChunks(chunks: readonly (string | Buffer)[], rules: RecordingRules): readonly (string | Buffer)[] {
  const redacted = redactedTogether(chunks, rules);
  // A chunk without a secret stays the same object.
  return chunks.map((chunk, at) => {
    const now = redacted[at];
    return typeof now === "string" || (now instanceof Buffer && !now.equals(Buffer.from(chunk))) ? now : chunk;
  });
}

/** Redacts the content of frames together: their lengths and checksums follow. */
function redactedFrames(chunks: readonly (string | Buffer)[], rules: RecordingRules): readonly (string | Buffer)[] {
  const frames = chunks.map((chunk) => (typeof chunk === "string" ? undefined : readFrame(chunk)));
  if (frames.every((frame) => frame === undefined)) return redactedChunks(chunks, rules);
  const redacted = redactedTogether(frames, rules);
  return chunks.map((chunk, at) => {
    const now = redacted[at];
    if (typeof chunk === "string" || !isPlainObject(now) || isDeepStrictEqual(now, frames[at])) return chunk;
    const fields = isPlainObject(now["headers"]) ? now["headers"] : {};
    const headers = Object.entries(fields).map(([name, text]) => [name, String(text)] as const);
    return changedFrame(chunk, { headers: Object.fromEntries(headers), payload: now["payload"] });
  });
}

function redactedTogether(chunks: readonly unknown[], rules: RecordingRules): readonly unknown[] {
  const encoded = encode(chunks);
  const redacted = isArray(encoded) ? rules.chunks(FETCH, encoded) : [];
  return redacted === encoded ? chunks : redacted.map((chunk) => decode(chunk));
}

/** Fields of events that are sent as one JSON list, as Gemini does. Items of other lists are independent. */
const EVENT_FIELDS = ["candidates", "choices", "delta"];

/** Redacts secrets that are split between the events of a JSON list. */
function acrossEvents(json: unknown, rules: RecordingRules): unknown {
  const isEvent = (item: unknown): boolean =>
    isPlainObject(item) && EVENT_FIELDS.some((name) => Object.hasOwn(item, name));
  if (!isArray(json) || json.length < 2 || !json.some(isEvent) || !json.every(isPlainObject)) return json;
  return redactedTogether(json, rules);
}

/** JSON that is kept as text follows the rules for paths in JSON. A secret that only they find costs the text. */
function redactedText(body: { readonly text: string }, rules: RecordingRules): HttpBody {
  const json = parsedJson(body.text);
  if (!isArray(json) && !isPlainObject(json)) return body;
  const before = { body: { json: encode(json) } };
  const after = rules.response(FETCH, { body: { json: encode(acrossEvents(json, rules)) } });
  const isSame = JSON.stringify(after) === JSON.stringify(before);
  return isSame || !isPlainObject(after) || !isPlainObject(after["body"])
    ? body
    : { json: decode(after["body"]["json"]) };
}

type BodyContext = Pick<ReplayContext, "signal" | "exhausted">;

/** Rebuilds a recorded response to a request. */
export function responseFrom(
  recorded: unknown,
  href: string,
  context: BodyContext = { exhausted: () => new TypeError("terminated") },
): Response {
  if (!isPlainObject(recorded) || typeof recorded["status"] !== "number")
    throw new TypeError(
      "The response doesn't have a status, so it can't be replayed. If a stub returned it, return a response such as " +
        "{ status: 200 }. If not, capture the case again.",
    );
  const { status, statusText = "", headers, body, url, redirected = false, type = "basic" } = recorded;
  const pairs = headerPairs(headers);
  const hasFrames = pairs.some(([name, value]) => name === "content-type" && isFrames(value));
  const response = new Response(bodyInit(body, hasFrames, context), { headers: pairs });
  const at = typeof url === "string" ? parseUrl(urlSafe(url), href)?.href : undefined;
  return withFacts(response, { status, statusText: String(statusText), url: at ?? href, redirected, type });
}

function bodyInit(
  body: unknown,
  hasFrames: boolean,
  { signal, exhausted }: BodyContext,
): ConstructorParameters<typeof Response>[0] {
  if (!isPlainObject(body)) return null;
  if (Object.hasOwn(body, "json")) return layoutJson(body["json"], parseLayout(body["layout"]));
  if (typeof body["text"] === "string") return body["text"];
  const { bytes, chunks, packets, error, open, aborted: isAborted } = body;
  if (bytes instanceof Uint8Array) return new Blob([Uint8Array.from(bytes)]);
  if (!isArray(chunks)) return null;
  const sent = hasFrames
    ? chunks.map((chunk) => (chunk instanceof Buffer ? repairedFrame(chunk) : chunk))
    : packetsOf(chunks, packets);
  if (open === true && !isComplete(chunks.at(-1)))
    return streamOf(sent, async () => {
      await untilStuck(signal);
      throw exhausted(chunks.length);
    });
  if (error === undefined) return streamOf(sent, async () => undefined);
  const abort = isAborted === true ? signal : undefined;
  return streamOf(sent, async () => {
    if (abort !== undefined) await untilAborted(abort);
    // A connection breaks off after the received parts were read: a pipe would lose the parts that it still has.
    else await new Promise((resolve) => setImmediate(resolve));
    throw errorOrReason(error, abort);
  });
}

/**
 * Returns true for the last event of a provider's stream: a version of an SDK may stop reading there, or read on. The
 * space is optional in an event.
 */
function isComplete(last: unknown): boolean {
  return /(?:^|\n)data: ?\[DONE\]\s*$/.test(new TextDecoder().decode(bytesOf(last)));
}

/** Returns the packets of a stream; its events if the packets aren't recorded. */
function packetsOf(chunks: readonly unknown[], packets: unknown): readonly unknown[] {
  if (!isArray(packets)) return chunks;
  const bytes = Buffer.from(chunks.map(String).join(""));
  let start = 0;
  return packets.map((length) => {
    const end = start + (typeof length === "number" ? length : 0);
    const packet = bytes.subarray(start, end);
    start = end;
    return packet;
  });
}

/** Creates a stream of bytes. It closes when `end` resolves after its last part, and fails if `end` rejects. */
function streamOf(chunks: readonly unknown[], end: () => Promise<void>): ReadableStream {
  // A stream of bytes takes no empty part, and takes over the memory of the others.
  const parts = chunks.map(bytesOf).filter(({ length }) => length > 0);
  let next = 0;
  return new ReadableStream({
    type: "bytes",
    async pull(controller) {
      const part = parts[next];
      next += 1;
      if (part !== undefined) return controller.enqueue(part);
      await end();
      closeStream(controller);
    },
  });
}

function bytesOf(chunk: unknown): Uint8Array {
  return chunk instanceof Uint8Array ? new Uint8Array(chunk) : new TextEncoder().encode(String(chunk));
}
