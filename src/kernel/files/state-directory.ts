import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** Directories of a state directory. */
type StateFolder = "lock" | "tx" | "stage" | "pending" | "runs";

/**
 * Path of a directory of a state directory, or of an entry in it. Throws if a link is on the way: old entries are
 * removed by age and name, and in a state directory from an archive or a pull request a link could lead anywhere.
 * `VERITEST_STATE_DIR` may name a link, because that is the user's own.
 */
export function stateDirectory(state: string, folder: StateFolder, entry?: string): string {
  const directory = join(state, folder);
  const inside = entry === undefined ? undefined : join(directory, entry);
  const above = basename(state) === ".veritest" ? [state] : [dirname(state), state];
  for (const path of [...above, directory, ...(inside ? [inside] : [])])
    if (isLink(path))
      throw new Error(
        `Refused to use ${path}: it is a link, so veritest could remove files elsewhere. ` +
          "Check where it came from, then delete it.",
      );
  return inside ?? directory;
}

/** A path that can't be read doesn't count as a link. Using it then throws the file system's error. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}
