import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";
import { basename } from "node:path";

/** Returns true for a stream of Node; its own fields are the state of this process. */
export function isNodeStream(value: object): boolean {
  return Object.hasOwn(value, "_readableState") || Object.hasOwn(value, "_writableState");
}

/** Returns true for a stream of Node with content for its consumer. A socket, which is also written to, is none. */
export function sendsContent(value: object): boolean {
  if (!Object.hasOwn(value, "_readableState")) return false;
  return !Object.hasOwn(value, "_writableState") || typeof Reflect.get(value, "_transform") === "function";
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
  const hash = hashOf(file, typeof start === "number" ? start : 0, typeof end === "number" ? end + 1 : Infinity);
  return { name: basename(file), ...(hash !== undefined && { sha256: hash }) };
}

const BLOCK = 1 << 20;

function hashOf(file: string, start: number, end: number): string | undefined {
  let descriptor: number | undefined;
  try {
    // Reading a pipe would wait, and take its content from the stream.
    if (!statSync(file).isFile()) return undefined;
    descriptor = openSync(file, "r");
    const hash = createHash("sha256");
    const block = Buffer.alloc(BLOCK);
    for (let at = start; at < end; ) {
      const length = readSync(descriptor, block, 0, Math.min(BLOCK, end - at), at);
      if (length === 0) break;
      hash.update(block.subarray(0, length));
      at += length;
    }
    return hash.digest("hex");
  } catch {
    // The stream ends with the error.
    return undefined;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
