import { type VariableName, readVariable } from "../environment.ts";
import { existsSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { hashText } from "../json/hash.ts";

/** Where veritest keeps what does not belong into git. Nothing is made until something is written there. */
export interface Places {
  /** The project's root, absolute. */
  readonly root: string;
  /** The top of the git work tree, or the project's root outside of git: nothing beyond it is ever written. */
  readonly area: string;
  /** Proposals, transactions and the lock of this project in this work tree. */
  readonly state: string;
  /** Directory of notes and receipts: shared by the work trees of a repository, and kept when one is removed. */
  readonly notes: string;
}

/**
 * The places of a project. Inside git's own directory nothing shows in `git status`, no watcher re-runs, and `git
 * clean` keeps it; outside of git, `<root>/.veritest` is used, which whoever makes it gives a `.gitignore` of its
 * own. `VERITEST_STATE_DIR` and `VERITEST_NOTES_DIR` override; in the first each work tree has a folder of its own.
 * Reads the file system, writes nothing.
 */
export function placesOf(root: string, environment: NodeJS.ProcessEnv): Places {
  const git = findGit(root);
  const top = git?.top ?? root;
  const named = (variable: VariableName): string | undefined => {
    const path = readVariable(environment, variable);
    return path === undefined ? undefined : resolve(root, path);
  };
  // A repository may hold several projects, each with transactions of its own.
  const id = hashText(relative(top, root).split(sep).join("/")).replace("sha256:", "").slice(0, 8);
  // A directory that is named may be so for several clones, whose baselines have the same names.
  const shared = named("VERITEST_STATE_DIR");
  const own = shared === undefined ? undefined : join(shared, idOf(top), id);
  if (git === undefined) {
    return {
      root,
      area: root,
      state: own ?? join(root, ".veritest"),
      notes: named("VERITEST_NOTES_DIR") ?? join(stateHome(environment), "veritest", idOf(root), "notes"),
    };
  }
  return {
    root,
    area: git.top,
    state: own ?? join(git.gitDir, "veritest", id),
    notes: named("VERITEST_NOTES_DIR") ?? join(git.commonDir, "veritest", "notes"),
  };
}

function stateHome(environment: NodeJS.ProcessEnv): string {
  return readVariable(environment, "XDG_STATE_HOME") ?? join(homedir(), ".local", "state");
}

function idOf(root: string): string {
  return `${basename(root).replaceAll(/[^\w.-]/g, "-")}-${hashText(root).replace("sha256:", "").slice(0, 8)}`;
}

/** Where git keeps a work tree's data, found without running git. */
interface GitPlace {
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

/** The configuration's file names, in the order they are looked for. */
export const CONFIG_FILES: readonly string[] = ["ts", "mts", "js", "mjs", "cjs"].map(
  (extension) => `veritest.config.${extension}`,
);

const MARKS: readonly string[] = [...CONFIG_FILES, "package.json"];

/**
 * The project `from` belongs to: the nearest folder upwards with a `veritest.config.*` or a `package.json`, else `from`
 * itself. A run and the command line must name the same place, wherever in the project each was started.
 */
export function projectRoot(from: string): string {
  const start = resolve(from);
  for (let folder = start; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => existsSync(join(folder, mark)))) return folder;
    if (folder === dirname(folder)) return start;
  }
}

/**
 * A file as records name it: relative to the project's root, with forward slashes, so that it holds on every machine.
 */
export function targetName(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
