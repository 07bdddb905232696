import { createHash } from "node:crypto";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import { EXECUTABLE, LINK, SUBMODULE } from "./changes.ts";
import { type GitCall, git } from "./git.ts";
import { readGitState } from "./git-state.ts";
import type { Repository } from "./repository.ts";

/**
 * The user's git settings and refs at the start of a run, from which it makes repositories: the command can't change
 * them.
 */
export interface RepositorySettings {
  readonly commonDir: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Name of the hash function. */
  readonly format: string;
  /** Lines of ids and refs; each stash has one, too. */
  readonly refs: string;
  /** Texts of the files in git's directory that a run's repository gets, by their paths in it. */
  readonly files: Readonly<Record<string, string>>;
  /** State of the other files of git's directories, by their names. */
  readonly state: ReadonlyMap<string, string>;
}

/** Files that a run's repository gets from the user's, with their new paths. */
const COPIED: readonly (readonly [from: string, to: string])[] = [
  ["config", "config-of-checkout"],
  ["HEAD", "HEAD-of-checkout"],
  ["shallow", "shallow"],
  ["info/exclude", "info/exclude"],
  ["info/attributes", "info/attributes"],
];
/**
 * Switches off what would make a checked-out file differ from the committed one by more than its line ends. A filter is
 * a program, and the command may have configured it.
 */
const NO_FILTERS = "\n* !filter !ident !working-tree-encoding\n";

/** Reads the settings and refs of a repository. The error is git's. */
export async function readRepositorySettings(repository: Repository): Promise<Result<RepositorySettings, string>> {
  const { commonDir, top, base, environment } = repository;
  const call = { cwd: top, environment };
  const refs = await git(["for-each-ref", "--format=%(objectname) %(refname)"], call);
  if (!refs.ok) return err(refs.error.message);
  // The ref only names the newest stash.
  const stashes = / refs\/stash$/m.test(refs.value)
    ? await git(["stash", "list", "--format=%H refs/stash %H"], call)
    : ok("");
  if (!stashes.ok) return err(stashes.error.message);
  const files: Record<string, string> = {};
  for (const [from] of COPIED)
    if (existsSync(join(commonDir, from))) files[from] = readFileSync(join(commonDir, from), "utf8");
  const state = await readGitState(repository, call);
  return ok({ commonDir, environment, format: hashOf(base), refs: refs.value + stashes.value, files, state });
}

/**
 * Creates a repository that shares only the objects of the user's: a command in it can't change the user's refs, index,
 * stash, notes, settings, hooks or work trees. The error is git's.
 */
async function makeRepository(path: string, settings: RepositorySettings): Promise<Result<void, string>> {
  const { commonDir, refs, files } = settings;
  mkdirSync(path);
  const directory = join(path, ".git");
  const made = await initialize(path, settings);
  if (!made.ok) return made;
  for (const name of ["info", "objects/info", "refs"]) mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, "objects/info/alternates"), `${join(commonDir, "objects")}\n`);
  for (const [from, to] of COPIED) if (from in files) writeFileSync(join(directory, to), files[from] ?? "");
  appendFileSync(join(directory, "info/attributes"), NO_FILTERS);
  const own = readFileSync(join(directory, "config"), "utf8");
  const include = "[include]\n\tpath = config-of-checkout\n[core]\n\tsparseCheckout = false\n";
  writeFileSync(join(directory, "config"), include + own);
  const lines = refs.split("\n").filter((line) => line !== "" && !/ refs\/(?:replace|stash)/.test(line));
  writeFileSync(join(directory, "packed-refs"), lines.map((line) => `${line}\n`).join(""));
  return ok(undefined);
}

/** Git's own files of a new repository, by the settings of the run that made it. */
const NEW = new WeakMap<RepositorySettings, Readonly<Record<string, string>>>();

/** Makes git's own files. `git init` looks at the file system once, before the run's command; later calls copy them. */
async function initialize(path: string, settings: RepositorySettings): Promise<Result<void, string>> {
  const { environment, format } = settings;
  const directory = join(path, ".git");
  const first = NEW.get(settings);
  if (first === undefined) {
    const made = await git(["init", "--quiet", "--template=", `--object-format=${format}`], { cwd: path, environment });
    if (!made.ok) return err(made.error.message);
    const texts = ["HEAD", "config"].map((name) => [name, readFileSync(join(directory, name), "utf8")] as const);
    NEW.set(settings, Object.fromEntries(texts));
  } else {
    mkdirSync(directory);
    for (const [name, text] of Object.entries(first)) writeFileSync(join(directory, name), text);
  }
  return ok(undefined);
}

