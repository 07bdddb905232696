import { types } from "node:util";
import { isPlainObject } from "../../kernel/json/plain-data.ts";
import { type Tagged, tagged } from "./tagged.ts";

/**
 * Encodes built-in objects without nested values: Date, typed array, Buffer, ArrayBuffer, URL, RegExp. Undefined for
 * any other object. Looks at internal slots, so objects of another realm (Jest's) are recognised.
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

/** Returns true if an object is an error of any realm, including DOMExceptions. */
export function isErrorObject(value: object): boolean {
  return value instanceof Error || /^(Error|DOMException)$/.test(classTag(value));
}

/** Returns an object's class name in `Object.prototype.toString`: `Object`, `Promise`, `AbortSignal`. */
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

type View = new (buffer: ArrayBuffer) => ArrayBufferView;

const VIEWS: ReadonlyMap<string, View> = new Map<string, View>([
  ["BigInt64Array", BigInt64Array],
  ["BigUint64Array", BigUint64Array],
  ["DataView", DataView],
  ["Float32Array", Float32Array],
  ["Float64Array", Float64Array],
  ["Int16Array", Int16Array],
  ["Int32Array", Int32Array],
  ["Int8Array", Int8Array],
  ["Uint16Array", Uint16Array],
  ["Uint32Array", Uint32Array],
  ["Uint8Array", Uint8Array],
  ["Uint8ClampedArray", Uint8ClampedArray],
]);

/** Rebuilds bytes of the recorded kind from `{ kind, base64 }`; undefined for a malformed content. */
export function decodeBytes(content: unknown): ArrayBuffer | ArrayBufferView | undefined {
  if (!isPlainObject(content) || typeof content["base64"] !== "string") return undefined;
  const { kind, base64 } = content;
  const bytes = Buffer.from(base64, "base64");
  if (kind === "Buffer") return bytes;
  // A separate buffer, because small Buffers are windows into a pool that others share.
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  if (kind === "ArrayBuffer") return buffer;
  const view = VIEWS.get(String(kind));
  return view === undefined || buffer.byteLength % elementSize(view) !== 0 ? undefined : new view(buffer);
}

function elementSize(view: View): number {
  return "BYTES_PER_ELEMENT" in view ? Number(view.BYTES_PER_ELEMENT) : 1;
}

/**
 * Creates a ReadableStream of chunks. The class is fetched at first use: importing `node:stream/web` costs more than
 * all of veritest, and few steps stream. Not the global one, which some test environments lack.
 */
export function readableOf(chunks: AsyncIterable<unknown>): object {
  return process.getBuiltinModule("node:stream/web").ReadableStream.from(chunks);
}

/** Returns true if a value can be consumed with `for await`, as ReadableStreams can. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown, unknown, unknown> {
  if ((typeof value !== "object" || value === null) && typeof value !== "function") return false;
  return typeof Reflect.get(value, Symbol.asyncIterator) === "function";
}
