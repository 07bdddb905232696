import fs, { type Stats } from "node:fs";
import paths, { type PlatformPath, basename, dirname, join } from "node:path";
import { codeOf } from "../thrown.ts";

/*
 * The plain file work of what veritest writes for itself, under the names that `node:fs` has for it. While directories
 * are held, a path below them is not walked again from the top, on which a directory that was looked at may have become
 * a link to anywhere: every directory is opened once, as a directory and no link, and names are looked up in what is
 * open. Where nothing is held, all of this is `node:fs`.
 */

/** A directory below which no link is followed. How it is reached itself is the user's own arrangement. */
export interface Ground {
  readonly path: string;
  /** True where it is none itself, either. */
  readonly unfollowed?: boolean;
  /** Where it lies below this directory by its path, it must do so wherever links lead, too. */
  readonly area?: string | undefined;
}

/** How many directories are open at once; a process may have no more than 1,024 descriptors. */
const MOST_OPEN = 200;

/** Where Linux has a name for what a process has open. */
const OPENED = "/proc/self/fd/";

const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = fs.constants;

let current: Holder | undefined;

/**
 * Does some work, which must wait for nothing, while each directory at or below these grounds is held from its first
 * use on. Such work within such work shares what is held. Throws what the work does.
 */
export function holding<T>(grounds: readonly Ground[], work: () => T): T {
  const outer = current;
  const holder = outer ?? new Holder();
  for (const ground of grounds) holder.add(ground);
  current = holder;
  try {
    return work();
  } finally {
    current = outer;
    if (outer === undefined) holder.close();
  }
}

/** Throws where a directory that is held is not the one its path leads to any more. */
export function requireUnmoved(): void {
  current?.requireUnmoved();
}

/** What tells a directory from any other. */
interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

class Holder {
  readonly #grounds = new Map<string, Ground>();
  readonly #known = new Map<string, Identity>();
  /** Descriptors by path, the one used last at the end. */
  readonly #open = new Map<string, number>();

