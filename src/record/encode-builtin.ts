import { types } from "node:util";
import { type Tagged, tagged } from "./tagged.ts";

/**
 * Encodes the built-in objects that hold no other values: Date, typed array, Buffer, ArrayBuffer, URL, RegExp.
 * Undefined for any other object. Looks at internal slots, so objects of another realm (Jest's) are recognised.
 */
export function encodeBuiltin(value: object): Tagged | undefined {
  if (types.isDate(value)) return encodeDate(value);
  if (types.isArrayBufferView(value)) {
    const kind = Buffer.isBuffer(value) ? "Buffer" : classTag(value);
    return encodeBytes(kind, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  }
  if (types.isArrayBuffer(value)) return encodeBytes("ArrayBuffer", Buffer.from(value));
  if (types.isRegExp(value)) return tagged("regexp", { source: value.source, flags: value.flags });
  return isUrl(value) ? tagged("url", value.href) : undefined;
}

/** Tells whether an object is an error, of any realm; DOMExceptions are. */
export function isErrorObject(value: object): boolean {
  return value instanceof Error || /^(Error|DOMException)$/.test(classTag(value));
}

/** The name an object gives itself in `Object.prototype.toString`: `Object`, `Promise`, `AbortSignal`. */
export function classTag(value: object): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -"]".length);
}

function encodeDate(value: Date): Tagged {
  const time = Date.prototype.getTime.call(value);
  return tagged("date", Number.isNaN(time) ? null : new Date(time).toISOString());
}

function encodeBytes(kind: string, bytes: Buffer): Tagged {
  return tagged("bytes", { kind, base64: bytes.toString("base64") });
}

function isUrl(value: object): value is URL {
  return classTag(value) === "URL" && "href" in value && typeof value.href === "string";
}
