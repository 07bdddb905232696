import {
  type Stats,
  copyFileSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  utimesSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Result, err, ok } from "../../kernel/result.ts";
import type { ChangedFile } from "./changes.ts";
import type { IndexFiles } from "./index-lock.ts";
import { type GitCall, git } from "./git.ts";

/** A work tree that is to follow its branch from one commit to the next. */
export interface Checkout {
  readonly top: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly files: IndexFiles;
  readonly from: string;
  readonly to: string;
  /** Differences between the two, renames as two changes. */
  readonly changes: readonly ChangedFile[];
}

/**
 * State of a file of the work tree relative to a change: untouched, done, removed, cut off while git wrote it, or
 * changed by somebody.
 */
type FileState = "old" | "new" | "absent" | "torn" | "other";

/** Arguments of one git call; systems allow some hundred kilobytes. */
const CHUNK = 200;

/** The first path that a commit adds and that an untracked file blocks; undefined if there is none. */
export function findBlocker(top: string, changes: readonly ChangedFile[]): string | undefined {
  const leaving = new Set(changes.filter((file) => file.kind === "removed").map((file) => file.path));
  return changes.filter((file) => file.kind === "added").find(({ path }) => isBlocked(top, path, leaving))?.path;
}

/** Makes the index that the next commit needs, next to git's own. */
export async function prepareIndex(checkout: Checkout): Promise<Result<void, string>> {
  copyIndex(checkout.files);
  const merged = await git(["read-tree", "-m", "-i", checkout.from, checkout.to], nextCall(checkout));
  return merged.ok ? ok(undefined) : err(merged.error.message);
}

/**
 * Brings the files and the index of a locked work tree from one commit to the next. Each file is looked at first, and
 * only what git left there is replaced, so that it can be done again after a crash at any point; returns the paths of
 * files that somebody changed meanwhile, which keep their content. The index that `prepareIndex` made replaces git's in
 * one step, last.
 */
export async function updateCheckout(checkout: Checkout): Promise<Result<readonly string[], string>> {
  const call = nextCall(checkout);
  const [leaving, coming] = [
    checkout.changes.filter((file) => file.kind === "removed"),
    checkout.changes.filter((file) => file.kind !== "removed"),
  ];
  const before = await statesOf(checkout, leaving);
  if (!before.ok) return before;
  for (const file of leaving) if (before.value.get(file) === "old") removeFile(checkout.top, file.path);
  // Checked only now, because a file may replace a folder whose files were removed.
  const states = await statesOf(checkout, coming);
  if (!states.ok) return states;
  const stateIn = (
    fileStates: ReadonlyMap<ChangedFile, FileState>,
    ...wanted: readonly FileState[]
  ): readonly ChangedFile[] =>
    [...fileStates.keys()].filter((file) => wanted.includes(fileStates.get(file) ?? "other"));
  const skipped = await skippedPaths(call);
  if (!skipped.ok) return skipped;
  const absent = stateIn(states.value, "absent").filter((file) => !skipped.value.has(file.path));
  const written = [...absent, ...stateIn(states.value, "old", "torn")];
  // Older versions of git don't have this option. It writes a skipped file that is in the work tree nevertheless.
  const isSkipped = written.some((file) => skipped.value.has(file.path)) ? ["--ignore-skip-worktree-bits"] : [];
  const out = await git(["checkout-index", "--force", "-u", ...isSkipped, "-z", "--stdin"], {
    ...call,
    input: written.map((file) => `${file.path}\0`).join(""),
  });
  if (!out.ok) return err(out.error.message);
  // Its exit code reports if a file differs from the index, as a file that somebody changed does.
  await git(["update-index", "-q", "--refresh"], call);
  putIndex(checkout.files);
  return ok([...stateIn(before.value, "other"), ...stateIn(states.value, "other")].map((file) => file.path));
}

function nextCall({ top, environment, files }: Checkout): GitCall {
  return { cwd: top, environment, variables: { GIT_INDEX_FILE: files.next } };
}

/** Paths of the next index that a sparse checkout, or the user by hand, keeps out of the work tree. */
async function skippedPaths(call: GitCall): Promise<Result<ReadonlySet<string>, string>> {
  const listed = await git(["ls-files", "-z", "-t"], call);
  if (!listed.ok) return err(listed.error.message);
  const entries = listed.value.split("\0").filter((entry) => entry.startsWith("S "));
  return ok(new Set(entries.map((entry) => entry.slice("S ".length))));
}

