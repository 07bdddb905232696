import { isArray } from "../base/plain-data.ts";
import { isPlainObject } from "../base/plain-data.ts";

/** A response's body as it is recorded: what can be read in a review as that, the rest as bytes. */
export type HttpBody =
  | { readonly json: unknown }
  | { readonly text: string }
  | { readonly bytes: Buffer }
  /** A stream's chunks as they came, and the error that cut it off. */
  | { readonly chunks: readonly (string | Buffer)[]; readonly error?: unknown };

const STREAMS =
  /^(?:text\/event-stream|application\/(?:x-)?ndjson|application\/(?:x-)?jsonl|application\/stream\+json|application\/vnd\.amazon\.eventstream)/i;

/** Reads a body to its end. A stream of events keeps its chunks; what breaks off keeps what came, with the error. */
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
  if (STREAMS.test(type)) return { chunks: textChunks(parts) };
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

/** The data of a JSON text; undefined when it is none, or holds numbers that would not come out as they went in. */
export function parseJsonBody(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || /\d{16}/.test(text)) return undefined;
  try {
    const data: unknown = JSON.parse(text);
    return isArray(data) || isPlainObject(data) ? data : undefined;
  } catch {
    return undefined;
  }
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
    pull(controller) {
      const chunk = chunks[next];
      next += 1;
      if (next <= chunks.length)
        controller.enqueue(typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk);
      else if (error === undefined) controller.close();
      else controller.error(error);
    },
  });
}
