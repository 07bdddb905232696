import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { gitSync } from "../kernel/files/git.ts";
import { findGit } from "../kernel/files/project-paths.ts";
import { listNames, readText } from "../kernel/files/read.ts";
import { isBaselineFileName, isTestFileName } from "./baseline-paths.ts";
import { baselineRoots, directoriesIn, filesOfGroup } from "./baseline-files.ts";
import { isTestSource } from "./tests-of-baselines.ts";

/** Baselines of a step or test file whose test went to another folder, or got another name, and left them. */
export interface MovedGroup {
  /** The directory they lie in, absolute. */
  readonly from: string;
  /** The directory in which tests look for them now, absolute; it need not be there yet. */
  readonly to: string;
  /** The names of the files that both have, or are looked for. */
  readonly names: readonly string[];
  /** True if the folder of `from` has no tests left, so that no test uses the baselines in it. */
  readonly isLeft?: boolean;
}

/** Baselines by their use in a run. All paths are absolute. */
export interface RunBaselines {
  /** Files of baselines that are missing or were captured. */
  readonly wanted: readonly string[];
  /** Directories of baselines that tests of today use. */
  readonly used: ReadonlySet<string>;
  /** Files of baselines that no test uses. */
  readonly unused: ReadonlySet<string>;
  /** True if tests of other folders, or tests that didn't run, may use the baselines of a folder without tests. */
  readonly mayBeElsewhere: boolean;
}

/**
 * Finds baselines that were left behind, by the case that they are of: those of the same step or test file in another
 * folder, and those of another name in the same folder, which no test uses now. Reads each directory below `root` at
 * most once, and the source files next to baselines until one is a test.
 */
export function movedGroups(
  root: string,
  { wanted, used, unused, mayBeElsewhere }: RunBaselines,
): readonly MovedGroup[] {
  const folders = new Map<string, boolean>();
  const groups = Map.groupBy(wanted, (path) => dirname(path));
  for (const to of groups.keys()) {
    const folder = dirname(dirname(to));
    if (!folders.has(folder)) folders.set(folder, hasTests(folder));
    if (folders.get(folder) === false) groups.delete(to);
  }
  if (groups.size === 0) return [];
  const wantedFiles = new Set(wanted);
  const roots = [...baselineRoots(root)].map((path) => {
    const names = new Set(directoriesIn(path));
    const isLeft = !mayBeElsewhere && !used.has(path) && !hasTests(dirname(path));
    const present = mayBeElsewhere ? names : new Set(listNames(dirname(path)));
    return { path, names, isLeft, abandoned: abandonedFiles(path, names, { unused, present }) };
  });
  const moved = new Map<string, readonly string[]>();
  // Without this proof, `veritest capture` may have made the baselines of a folder without tests.
  const isMoved = (from: string, to: string): boolean => {
    const tests = moved.get(from) ?? movedTests(from);
    moved.set(from, tests);
    return tests.some((path) => dirname(path) === to);
  };
  return [...groups].flatMap(([to, paths]) => {
    const cases = new Set(paths.map(caseOf));
    const name = basename(to);
    const isSafe = ({ from }: MovedGroup): boolean =>
      isAbandoned(basename(from), roots) && sharesNoCase({ from: basename(from), to: name }, wantedFiles, roots);
    return roots.flatMap((there): MovedGroup[] => {
      if (there.path === dirname(to)) return renamedGroups(to, cases, there.abandoned).filter(isSafe);
      if (!there.names.has(name)) return [];
      const from = join(there.path, name);
      const files = filesOfGroup(there.path, from).filter(({ path }) => cases.has(caseOf(path)));
      const isLeft = there.isLeft && files.length > 0 && isMoved(dirname(there.path), dirname(dirname(to)));
      const names = files.filter(({ path }) => isLeft || unused.has(path)).map(({ path }) => basename(path));
      return names.length === 0 ? [] : [{ from, to, names, isLeft }];
    });
  });
}

/**
 * Returns true if no baseline of a name is used, in any folder: `veritest rename-step` renames all of them. Tests that
 * didn't run may use those of another folder.
 */
function isAbandoned(name: string, roots: readonly BaselineRoot[]): boolean {
  return roots.every(({ path, names, abandoned }) => {
    const files = names.has(name) ? filesOfGroup(path, join(path, name)) : [];
    return files.every((file) => abandoned.get(caseOf(file.path))?.includes(file.path) === true);
  });
}

/**
 * Returns true if no case of the old name is one of the new name too, in any folder, apart from the new cases of this
 * run: `veritest rename-step --force` replaces them all.
 */
function sharesNoCase(
  { from, to }: { readonly from: string; readonly to: string },
  wanted: ReadonlySet<string>,
  roots: readonly BaselineRoot[],
): boolean {
  return roots.every(({ path, names }) => {
    if (!names.has(from) || !names.has(to)) return true;
    const cases = new Set(filesOfGroup(path, join(path, from)).map((file) => caseOf(file.path)));
    return filesOfGroup(path, join(path, to)).every((file) => wanted.has(file.path) || !cases.has(caseOf(file.path)));
  });
}

/** One directory of baselines. */
interface BaselineRoot {
  readonly path: string;
  /** Names of its groups. */
  readonly names: ReadonlySet<string>;
  /** Files that no test uses, by their case. */
  readonly abandoned: ReadonlyMap<string, readonly string[]>;
}

/** Files of one directory of baselines that no test uses, or whose test file isn't present, by their case. */
function abandonedFiles(
  root: string,
  names: ReadonlySet<string>,
  { unused, present }: { readonly unused: ReadonlySet<string>; readonly present: ReadonlySet<string> },
): ReadonlyMap<string, readonly string[]> {
  const files = [...names].flatMap((name) => {
    const isGone = isTestFileName(name) && !present.has(name);
    const paths = filesOfGroup(root, join(root, name)).map(({ path }) => path);
    return isGone ? paths : paths.filter((path) => unused.has(path));
  });
  return Map.groupBy(files, caseOf);
}

