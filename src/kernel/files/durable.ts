import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { codeOf } from "../error-message.ts";
import { realNow } from "../real-clock.ts";
import type { ProjectPaths } from "./project-paths.ts";
import { isProcessAlive } from "./processes.ts";
import { listNames, readsAs } from "./read.ts";

/** Error codes of systems without hard links, or without one between two paths. */
export const NO_LINKS: readonly string[] = ["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** A temporary file lives for milliseconds; an hour also outlasts a clock that was set wrong. */
const STALE_MS = 3_600_000;

/** Number of files that are written before the first is synced. Each has an open descriptor meanwhile. */
const BATCH = 128;
/** Maximum characters of a batch, whose texts stay in memory until they are read back. */
const BATCH_LENGTH = 8_000_000;

/** A file to be made. */
export interface NewFile {
  readonly path: string;
  readonly text: string;
  /** Permission bits of the file, regardless of the umask. Default: the usual permissions. */
  readonly mode?: number | undefined;
}

/** Writes a new file and waits until its bytes are on the disk. Reads it back to verify. Throws if the file exists. */
export function writeDurably(path: string, text: string, mode?: number): void {
  writeBatch([{ path, text, mode }]);
}

/**
 * Writes new files and waits until the bytes of all of them are on the disk. Throws if one exists; those before it
 * remain. Each is synced after the others of its batch were written: a sync also writes the file system's notes on
 * other files, so that the later syncs have little to do (a third of the processor's time).
 */
export function writeAllDurably(files: Iterable<NewFile>): void {
  let batch: NewFile[] = [];
  let length = 0;
  for (const file of files) {
    batch.push(file);
    length += file.text.length;
    if (batch.length < BATCH && length < BATCH_LENGTH) continue;
    writeBatch(batch);
    batch = [];
    length = 0;
  }
  writeBatch(batch);
}

function writeBatch(files: readonly NewFile[]): void {
  const open: number[] = [];
  const modes = new Modes();
  try {
    for (const { path, text, mode } of files) {
      const descriptor = openSync(path, "wx+", mode);
      open.push(descriptor);
      writeFileSync(descriptor, text);
      if (mode !== undefined) modes.ensure(descriptor, { directory: dirname(path), mode });
    }
    for (const descriptor of open) fsyncSync(descriptor);
    for (const [index, descriptor] of open.entries()) {
      const { path = "", text = "" } = files[index] ?? {};
      if (!readsAs(descriptor, text))
        throw new Error(`${path} differs from what was written. The disk might be full or failing.`);
    }
  } finally {
    closeAll(open);
  }
}

/** Permission bits of new files: the bits that a directory allows for its first file apply to the next ones. */
class Modes {
  readonly #granted = new Set<string>();

  ensure(descriptor: number, { directory, mode }: { readonly directory: string; readonly mode: number }): void {
    const key = `${mode} ${directory}`;
    if (this.#granted.has(key)) return;
    if ((fstatSync(descriptor).mode & PERMISSIONS) === (mode & PERMISSIONS)) this.#granted.add(key);
    else fchmodSync(descriptor, mode);
  }
}

const PERMISSIONS = 0o7777;

/** Closes every one, also when the system refuses to close another. */
function closeAll(descriptors: number[]): void {
  try {
    for (let each = descriptors.pop(); each !== undefined; each = descriptors.pop()) closeSync(each);
  } finally {
    if (descriptors.length > 0) closeAll(descriptors);
  }
}

/** Copies a file and waits until the copy is on the disk. Throws if the target exists. */
export function copyDurably(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  syncFile(to);
}

/** Creates a directory and its missing parents, and waits until their names are on the disk. */
export function makeDirectory(path: string, mode?: number): void {
  const outermost = mkdirSync(path, { recursive: true, mode });
  if (outermost === undefined) return;
  const end = dirname(outermost);
  for (let parent = dirname(path); ; parent = dirname(parent)) {
    syncDirectory(parent);
    if (parent === end || parent === dirname(parent)) return;
  }
}

/**
 * Writes a file atomically and durably: it appears with its complete content, or not at all. Replaces an existing one.
 * `mode` is the file's permissions.
 */
export function writeAtomically(path: string, text: string, mode?: number): void {
  const temporary = besides(path);
  try {
    writeDurably(temporary, text, mode);
    renameSync(temporary, path);
  } catch (thrown) {
    removeQuietly(temporary);
    throw thrown;
  }
  syncDirectory(dirname(path));
}

/** Writes several files of one directory, each like {@link writeAtomically}, with a single wait for the directory. */
export function writeAllAtomically(directory: string, texts: ReadonlyMap<string, string>): void {
  const files = [...texts].map(([name, text]) => ({
    path: join(directory, name),
    text,
    temporary: besides(join(directory, name)),
  }));
  try {
    writeAllDurably(files.map(({ temporary, text }) => ({ path: temporary, text })));
    for (const { temporary, path } of files) renameSync(temporary, path);
  } catch (thrown) {
    for (const { temporary } of files) removeQuietly(temporary);
    throw thrown;
  }
  syncDirectory(directory);
}

/** Removes temporary files and directories of a directory that no living process can still be at work on. */
export function removeStale(directory: string, names: readonly string[] = listNames(directory)): void {
  for (const name of names) {
    if (!name.startsWith(".") || !name.endsWith(".tmp")) continue;
    const stats = statSync(join(directory, name), { throwIfNoEntry: false });
    if (stats !== undefined && realNow() - stats.mtimeMs > STALE_MS)
      rmSync(join(directory, name), { recursive: true, force: true });
  }
}

/** The process that made a temporary file, or for whose run a directory of staged changes was about to be. */
const MAKER = /[.-](\d+)-[0-9a-f]+(?:\.[0-9a-f]{12})?\.tmp$/;

/**
 * Removes the temporary files and directories of ended processes, of any age, on the user's request. A write by a
 * process in another name space would fail, without losing data.
 */
export function removeDeadTemporaries(directory: string): void {
  for (const name of listNames(directory)) {
    const pid = name.startsWith(".") ? MAKER.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isProcessAlive(Number(pid)))
      rmSync(join(directory, name), { recursive: true, force: true });
  }
}

/** Writes a file atomically unless its name is taken. True if this call made it. */
export function writeNewAtomically(path: string, text: string, mode?: number): boolean {
  const temporary = besides(path);
  try {
    writeDurably(temporary, text, mode);
    linkOrCreate(temporary, { path, text, mode });
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === "EEXIST") return false;
    throw thrown;
  } finally {
    removeQuietly(temporary);
  }
}

