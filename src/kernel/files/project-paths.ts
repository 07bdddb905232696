import { type VariableName, readVariable } from "../environment.ts";
import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { readText, realPath } from "./read.ts";
import { hashText } from "../json/hash.ts";
import { CONFIG_FILES } from "./nearest-config.ts";

/** Directories for veritest's data outside of git. None is made before a file is written to it. */
export interface ProjectPaths {
  /** The project's root, absolute. */
  readonly root: string;
  /** The top of the git work tree, or the project's root outside of git. Files outside of it are never written. */
  readonly area: string;
  /** State directory of this project in this work tree: pending updates, transactions and the lock. */
  readonly state: string;
  /** Directory of notes and receipts. The work trees of a repository share it, and it remains when one is removed. */
  readonly notes: string;
}

/**
 * Paths of a project's data. Inside git's own directory, files don't show in `git status` or trigger watchers, and `git
 * clean` keeps them. Outside of git, they are in `<root>/.veritest`, which gets its own `.gitignore`.
 * `VERITEST_STATE_DIR` and `VERITEST_NOTES_DIR` override. In the first, each work tree has its own folder. Reads the
 * file system, writes no file.
 */
export function projectPaths(root: string, environment: NodeJS.ProcessEnv): ProjectPaths {
  const git = findGit(root);
  const top = git?.top ?? root;
  const named = (variable: VariableName): string | undefined => {
    const path = readVariable(environment, variable);
    return path === undefined ? undefined : resolve(root, path);
  };
  // A repository may contain several projects, each with its own transactions.
  const id = hashText(targetName(top, root)).replace("sha256:", "").slice(0, 8);
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
  // A `.git` that only names a directory elsewhere may have come with an archive.
  const home = join(stateHome(environment), "veritest", idOf(root));
  return {
    root,
    area: git.top,
    state: own ?? join(git.isOwn ? git.gitDir : home, "veritest", id),
    notes: named("VERITEST_NOTES_DIR") ?? join(git.isOwn ? git.commonDir : home, "veritest", "notes"),
  };
}

/** Directory for files that belong to a project and lie outside of its repository, if no variable names another. */
export function homeDirectory({ root, state }: ProjectPaths, environment: NodeJS.ProcessEnv): string {
  if (readVariable(environment, "VERITEST_STATE_DIR") !== undefined) return state;
  return join(stateHome(environment), "veritest", idOf(root));
}

function stateHome(environment: NodeJS.ProcessEnv): string {
  return readVariable(environment, "XDG_STATE_HOME") ?? join(homedir(), ".local", "state");
}

function idOf(root: string): string {
  return `${basename(root).replaceAll(/[^\w.-]/g, "-")}-${hashText(root).replace("sha256:", "").slice(0, 8)}`;
}

/** Directories of a work tree's git data, read without running git. */
export interface GitPaths {
  /** The top of the work tree. */
  readonly top: string;
  /** The work tree's own data; of a linked work tree, its folder below `worktrees/`. */
  readonly gitDir: string;
  /** Directory that all work trees of the repository share. Equal to `gitDir` in the main one. */
  readonly commonDir: string;
  /** False if `.git` is a link, or names a directory that doesn't name this work tree. */
  readonly isOwn: boolean;
}

/** The git work tree that contains `from`. Undefined outside of one. Throws if `.git` exists and can't be read. */
export function findGit(from: string): GitPaths | undefined {
  for (let top = resolve(from); ; top = dirname(top)) {
    const dotGit = join(top, ".git");
    const stats = statSync(dotGit, { throwIfNoEntry: false });
    if (stats !== undefined) {
      const gitDir = stats.isDirectory() ? dotGit : linkedDirectory(dotGit);
      const commonDir = commonDirectory(gitDir);
      return { top, gitDir, commonDir, isOwn: isOwnDirectory(dotGit, gitDir, commonDir) };
    }
    if (top === dirname(top)) return undefined;
  }
}

function isOwnDirectory(dotGit: string, gitDir: string, commonDir: string): boolean {
  const stats = lstatSync(dotGit);
  if (stats.isSymbolicLink()) return false;
  const [real, shared] = [realPath(gitDir), realPath(commonDir)];
  if (stats.isDirectory()) return real === shared;
  const back = (readText(join(gitDir, "gitdir")) ?? "").trim();
  if (back !== "") return realPath(resolve(gitDir, back)) === realPath(dotGit) && shared === dirname(dirname(real));
  // A submodule's settings name its work tree.
  const worktree = /^\s*worktree\s*=\s*"?([^"\n]+?)"?\s*$/m.exec(readText(join(gitDir, "config")) ?? "")?.[1];
  return worktree !== undefined && realPath(resolve(gitDir, worktree)) === realPath(dirname(dotGit)) && real === shared;
}

/** A linked work tree and a submodule have a file `.git` with one line: `gitdir: <path>`. */
function linkedDirectory(file: string): string {
  const text = readFileSync(file, "utf8");
  const path = /^gitdir: (.+)$/m.exec(text)?.[1];
  if (path === undefined)
    throw new Error(`Cannot find git's directory: ${file} has no line "gitdir: …". Fix it, or set VERITEST_STATE_DIR.`);
  return resolve(dirname(file), path.trim());
}

function commonDirectory(gitDir: string): string {
  const file = join(gitDir, "commondir");
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return gitDir;
  return resolve(gitDir, readFileSync(file, "utf8").trim());
}

const MARKS: readonly string[] = [...CONFIG_FILES, "package.json"];

/**
 * The project of `from`: the nearest folder upwards with a `veritest.config.*` or a `package.json`, else `from` itself.
 * A folder above the git work tree isn't the project: a home directory may have a `package.json`.
 * A run and the command line must resolve the same directory, wherever in the project each was started.
 */
export function projectRoot(from: string): string {
  const start = resolve(from);
  for (let folder = start; ; folder = dirname(folder)) {
    if (MARKS.some((mark) => existsSync(join(folder, mark)))) return folder;
    if (folder === dirname(folder) || existsSync(join(folder, ".git"))) return start;
  }
}

/**
 * A file's name in records: relative to the project's root, with forward slashes, so that it's valid on every machine.
 */
export function targetName(root: string, path: string): string {
  return relative(root, path).split(sep).join("/");
}
