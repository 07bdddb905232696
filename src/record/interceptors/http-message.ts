import { urlSafe } from "../../redact/placeholder.ts";
import { isArray, isPlainObject, parsedJson } from "../../kernel/json/plain-data.ts";
import type { FetchInput } from "./recording-scope.ts";

/** A request as it is recorded, without headers: they contain versions, machines and keys. */
interface HttpRequestData {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly query?: string;
  /** JSON as data, other text as text, a form as its fields, anything else as bytes. */
  readonly body?: unknown;
}

/** A request to record, and the arguments that send it: a body that can be read once only was read from a copy. */
export interface DescribedRequest {
  readonly data: HttpRequestData;
  readonly send: readonly [FetchInput, RequestInit | undefined];
  readonly signal: AbortSignal | null | undefined;
}

/** Describes a request to `fetch`; undefined if it uses no network (`data:`, `blob:`) or has no valid URL. */
export async function describeRequest(
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<DescribedRequest | undefined> {
  const href = input instanceof Request ? input.url : String(input);
  if (!URL.canParse(href) || !/^https?:$/.test(new URL(href).protocol)) return undefined;
  if (!(input instanceof Request) && isPlainBody(init?.body)) {
    const data = dataOf(href, init?.method ?? "GET", plainBody(init?.body));
    return { data, send: [input, init], signal: init?.signal };
  }
  const request = new Request(input, init);
  const form = init?.body instanceof FormData ? { form: await formFields(init.body) } : undefined;
  const data = dataOf(request.url, request.method, form ?? (await bodyOf(request.clone())));
  return { data, send: [request, undefined], signal: request.signal };
}

function dataOf(href: string, method: string, body: unknown): HttpRequestData {
  // A replayed text has placeholders: the `#` in one must not end the query.
  const { origin, pathname, search } = new URL(urlSafe(href));
  return {
    method: method.toUpperCase(),
    origin,
    path: pathname,
    ...(search !== "" && { query: search.slice(1) }),
    ...(body !== undefined && { body }),
  };
}

function isPlainBody(body: unknown): boolean {
  return body === undefined || body === null || typeof body === "string" || body instanceof URLSearchParams;
}

function plainBody(body: unknown): unknown {
  if (body instanceof URLSearchParams) return { form: [...body] };
  return typeof body === "string" ? (parseJsonBody(body) ?? body) : undefined;
}

async function bodyOf(request: Request): Promise<unknown> {
  if (request.body === null) return undefined;
  const bytes = Buffer.from(await request.arrayBuffer());
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes)) return bytes;
  return parseJsonBody(text) ?? withoutBoundary(text, request.headers.get("content-type") ?? "");
}

/** A form that is serialized has a random boundary. */
function withoutBoundary(text: string, type: string): string {
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(type)?.[1];
  return boundary === undefined ? text : text.replaceAll(boundary, "boundary");
}

async function formFields(form: FormData): Promise<readonly (readonly [string, unknown])[]> {
  const fields: (readonly [string, unknown])[] = [];
  for (const [name, value] of form) {
    const field =
      typeof value === "string"
        ? value
        : { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
    fields.push([name, field]);
  }
  return fields;
}

/** A response's body as it is recorded: what can be read in a review as that, the rest as bytes. */
type HttpBody =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly bytes: Buffer }
  /** A stream's chunks as received, and the error that cut it off. */
  | { readonly chunks: readonly (string | Buffer)[]; readonly error?: unknown };

const STREAMS: readonly RegExp[] = [
  /^text\/event-stream/i,
  /^application\/(?:x-)?(?:ndjson|jsonl)/i,
  /^application\/(?:stream\+json|vnd\.amazon\.eventstream)/i,
];

/**
 * Reads a body to its end. A stream of events keeps its chunks; a stream that breaks off keeps the received part and
 * the error.
 */
export async function readBody(response: Response): Promise<HttpBody | undefined> {
  if (response.body === null) return undefined;
  const parts: Buffer[] = [];
  try {
    const body: AsyncIterable<Uint8Array> = response.body;
    for await (const part of body) parts.push(Buffer.from(part));
  } catch (error) {
    return { chunks: textChunks(parts), error };
  }
  const type = response.headers.get("content-type") ?? "";
  if (STREAMS.some((known) => known.test(type))) return { chunks: textChunks(parts) };
  return wholeBody(Buffer.concat(parts));
}

function wholeBody(bytes: Buffer): HttpBody {
  const text = bytes.toString("utf8");
  if (!Buffer.from(text, "utf8").equals(bytes)) return { bytes };
  const json = parseJsonBody(text);
  return json === undefined ? { text } : { json };
}

/** The chunks as texts where all are UTF-8 by themselves, else as bytes. */
function textChunks(parts: readonly Buffer[]): readonly (string | Buffer)[] {
  const texts = parts.map((part) => part.toString("utf8"));
  return texts.every((text, index) => parts[index]?.equals(Buffer.from(text, "utf8"))) ? texts : parts;
}

/** The data of a JSON text; undefined if it isn't JSON, or has numbers that would change when written again. */
function parseJsonBody(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || /\d{16}/.test(text)) return undefined;
  const data = parsedJson(text);
  return isArray(data) || isPlainObject(data) ? data : undefined;
}

/** The recorded body as what a Response is made of. */
export function bodyInit(body: unknown): ConstructorParameters<typeof Response>[0] {
  if (!isPlainObject(body)) return null;
  if (Object.hasOwn(body, "json")) return JSON.stringify(body["json"]);
  if (typeof body["text"] === "string") return body["text"];
  const { bytes, chunks } = body;
  if (bytes instanceof Uint8Array) return new Blob([Uint8Array.from(bytes)]);
  return isArray(chunks) ? streamOf(chunks, body["error"]) : null;
}

function streamOf(chunks: readonly unknown[], error: unknown): ReadableStream {
  let next = 0;
  return new ReadableStream({
    async pull(controller) {
      const chunk = chunks[next];
      next += 1;
      if (next <= chunks.length) {
        controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
        return;
      }
      if (error === undefined) {
        controller.close();
        return;
      }
      // Breaks the connection off only after the received data was read: a client that pipes it would lose data.
      await new Promise((resolve) => setImmediate(resolve));
      controller.error(error);
    },
  });
}
