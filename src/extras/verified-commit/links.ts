import {
  type BigIntStats,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { quote } from "../../kernel/text.ts";
import { git } from "./git.ts";
import type { Repository } from "./repository.ts";
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
    return "it must be in the repository. Give its path relative to the repository's root.";
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

/** Files of the linked folders, each with what the system changes when somebody writes to it. */
export type LinkState = ReadonlyMap<string, string>;

/**
 * Reads the state of the linked folders. The time of a file's last change of status can't be set by a program, so an
 * edit shows also if it was undone.
 */
export function readLinks({ top }: Pick<Repository, "top">, links: Links): LinkState {
  const files = new Map<string, string>();
  const pending = links.map((path) => ({ path, real: realpathSync(join(top, path)), isPackages: true }));
  const seen = new Set<string>();
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const { path, real, isPackages } = at;
    const stats = lstatSync(real, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined || (stats.isDirectory() && seen.has(real))) continue;
    if (!stats.isDirectory()) {
      files.set(path, stampOf(stats));
      // A package that is a link to a folder elsewhere runs too.
      if (isPackages && stats.isSymbolicLink() && existsSync(real))
        pending.push({ path: `${path}/`, real: realpathSync(real), isPackages: false });
      continue;
    }
    seen.add(real);
    for (const name of readdirSync(real)) {
      const hasPackages = isPackages && (links.includes(path) || basename(path).startsWith("@"));
      if (!(basename(real) === "node_modules" && isCache(name)))
        pending.push({ path: join(path, name), real: join(real, name), isPackages: hasPackages });
    }
  }
  return files;
}

/** The first path whose state differs, or undefined. */
export function changedLink(before: LinkState, now: LinkState): string | undefined {
  for (const [path, stamp] of now) if (before.get(path) !== stamp) return path;
  return [...before.keys()].find((path) => !now.has(path));
}

/** Directories in `node_modules` that tools write to: `.vite`, `.cache` and their like. Code isn't installed there. */
function isCache(name: string): boolean {
  return name.startsWith(".") && ![".bin", ".pnpm", ".store"].includes(name);
}

function stampOf({ dev, ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(" ");
}
