import { join } from "node:path";
import { type Result, ok } from "../../kernel/result.ts";
import { findGit, type Places } from "../../kernel/files/places.ts";
import { gitSync } from "../../kernel/files/git.ts";

/** What git knows of the files that are about to change. */
export interface GitState {
  /** The commit checked out; undefined before the first one. */
  readonly head: string | undefined;
  /**
   * Absolute paths, or of an ignored folder with a slash at the end, of those of the files whose bytes git does not
   * hold: changed since they were added, or never added.
   */
  readonly unsaved: readonly string[];
}

const STATUS: readonly string[] = [
  "--literal-pathspecs",
  "status",
  "--porcelain=v1",
  "-z",
  "--untracked-files=all",
  "--ignored=matching",
  "--no-renames",
];

/** Characters of the paths of one call, quotes and blanks with them: Windows takes 32,767 for a whole command. */
const MAX_CHARACTERS = 24_000;

/** Asks git about some files; undefined outside of a work tree. The error is what git said. */
export function gitState({ root }: Places, paths: readonly string[]): Result<GitState | undefined, string> {
  const place = findGit(root);
  if (place === undefined) return ok(undefined);
  const head = gitSync(["rev-parse", "--verify", "--quiet", "HEAD"], { cwd: root });
  const unsaved: string[] = [];
  for (const some of inCalls(paths)) {
    const status = gitSync([...STATUS, "--", ...some], { cwd: root });
    if (!status.ok) return status;
    // "XY path": X is the index against the last commit, Y the file against the index. What the index holds is not
    // lost.
    const entries = status.value.split("\0").filter((entry) => entry !== "" && entry[1] !== " ");
    unsaved.push(...entries.map((entry) => join(place.top, entry.slice(3))));
  }
  return ok({ head: head.ok ? head.value.trim() : undefined, unsaved });
}

/** Parts paths so that each call has room for its own: `git status` reads none from a file or its input. */
function inCalls(paths: readonly string[]): string[][] {
  const calls: string[][] = [];
  let room = 0;
  for (const path of paths) {
    room -= path.length + 3;
    if (room >= 0) calls.at(-1)?.push(path);
    else {
      calls.push([path]);
      room = MAX_CHARACTERS - path.length - 3;
    }
  }
  return calls;
}
