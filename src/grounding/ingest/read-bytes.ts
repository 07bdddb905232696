import { readFile, stat } from "node:fs/promises";
import { type Result, err, ok } from "../../base/result.ts";
import { messageOf } from "../../base/thrown.ts";
import type { GroundingError } from "../grounding-error.ts";
import { refuseDocument } from "./refuse-document.ts";

/** Reads a file of at most `maxBytes`. Errors of kind `validation`: `unreadable`, `not_a_file`, `too_large`. */
export async function readBytes(path: string, maxBytes: number): Promise<Result<Uint8Array, GroundingError>> {
  try {
    const found = await stat(path);
    // Asked before it is opened: to open a named pipe is to wait for its writer.
    if (!found.isFile()) return err(refuseDocument(path, { code: "not_a_file", why: "it is no regular file." }));
    if (found.size > maxBytes) return err(tooLarge(path, found.size, maxBytes));
    return ok(new Uint8Array(await readFile(path)));
  } catch (cause) {
    return err(refuseDocument(path, { code: "unreadable", why: `${messageOf(cause)}. Check the path.`, cause }));
  }
}

/** The error of a document with too many bytes. */
export function tooLarge(name: string, size: number, maxBytes: number): GroundingError {
  return refuseDocument(name, {
    code: "too_large",
    why: `it has ${size} bytes, the limit is ${maxBytes}. Split it, or raise limits.maxBytes.`,
  });
}
