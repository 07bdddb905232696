import { randomUUID } from "node:crypto";
import { accessSync, constants, lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";

/**
 * Replaces a file's text in one step: a reader sees the old or the new, never a part. Throws where the path leaves
 * `root`, goes through a symbolic link, or cannot be written; the file is then as it was and no temporary one is left.
 */
export function writeAtomically(root: string, path: string, text: string): void {
  refuseEscape(root, path);
  // Before any directory is made: below a link it would be made elsewhere.
  const known = refuseLinks(root, path);
  mkdirSync(dirname(path), { recursive: true });
  // A rename would pass over a read-only mark that somebody set on purpose.
  if (known) accessSync(path, constants.W_OK);
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}-${randomUUID()}.tmp`);
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** Removes a file; a file that is gone already is fine. Throws like {@link writeAtomically}. */
export function removeFile(root: string, path: string): void {
  refuseEscape(root, path);
  if (refuseLinks(root, path)) rmSync(path, { force: true });
}

function refuseEscape(root: string, path: string): void {
  const inside = relative(root, path);
  if (inside !== "" && !inside.startsWith("..") && !isAbsolute(inside)) return;
  throw new Error(`Refused to touch ${path}: it lies outside ${root}.`);
}

/** True when the file exists. Every component from the root down must be no link: a link could lead anywhere. */
function refuseLinks(root: string, path: string): boolean {
  const parts = relative(root, path).split(sep);
  const components = [root, ...parts.map((_, index) => join(root, ...parts.slice(0, index + 1)))];
  for (const component of components) {
    const stats = lstatSync(component, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    if (stats.isSymbolicLink())
      throw new Error(
        `Refused to touch ${path}: ${component} is a symbolic link. Replace it by a real directory or file.`,
      );
  }
  return true;
}
