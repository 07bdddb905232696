import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../../kernel/error-message.ts";

/**
 * The files of a run in git's own directory. Their names contain the run's id, so that a later process can identify
 * them.
 */
export interface IndexFiles {
  readonly index: string;
  /** Lock that git takes before it writes the index: its owner keeps every other git command from changing it. */
  readonly lock: string;
  readonly own: string;
  readonly next: string;
}

/** Error codes of systems without hard links. */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** Paths of a run's lock content and its next index, in a work tree's git directory. */
export function indexFiles(gitDir: string, runId: string): IndexFiles {
  const index = join(gitDir, "index");
  return { index, lock: `${index}.lock`, own: `${index}.veritest-${runId}`, next: `${index}.veritest-${runId}.next` };
}

/**
 * Locks git's index for a run, as git does; false if it is locked already. The run's own file stays in either case: it
 * marks the run as unfinished. Throws the errors of the file system.
 */
export function lockIndex(files: IndexFiles, runId: string): boolean {
  writeFileSync(files.own, contentOf(runId));
  try {
    takeLock(files, runId);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  }
}

/** A link appears with its content, so that a lock left behind by a crash always names its run. */
function takeLock(files: IndexFiles, runId: string): void {
  try {
    linkSync(files.own, files.lock);
  } catch (thrown) {
    if (!NO_LINKS.includes(codeOf(thrown) ?? "")) throw thrown;
    writeFileSync(files.lock, contentOf(runId), { flag: "wx" });
  }
}

/** Returns true if the lock on git's index is this run's. */
export function ownsLock(files: IndexFiles, runId: string): boolean {
  return existsSync(files.lock) && readFileSync(files.lock, "latin1") === contentOf(runId);
}

/** Removes a run's files in git's directory, the lock last. Other files stay. */
export function releaseIndex(files: IndexFiles, runId: string): void {
  rmSync(files.next, { force: true });
  rmSync(`${files.next}.lock`, { force: true });
  if (ownsLock(files, runId)) rmSync(files.lock, { force: true });
  rmSync(files.own, { force: true });
}

function contentOf(runId: string): string {
  return `veritest run ${runId}\n`;
}
