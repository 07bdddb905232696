import { basename } from "node:path";
import { isObject } from "../../kernel/json/plain-data.ts";
import { hashFilePart } from "../../kernel/files/hash-file-part.ts";

/** Returns true for a stream of Node; its own fields are the state of this process. */
export function isNodeStream(value: object): boolean {
  return Object.hasOwn(value, "_readableState") || Object.hasOwn(value, "_writableState");
}

/**
 * Returns true for a stream of Node with content for its consumer. A socket has none, nor a stream that is already read
 * elsewhere, as a logger's lines are by its transports, nor a server's request without a body.
 */
export function sendsContent(value: object): boolean {
  if (!Object.hasOwn(value, "_readableState") || "remoteAddress" in value) return false;
  if (typeof Reflect.get(value, "readableFlowing") === "boolean") return false;
  const headers: unknown = Reflect.get(value, "headers");
  return !isObject(headers) || "content-length" in headers || "transfer-encoding" in headers;
}

/** A file that is read by a stream, without its directory. */
interface FileData {
  readonly [field: string]: string;
  readonly name: string;
}

/**
 * Returns the name of the file that a stream reads, and a hash of its bytes if it can be read; undefined for other
 * streams.
 */
export function fileOf(stream: object): FileData | undefined {
  const [path, start, end] = ["path", "start", "end"].map((field): unknown => Reflect.get(stream, field));
  if (!sendsContent(stream) || !("bytesRead" in stream)) return undefined;
  if (typeof path !== "string" && !(path instanceof Uint8Array)) return undefined;
  const file = typeof path === "string" ? path : Buffer.from(path).toString();
  const hash = hashFilePart(file, typeof start === "number" ? start : 0, typeof end === "number" ? end + 1 : Infinity);
  return { name: basename(file), ...(hash !== undefined && { sha256: hash }) };
}
