import { lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isProcessAlive, numberedWith } from "./processes.ts";
import { listNames } from "./read.ts";

/** Names of log directories: the process that made it, the name space of its number, and a random part. */
const NAME = /^veritest-log-(\d+)-(\d+)-\w{6}$/;

/**
 * A process of another name space, as in a container, can't be checked here. Its directories are removed at this age.
 */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** Creates a directory for the logs of this process's workers, and removes those that killed runs left. */
export function makeLogDirectory(now: number = Date.now()): string {
  const parent = tmpdir();
  // Makes the folder of TMPDIR again if it's gone, as in a restarted container.
  mkdirSync(parent, { recursive: true });
  removeDeadLogs(parent, now);
  return mkdtempSync(join(parent, `veritest-log-${process.pid}-${numberedWith()}-`));
}

/** Removes the log directories of dead processes: only those of this user, and no links. */
export function removeDeadLogs(parent: string = tmpdir(), now: number = Date.now()): void {
  for (const name of listNames(parent)) {
    const [, pid, counted] = NAME.exec(name) ?? [];
    if (pid === undefined || counted === undefined) continue;
    const isGone = Number(counted) === numberedWith() && !isProcessAlive(Number(pid));
    if (isOldOrGone(join(parent, name), { isGone, now })) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isOldOrGone(path: string, { isGone, now }: { readonly isGone: boolean; readonly now: number }): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory() !== true) return false;
  // Windows knows no such numbers, and gives each user a temporary folder.
  const user = process.getuid?.();
  if (user !== undefined && stats.uid !== user) return false;
  return isGone || now - stats.mtimeMs > MAX_AGE_MS;
}