async function statesOf(
  checkout: Checkout,
  changes: readonly ChangedFile[],
): Promise<Result<ReadonlyMap<ChangedFile, FileState>, string>> {
  const call = nextCall(checkout);
  const ids = await idsOf(
    checkout.top,
    changes.map((file) => file.path),
    call,
  );
  if (!ids.ok) return ids;
  const states = new Map<ChangedFile, FileState>();
  for (const file of changes)
    states.set(file, await stateOf(file, ids.value.get(file.path), { top: checkout.top, call }));
  return ok(states);
}

async function stateOf(
  file: ChangedFile,
  id: string | undefined,
  { top, call }: { readonly top: string; readonly call: GitCall },
): Promise<FileState> {
  const path = join(top, file.path);
  const stats = statsOf(top, file.path);
  // An empty folder remains of one whose files were removed.
  if (stats === undefined || (stats.isDirectory() && filesBelow(path).length === 0)) return "absent";
  if (id === file.oldId) return "old";
  if (id === file.newId) return "new";
  if (!stats.isFile() || file.kind === "removed") return "other";
  const whole = await git(["cat-file", "--filters", `--path=${file.path}`, file.newId], {
    ...call,
    encoding: "latin1",
  });
  return whole.ok && whole.value.startsWith(readFileSync(path, "latin1")) ? "torn" : "other";
}

/** The ids git would give to the files as they are, with what it does to line ends and the like undone. */
async function idsOf(
  top: string,
  paths: readonly string[],
  call: GitCall,
): Promise<Result<ReadonlyMap<string, string>, string>> {
  const ids = new Map<string, string>();
  const kindOf = (path: string): string => {
    const stats = statsOf(top, path);
    if (stats?.isFile() === true) return "file";
    return stats?.isSymbolicLink() === true ? "link" : "none";
  };
  const plain = paths.filter((path) => kindOf(path) === "file");
  for (let at = 0; at < plain.length; at += CHUNK) {
    const chunk = plain.slice(at, at + CHUNK);
    const hashed = await git(["hash-object", "--", ...chunk], call);
    if (!hashed.ok) return err(hashed.error.message);
    for (const [index, id] of hashed.value.trim().split("\n").entries()) ids.set(chunk[index] ?? "", id);
  }
  for (const path of paths.filter((each) => kindOf(each) === "link")) {
    const hashed = await git(["hash-object", "--no-filters", "--stdin"], {
      ...call,
      input: readlinkSync(join(top, path)),
    });
    if (!hashed.ok) return err(hashed.error.message);
    ids.set(path, hashed.value.trim());
  }
  return ok(ids);
}

function isBlocked(top: string, path: string, leaving: ReadonlySet<string>): boolean {
  const folders = path
    .split("/")
    .slice(0, -1)
    .map((_name, index, names) => names.slice(0, index + 1).join("/"));
  const isInTheWay = (folder: string): boolean => {
    const stats = statsOf(top, folder);
    return stats !== undefined && !stats.isDirectory() && !leaving.has(folder);
  };
  if (folders.some(isInTheWay)) return true;
  const stats = statsOf(top, path);
  if (stats === undefined) return false;
  return !stats.isDirectory() || filesBelow(join(top, path)).some((name) => !leaving.has(`${path}/${name}`));
}

/** Stats of a path; undefined if it doesn't exist, and for a path through a symbolic link: that is elsewhere. */
function statsOf(top: string, path: string): Stats | undefined {
  const parts = path.split("/");
  let stats: Stats | undefined;
  for (let depth = 1; depth <= parts.length; depth += 1) {
    if (stats !== undefined && !stats.isDirectory()) return undefined;
    stats = lstatSync(join(top, ...parts.slice(0, depth)), { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
  }
  return stats;
}

/** All that is not a folder below a folder, with forward slashes. */
function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)).map((name) => `${entry.name}/${name}`) : [entry.name],
  );
}

/** Removes a file, and the folders that are empty without it, as git does. */
function removeFile(top: string, path: string): void {
  rmSync(join(top, path), { force: true });
  for (let folder = dirname(path); folder !== "."; folder = dirname(folder)) {
    if (!existsSync(join(top, folder)) || readdirSync(join(top, folder)).length > 0) return;
    rmdirSync(join(top, folder));
  }
}

/** Copies git's index to the run's next one. */
function copyIndex(files: IndexFiles): void {
  // A git that was killed while it wrote the copy leaves its lock; no other process uses that file.
  rmSync(`${files.next}.lock`, { force: true });
  copyFileSync(files.index, files.next);
  // Git compares the times of files with the index's own: a later one would make it trust what it should look into.
  const { mtimeMs } = statSync(files.index);
  const seconds = Math.floor(mtimeMs / 1000) - 1;
  utimesSync(files.next, seconds, seconds);
}

/** Replaces git's index by the run's next one, in one step. */
function putIndex(files: IndexFiles): void {
  renameSync(files.next, files.index);
}
