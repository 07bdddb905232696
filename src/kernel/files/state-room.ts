import { lstatSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** What a state directory holds. */
type Room = "lock" | "tx" | "stage" | "pending" | "runs";

/**
 * A directory of a state directory, or one in it. Throws where a link is on the way: what is left there is cleaned up
 * by its age and its name, and a state directory that came with an archive or a pull request may have it lead anywhere.
 * `VERITEST_STATE_DIR` may name a link: that is the user's own.
 */
export function stateRoom(state: string, room: Room, entry?: string): string {
  const directory = join(state, room);
  const inside = entry === undefined ? undefined : join(directory, entry);
  const above = basename(state) === ".veritest" ? [state] : [dirname(state), state];
  for (const path of [...above, directory, ...(inside ? [inside] : [])])
    if (isLink(path))
      throw new Error(
        `Refused to use ${path}: it is a link, and what is removed there could be anything. ` +
          "See where it came from, then delete it.",
      );
  return inside ?? directory;
}

/** What cannot be looked at is no link yet: who uses it is told by what the file system says then. */
function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  } catch {
    return false;
  }
}
