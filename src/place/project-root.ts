import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The configuration's file names, in the order they are looked for. */
export const CONFIG_FILES: readonly string[] = ["ts", "mts", "js", "mjs", "cjs"].map(
  (extension) => `veritest.config.${extension}`,
);

const MARKS: readonly string[] = [...CONFIG_FILES, "package.json"];

/**
 * The project `from` belongs to: the nearest folder upwards with a `veritest.config.*` or a `package.json`, else `from`
 * itself. A run and the command line must name the same place, wherever in the project each was started.
 */
export function projectRoot(from: string): string {
  const start = resolve(from);
  for (let folder = start; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => existsSync(join(folder, mark)))) return folder;
    if (folder === dirname(folder)) return start;
  }
}
