import { lstatSync } from "node:fs";
import paths, { type PlatformPath } from "node:path";
import { realPath } from "./read.ts";

/** Returns true if a path is a directory or is below it. On Windows the path to another drive is absolute. */
export function isWithin(directory: string, path: string, system: PlatformPath = paths): boolean {
  const way = system.relative(directory, path);
  return way.split(system.sep)[0] !== ".." && !system.isAbsolute(way);
}

/** Returns true if a path is in a directory by its name, and a link leads it out of the directory. */
export function isLedOut(path: string, directory: string): boolean {
  return isWithin(directory, path) && !isWithin(realPath(directory), realPath(path));
}

/** Throws if a directory is below `area` by its path but links lead out of it. */
export function requireInside(directory: string, area: string): void {
  if (isLedOut(directory, area))
    throw new Error(`Refused to change ${directory}: it points to ${realPath(directory)}, outside of ${area}.`);
}

/** Throws if a directory that veritest makes for its own files is a symbolic link. */
export function requireNoLink(directory: string): void {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() === true)
    throw new Error(`${directory} is a symbolic link, so veritest doesn't use it. Replace it with a real directory.`);
}
