import { closeSync, fsyncSync, openSync, readFileSync, readdirSync } from "node:fs";
import { codeOf } from "../base/code-of.ts";

/** The names in a directory, sorted by code unit; none when there is no directory. Any other trouble throws. */
export function namesIn(directory: string): readonly string[] {
  return orAbsent(() => readdirSync(directory).toSorted()) ?? [];
}

/** The bytes of a file; undefined exactly when there is none. Any other trouble throws. */
export function bytesOf(path: string): Buffer | undefined {
  return orAbsent(() => readFileSync(path));
}

/** Makes a directory's entries durable, where the system can: Windows refuses to open one. */
export function syncDirectory(directory: string): void {
  try {
    const descriptor = openSync(directory, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (thrown) {
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(codeOf(thrown) ?? "")) throw thrown;
  }
}

function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
