import { createHash } from "node:crypto";
import { type Dirent, lstatSync, readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { type GitCall, git } from "./git.ts";
import { stampOf } from "./links.ts";
import type { Repository } from "./repository.ts";

/** Directories of veritest, and with data that is compared by other ways: objects by their ids, and logs of refs. */
const SKIPPED = /^(?:veritest\/|objects\/(?!info\/|$)|(?:.*\/)?logs\/)/;
/** Refs are compared by what git lists; it doesn't list links to nothing. */
const REFS = /^refs(?:\/|$)/;
/** Files that git itself rewrites when it reads, and those that are compared by their content elsewhere. */
const REWRITTEN = [
  /(?:^|\/)(?:index[^/]*|packed-refs|COMMIT_EDITMSG|FETCH_HEAD|gc\.\w+)$/,
  /^(?:refs\/.*|config|HEAD|shallow|info\/exclude|info\/attributes|objects\/info\/(?!alternates).*)$/,
];

/** Lock that stops other git commands. */
const LOCK = /\.lock$/;

/**
 * Reads the files of git's directories that decide how git and its programs work, such as hooks, unfinished merges,
 * grafts and worktrees, the marks with which the index hides changed files, and ignored files. Returns a text for each
 * name.
 */
export async function readGitState(repository: Repository, call: GitCall): Promise<ReadonlyMap<string, string>> {
  const state = new Map<string, string>();
  for (const folder of new Set([repository.commonDir, repository.gitDir])) readFolder(folder, folder, state);
  const listed = await git(["ls-files", "-v", "-z"], call);
  for (const entry of listed.ok ? listed.value.split("\0") : [])
    if (/^[a-zS] /.test(entry)) state.set(`index (${entry.slice(2)})`, entry.charAt(0));
  const ignored = await git(["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"], call);
  for (const path of ignored.ok ? ignored.value.split("\0").filter((each) => each !== "") : []) {
    const stats = lstatSync(join(repository.top, path), { bigint: true, throwIfNoEntry: false });
    if (stats !== undefined) state.set(`ignored (${path})`, stats.isDirectory() ? "" : stampOf(stats));
  }
  return state;
}

function readFolder(folder: string, top: string, state: Map<string, string>): void {
  const entries = entriesOf(folder);
  const inside = relative(top, folder).replaceAll("\\", "/");
  // Git takes an empty folder for an unfinished rebase.
  if (entries.length === 0 && !REFS.test(inside)) state.set(`${inside}/`, "");
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const name = relative(top, path).replaceAll("\\", "/");
    if (SKIPPED.test(`${name}/`)) continue;
    if (entry.isDirectory()) readFolder(path, top, state);
    else if (LOCK.test(name) || (REFS.test(name) && entry.isSymbolicLink())) state.set(name, "");
    else if (!REWRITTEN.some((kind) => kind.test(name)) && (entry.isFile() || entry.isSymbolicLink()))
      state.set(name, hashOf(path));
  }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Another program of git may have removed it meanwhile.
    return [];
  }
}

/** Hash of a file's content and permissions: git skips a hook that isn't executable. */
function hashOf(path: string): string {
  try {
    const { mode } = statSync(path);
    return createHash("sha256").update(readFileSync(path)).update(mode.toString(8)).digest("hex");
  } catch {
    // A link without a target, or a file that was removed meanwhile.
    return "";
  }
}
