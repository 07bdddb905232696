import { readdirSync } from "node:fs";
import { join } from "node:path";

/** A baseline's file, and the directory of baselines it lies in. */
export interface BaselineFile {
  readonly root: string;
  readonly path: string;
}

const BASELINES = "__baselines__";
const SKIPPED: ReadonlySet<string> = new Set(["node_modules", ".git", ".veritest"]);

/** Every baseline's file below a directory, in the order of their names. Follows no link, and looks into no dependencies. */
export function baselineFiles(directory: string): BaselineFile[] {
  const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory() && !SKIPPED.has(entry.name));
  const names = entries.map(({ name }) => name).toSorted();
  return names.flatMap((name) => (name === BASELINES ? filesIn(join(directory, name)) : baselineFiles(join(directory, name))));
}

/** One directory per group, and nothing deeper. */
function filesIn(root: string): BaselineFile[] {
  const groups = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return groups.flatMap(({ name: group }) =>
    readdirSync(join(root, group), { withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".json") && !entry.name.startsWith("."))
      .map(({ name }) => ({ root, path: join(root, group, name) })),
  );
}