/** Creates a repository with a commit checked out, on no branch. The error is git's. */
export async function checkOut(
  path: string,
  commit: string,
  settings: RepositorySettings,
): Promise<Result<void, string>> {
  const made = await makeRepository(path, settings);
  if (!made.ok) return made;
  const call = { cwd: path, environment: settings.environment };
  const out = await git(["checkout", "--quiet", "--force", "--detach", commit], call);
  return out.ok ? ok(undefined) : err(out.error.message);
}

/** Work tree whose files become a tree of git. */
interface TreeSource {
  readonly path: string;
  /** Directory of the repository to make for it. */
  readonly store: string;
  readonly base: string;
  /** Ends the work when aborted: a program can leave files of any size. */
  readonly signal: AbortSignal;
}

/**
 * Writes the files of a work tree as a tree of git, by a new index: the tree's own could hide a file. That one only
 * names ignored files that somebody added by force.
 */
export async function writeTree(
  { path, store, base, signal }: TreeSource,
  settings: RepositorySettings,
): Promise<Result<string, string>> {
  const made = await makeRepository(store, settings);
  if (!made.ok) return made;
  const { commonDir, environment } = settings;
  const variables = {
    GIT_DIR: join(store, ".git"),
    GIT_WORK_TREE: path,
    GIT_OBJECT_DIRECTORY: join(commonDir, "objects"),
  };
  const call: GitCall = { cwd: path, environment, variables, signal };
  const index = join(path, ".git/index");
  const forced = lstatSync(index, { throwIfNoEntry: false })?.isFile()
    ? await git(["ls-files", "-z", "--cached", "--ignored", "--exclude-standard"], {
        ...call,
        variables: { ...variables, GIT_INDEX_FILE: index },
        encoding: "latin1",
      })
    : ok("");
  if (!forced.ok) return err(forced.error.message);
  let tree = "";
  for (const args of [
    ["read-tree", base],
    ["add", "--all", "--", "."],
    ...(forced.value === "" ? [] : [["update-index", "--add", "--remove", "-z", "--stdin"]]),
    ["write-tree"],
  ]) {
    const ran = await git(args, { ...call, input: Buffer.from(forced.value, "latin1") });
    if (!ran.ok) return err(ran.error.message);
    tree = ran.value.trim();
  }
  return ok(tree);
}

/**
 * Returns the first file of a work tree that isn't the committed one, by its own bytes, or undefined. Line ends may
 * differ, because git's attributes decide about them.
 */
export async function differingFile(
  path: string,
  commit: string,
  call: GitCall,
): Promise<Result<string | undefined, string>> {
  const listed = await git(["ls-tree", "-r", "-z", "--full-tree", commit], { ...call, encoding: "latin1" });
  if (!listed.ok) return err(listed.error.message);
  for (const entry of listed.value.split("\0").filter((each) => each !== "")) {
    const [mode = "", , id = ""] = entry.slice(0, entry.indexOf("\t")).split(" ");
    const name = Buffer.from(entry.slice(entry.indexOf("\t") + 1), "latin1");
    if (mode !== SUBMODULE && !isCommitted(Buffer.concat([Buffer.from(`${path}/`), name]), mode, id))
      return ok(name.toString());
  }
  return ok(undefined);
}

function isCommitted(path: Buffer, mode: string, id: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) return mode === LINK && id === blobId(readlinkSync(path, "buffer"), id);
  if (stats?.isFile() !== true || mode === LINK) return false;
  const isExecutable = (stats.mode & 0o100) !== 0;
  if (process.platform !== "win32" && isExecutable !== (mode === EXECUTABLE)) return false;
  const bytes = readFileSync(path);
  if (blobId(bytes, id) === id) return true;
  return blobId(Buffer.from(bytes.toString("latin1").replaceAll("\r\n", "\n"), "latin1"), id) === id;
}

/** Name of the hash function of an id. */
function hashOf(id: string): string {
  return id.length === 40 ? "sha1" : "sha256";
}

/** The id that git gives to a file's content, with the hash function of another id. */
function blobId(bytes: Buffer, like: string): string {
  return createHash(hashOf(like)).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}

/** Returns a directory's number in its file system; undefined for a link and for everything else. */
export function inodeOf(path: string): bigint | undefined {
  const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stats?.isDirectory() === true ? stats.ino : undefined;
}

/** Removes a folder of a run with what its programs left. Throws if files remain. */
export function removeFolder(path: string): void {
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
