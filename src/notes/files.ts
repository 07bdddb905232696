import { readFileSync, readdirSync } from "node:fs";
import { codeOf } from "../base/thrown.ts";

/** The names in a directory, sorted by code unit; none when there is no directory. Any other trouble throws. */
export function namesIn(directory: string): readonly string[] {
  return orAbsent(() => readdirSync(directory).toSorted()) ?? [];
}

/** The bytes of a file; undefined exactly when there is none. Any other trouble throws. */
export function bytesOf(path: string): Buffer | undefined {
  return orAbsent(() => readFileSync(path));
}

function orAbsent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}
