import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes the file of a baseline, with the folder it lies in, as if what it says had been accepted. */
export function putBaseline(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
