import { type Stats, accessSync, constants, lstatSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { codeOf } from "../../kernel/error-message.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { isWithin, requireInside } from "../../kernel/files/real-directory.ts";

/** Current state of a file that may be changed. */
export interface CheckedTarget {
  /** The directories that are missing, outermost first. */
  readonly missing: readonly string[];
  /** The file's mode. Undefined if it doesn't exist. */
  readonly mode: number | undefined;
}

/**
 * Checks that a file may be changed. It must be below `root`, not behind a symbolic link, and a regular file or absent.
 * The file and its directory must be writable. Throws an Error that names the obstacle.
 */
export type CheckTarget = (root: string, path: string) => CheckedTarget;

/** Creates a check for targets that are looked at one after the other: each directory is looked at once. */
export function targetCheck(paths: Pick<ProjectPaths, "area">): CheckTarget {
  const sound = new Set<string>();
  return (root, path) => {
    if (!isBelow(root, path)) throw new Error(`Refused to change ${path}: it is outside ${root}.`);
    const directory = dirname(path);
    const known = `${root}\n${directory}`;
    if (!sound.has(known)) {
      const missing = missingDirectories({ root, path }, paths);
      if (missing.length > 0) return { missing, mode: undefined };
    }
    const stats = statsOf(path, path);
    if (stats !== undefined && !stats.isFile())
      throw new Error(`Refused to change ${path}: it isn't a regular file. Move it away.`);
    // A rename would ignore a read-only mark that a user set on purpose.
    if (stats !== undefined) requireWritable(path);
    if (!sound.has(known)) requireWritable(directory);
    sound.add(known);
    return { missing: [], mode: stats?.mode };
  };
}

/**
 * Returns the directories of a target that are missing, outermost first. Throws if a link leads to `root` from the work
 * tree to elsewhere, or if a directory from `root` on is a link.
 */
export function missingDirectories(
  { root, path }: { readonly root: string; readonly path: string },
  { area }: Pick<ProjectPaths, "area">,
): readonly string[] {
  requireInside(dirname(root), area);
  return missingFrom(directoriesOf(root, relative(root, path)), path);
}

/** Below a directory, and not the directory itself. */
export function isBelow(directory: string, path: string): boolean {
  return relative(directory, path) !== "" && isWithin(directory, path);
}

function directoriesOf(root: string, inside: string): readonly string[] {
  const parts = inside.split(sep);
  return [root, ...parts.slice(0, -1).map((_, index) => join(root, ...parts.slice(0, index + 1)))];
}

function missingFrom(directories: readonly string[], path: string): readonly string[] {
  for (const [index, directory] of directories.entries()) {
    const stats = statsOf(directory, path);
    if (stats === undefined) return directories.slice(index);
    if (!stats.isDirectory())
      throw new Error(`Refused to change ${path}: ${directory} must be a directory, but it is a file. Move the file.`);
  }
  return [];
}

/** Status of a path. A link is never followed, because it could lead anywhere. */
function statsOf(component: string, path: string): Stats | undefined {
  const stats = lstatSync(component, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) {
    throw new Error(
      `Refused to change ${path}: ${component} is a symbolic link. Replace it with a real directory or file.`,
    );
  }
  return stats;
}

function requireWritable(path: string): void {
  try {
    accessSync(path, constants.W_OK);
  } catch (thrown) {
    throw new Error(
      `Cannot write ${path}: ${codeOf(thrown) ?? "it can't be reached"}. Make it writable, or run as its owner.`,
      { cause: thrown },
    );
  }
}
