import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { runChild } from "./run-child.ts";
import type { Runner } from "./runners.ts";

/** The root of this repository. */
export const REPOSITORY: string = dirname(dirname(import.meta.dirname));

/**
 * Where a runner's project is installed. Outside of the repository, so that nothing is found in the repository's own
 * node_modules by accident, and not below any node_modules, where Jest finds no tests and Vite transforms nothing.
 */
export function installDirectory({ name }: Runner): string {
  const checkout = createHash("sha256").update(REPOSITORY).digest("hex").slice(0, 8);
  return join(realpathSync(tmpdir()), `veritest-e2e-${checkout}`, name);
}

/** The tracked files of a runner's project. */
export function fixtureDirectory({ name }: Runner): string {
  return join(REPOSITORY, "fixtures", "projects", name);
}

/**
 * Installs a runner's pinned packages, unless the same package.json is installed already, and the tarball in any case.
 */
export async function install(runner: Runner, tarball: string): Promise<void> {
  const directory = installDirectory(runner);
  const manifest = readFileSync(join(fixtureDirectory(runner), "package.json"), "utf8");
  const stamp = join(directory, "installed.json");
  if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== manifest) {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { recursive: true });
    cpSync(join(fixtureDirectory(runner), "package.json"), join(directory, "package.json"));
    await must(
      "npm",
      ["install", "--no-audit", "--no-fund", "--no-package-lock", "--prefer-offline", "--silent"],
      directory,
    );
    writeFileSync(stamp, manifest);
  }
  rmSync(join(directory, "work"), { recursive: true, force: true });
  const target = join(directory, "node_modules", "veritest");
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  // What npm does with a tarball without install scripts, its dependencies taken from this repository.
  await must("tar", ["-xzf", tarball, "--strip-components=1", "-C", target], directory);
  for (const name of ["commander", "fflate"])
    cpSync(join(REPOSITORY, "node_modules", name), join(target, "node_modules", name), { recursive: true });
}

/**
 * Runs a program that has to succeed; throws with everything it printed when it does not. Returns its standard output.
 */
export async function must(command: string, args: readonly string[], cwd: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runChild(command, args, { cwd });
  if (exitCode === 0) return stdout;
  throw new Error(`${command} ${args.join(" ")} ended with ${exitCode} in ${cwd}:\n${stdout}\n${stderr}`);
}
