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
import { basename, delimiter, dirname, isAbsolute, join, normalize, relative, sep } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { readText } from "../../kernel/files/read.ts";
import { quote } from "../../kernel/text.ts";
import { targetName } from "../../kernel/files/project-paths.ts";
import { git } from "./git.ts";
import type { VerifyCommand } from "../../updates/policy.ts";
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
    const problem = await problemOf(repository, path, paths);
    if (problem !== undefined) return err(`Cannot link ${quote(path)} into the temporary worktree: ${problem}`);
  }
  // Changed files are compared with them: `./node_modules/` is `node_modules`.
  return ok(paths.map((path) => targetName(repository.top, join(repository.top, path))));
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

async function problemOf(repository: Repository, path: string, links: Links): Promise<string | undefined> {
  if (isAbsolute(path) || normalize(path).split(sep)[0] === ".." || path === "")
    return "it must be in the repository. Pass its path relative to the repository's root.";
  if (!existsSync(join(repository.top, path)))
    return "there is no such file or folder. Remove the option, or create it first.";
  if (!(await isIgnored(repository, path)))
    return "git doesn't ignore it, so the run already has it. Remove the option.";
  const inner = workspaceLink(repository.top, path, links);
  if (inner === undefined) return undefined;
  return (
    `${quote(inner)} in it points back into this checkout, so the run would test that code instead of the run's ` +
    "code. " +
    'Use --without-links and install in the run: --verify "npm ci" first.'
  );
}

/**
 * Returns a package of a `node_modules` that is a link to a folder of the checkout outside all linked ones. pnpm links
 * the dependencies of a package to folders in the `node_modules` of the top.
 */
function workspaceLink(top: string, path: string, links: Links): string | undefined {
  const folder = join(top, path);
  if (!lstatSync(realpathSync(folder)).isDirectory()) return undefined;
  const root = realpathSync(top) + sep;
  const linked = links.filter((each) => existsSync(join(top, each))).map((each) => realpathSync(join(top, each)) + sep);
  const names = readdirSync(folder).flatMap((name) => {
    return name.startsWith("@") && lstatSync(join(folder, name)).isDirectory()
      ? readdirSync(join(folder, name)).map((inner) => join(name, inner))
      : [name];
  });
  return names.find((name) => {
    const link = join(folder, name);
    if (!lstatSync(link).isSymbolicLink() || !existsSync(link)) return false;
    const real = realpathSync(link);
    return real.startsWith(root) && !linked.some((each) => real.startsWith(each));
  });
}

/** Files of the linked folders, each with what the system changes when somebody writes to it. */
export type LinkState = ReadonlyMap<string, string>;

/**
 * Reads the state of the linked folders. The time of a file's last change of status can't be set by a program, so an
 * edit shows also if it was undone.
 */
function readLinks({ top }: Pick<Repository, "top">, links: Links): LinkState {
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
    // A new one could have a cache.
    if (basename(real) === "node_modules") files.set(path, PACKAGES);
    for (const name of readdirSync(real)) {
      const hasPackages = isPackages && (links.includes(path) || basename(path).startsWith("@"));
      if (!(basename(real) === "node_modules" && isCache(name)))
        pending.push({ path: join(path, name), real: join(real, name), isPackages: hasPackages });
    }
  }
  return files;
}

/** The state of a folder of packages: its content counts. */
const PACKAGES = "packages";

/** The folders of packages in a state of the linked folders. */
export function packageFolders(state: LinkState): readonly string[] {
  return [...state].flatMap(([path, stamp]) => (stamp === PACKAGES ? [path] : []));
}

