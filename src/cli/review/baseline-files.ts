import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A baseline's file, and the directory of baselines it lies in. */
export interface BaselineFile {
  readonly root: string;
  readonly path: string;
}

const BASELINES = "__baselines__";
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", ".veritest"]);

/**
 * Every baseline's file below a directory, in the order of their names, one directory's names in memory at a time.
 * Follows no link, and looks into no dependencies.
 */
export function* baselineFiles(directory: string): Generator<BaselineFile, void, undefined> {
  for (const root of baselineRoots(directory)) {
    for (const group of directoriesIn(root)) yield* filesOfGroup(root, join(root, group));
  }
}

/** The baselines in the directory of one group, below a directory `__baselines__`. */
export function filesOfGroup(root: string, directory: string): BaselineFile[] {
  const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isFile() && entry.name.endsWith(".json") && !entry.name.startsWith("."));
  return sorted(entries).map((name) => ({ root, path: join(directory, name) }));
}

/** Every directory named `__baselines__` below a directory, under the same conditions. */
export function* baselineRoots(directory: string): Generator<string, void, undefined> {
  for (const name of directoriesIn(directory)) {
    if (name === BASELINES) yield join(directory, name);
    else if (!SKIPPED.has(name)) yield* baselineRoots(join(directory, name));
  }
}

/** One directory per group, and nothing deeper. */
function directoriesIn(directory: string): string[] {
  return sorted(readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory()));
}

function sorted(entries: readonly { readonly name: string }[]): string[] {
  return entries.map(({ name }) => name).toSorted();
}
