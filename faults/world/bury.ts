import { existsSync, readFileSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isPlainObject } from "../../src/kernel/json/plain-data.ts";
import type { ProjectPaths } from "../../src/kernel/files/project-paths.ts";
import { ownIdentity } from "../../src/kernel/files/processes.ts";

/**
 * Makes the owner of every lock and stage a dead process. What dies "by silence" shares this process's identity, which
 * lives on; a real one would have left the same files under a number nobody has.
 */
export function bury({ state }: Pick<ProjectPaths, "state">): void {
  const locks = names(join(state, "lock")).filter((name) => name.endsWith(".lock"));
  for (const name of locks) buryOne(join(state, "lock", name));
  for (const run of names(join(state, "stage"))) buryOne(join(state, "stage", run, "OWNER"));
}

function buryOne(path: string): void {
  if (!existsSync(path)) return;
  const owner = parsed(readFileSync(path, "utf8"));
  if (owner === undefined) {
    // Cut off, as a crash leaves it where there are no hard links: nobody can be asked, and it is over after a minute.
    const old = new Date(Date.now() - 3_600_000);
    utimesSync(path, old, old);
    return;
  }
  const { host, pidNamespace } = ownIdentity();
  if (owner["host"] === host && owner["pidNamespace"] === pidNamespace)
    writeFileSync(path, JSON.stringify({ ...owner, startTicks: "1" }));
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
