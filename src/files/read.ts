import { readFileSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf, messageOf } from "../base/thrown.ts";

/**
 * The text of a file; undefined exactly when there is none. Any other trouble throws: an error never reads as
 * "missing".
 */
export function readText(path: string): string | undefined {
  return orAbsent(path, () => readFileSync(path, "utf8"));
}

/** The bytes of a file; undefined exactly when there is none. Any other trouble throws. */
export function readBytes(path: string): Buffer | undefined {
  return orAbsent(path, () => readFileSync(path));
}

/** The names in a directory, sorted by code unit; none when there is no directory. Any other trouble throws. */
export function listNames(directory: string): readonly string[] {
  return orAbsent(directory, () => readdirSync(directory).sort()) ?? [];
}

/** Where a path leads, as far as it exists: what is missing, or leads round in circles, keeps its own name. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(codeOf(thrown) ?? "") || path === dirname(path)) throw thrown;
    return join(realOf(dirname(path)), basename(path));
  }
}

function orAbsent<T>(path: string, read: () => T): T | undefined {
  try {
    return read();
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    // The system's own message may lack the path.
    throw new Error(`Cannot read ${path}: ${messageOf(thrown)}`, { cause: thrown });
  }
}
