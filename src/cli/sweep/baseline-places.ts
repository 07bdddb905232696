import { type Dirent, opendirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The name of the directories that baselines lie below. */
export const BASELINES = "__baselines__";

const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", ".veritest"]);

/** The directories named `__baselines__` below a directory, in the order of their names. Follows no link, and looks into no dependencies. */
export function* baselineRoots(directory: string): Generator<string, void, undefined> {
  for (const name of directoriesIn(directory)) {
    if (SKIPPED.has(name)) continue;
    if (name === BASELINES) yield join(directory, name);
    else yield* baselineRoots(join(directory, name));
  }
}

/** The names of the directories in one, sorted. */
export function directoriesIn(directory: string): readonly string[] {
  return readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory()).map(({ name }) => name).toSorted();
}

/** The name of some baseline's file in a directory of a group; undefined where it has none. Reads no further than that. */
export function someBaseline(directory: string): string | undefined {
  const entries = opendirSync(directory);
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) if (isBaseline(entry)) return entry.name;
    return undefined;
  } finally {
    entries.closeSync();
  }
}

/** How many baselines a directory of a group holds. */
export function countBaselines(directory: string): number {
  const entries = opendirSync(directory);
  let count = 0;
  try {
    for (let entry = entries.readSync(); entry !== null; entry = entries.readSync()) if (isBaseline(entry)) count += 1;
    return count;
  } finally {
    entries.closeSync();
  }
}

function isBaseline(entry: Dirent): boolean {
  return entry.isFile() && entry.name.endsWith(".json") && !entry.name.startsWith(".");
}
