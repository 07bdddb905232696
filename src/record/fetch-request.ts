import { parseJsonBody } from "./http-body.ts";
import type { FetchInput } from "./recording-scope.ts";

/** A request as it is recorded. Headers are no part of it: they name versions, machines and keys. */
export interface HttpRequestData {
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

/** Describes what `fetch` was asked for; undefined for what goes over no network (`data:`, `blob:`) or is no URL. */
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
  const { origin, pathname, search } = new URL(href);
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

/** A form that was written out has a boundary, drawn at random. */
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
