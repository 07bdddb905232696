import { lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answers, numberedWith } from "./processes.ts";
import { listNames } from "./read.ts";

/** What log directories are called: the process that made it, what its number is counted in, and something random. */
const NAME = /^veritest-log-(\d+)-(\d+)-\w{6}$/;

/** A process that is counted elsewhere, as in a container, cannot be asked here: what is so old it has left, too. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** Makes a directory of this process's own for what workers tell, and removes those that killed runs have left. */
export function makeLogDirectory(now: number = Date.now()): string {
  const parent = tmpdir();
  // A folder that TMPDIR names and that is gone, as in a container that starts anew, is made again.
  mkdirSync(parent, { recursive: true });
  removeLeftLogs(parent, now);
  return mkdtempSync(join(parent, `veritest-log-${process.pid}-${numberedWith()}-`));
}

/** Removes the log directories of dead processes: only those of this user, and no links. */
export function removeLeftLogs(parent: string = tmpdir(), now: number = Date.now()): void {
  for (const name of listNames(parent)) {
    const [, pid, counted] = NAME.exec(name) ?? [];
    if (pid === undefined || counted === undefined) continue;
    const isGone = Number(counted) === numberedWith() && !answers(Number(pid));
    if (isOldOrGone(join(parent, name), { isGone, now })) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isOldOrGone(path: string, { isGone, now }: { readonly isGone: boolean; readonly now: number }): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true) return false;
  // Windows knows no such numbers, and gives each user a temporary folder.
  const user = process.getuid?.();
  if (user !== undefined && found.uid !== user) return false;
  return isGone || now - found.mtimeMs > MAX_AGE_MS;
}
