import { isPlainObject } from "../base/plain-data.ts";

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
  // A buffer of its own: small Buffers are windows into a pool that others share.
  const buffer = new ArrayBuffer(bytes.length);
  new Uint8Array(buffer).set(bytes);
  if (kind === "ArrayBuffer") return buffer;
  const view = VIEWS.get(String(kind));
  return view === undefined || buffer.byteLength % elementSize(view) !== 0 ? undefined : new view(buffer);
}

function elementSize(view: View): number {
  return "BYTES_PER_ELEMENT" in view ? Number(view.BYTES_PER_ELEMENT) : 1;
}
