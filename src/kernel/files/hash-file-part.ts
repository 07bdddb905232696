import { createHash } from "node:crypto";
import { closeSync, openSync, readSync, statSync } from "node:fs";

const BLOCK = 1 << 20;

/**
 * Returns the SHA-256 of the bytes of a file from `start` to `end` (exclusive), in hex; undefined if it isn't a file or
 * can't be read.
 */
export function hashFilePart(file: string, start: number, end: number): string | undefined {
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
