import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { type GitCall, git } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Directory that the work trees of a repository share, and the options to call git there. */
interface TreeHome {
  readonly top: string;
  readonly commonDir: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Checks a commit out into a new temporary work tree, on no branch. The error is git's. */
export async function addWorktree(home: TreeHome, path: string, commit: string): Promise<Result<string, string>> {
  const added = await git(["worktree", "add", "--quiet", "--detach", "--", path, commit], callOf(home));
  return added.ok ? ok(path) : err(added.error.message);
}

/**
 * Removes a work tree of a run in any state: complete, half made, damaged by a program in it, or missing except for
 * git's entry. Its last folder name must not be used by another tree, because git keeps the entry under it. Throws if
 * files remain.
 */
export async function removeWorktree(home: TreeHome, path: string): Promise<void> {
  await git(["worktree", "remove", "--force", "--force", "--", path], callOf(home));
  if (existsSync(path)) removeFolder(path);
  // Git forgets a tree whose folder is gone; an entry that was never finished it does not even list.
  await git(["worktree", "remove", "--force", "--force", "--", path], callOf(home));
  rmSync(join(home.commonDir, "worktrees", basename(path)), { recursive: true, force: true });
}

function callOf(home: TreeHome): GitCall {
  return { cwd: home.top, environment: home.environment };
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    // Some tools mark the folders of their caches read-only; files in those can't be removed.
    openFolders(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function openFolders(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}

/** Paths, relative to the top of the work tree, that every tree of a run sees through a symbolic link. */
export type Links = readonly string[];

/**
 * Checks the paths to link into a run's trees: each must exist, be below the top, and be ignored by git. Packages of a
 * workspace are refused, because a link to them leads back to the checkout: the checks would then test code of before
 * the run. Default: the existing `node_modules` of the project and of the top.
 */
export async function planLinks(
  repository: Repository,
  requested: Links | undefined,
  root: string,
): Promise<Result<Links, string>> {
  const paths = requested ?? (await usualLinks(repository, root));
  for (const path of paths) {
    const problem = await problemOf(repository, path);
    if (problem !== undefined) return err(`Cannot link ${quote(path)} into the run: ${problem}`);
  }
  return ok(paths);
}

async function usualLinks(repository: Repository, root: string): Promise<Links> {
  const modules = [relative(repository.top, root), ""].map((folder) => join(folder, "node_modules"));
  const ignored: string[] = [];
  for (const path of new Set(modules)) if (await isIgnored(repository, path)) ignored.push(path);
  return ignored;
}

/** Returns true if a path exists and git ignores it, so that a new work tree lacks it. */
async function isIgnored(repository: Repository, path: string): Promise<boolean> {
  if (!existsSync(join(repository.top, path))) return false;
  return (
    await git(["check-ignore", "--quiet", "--", path], { cwd: repository.top, environment: repository.environment })
  ).ok;
}

/** Makes the links in a tree of the run. An existing file stays: a program may have replaced one. */
export function makeLinks(repository: Repository, tree: string, links: Links): void {
  for (const path of links.filter((each) => lstatSync(join(tree, each), { throwIfNoEntry: false }) === undefined)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    symlinkSync(join(repository.top, path), join(tree, path), process.platform === "win32" ? "junction" : null);
  }
}

/**
 * Removes the links from a tree of the run, so that no commit can contain one. A program's replacement of one stays.
 */
export function removeLinks(repository: Repository, tree: string, links: Links): void {
  for (const path of links) {
    const link = join(tree, path);
    if (
      lstatSync(link, { throwIfNoEntry: false })?.isSymbolicLink() === true &&
      readlinkSync(link) === join(repository.top, path)
    )
      rmSync(link);
  }
}

async function problemOf(repository: Repository, path: string): Promise<string | undefined> {
  if (isAbsolute(path) || normalize(path).split(sep)[0] === ".." || path === "")
    return "it must lie below the top of the repository. Name it from there.";
  if (!existsSync(join(repository.top, path)))
    return "there is no such file or folder. Leave it out, or make it first.";
  if (!(await isIgnored(repository, path))) return "git does not ignore it, so the run has it already. Leave it out.";
  const inner = workspaceLink(repository.top, join(repository.top, path));
  if (inner === undefined) return undefined;
  return (
    `${quote(inner)} in it leads back into this checkout, so the run would test that code and not its own. ` +
    'Use --without-links and install in the run: --verify "npm ci" first.'
  );
}

/** A package of `node_modules` that is a link to a folder of the checkout outside of it. */
function workspaceLink(top: string, folder: string): string | undefined {
  if (!lstatSync(realpathSync(folder)).isDirectory()) return undefined;
  const [root, self] = [realpathSync(top) + sep, realpathSync(folder) + sep];
  const names = readdirSync(folder).flatMap((name) => {
    return name.startsWith("@") && lstatSync(join(folder, name)).isDirectory()
      ? readdirSync(join(folder, name)).map((inner) => join(name, inner))
      : [name];
  });
  return names.find((name) => {
    const path = join(folder, name);
    if (!lstatSync(path).isSymbolicLink() || !existsSync(path)) return false;
    const real = realpathSync(path);
    return real.startsWith(root) && !real.startsWith(self);
  });
}

/** Keeps what every branch and tag points to, in a file for `undoForeignRefs`. The error is git's. */
export async function keepRefs(file: string, call: GitCall): Promise<Result<void, string>> {
  const refs = await git(["for-each-ref", "--format=%(objectname) %(refname)"], call);
  if (!refs.ok) return err(refs.error.message);
  writeFileSync(file, refs.value);
  return ok(undefined);
}

/**
 * Restores branches and tags that a command made or moved from within the run's work tree: work trees share them, and a
 * run must leave none. Only those count that point to a commit made in that tree, or that it is on; concurrent changes
 * of others stay. Each is exchanged by comparison with its known value. Returns their names.
 */
export async function undoForeignRefs(file: string, tree: string, call: GitCall): Promise<readonly string[]> {
  if (!existsSync(file) || !existsSync(tree)) return [];
  const before = readRefs(readFileSync(file, "utf8"));
  const listed = await git(["for-each-ref", "--format=%(objectname) %(refname)"], call);
  const logged = await git(["rev-list", "--walk-reflogs", "HEAD", "--"], { ...call, cwd: tree });
  const branch = await git(["symbolic-ref", "--quiet", "HEAD"], { ...call, cwd: tree });
  if (!listed.ok) return [];
  const known = new Set(before.values());
  const made = new Set(
    (logged.ok ? logged.value : "").split("\n").filter((commit) => commit !== "" && !known.has(commit)),
  );
  const undone: string[] = [];
  for (const [ref, now] of readRefs(listed.value)) {
    const was = before.get(ref);
    const isOn = branch.ok && branch.value.trim() === ref;
    if (was === now || !(made.has(now) || (isOn && was === undefined))) continue;
    const back = was === undefined ? ["update-ref", "-d", ref, now] : ["update-ref", ref, was, now];
    if ((await git(back, call)).ok) undone.push(ref);
  }
  return undone;
}

function readRefs(text: string): ReadonlyMap<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(line.indexOf(" ") + 1), line.slice(0, line.indexOf(" "))]));
}
