import { isArray, isPlainObject, parsedJson, setOwnField } from "../kernel/json/plain-data.ts";
import { encode } from "./encode/encode.ts";
import { type BodyPart, parseMultipart } from "./multipart.ts";

/** Values of a query or a form by name: a list if a name comes more than once. */
export type HttpFields = Readonly<Record<string, unknown>>;

/** Boundary that recordings have instead of the random one of a multipart text. */
export const STORED_BOUNDARY = "boundary";

/**
 * Returns a recorded request of `fetch` with its query, its form and its JSON as fields, so that paths reach them and
 * the order of parameters doesn't matter. Requests of earlier versions have them as text. Returns the same object if
 * there are none.
 */
export function withHttpFields(request: unknown): unknown {
  const [first, ...rest] = isArray(request) ? request : [];
  if (!isPlainObject(first) || typeof first["origin"] !== "string" || typeof first["method"] !== "string")
    return request;
  const { query, body, ...others } = first;
  const parsedBody = fieldsOfBody(body);
  if (typeof query !== "string" && parsedBody === undefined) return request;
  const parsedQuery = typeof query === "string" ? groupedFields([...new URLSearchParams(query)]) : query;
  return [
    {
      ...others,
      ...(parsedQuery !== undefined && { query: parsedQuery }),
      ...(parsedBody ?? (body === undefined ? {} : { body })),
    },
    ...rest,
  ];
}

/** Groups the fields of a query or a form by name. */
export function groupedFields(fields: readonly (readonly [string, unknown])[]): HttpFields {
  const grouped: Record<string, unknown> = {};
  for (const [name, values] of Map.groupBy(fields, ([key]) => key))
    setOwnField(grouped, name, values.length === 1 ? values[0]?.[1] : values.map(([, value]) => value));
  return grouped;
}

/**
 * Returns the fields of a multipart body: of a form by name, of other parts in their order. Headers of a form's text
 * are apart from it, so that its name still shows if it's a secret.
 */
export function multipartFields(
  parts: readonly BodyPart[],
): { readonly form: HttpFields; readonly partHeaders?: HttpFields } | { readonly body: unknown } {
  if (parts.length > 0 && parts.every(({ name }) => name !== undefined)) {
    const form = groupedFields(parts.map((part) => [part.name ?? "", fieldOf(part)]));
    const partHeaders = groupedFields(parts.flatMap(headersOfText));
    return { form, ...(Object.keys(partHeaders).length > 0 && { partHeaders }) };
  }
  return {
    body: {
      parts: parts.map(({ type, headers, content }) => {
        const text = utf8Text(content);
        return {
          ...(type !== undefined && { type }),
          ...(headers !== undefined && { headers }),
          body: text === undefined ? content : (jsonData(text) ?? text),
        };
      }),
    },
  };
}

function fieldOf({ filename, type, headers, content }: BodyPart): unknown {
  if (filename === undefined) return utf8Text(content) ?? content;
  const partHeaders = headers === undefined ? {} : { headers };
  return { name: filename, type: type ?? "application/octet-stream", ...partHeaders, bytes: content };
}

function headersOfText({ name = "", filename, type, headers }: BodyPart): readonly [string, unknown][] {
  const isText = type === undefined || /^text\/plain\b/i.test(type);
  if (filename !== undefined || (isText && headers === undefined)) return [];
  return [[name, { ...(type !== undefined && { type }), ...headers }]];
}

/** Returns the text of bytes; undefined if they aren't UTF-8. */
export function utf8Text(bytes: Buffer): string | undefined {
  const text = bytes.toString("utf8");
  return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
}

function fieldsOfBody(body: unknown): object | undefined {
  if (typeof body !== "string") return undefined;
  const json = encode(jsonData(body) ?? null);
  if (json !== null) return { body: json };
  if (FORM.test(body)) return { form: groupedFields([...new URLSearchParams(body)]) };
  const parts = body.startsWith(`--${STORED_BOUNDARY}\r\n`)
    ? parseMultipart(Buffer.from(body), STORED_BOUNDARY)
    : undefined;
  return parts === undefined ? undefined : encodedFields(multipartFields(parts));
}

/** Encodes files, which contain bytes. */
function encodedFields(fields: object): object | undefined {
  const encoded = encode(fields);
  return isPlainObject(encoded) ? encoded : undefined;
}

/** Text of a form: at least one field with a name and a value. */
const FORM = /^[\w.~%+*!'()[\]-]+=[^\s&=]*(?:&[\w.~%+*!'()[\]-]+=[^\s&=]*)*&?$/;

/** Mark of an integer in parsed JSON that a number can't represent. */
const INTEGER = "$integer";
const TOKENS = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Returns the data of a JSON object or array, in which long integers are exact; undefined for other text. */
export function jsonData(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const data = /\d{16}/.test(text) ? exactJson(text) : parsedJson(text);
  return isArray(data) || isPlainObject(data) ? data : undefined;
}

function exactJson(text: string): unknown {
  const marked = text.replace(TOKENS, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `{"${INTEGER}":"${token}"}` : token,
  );
  if (marked === text) return parsedJson(text);
  return withIntegers(parsedJson(marked));
}

function withIntegers(value: unknown): unknown {
  if (isArray(value)) return value.map(withIntegers);
  if (!isPlainObject(value)) return value;
  const integer = value[INTEGER];
  if (typeof integer === "string" && /^-?\d+$/.test(integer)) return BigInt(integer);
  const fields: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) setOwnField(fields, name, withIntegers(item));
  return fields;
}
