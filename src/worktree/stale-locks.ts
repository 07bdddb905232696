import { readFileSync, readdirSync, readlinkSync, rmSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import type { RunRecord } from "./run-record.ts";

/** Git holds the lock of a branch for milliseconds: one that stays so long has nobody. */
const STALE_MS = 1500;

/**
 * Removes the locks on HEAD and on a branch that a git command of a dead run left behind when it was killed itself.
 * They name nobody, so they must stay as they are for a while, and no git command may be at work in the repository.
 */
export async function removeStaleLocks(
  { top, gitDir, commonDir }: Pick<RunRecord, "top" | "gitDir" | "commonDir">,
  target: string,
): Promise<void> {
  const locks = [join(gitDir, "HEAD.lock"), join(commonDir, `${target}.lock`)];
  const before = locks.map(markOf);
  if (before.every((mark) => mark === undefined)) return;
  await new Promise((resolve) => setTimeout(resolve, STALE_MS));
  if (isGitAtWork([top, gitDir, commonDir])) return;
  for (const [index, lock] of locks.entries())
    if (before[index] !== undefined && markOf(lock) === before[index]) rmSync(lock, { force: true });
}

function markOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? undefined : `${stats.ino} ${stats.mtimeMs}`;
}

/** Whether a process named git is in one of the folders. False where the system does not tell (no `/proc`). */
function isGitAtWork(folders: readonly string[]): boolean {
  return listed("/proc").some((pid) => /^\d+$/.test(pid) && isGitIn(pid, folders));
}

function isGitIn(pid: string, folders: readonly string[]): boolean {
  try {
    if (!readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("git")) return false;
    const cwd = `${readlinkSync(`/proc/${pid}/cwd`)}${sep}`;
    return folders.some((folder) => cwd.startsWith(`${folder}${sep}`));
  } catch {
    // Ended meanwhile, or another user's, whose git would not be at work here.
    return false;
  }
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    // No /proc on this system: the time alone must do.
    return [];
  }
}