/** Groups of another name in the same directory of baselines. */
function renamedGroups(
  to: string,
  cases: ReadonlySet<string>,
  abandoned: ReadonlyMap<string, readonly string[]>,
): MovedGroup[] {
  const files = [...cases].flatMap((id) => abandoned.get(id) ?? []).filter((path) => dirname(path) !== to);
  return [...Map.groupBy(files.toSorted(), (path) => dirname(path))].map(([from, paths]) => ({
    from,
    to,
    names: paths.map((path) => basename(path)),
  }));
}

/**
 * Files of a directory of baselines that another one also has, byte by byte, if their test file was moved there: git
 * knows that it was in the folder, and that one change removed it and added the only file of its name, there. A test
 * that is elsewhere by configuration never was in the folder, or is in another one by now. `owner` is the test file of
 * values. A step's baselines may belong to any test that is left in the folder.
 */
export function copiedFiles(
  from: string,
  { directories, owner }: { readonly directories: readonly string[]; readonly owner: string | undefined },
): MovedGroup | undefined {
  const folder = dirname(dirname(from));
  if (owner === undefined ? hasTests(folder) : existsSync(join(folder, owner))) return undefined;
  const matches = directories
    .filter((to) => to !== from)
    .map((to) => ({
      from,
      to,
      names: listNames(from).filter((name) => {
        const text = readText(join(from, name));
        return text !== undefined && text === readText(join(to, name));
      }),
    }))
    .filter(({ names }) => names.length > 0);
  const tests = matches.length === 0 ? [] : movedTests(folder, owner).map((path) => dirname(path));
  const match = matches.find(({ to }) => tests.includes(dirname(dirname(to))));
  return match === undefined || mayStoreAway(folder) ? undefined : match;
}

/** Paths of the tests that left a folder by git's history; those of one name, if it is given. */
function movedTests(folder: string, owner?: string): string[] {
  const top = findGit(folder)?.top;
  if (top === undefined) return [];
  const removals = [...removalsIn(folder)].filter(([name]) => owner === undefined || name.normalize("NFC") === owner);
  return removals.flatMap(([name, commit]) => addedWith(commit, { top, name }) ?? []).filter(isTestSource);
}

/** Names of the files that were in a folder by git's history, and aren't now, with the last removal's commit. */
function removalsIn(folder: string): ReadonlyMap<string, string> {
  const options = ["--name-only", "--diff-filter=D", "--no-renames", "--relative", "-z"];
  const outputs = [
    ["diff", "HEAD"],
    ["log", "--format=/%H"],
  ].map(([command = "", first = ""]) => gitSync([command, first, ...options, "--", "."], { cwd: folder }));
  const removals = new Map<string, string>();
  let commit = UNCOMMITTED;
  for (const part of outputs.flatMap((output) => (output.ok ? output.value.split(/[\0\n]/) : []))) {
    if (part.startsWith("/")) commit = part.slice(1);
    else if (part !== "" && !part.includes("/") && !removals.has(part) && !existsSync(join(folder, part)))
      removals.set(part, commit);
  }
  return removals;
}

const UNCOMMITTED = "";

/** Path of the only file of a name that a commit added, or that isn't committed yet. */
function addedWith(commit: string, { top, name }: { readonly top: string; readonly name: string }): string | undefined {
  const options = ["--name-only", "--diff-filter=A", "--no-renames", "-z"];
  const calls =
    commit === UNCOMMITTED
      ? [
          ["diff", "HEAD", ...options],
          ["ls-files", "--others", "--exclude-standard", "-z"],
        ]
      : [["show", "--format=", ...options, commit]];
  const outputs = calls.map((call) => gitSync(call, { cwd: top }));
  const paths = outputs.flatMap((output) => (output.ok ? output.value.split("\0") : []));
  const [path, another] = paths.filter((each) => basename(each) === name);
  return path === undefined || another !== undefined ? undefined : join(top, path);
}

/** Returns false if no file of a project's repository names a setting that stores snapshots away from their tests. */
export function mayStoreAway(from: string): boolean {
  const settings = ["resolveSnapshotPath", "snapshotResolver"].flatMap((name) => ["-e", name]);
  const files = ["--", ".", ":(exclude,glob)**/node_modules/**"];
  const search = gitSync(["grep", "--no-index", "--exclude-standard", "-l", ...settings, ...files], {
    cwd: findGit(from)?.top ?? from,
  });
  return search.ok || search.error !== "git grep ended with 1";
}

/** The part of a file name that identifies the case: the label may differ if the test was renamed. */
export function caseOf(path: string): string {
  return basename(path).replace(/^.*-(?=[0-9a-f]{8,16}\.json$)/, "");
}

/** Returns the path of a case in a directory, where its label may differ; with its own label if it isn't there. */
export function pathOfCase(directory: string, fileName: string): string {
  const own = join(directory, fileName);
  if (existsSync(own)) return own;
  const id = caseOf(fileName);
  const name = listNames(directory).find((each) => isBaselineFileName(each) && caseOf(each) === id);
  return name === undefined ? own : join(directory, name);
}

const SOURCE = /\.[cm]?[jt]sx?$/;

/** True if a folder has a test, whatever its name is. */
function hasTests(folder: string): boolean {
  const names = listNames(folder);
  if (names.some(isTestFileName)) return true;
  return names.some((name) =>
    basename(folder) === "__tests__" ? SOURCE.test(name) : isTestSource(join(folder, name)),
  );
}
