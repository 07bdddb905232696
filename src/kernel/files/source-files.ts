import { readdirSync } from "node:fs";
import { join } from "node:path";

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/;
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", ".veritest", "__baselines__", "__snapshots__"]);

/** Every file of source code below a directory, test files too, in the order of their names. Follows no link. */
export function* sourceFiles(directory: string): Generator<string, void, undefined> {
  const entries = readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* sourceFiles(join(directory, entry.name));
    else if (entry.isFile() && SOURCE.test(entry.name)) yield join(directory, entry.name);
  }
}
