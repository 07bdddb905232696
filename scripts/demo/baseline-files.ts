import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The texts of a project's baseline files by path. */
export type BaselineFiles = ReadonlyMap<string, string>;

/** Reads every file below a project's `__baselines__`. */
export function readBaselines(project: string): BaselineFiles {
  const root = join(project, "__baselines__");
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return new Map(
    names.map((entry) => join(entry.parentPath, entry.name)).map((path) => [path, readFileSync(path, "utf8")]),
  );
}

/** The paths whose text is another one, or only in one of the two. */
export function changedFiles(before: BaselineFiles, after: BaselineFiles): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path));
}
