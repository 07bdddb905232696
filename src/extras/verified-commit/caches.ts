import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { type LinkState, isCache, namesIn, packageFolders, stampOf } from "./links.ts";
import { removeFolder } from "./own-repository.ts";

/** Caches in the linked packages, each with its state before the command ran. */
export type Caches = ReadonlyMap<string, string>;

/** State of a cache that each program of the run has a copy of. */
const PRIVATE = "private";

/** Paths of the caches in the linked packages. */
function cachesIn(top: string, links: LinkState): readonly string[] {
  const entries = packageFolders(links).flatMap((path) => {
    const folder = join(top, path);
    return namesIn(folder).flatMap((name) => (isCache(name) ? [join(folder, name)] : []));
  });
  // Files in their place are notes of package managers.
  return entries.filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === false);
}

/** Caches that a namespace can replace by copies. */
export function cacheFolders(top: string, links: LinkState): readonly string[] {
  return cachesIn(top, links).filter((path) => lstatSync(path).isDirectory());
}

/** Reads the state of the caches, but not of those that are private in namespaces. */
export function readCaches(top: string, links: LinkState, isConfined: boolean): Caches {
  return new Map(cachesIn(top, links).map((path) => [path, stateOf(path, isConfined)]));
}

/**
 * Removes the caches that changed since the start of the run: a program of it may have put other code there than the
 * commit has.
 */
export function removeChangedCaches(context: {
  readonly repository: { readonly top: string };
  readonly linkState: LinkState;
  readonly caches: Caches;
  readonly confinement: { readonly isConfined: boolean };
}): void {
  const { repository, linkState, caches, confinement } = context;
  for (const path of cachesIn(repository.top, linkState))
    if (caches.get(path) !== stateOf(path, confinement.isConfined)) removeFolder(path);
}

function stateOf(cache: string, isConfined: boolean): string {
  if (isConfined && lstatSync(cache, { throwIfNoEntry: false })?.isDirectory() === true) return PRIVATE;
  const hash = createHash("sha256");
  const pending = [cache];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const stats = lstatSync(at, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) continue;
    hash.update(`${at}\0${stampOf(stats)}\0`);
    if (stats.isDirectory()) for (const name of readdirSync(at).toSorted()) pending.push(join(at, name));
    else if (at === cache && existsSync(at)) pending.push(realpathSync(at));
  }
  return hash.digest("hex");
}
