import { chmodSync, lstatSync, mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { realPath } from "../../kernel/files/read.ts";
import { isWithin } from "../../kernel/files/real-directory.ts";
import { type ChangedFile, EXECUTABLE, LINK, SUBMODULE, isNoContent } from "./changes.ts";
import { type GitCall, git } from "./git.ts";

/**
 * Writes the files of changes into a work tree of the run, as they were before or are after. Git doesn't take part:
 * programs that ran in the tree may have changed its settings. Throws if a file can't be read or written.
 */
export async function writeChanges(
  tree: string,
  changes: readonly ChangedFile[],
  { side, call }: { readonly side: "before" | "after"; readonly call: GitCall },
): Promise<void> {
  // First all removals: a folder may have become a file, or a file a folder.
  for (const path of new Set(changes.flatMap((change) => [change.oldPath, change.path]))) removeFrom(tree, path);
  for (const { path, oldPath, oldId, newId, oldMode, newMode } of changes) {
    const [to, id, mode] = side === "after" ? [path, newId, newMode] : [oldPath, oldId, oldMode];
    if (isNoContent(id) || mode === SUBMODULE) continue;
    const blob = await git(["cat-file", "blob", id], { ...call, encoding: "latin1" });
    if (!blob.ok) throw new Error(blob.error.message);
    writeInto(tree, to, { bytes: Buffer.from(blob.value, "latin1"), mode });
  }
}

/** Writes one file into a work tree of the run, never through a link that leads out of it. */
export function writeInto(
  tree: string,
  path: string,
  { bytes, mode = "100644" }: { readonly bytes: Buffer | string; readonly mode?: string },
): void {
  removeFrom(tree, path);
  const file = join(tree, path);
  if (mode === LINK) return symlinkSync(bytes.toString(), file);
  writeFileSync(file, bytes, { flag: "wx" });
  if (mode === EXECUTABLE) chmodSync(file, 0o755);
}

/** Removes a file from a work tree, and makes its folder if it's missing. */
function removeFrom(tree: string, path: string): void {
  const folder = dirname(join(tree, path));
  if (!isWithin(realpathSync(tree), realPath(folder)))
    throw new Error(
      `The command of the run replaced ${dirname(path)} with a symbolic link to a path outside the worktree`,
    );
  const parts = path.split("/").slice(0, -1);
  parts.forEach((_part, index) => {
    const parent = join(tree, ...parts.slice(0, index + 1));
    if (lstatSync(parent, { throwIfNoEntry: false })?.isFile() === true) rmSync(parent);
  });
  mkdirSync(folder, { recursive: true });
  rmSync(join(tree, path), { recursive: true, force: true });
}
