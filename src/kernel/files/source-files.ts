import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

const SOURCE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro)$/;
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", ".veritest", "__baselines__", "__snapshots__"]);

interface SearchOptions {
  readonly skipsUnreadable?: boolean;
}

/**
 * Every file of source code below a directory, test files too, in the order of their names. Follows no link. Throws for
 * a directory that can't be read, so that its files aren't missing, unless the caller can do without them.
 */
export function* sourceFiles(directory: string, options: SearchOptions = {}): Generator<string, void, undefined> {
  for (const entry of entriesOf(directory, options)) {
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) yield* sourceFiles(join(directory, entry.name), options);
    else if (entry.isFile() && isSourceFileName(entry.name)) yield join(directory, entry.name);
  }
}

/** Returns true for the names of files that {@link sourceFiles} finds. */
export function isSourceFileName(fileName: string): boolean {
  return SOURCE.test(fileName);
}

function entriesOf(directory: string, { skipsUnreadable = false }: SearchOptions): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  } catch (thrown) {
    if (skipsUnreadable) return [];
    throw thrown;
  }
}
