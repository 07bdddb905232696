import { isAbsolute, posix } from "node:path";
import { type ChangedFile, LINK, isNoContent } from "./changes.ts";
import { type GateFinding, isTestFile } from "./check-diff.ts";
import { type GitCall, git } from "./git.ts";
import type { Links } from "./links.ts";

/** Files to check, and what surrounds them. */
export interface CheckedTree {
  /** The tree of git that would be committed. */
  readonly tree: string;
  /** Folders that the checks use, and no commit has. */
  readonly links: Links;
}

/** Checks the paths of changed files: tests must load the files that production code loads. Throws if git fails. */
export async function checkPaths(
  changes: readonly ChangedFile[],
  { tree, links }: CheckedTree,
  call: GitCall,
): Promise<readonly GateFinding[]> {
  const paths = await pathsOf(tree, call);
  return [
    ...(await outsideLinks(changes, links, call)),
    ...namesForWindows(changes, paths),
    ...sameNames(changes, paths),
    ...twins(changes, paths),
  ];
}

async function pathsOf(tree: string, call: GitCall): Promise<readonly string[]> {
  const listed = await git(["ls-tree", "-r", "-z", "--name-only", "--full-tree", tree], call);
  if (!listed.ok) throw new Error(listed.error.message);
  return listed.value.split("\0");
}

/** New files that Windows can't have as they are. */
function namesForWindows(changes: readonly ChangedFile[], paths: readonly string[]): readonly GateFinding[] {
  const added = addedIn(changes);
  return paths.flatMap((path): readonly GateFinding[] => {
    const detail = added.has(path) ? windowsProblem(path) : undefined;
    return detail === undefined ? [] : [{ rule: "name", path, line: undefined, detail }];
  });
}

/** New files whose names macOS and Windows can't tell from others: a checkout there has only one of them. */
function sameNames(changes: readonly ChangedFile[], paths: readonly string[]): readonly GateFinding[] {
  const added = addedIn(changes);
  const groups = Map.groupBy(paths, (path) => path.normalize("NFC").toLowerCase());
  return [...groups.values()].flatMap((files): readonly GateFinding[] => {
    const path = files.find((each) => added.has(each));
    if (files.length === 1 || path === undefined) return [];
    const confused = files.filter((each) => each !== path).join(", ");
    return [{ rule: "name", path, line: undefined, detail: `macOS and Windows confuse it with ${confused}` }];
  });
}

/** Names of devices, and names that end with a dot or a space or contain a character that Windows forbids. */
const NOT_ON_WINDOWS = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|[. ]$|[<>:"|?*]/i;

/** Returns why Windows can't have a path as it is; undefined if it can. */
function windowsProblem(path: string): string | undefined {
  if (path.includes("\\")) return "Windows reads its backslash as a folder";
  return path.split("/").some((name) => NOT_ON_WINDOWS.test(name))
    ? "Windows can't have a file of this name"
    : undefined;
}

function addedIn(changes: readonly ChangedFile[]): ReadonlySet<string> {
  return new Set(changes.flatMap(({ path, oldPath, kind }) => (kind === "added" || path !== oldPath ? [path] : [])));
}

/** Links to files that no commit has: the checks would test those, and they can change later. */
async function outsideLinks(
  changes: readonly ChangedFile[],
  links: Links,
  call: GitCall,
): Promise<readonly GateFinding[]> {
  const outside = [".git", ...links];
  const findings: GateFinding[] = [];
  for (const { path, newId } of changes.filter(({ newMode, newId: id }) => newMode === LINK && !isNoContent(id))) {
    const blob = await git(["cat-file", "blob", newId], call);
    if (!blob.ok) throw new Error(blob.error.message);
    const target = blob.value;
    const inside = posix.join(posix.dirname(path), target);
    if (isAbsolute(target) || inside.startsWith("..") || outside.some((each) => `${inside}/`.startsWith(`${each}/`)))
      findings.push({ rule: "link", path, line: undefined, detail: `it links out of the repository, to ${target}` });
  }
  return findings;
}

const MODULE = /^(?<stem>.*(?<!\.d))\.[cm]?(?<kind>[jt])sx?$/;

/**
 * New modules that differ from another module only in the extension. Bundlers and test runners load `price.js` for an
 * import of `./price.js` or `./price`, and the compiler takes `price.ts`. A project that has such pairs compiles into
 * its source folders.
 */
function twins(changes: readonly ChangedFile[], paths: readonly string[]): readonly GateFinding[] {
  const added = addedIn(changes);
  const modules = paths.filter((path) => MODULE.test(path) && !isTestFile(path));
  const pairs = [...Map.groupBy(modules, (path) => MODULE.exec(path)?.groups?.["stem"]).values()].filter(
    (files) => new Set(files.map((path) => MODULE.exec(path)?.groups?.["kind"])).size > 1,
  );
  if (pairs.some((files) => files.every((path) => !added.has(path)))) return [];
  return pairs.flatMap((files) => {
    const path = files.find((each) => added.has(each)) ?? "";
    const replaced = files.filter((each) => each !== path).join(", ");
    return [{ rule: "test-aware", path, line: undefined, detail: `tests might load it in place of ${replaced}` }];
  });
}
