import { basename, dirname, isAbsolute, join, relative, sep } from "node:path";
import { BASELINES, isCaseName } from "../../baseline/names.ts";
import type { Places } from "../../kernel/files/places.ts";
import { realOf } from "../../kernel/files/read.ts";
import type { Operation, Prepared, TransactionFiles } from "./journal.ts";
import { statsOf } from "./operations.ts";
import { isBelow } from "./target.ts";

/**
 * A phrase on why a record is none that a commit of this project wrote, or undefined. A state directory may have come
 * with an archive or a pull request, and a record says what to overwrite and to delete: so every path in it must be the
 * one that a commit would have chosen itself, for a baseline of this work tree.
 */
export function foreignPart(prepared: Prepared, files: TransactionFiles, { area }: Places): string | undefined {
  const { id, operations, directories, receipt } = prepared;
  if (id !== basename(files.directory) || receipt.txId !== id) return "it is the record of another transaction";
  for (const [index, operation] of operations.entries()) {
    const { path, temporary, image, before } = operation;
    if (!isBaseline(operation, area)) return `${path} is no place for a baseline of this project`;
    if (temporary !== join(dirname(path), `.tx-${id}-${index}`)) return `${temporary} is none of its temporary files`;
    if (sameName(image) !== (before === null ? undefined : sameName(join(files.directory, `old-${index}`))))
      return `${image ?? "nothing"} is not where it keeps the old text of ${path}`;
    const odd = [temporary, ...(image === null ? [] : [image])].find((file) => statsOf(file)?.isFile() === false);
    if (odd !== undefined) return `${odd} is no regular file`;
  }
  const made = directories.find((directory) => !operations.some((operation) => isOnTheWay(directory, operation)));
  return made === undefined ? undefined : `${made} is no directory of its baselines`;
}

/** A file's name where its directory really is: a project may be reached by a link in one run and not in another. */
function sameName(path: string | null): string | undefined {
  return path === null ? undefined : join(realOf(dirname(path)), basename(path));
}

/** Below a directory for baselines that lies in the work tree, wherever links lead, and not among git's own files. */
function isBaseline({ root, path }: Operation, area: string): boolean {
  const named = basename(root) === BASELINES && isCaseName(basename(path));
  if (!named || !isAbsolute(root) || join(path) !== path || join(root) !== root || !isBelow(root, path)) return false;
  const [top, real] = [realOf(area), realOf(root)];
  const places = [real, join(real, relative(root, path))];
  return places.every((place) => isBelow(top, place) && !partsOf(top, place).includes(".git"));
}

/** A directory that lies between the root of a baseline and its file: a commit makes those that are missing. */
function isOnTheWay(directory: string, { root, path }: Operation): boolean {
  return (directory === root || isBelow(root, directory)) && isBelow(directory, path);
}

/** The names below a directory; case does not tell `.git` from `.GIT` on every disk. */
function partsOf(directory: string, path: string): string[] {
  return relative(directory, path).toLowerCase().split(sep);
}
