import { cpSync, mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { REPOSITORY } from "./repository.ts";

/**
 * Makes a project outside the repository, as a user's would be: a copy of the built package in its `node_modules`,
 * links to the repository's own copies of the named packages, and the given files by path. Returns its directory.
 */
export function createTrial(packages: readonly string[], files: ReadonlyMap<string, string>): string {
  // The real path: a runner names its files by it, and some systems keep the temporary directory behind a link.
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-trial-")));
  copyPackage(join(directory, "node_modules/veritest"));
  for (const name of packages) linkPackage(directory, name);
  for (const [path, text] of files) writeInto(directory, path, text);
  return directory;
}

/** Writes one file of a project, with the directories it needs. */
export function writeInto(directory: string, path: string, text: string): void {
  const file = join(directory, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A copy, not a link: a build that runs meanwhile must not pull the files away. */
function copyPackage(target: string): void {
  for (const part of ["package.json", "dist"]) cpSync(join(REPOSITORY, part), join(target, part), { recursive: true });
}

function linkPackage(directory: string, name: string): void {
  const link = join(directory, "node_modules", name);
  mkdirSync(dirname(link), { recursive: true });
  // Windows makes junctions without special rights, other systems ignore the type.
  symlinkSync(join(REPOSITORY, "node_modules", name), link, "junction");
}
