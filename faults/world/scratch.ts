import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A directory in memory where there is one: thousands of small projects are made, and their fsyncs would wait for a
 * disk.
 */
export const MEMORY: string = existsSync("/dev/shm") ? "/dev/shm" : realpathSync(tmpdir());

/** A directory on the ordinary disk. */
export const DISK: string = realpathSync(tmpdir());

const made = new Set<string>();

/** Makes a fresh directory. */
export function scratch(base: string = MEMORY): string {
  const directory = mkdtempSync(join(base, "veritest-faults-"));
  made.add(directory);
  return directory;
}

/** Removes a directory that {@link scratch} made. */
export function discard(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  made.delete(directory);
}

/** Removes all that are left. */
export function discardAll(): void {
  for (const directory of made) discard(directory);
}