/** Settings of git and package managers in the home directory that checks and git read. */
const SETTINGS = [".npmrc", ".yarnrc", ".yarnrc.yml", ".gitconfig", ".config/git/config", ".config/git/attributes"];
/** Variables that name other files of settings. */
const SETTING_VARIABLES = ["GIT_CONFIG_GLOBAL", "npm_config_userconfig", "npm_config_globalconfig"];
/** Folder of global packages in npm's settings, which has further settings. */
const PREFIX = /^prefix\s*=\s*(?<prefix>.+?)\s*$/m;
/** Programs that scripts of packages start. */
const PROGRAMS = ["node", "npm", "npx", "git", "sh", "env"];
/** Files above a work tree that package managers, bundlers and runners look for. */
const ABOVE =
  /^(?:node_modules|package\.json|tsconfig.*\.json|\.?(?:postcss|babel|browserslist|npm|yarn)[^/]*(?:rc|conf)[^/]*)$/;

/**
 * Reads the state of files outside of the repository that the checks use: the user's settings, files above the run's
 * folder and above the checkout, and the programs that a search of PATH gives.
 */
function readSurroundings(
  folders: readonly string[],
  programs: readonly string[],
  environment: NodeJS.ProcessEnv,
): LinkState {
  const { HOME = "", PATH = "", XDG_CONFIG_HOME = "" } = environment;
  const named = Object.entries(environment).filter(([name]) => SETTING_VARIABLES.includes(name));
  const prefix = PREFIX.exec(readText(join(HOME, ".npmrc")) ?? "")?.groups?.["prefix"] ?? "";
  const global = join(prefix.replace(/^(?:~|\$\{HOME\})(?=\/)/, HOME), "etc/npmrc");
  const own = [...named.map(([, path]) => path), join(XDG_CONFIG_HOME, "git/config"), global];
  const paths = [...SETTINGS.map((name) => join(HOME, name)), ...own.map(String)].filter(isAbsolute);
  // The others are files: a path below one of them can't be read.
  for (const at of new Set(folders.flatMap(foldersAbove)))
    for (const name of namesIn(at).filter((each) => ABOVE.test(each)))
      paths.push(join(at, name), ...(name === "node_modules" ? [join(at, name, ".bin")] : []));
  const searched = PATH.split(delimiter).filter(isAbsolute);
  for (const name of new Set([...PROGRAMS, ...programs])) {
    const path = searched.map((each) => join(each, name)).find((each) => existsSync(each));
    if (path !== undefined) paths.push(path);
  }
  return new Map(
    paths.flatMap((path) => {
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      return stats === undefined ? [] : [[path, stampOf(stats)]];
    }),
  );
}

/** The parts of a run that decide which files outside of it its checks use. */
interface OutsideUse {
  readonly repository: Pick<Repository, "top">;
  readonly links: Links;
  readonly folder: string;
  readonly options: { readonly checks: readonly VerifyCommand[]; readonly environment: NodeJS.ProcessEnv };
}

/** The folders that contain a path, from the nearest to the root. */
export function foldersAbove(path: string): readonly string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** Names in a folder; none if it can't be read. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // A directory above may be unreadable for this user, and then for the checks.
    return [];
  }
}

/** Reads the state of everything outside of the run's folder that its checks use. */
export function readOutside({ repository, links, folder, options }: OutsideUse): LinkState {
  const programs = options.checks.map(({ run: [program = ""] }) => program);
  const surroundings = readSurroundings([folder, repository.top], programs, options.environment);
  return new Map([...readLinks(repository, links), ...surroundings]);
}

/** The first path whose state differs, or undefined. */
export function changedLink(before: LinkState, now: LinkState): string | undefined {
  for (const [path, stamp] of now) if (before.get(path) !== stamp) return path;
  return [...before.keys()].find((path) => !now.has(path));
}

/** Directories in `node_modules` that tools write to, such as `.vite` and `.cache`, but not those with code. */
export function isCache(name: string): boolean {
  return name.startsWith(".") && ![".bin", ".pnpm", ".store", ".prisma"].includes(name);
}

/** Text of the properties that the system changes when somebody writes to a file. */
export function stampOf({ dev, ino, mode, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, mode, size, mtimeNs, ctimeNs].join(" ");
}
