import { type Dirent, opendirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { BASELINES_DIRECTORY, isBaselineFileName } from "./baseline-paths.ts";

/** A baseline's file, and the directory of baselines that contains it. */
export interface BaselineFile {
  readonly root: string;
  readonly path: string;
}

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
  const entries = readdirSync(directory, { withFileTypes: true }).filter(isBaseline);
  return sorted(entries).map((name) => ({ root, path: join(directory, name) }));
}

/** Every directory named `__baselines__` below a directory, under the same conditions. */
export function* baselineRoots(directory: string): Generator<string, void, undefined> {
  for (const name of directoriesIn(directory)) {
    if (name === BASELINES_DIRECTORY) yield join(directory, name);
    else if (!SKIPPED.has(name)) yield* baselineRoots(join(directory, name));
  }
}

/** The names of the directories in one, sorted. */
export function directoriesIn(directory: string): string[] {
  return sorted(readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory()));
}

/** The name of some baseline's file in a directory of a group; undefined if it has none. Stops reading at the first. */
export function someBaseline(directory: string): string | undefined {
  for (const name of unsortedBaselines(directory)) return name;
  return undefined;
}

/** Number of baselines in a directory of a group. */
export function countBaselines(directory: string): number {
  let count = 0;
  for (const _name of unsortedBaselines(directory)) count += 1;
  return count;
}

/** Their names in the system's order, one after another: a group may have too many to sort. */
function* unsortedBaselines(directory: string): Generator<string, void, undefined> {
  const entries = opendirSync(directory);
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync())
      if (isBaseline(entry)) yield entry.name;
  } finally {
    entries.closeSync();
  }
}

function isBaseline(entry: Dirent): boolean {
  return entry.isFile() && isBaselineFileName(entry.name);
}

function sorted(entries: readonly { readonly name: string }[]): string[] {
  return entries.map(({ name }) => name).toSorted();
}