/**
 * Some file systems have no hard links. With them the name exists before the content, so a crash can leave a file cut
 * off.
 */
function linkOrCreate(temporary: string, file: NewFile): void {
  try {
    linkSync(temporary, file.path);
  } catch (thrown) {
    if (!NO_LINKS.includes(codeOf(thrown) ?? "")) throw thrown;
    createWhole(file);
  }
}

function createWhole({ path, text, mode }: NewFile): void {
  try {
    writeDurably(path, text, mode);
  } catch (thrown) {
    // If the name was taken, the file belongs to another process.
    if (codeOf(thrown) !== "EEXIST") removeQuietly(path);
    throw thrown;
  }
}

/** Removes a file whose result is final, even if it stays: a later process removes an old one. Never throws. */
export function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    return;
  }
}

/**
 * A fresh name in the same directory, which a listing of its files leaves out. Threads share a process id, hence the
 * bytes.
 */
function besides(path: string): string {
  return join(dirname(path), `.${basename(path)}.${process.pid}-${randomBytes(6).toString("hex")}.tmp`);
}

/** Waits until the names in a directory are on the disk, if the system supports that. */
export function syncDirectory(path: string): void {
  // Windows has no such call. Its file system journals names.
  if (process.platform === "win32") return;
  try {
    syncFile(path);
  } catch (thrown) {
    // Some network and container mounts sync files only.
    if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(codeOf(thrown) ?? "")) throw thrown;
  }
}

/** Waits until a file's bytes are on the disk. */
function syncFile(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces a file in one step, without waiting for the disk: what a power cut may take. Threads share a process id, so
 * the temporary name is random.
 */
export function replaceWithoutSync(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString("hex")}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: "wx" });
    renameSync(temporary, path);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}

/** Creates the state directory if it's missing. One inside the project gets a `.gitignore`. Returns its path. */
export function makeStateDirectory({ state }: Pick<ProjectPaths, "state">): string {
  makeDirectory(state);
  const ignore = join(state, ".gitignore");
  if (basename(state) === ".veritest" && lstatSync(ignore, { throwIfNoEntry: false }) === undefined)
    writeFileSync(ignore, "*\n");
  return state;
}
