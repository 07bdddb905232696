import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** File names of a configuration, in the order of precedence. */
export const CONFIG_FILES: readonly string[] = ["ts", "mts", "js", "mjs", "cjs"].map(
  (extension) => `veritest.config.${extension}`,
);

/**
 * Returns the nearest `veritest.config.*` in a directory or above it, up to the top of the git work tree. It is the
 * configuration of every test file in the directory, whichever process runs it. Undefined if there is none.
 */
export function nearestConfig(directory: string): string | undefined {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    const file = CONFIG_FILES.map((name) => join(folder, name)).find((path) => existsSync(path));
    if (file !== undefined) return file;
    if (folder === dirname(folder) || existsSync(join(folder, ".git"))) return undefined;
  }
}
