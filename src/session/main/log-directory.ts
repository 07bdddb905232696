import { lstatSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { answers } from "../../files/processes.ts";
import { listNames } from "../../files/read.ts";

/** What log directories are called: the number of the process that made it, and something random. */
const NAME = /^veritest-log-(\d+)-\w{6}$/;

/** A process that counts by itself, as in a container, is not known here: what is as old as this it has left, too. */
const MAX_AGE_MS = 24 * 60 * 60_000;

/** How long whoever made one is believed to be at it, whatever its number says. */
const MIN_AGE_MS = 60_000;

/** Makes a directory of this process's own for what workers tell, and removes those that killed runs have left. */
export function makeLogDirectory(now: number = Date.now()): string {
  const parent = temporaryFolder();
  removeLeftLogs(parent, now);
  return mkdtempSync(join(parent, `veritest-log-${process.pid}-`));
}

/** A folder that TMPDIR names and that is gone, as in a container that starts anew, is made again. */
function temporaryFolder(): string {
  const folder = tmpdir();
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Removes the log directories of dead processes: only those of this user, no links, and none that was made just now.
 */
export function removeLeftLogs(parent: string, now: number): void {
  for (const name of listNames(parent)) {
    const pid = NAME.exec(name)?.[1];
    if (pid !== undefined && isLeft(join(parent, name), { pid: Number(pid), now }))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isLeft(path: string, { pid, now }: { readonly pid: number; readonly now: number }): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found?.isDirectory() !== true || found.uid !== process.getuid?.()) return false;
  const age = now - found.mtimeMs;
  return age > MAX_AGE_MS || (age > MIN_AGE_MS && !answers(pid));
}
