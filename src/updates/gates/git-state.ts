import { join } from "node:path";
import { type Result, ok } from "../../kernel/result.ts";
import { findGit, type ProjectPaths } from "../../kernel/files/project-paths.ts";
import { gitSync, headCommit } from "../../kernel/files/git.ts";

/** Git's state of the files that are about to change. */
export interface GitState {
  /** The commit checked out; undefined before the first one. */
  readonly head: string | undefined;
  /**
   * Absolute paths of the files whose bytes git doesn't have: changed since they were added, or never added. For an
   * ignored folder, its path with a slash at the end.
   */
  readonly unsaved: readonly string[];
  /** Number of files with staged content: a commit takes it, and not what is written afterwards. */
  readonly staged: number;
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

/** Maximum characters of the paths of one call, with quotes and spaces. Windows takes 32,767 for a command. */
const MAX_CHARACTERS = 24_000;

/** Reads git's state of some files. Undefined outside of a work tree. The error is git's message. */
export function gitState({ root }: ProjectPaths, paths: readonly string[]): Result<GitState | undefined, string> {
  const git = findGit(root);
  if (git === undefined) return ok(undefined);
  const head = headCommit(root);
  const unsaved: string[] = [];
  let staged = 0;
  for (const some of inCalls(paths)) {
    const status = gitSync([...STATUS, "--", ...some], { cwd: root });
    if (!status.ok) return status;
    // "XY path": X is the index against the last commit, Y the file against the index. Bytes in the index aren't lost.
    const entries = status.value.split("\0").filter((entry) => entry !== "");
    staged += entries.filter((entry) => /^[AM]/.test(entry)).length;
    unsaved.push(...entries.filter((entry) => entry[1] !== " ").map((entry) => join(git.top, entry.slice(3))));
  }
  return ok({ head, unsaved, staged });
}

/** Splits paths so that each call fits into the limit. `git status` can't read them from a file or its input. */
function inCalls(paths: readonly string[]): string[][] {
  const calls: string[][] = [];
  let size = 0;
  for (const path of paths) {
    size -= path.length + 3;
    if (size >= 0) calls.at(-1)?.push(path);
    else {
      calls.push([path]);
      size = MAX_CHARACTERS - path.length - 3;
    }
  }
  return calls;
}
