import { parseUrl } from "../../kernel/parse-url.ts";
import { urlSafe } from "../../redact/placeholder.ts";
import {
  type HttpFields,
  STORED_BOUNDARY,
  groupedFields,
  jsonData,
  multipartFields,
  utf8Text,
} from "../http-fields.ts";
import { boundaryIn, boundaryOf, parseMultipart } from "../multipart.ts";
import type { FetchInput } from "./recording-scope.ts";

/** Body of a request as it is recorded: JSON as data, a form as its fields, other text as text, the rest as bytes. */
type RequestBody = { readonly body?: unknown } | { readonly form: unknown };

/** A request as it is recorded. Headers aren't part of it unless they are compared: they name versions and keys. */
interface HttpRequestData {
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly query?: string;
  readonly form?: unknown;
  readonly body?: unknown;
}

/** A request to record, and the arguments that send it: a body that can be read once only was read from a copy. */
export interface DescribedRequest {
  readonly data: HttpRequestData;
  /** URL of the request, with its query as sent. */
  readonly href: string;
  readonly headers: Headers;
  readonly send: readonly [FetchInput, RequestInit | undefined];
  readonly signal: AbortSignal | null | undefined;
}

/** Describes a request to `fetch`; undefined if it uses no network (`data:`, `blob:`) or has no valid URL. */
export async function describeRequest(
  input: FetchInput,
  init: RequestInit | undefined,
): Promise<DescribedRequest | undefined> {
  // A replayed text has placeholders: the `#` in one must not end the query.
  const url = parseUrl(urlSafe(input instanceof Request ? input.url : String(input)));
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  if (!(input instanceof Request) && isPlainBody(init?.body)) {
    const headers = new Headers(init?.headers);
    const body = plainBody(init?.body, headers);
    return { ...target(url, init?.method ?? "GET", body), headers, send: [input, init], signal: init?.signal };
  }
  const request = new Request(input, init);
  const { headers, signal } = request;
  const form = init?.body instanceof FormData ? { form: await formFields(init.body) } : undefined;
  const body = form ?? (await bodyOf(request.clone()));
  return { ...target(url, request.method, body), headers, send: [request, undefined], signal };
}

/** Returns the method, origin and path of a request, for a message. The query may contain credentials. */
export function requestName(input: FetchInput, init: RequestInit | undefined): string {
  const [address, ownMethod] = input instanceof Request ? [input.url, input.method] : [String(input), "GET"];
  const method = (init?.method ?? ownMethod).toUpperCase();
  const url = parseUrl(address);
  // The path of another URL can be its content.
  return url === undefined || !/^https?:$/.test(url.protocol)
    ? `${method} ${url?.protocol ?? "a relative URL"}`
    : `${method} ${url.origin}${url.pathname}`;
}

function target(url: URL, method: string, body: RequestBody): Pick<DescribedRequest, "data" | "href"> {
  url.hash = "";
  const { origin, pathname, search } = url;
  const query = search === "" ? {} : { query: search.slice(1) };
  return { data: { method: method.toUpperCase(), origin, path: pathname, ...query, ...body }, href: url.href };
}

function isPlainBody(body: unknown): boolean {
  return body === undefined || body === null || typeof body === "string" || body instanceof URLSearchParams;
}

function plainBody(body: unknown, headers: Headers): RequestBody {
  if (body instanceof URLSearchParams) return { form: groupedFields([...body]) };
  return typeof body === "string" ? textBody(body, headers) : {};
}

async function bodyOf(request: Request): Promise<RequestBody> {
  if (request.body === null) return {};
  const bytes = Buffer.from(await request.arrayBuffer());
  const text = utf8Text(bytes);
  if (text !== undefined) return textBody(text, request.headers);
  return multipartBody(bytes, request.headers) ?? { body: bytes };
}

function textBody(text: string, headers: Headers): RequestBody {
  const json = jsonData(text);
  if (json !== undefined) return { body: json };
  return (text.startsWith("--") ? multipartBody(Buffer.from(text), headers) : undefined) ?? { body: text };
}

/** Fields of a multipart body, whose boundary is random; the body with a fixed boundary if it can't be parsed. */
function multipartBody(bytes: Buffer, headers: Headers): RequestBody | undefined {
  const boundary = boundaryOf(headers.get("content-type") ?? "") ?? boundaryIn(bytes);
  if (boundary === undefined) return undefined;
  const parts = parseMultipart(bytes, boundary);
  if (parts !== undefined) return multipartFields(parts);
  const random = Buffer.from(boundary).toString("latin1");
  const fixed = Buffer.from(bytes.toString("latin1").replaceAll(random, STORED_BOUNDARY), "latin1");
  return { body: utf8Text(fixed) ?? fixed };
}

async function formFields(form: FormData): Promise<HttpFields> {
  const fields: (readonly [string, unknown])[] = [];
  for (const [name, value] of form) {
    const field =
      typeof value === "string"
        ? value
        : { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) };
    fields.push([name, field]);
  }
  return groupedFields(fields);
}
