import { createHash } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";

/** Whose files are no part of a project: caches of runners, veritest's state, git's own. */
const LEFT_OUT: readonly string[] = [`${sep}node_modules${sep}.`, `${sep}.veritest${sep}`, `${sep}.git${sep}`];

/** Every file below a folder by its path, with a hash of its bytes; what is no part of a project is left out. */
export function readTree(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !LEFT_OUT.some((part) => path.includes(part)));
  const rows = paths.map(
    (path) =>
      [
        relative(folder, path).split(sep).join("/"),
        createHash("sha256").update(readFileSync(path)).digest("hex"),
      ] as const,
  );
  return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