  add(ground: Ground): void {
    if (!this.#grounds.has(ground.path)) this.#grounds.set(ground.path, ground);
  }

  close(): void {
    for (const path of this.#open.keys()) this.#shut(path);
  }

  /** Whether a directory is, or lies below, one of the grounds. */
  covers(directory: string): boolean {
    if (this.#known.has(directory) || this.#grounds.has(directory)) return true;
    const parent = dirname(directory);
    return parent !== directory && this.covers(parent);
  }

  /** Holds a directory: its descriptor, or undefined where a system has no names for what is open. */
  hold(directory: string): number | undefined {
    const open = this.#open.get(directory);
    if (open !== undefined) {
      this.#open.delete(directory);
      this.#open.set(directory, open);
      return open;
    }
    const { identity, descriptor } = this.#openOne(directory, this.#grounds.get(directory));
    const known = this.#known.get(directory);
    if (known !== undefined && !isSame(known, identity)) {
      if (descriptor !== undefined) fs.closeSync(descriptor);
      throw replaced(directory);
    }
    this.#known.set(directory, identity);
    if (descriptor !== undefined) this.#keepOpen(directory, descriptor);
    return descriptor;
  }

  /** What stands for a path while its directory is held. */
  nameOf(path: string): string {
    const descriptor = this.hold(dirname(path));
    return descriptor === undefined ? path : join(`${OPENED}${descriptor}`, basename(path));
  }

  /** A directory that goes, or goes elsewhere, by what veritest does itself. */
  forget(directory: string): void {
    if (!this.#known.has(directory)) return;
    for (const path of [...this.#known.keys()].filter((each) => isWithin(directory, each))) {
      this.#known.delete(path);
      this.#shut(path);
    }
  }

  requireUnmoved(): void {
    for (const [path, known] of this.#known) {
      const now = fs.statSync(path, { bigint: true, throwIfNoEntry: false });
      if (now === undefined || !isSame(known, now)) throw replaced(path);
    }
  }

  #openOne(directory: string, ground: Ground | undefined): Opened {
    if (process.platform !== "linux") return this.#lookAt(directory, ground);
    const name = ground === undefined ? this.nameOf(directory) : directory;
    const descriptor = openDirectory(directory, name, isFollowed(ground) ? 0 : O_NOFOLLOW);
    try {
      const real = realOfOpen(descriptor);
      if (real !== undefined) {
        if (ground !== undefined) requireInside(ground, real);
        return { identity: fs.fstatSync(descriptor, { bigint: true }), descriptor };
      }
    } catch (thrown) {
      fs.closeSync(descriptor);
      throw thrown;
    }
    fs.closeSync(descriptor);
    return this.#lookAt(directory, ground);
  }

  /** Without a name for what is open: looked at before each use, so that only that instant is left. */
  #lookAt(directory: string, ground: Ground | undefined): Opened {
    if (ground !== undefined) requireInside(ground, fs.realpathSync(directory));
    else if (!this.#known.has(directory)) this.hold(dirname(directory));
    const identity = (isFollowed(ground) ? fs.statSync : fs.lstatSync)(directory, { bigint: true });
    if (identity.isSymbolicLink()) throw isLink(directory);
    return { identity, descriptor: undefined };
  }

  #keepOpen(directory: string, descriptor: number): void {
    const [oldest] = this.#open.keys();
    if (this.#open.size >= MOST_OPEN && oldest !== undefined) this.#shut(oldest);
    this.#open.set(directory, descriptor);
  }

  #shut(path: string): void {
    const descriptor = this.#open.get(path);
    this.#open.delete(path);
    if (descriptor !== undefined) fs.closeSync(descriptor);
  }
}

interface Opened {
  readonly identity: Identity;
  readonly descriptor: number | undefined;
}

function isFollowed(ground: Ground | undefined): boolean {
  return ground !== undefined && ground.unfollowed !== true;
}

function openDirectory(directory: string, name: string, unfollowed: number): number {
  try {
    return fs.openSync(name, O_RDONLY | O_DIRECTORY | unfollowed);
  } catch (thrown) {
    const code = codeOf(thrown);
    const found = code === "ENOTDIR" || code === "ELOOP" ? fs.lstatSync(name, { throwIfNoEntry: false }) : undefined;
    throw found?.isSymbolicLink() === true ? isLink(directory) : renamed(thrown, [[name, directory]]);
  }
}

/** Where an open directory is now; undefined where no system tells. */
function realOfOpen(descriptor: number): string | undefined {
  try {
    return fs.readlinkSync(`${OPENED}${descriptor}`);
  } catch {
    return undefined;
  }
}

function requireInside({ path, area }: Ground, real: string): void {
  if (area === undefined || !isWithin(area, path) || isWithin(fs.realpathSync(area), real)) return;
  throw new Error(`Refused to touch ${path}: it leads to ${real}, outside of ${area}.`);
}

/** Tells whether a path is a directory or lies below it. On Windows the way to another drive is an absolute path. */
export function isWithin(directory: string, path: string, system: PlatformPath = paths): boolean {
  const way = system.relative(directory, path);
  return way.split(system.sep)[0] !== ".." && !system.isAbsolute(way);
}

function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function isLink(directory: string): Error {
  return new Error(`Refused to touch ${directory}: it is a symbolic link. Replace it by a real directory.`);
}

function replaced(directory: string): Error {
  return new Error(`${directory} was moved or replaced while files in it were written.`);
}

/** What the system said, with the paths that were asked about instead of the names that stood for them. */
function renamed(thrown: unknown, names: readonly (readonly [string, string])[]): unknown {
  if (typeof thrown !== "object" || thrown === null || !("message" in thrown)) return thrown;
  for (const [name, path] of names) {
    thrown.message = String(thrown.message).replaceAll(name, path);
    for (const key of ["path", "dest"]) if (Reflect.get(thrown, key) === name) Reflect.set(thrown, key, path);
  }
  return thrown;
}

/** Whether the directory that a path is in is held, or to be held at its first use. */
function heldIn(path: string): boolean {
  return current?.covers(dirname(path)) === true;
}

/** Asks the system about paths by what stands for them. */
function asked<T>(paths: readonly [string, ...string[]], work: (name: string, other: string) => T): T {
  const holder = current;
  const names = paths.map((path) => (holder !== undefined && heldIn(path) ? holder.nameOf(path) : path));
  const [name = "", other = ""] = names;
  try {
    return work(name, other);
  } catch (thrown) {
    throw renamed(
      thrown,
      names.map((each, index) => [each, paths[index] ?? ""]),
    );
  }
}

/** The same for what is gone where its directory is. */
function askedIfThere<T>(path: string, work: (name: string) => T): T | undefined {
  try {
    return asked([path], work);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

/** Opens a file. */
export function openSync(path: string, flags: string | number, mode?: number): number {
  return asked([path], (name) => fs.openSync(name, flags, mode));
}

/** Reads a file whole. */
export function readFileSync(path: string): Buffer {
  return asked([path], (name) => fs.readFileSync(name));
}

/** Writes a file whole. */
export function writeFileSync(path: string, text: string, options: fs.WriteFileOptions = {}): void {
  asked([path], (name) => fs.writeFileSync(name, text, options));
}

/** Renames a file or a directory; what was held below its old name is so no more. */
export function renameSync(from: string, to: string): void {
  asked([from, to], (name, other) => fs.renameSync(name, other));
  current?.forget(from);
}

/** Gives a file a second name. */
export function linkSync(from: string, to: string): void {
  asked([from, to], (name, other) => fs.linkSync(name, other));
}

/** Copies a file; `mode` as of `node:fs`. */
export function copyFileSync(from: string, to: string, mode?: number): void {
  asked([from, to], (name, other) => fs.copyFileSync(name, other, mode));
}

/** Throws where a file cannot be used so. */
export function accessSync(path: string, mode: number): void {
  asked([path], (name) => fs.accessSync(name, mode));
}

/** Sets the times of a file, in seconds since 1970. */
export function utimesSync(path: string, accessed: number, modified: number): void {
  asked([path], (name) => fs.utimesSync(name, accessed, modified));
}

/** Removes an empty directory. */
export function rmdirSync(path: string): void {
  asked([path], (name) => fs.rmdirSync(name));
  current?.forget(path);
}

/** Removes a file, or a directory where `recursive`; one that is gone is none to remove. */
export function rmSync(path: string, options: { readonly recursive?: boolean } = {}): void {
  if (options.recursive === true && heldIn(path)) removeAll(path);
  else askedIfThere(path, (name) => fs.rmSync(name, { ...options, force: true }));
}

/** Name by name: the system's own way down knows nothing of what is held. */
function removeAll(path: string): void {
  if (lstatSync(path)?.isDirectory() !== true) return rmSync(path);
  for (const entry of fs.readdirSync(placeOf(path), { withFileTypes: true })) {
    const inside = join(path, entry.name);
    if (entry.isDirectory()) removeAll(inside);
    else askedIfThere(inside, (name) => fs.unlinkSync(name));
  }
  rmdirSync(path);
}

/** What is at a path, links followed; undefined where nothing is. */
export function statSync(path: string): Stats | undefined {
  return askedIfThere(path, (name) => fs.statSync(name, { throwIfNoEntry: false }));
}

/** What is at a path itself; undefined where nothing is. */
export function lstatSync(path: string): Stats | undefined {
  return askedIfThere(path, (name) => fs.lstatSync(name, { throwIfNoEntry: false }));
}

/** The names in a directory. */
export function readdirSync(path: string): string[] {
  return fs.readdirSync(placeOf(path));
}

/** What stands for a directory itself while it is held. */
function placeOf(path: string): string {
  const descriptor = heldDirectory(path);
  return descriptor === undefined ? path : `${OPENED}${descriptor}`;
}

/** The descriptor of a directory that is held, not to be closed; undefined where there is none. */
export function heldDirectory(path: string): number | undefined {
  return current?.covers(path) === true ? current.hold(path) : undefined;
}

/** Makes a directory and those above it that are missing. Returns the outermost it made; undefined where none was. */
export function makeDirectories(path: string, mode?: number): string | undefined {
  if (!heldIn(path)) return fs.mkdirSync(path, { recursive: true, ...(mode === undefined ? {} : { mode }) });
  const made = makeOne(path, mode);
  if (made !== "no parent") return made === "made" ? path : undefined;
  const outermost = makeDirectories(dirname(path), mode);
  if (makeOne(path, mode) === "no parent") throw replaced(dirname(path));
  return outermost ?? path;
}

function makeOne(path: string, mode: number | undefined): "made" | "there" | "no parent" {
  try {
    asked([path], (name) => fs.mkdirSync(name, mode));
    return "made";
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return "no parent";
    if (codeOf(thrown) !== "EEXIST") throw thrown;
    current?.hold(path);
    return "there";
  }
}
