import { closeSync, fsyncSync, openSync } from "node:fs";
import { codeOf } from "../base/thrown.ts";

/** Waits until the names in a directory are on the disk, where the system can. */
export function syncDirectory(path: string): void {
  // Windows has no such thing: its file system journals names by itself.
  if (process.platform === "win32") return;
  try {
    syncFile(path);
  } catch (thrown) {
    // Some network and container mounts sync files only.
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(codeOf(thrown) ?? "")) throw thrown;
  }
}

/** Waits until a file's bytes are on the disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
