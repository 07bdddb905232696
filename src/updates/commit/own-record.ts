import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { BASELINES_DIRECTORY, isBaselineFileName } from "../../baseline/baseline-paths.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { realPath } from "../../kernel/files/read.ts";
import type { Operation, Prepared, TransactionFiles } from "./journal.ts";
import { statsOf } from "./operations.ts";
import { isBelow } from "./target.ts";

/**
 * Phrase on why no commit of this project can have written a record. Undefined if one can. A state directory may come
 * from an archive or a pull request, and a record lists files to overwrite and delete. So each path in it must be the
 * one that a commit would choose for a baseline of this work tree.
 */
export function foreignRecordReason(
  prepared: Prepared,
  files: TransactionFiles,
  { area }: ProjectPaths,
): string | undefined {
  const { id, operations, directories, receipt } = prepared;
  if (id !== basename(files.directory) || receipt.txId !== id) return "it belongs to a different transaction";
  for (const [index, operation] of operations.entries()) {
    const { path, temporary, image, before } = operation;
    if (!isBaseline(operation, area)) return `${path} isn't a baseline path of this project`;
    if (temporary !== join(dirname(path), `.tx-${id}-${index}`))
      return `${temporary} isn't a temporary file of this transaction`;
    if (sameName(image) !== (before === null ? undefined : sameName(join(files.directory, `old-${index}`))))
      return `${image ?? "nothing"} isn't the backup path of ${path}`;
    const odd = [temporary, ...(image === null ? [] : [image])].find((file) => statsOf(file)?.isFile() === false);
    if (odd !== undefined) return `${odd} isn't a regular file`;
  }
  const made = directories.find((directory) => !operations.some((operation) => isOnTheWay(directory, operation)));
  return made === undefined ? undefined : `it lists the directory ${made}, but no baseline in it`;
}

/** A file's name with its directory resolved. One run may reach a project by a link, and another may not. */
function sameName(path: string | null): string | undefined {
  return path === null ? undefined : join(realPath(dirname(path)), basename(path));
}

/** True for a path in a baseline directory of the work tree, with links resolved, but not for git's own files. */
function isBaseline({ root, path }: Operation, area: string): boolean {
  const named = basename(root) === BASELINES_DIRECTORY && isBaselineFileName(basename(path));
  if (!named || !isAbsolute(root) || join(path) !== path || join(root) !== root || !isBelow(root, path)) return false;
  const [top, real] = [realPath(area), realPath(root)];
  const locations = [real, join(real, relative(root, path))];
  return locations.every((location) => isBelow(top, location) && !partsOf(top, location).includes(".git"));
}

/** True for a directory between the root of a baseline and its file. A commit makes the missing ones. */
function isOnTheWay(directory: string, { root, path }: Operation): boolean {
  return (directory === root || isBelow(root, directory)) && isBelow(directory, path);
}

/** Names below a directory. Lower-cased, because some disks don't distinguish `.git` from `.GIT`. */
function partsOf(directory: string, path: string): string[] {
  return relative(directory, path).toLowerCase().split(sep);
}
