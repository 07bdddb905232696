import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** Where git keeps a work tree's data, found without running git. */
export interface GitPlace {
  /** The top of the work tree. */
  readonly top: string;
  /** The work tree's own data; of a linked work tree, its folder below `worktrees/`. */
  readonly gitDir: string;
  /** What all work trees of the repository share; the same as `gitDir` in the main one. */
  readonly commonDir: string;
}

/** The git work tree that `from` lies in; undefined outside of one. Throws where `.git` is there and cannot be read. */
export function findGit(from: string): GitPlace | undefined {
  for (let top = resolve(from); ; top = dirname(top)) {
    const dotGit = join(top, ".git");
    const stats = statSync(dotGit, { throwIfNoEntry: false });
    if (stats !== undefined) {
      const gitDir = stats.isDirectory() ? dotGit : linkedDirectory(dotGit);
      return { top, gitDir, commonDir: commonDirectory(gitDir) };
    }
    if (top === dirname(top)) return undefined;
  }
}

/** A linked work tree and a submodule have a file `.git` with one line: `gitdir: <path>`. */
function linkedDirectory(file: string): string {
  const text = readFileSync(file, "utf8");
  const path = /^gitdir: (.+)$/m.exec(text)?.[1];
  if (path === undefined)
    throw new Error(
      `Cannot find git's directory: ${file} has no line "gitdir: …". Mend it, or set VERITEST_STATE_DIR.`,
    );
  return resolve(dirname(file), path.trim());
}

function commonDirectory(gitDir: string): string {
  const file = join(gitDir, "commondir");
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return gitDir;
  return resolve(gitDir, readFileSync(file, "utf8").trim());
}
