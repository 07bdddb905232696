import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { type Result, err, ok } from "../base/result.ts";
import { type GitCall, git } from "./git.ts";

/** Where a repository keeps what its work trees share, and how to call git there. */
export interface TreeHome {
  readonly top: string;
  readonly commonDir: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** Checks a commit out into a new work tree of its own, on no branch. The error is git's. */
export async function addTree(home: TreeHome, path: string, commit: string): Promise<Result<string, string>> {
  const added = await git(["worktree", "add", "--quiet", "--detach", "--", path, commit], callOf(home));
  return added.ok ? ok(path) : err(added.error.message);
}

/**
 * Removes a work tree of a run, whatever state it is in: whole, half made, damaged by what ran in it, or gone but for
 * git's entry. Its last folder name must be used by no other tree, because git keeps the entry under it. Throws where
 * files remain.
 */
export async function removeTree(home: TreeHome, path: string): Promise<void> {
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
    // Some tools mark the folders of their caches read-only; nothing can be removed from those.
    openFolders(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  }
}

function openFolders(path: string): void {
  if (!lstatSync(path).isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}
