import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, isAbsolute, join, normalize, sep } from "node:path";
import { type Result, err, ok } from "../base/result.ts";
import { quote } from "../base/text.ts";
import { git } from "./git.ts";
import type { Repository } from "./repository.ts";

/** Paths, relative to the top of the work tree, that every tree of a run sees through a symbolic link. */
export type Links = readonly string[];

/**
 * Checks what is to be linked into a run's trees: each must exist, lie below the top, and be ignored by git. Packages
 * of a workspace are refused, because a link to them leads back to the checkout: the checks would then test code of
 * before the run.
 */
export async function planLinks(repository: Repository, paths: Links): Promise<Result<Links, string>> {
  for (const path of paths) {
    const problem = await problemOf(repository, path);
    if (problem !== undefined) return err(`Cannot link ${quote(path)} into the run: ${problem}`);
  }
  return ok(paths);
}

/** Whether a path exists and git ignores it, so that a new work tree lacks it. */
export async function isIgnored(repository: Repository, path: string): Promise<boolean> {
  if (!existsSync(join(repository.top, path))) return false;
  return (
    await git(["check-ignore", "--quiet", "--", path], { cwd: repository.top, environment: repository.environment })
  ).ok;
}

/**
 * Makes the links in a tree of the run. What is there already stays: a program may have put its own in place of one.
 */
export function makeLinks(repository: Repository, tree: string, links: Links): void {
  for (const path of links.filter((each) => lstatSync(join(tree, each), { throwIfNoEntry: false }) === undefined)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    symlinkSync(join(repository.top, path), join(tree, path), process.platform === "win32" ? "junction" : null);
  }
}

/**
 * Removes the links from a tree of the run, so that no commit can hold one. What a program put in place of one stays.
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
  return `${quote(inner)} in it leads back into this checkout, so the run would test that code and not its own. Use --without-links and install in the run: --verify "npm ci" first.`;
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
