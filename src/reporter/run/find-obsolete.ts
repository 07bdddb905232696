import { lstatSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { isWithin } from "../../kernel/files/real-directory.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { baselineRoots } from "../../baseline/baseline-files.ts";
import { isBaselineFileName } from "../../baseline/baseline-paths.ts";
import { isTestSource } from "../../baseline/tests-of-baselines.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import type { UnusedBaseline } from "../../updates/gates/changed-inputs.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";

/** A test file of the run, as its runner saw it end. */
export interface RanTestFile {
  readonly testPath: string;
  /** Name of the project that ran it, if the reporter knows it and its workers don't, as in Jest. */
  readonly project?: string | undefined;
  /** True if every test in it ran and passed: none failed, was skipped, filtered out or is a todo. */
  readonly allPassed: boolean;
  /** True when a test in it failed or it could not be loaded. */
  readonly failed: boolean;
}

/**
 * Reason why an unused baseline may not be obsolete. `incomplete`: tests of its files were skipped or failed.
 * `outside`: the run leaves out test files that may use it. `projects`: it may leave out projects. `untested`: its
 * project ran no tests, so that only commands may use it.
 */
export type UnjudgedReason = "incomplete" | "outside" | "projects" | "untested";

/** Baselines that no test of a run used. */
export interface UnusedBaselines {
  readonly obsolete: readonly BaselineUpdate[];
  /** Number of unused baselines that may belong to tests that this run didn't complete, by reason. */
  readonly unjudged: ReadonlyMap<UnjudgedReason, number>;
}

/** End of a run, for its unused baselines. */
interface EndedTests {
  readonly files: readonly RanTestFile[];
  /** True if projects that it left out may use any of them. */
  readonly mayLackProjects?: boolean | undefined;
  /** Directories of projects that ran no tests. */
  readonly idleProjects?: readonly string[] | undefined;
}

/** Test files with the same baseline directory. */
interface Users {
  readonly root: string;
  readonly testPaths: readonly string[];
  readonly touched: ReadonlySet<string>;
}

/**
 * Finds the baselines that no test uses. A value's baseline belongs to the test file that it names. It's obsolete if
 * that file ran completely without using it, or is gone. A step's baseline may belong to any test file next to it. It's
 * obsolete if all of these ran completely without using it. A test file that isn't part of the run, because another
 * configuration includes it, keeps its baselines. `RunDirector.end` removes obsolete baselines only with -u, after a
 * complete run (`RunEnd.complete`, from the runner's reporter).
 */
export function findObsolete(
  { files, mayLackProjects = false, idleProjects = [] }: EndedTests,
  logs: readonly TestFileLog[],
): UnusedBaselines {
  const isObsolete = ({ reason }: UnusedGroup): boolean => reason === undefined && !mayLackProjects;
  const groups = unusedBy(files, logs);
  const idle = mayLackProjects ? "projects" : "untested";
  const unjudged = Map.groupBy<UnjudgedReason, Pick<UnusedGroup, "reason" | "paths">>(
    [
      ...groups.filter((group) => !isObsolete(group)),
      ...idlePaths(idleProjects, logs).map((paths) => ({ reason: idle, paths }) as const),
    ],
    ({ reason }) => reason ?? "projects",
  );
  return {
    obsolete: groups.filter(isObsolete).flatMap(({ root, paths }) => paths.map((path) => removalOf(root, path))),
    unjudged: new Map([...unjudged].map(([reason, of]) => [reason, of.flatMap(({ paths }) => paths).length])),
  };
}

/** Baselines in these directories that no test of another one uses, by group. */
function idlePaths(directories: readonly string[], logs: readonly TestFileLog[]): string[][] {
  const used = new Set(logs.map(({ root }) => root));
  try {
    const roots = directories.flatMap((directory) => [...baselineRoots(directory)]).filter((root) => !used.has(root));
    return roots.flatMap(groupsOf).filter((paths) => paths.length > 0);
  } catch {
    // A directory that can't be read must not fail the run.
    return [];
  }
}

/**
 * Finds the baselines that no test of a run used. Tests that were skipped, filtered out or failed may use them, and so
 * may other test files. `findChangedInputs` looks among them for the earlier case of a new one, in partial runs too.
 * The run doesn't write such a pair: it becomes pending.
 */
export function findUnused(files: readonly RanTestFile[], logs: readonly TestFileLog[]): UnusedBaseline[] {
  return unusedBy(files, logs).flatMap(({ paths, reason }) =>
    paths.map((path) => ({ path, allTestsRan: reason === undefined })),
  );
}

/**
 * Finds the baselines that tests left behind: those that no test used, and in failed files those of a step that the
 * files no longer define. It was renamed, or its tests went elsewhere. A test that was skipped may use any step, and so
 * may a failed file whose tests import modules themselves. `findObsolete` removes nothing for a failed file.
 */
export function findLeft(files: readonly RanTestFile[], logs: readonly TestFileLog[]): string[] {
  return unusedBy(files, logs).flatMap(({ paths, isLeft }) => (isLeft() ? paths : []));
}

function unusedBy(files: readonly RanTestFile[], logs: readonly TestFileLog[]): UnusedGroup[] {
  const logged = new Set(logs.map(({ testPath }) => testPath));
  // Two projects may run one file.
  const byPath = Map.groupBy(files, ({ testPath }) => testPath);
  const complete = new Set(
    [...byPath].filter(([, of]) => of.every(({ allPassed }) => allPassed)).map(([path]) => path),
  );
  const completed = (path: string): boolean => complete.has(path) && logged.has(path);
  return [...Map.groupBy(logs, ({ root }) => root)].flatMap(([root, of]) => {
    const folders = new Set(of.map(({ testPath }) => dirname(testPath)));
    // A file without a log had only skipped tests, or its worker died.
    const silent = [...byPath.keys()].filter((path) => !logged.has(path) && folders.has(dirname(path)));
    const testPaths = [...new Set([...of.map(({ testPath }) => testPath), ...silent])];
    const byTest = Map.groupBy(of, ({ testPath }) => testPath);
    const lacks = (path: string, step: string): boolean =>
      byTest.get(path)?.every(({ steps }) => steps?.includes(step) === false) === true;
    const hasFailed = (path: string): boolean => byPath.get(path)?.every(({ failed }) => failed) === true;
    const mayUse = (path: string, step: string): boolean =>
      !completed(path) && !(hasFailed(path) && lacks(path, step) && !loadsLater(readText(path) ?? ""));
    return unusedOf({ root, testPaths, touched: touchedBy(of) }, { completed, mayUse });
  });
}

const LOAD = /\b(?:import|require|importActual|requireActual)\s*\(/g;

/** True if a test, or a function that it calls, imports a module itself: the line is indented, or has a function. */
function loadsLater(text: string): boolean {
  return text.split("\n").some((line) => {
    const at = [...line.matchAll(LOAD)].at(-1)?.index ?? 0;
    return at > 0 && (/^[ \t]/.test(line) || /=>|\bfunction\b/.test(line.slice(0, at)));
  });
}

/** Baselines that test files used, those of tests that must fail among them. */
function touchedBy(logs: readonly TestFileLog[]): ReadonlySet<string> {
  return new Set(logs.flatMap(({ checks, unreported = [] }) => [...checks.map(({ path }) => path), ...unreported]));
}

/** Baselines of a group that no test used, and why they may not be obsolete. */
interface UnusedGroup {
  readonly root: string;
  readonly paths: readonly string[];
  readonly reason: UnjudgedReason | undefined;
  /** Returns true if the tests that didn't complete can't use them. Reads these tests. */
  readonly isLeft: () => boolean;
}

/** Facts about test files of a run. */
interface Facts {
  readonly completed: (testPath: string) => boolean;
  /** Returns true if a test file may use the baselines of a step in tests that didn't complete. */
  readonly mayUse: (testPath: string, step: string) => boolean;
}

function unusedOf(users: Users, { completed, mayUse }: Facts): UnusedGroup[] {
  const { root, testPaths, touched } = users;
  // The same for all steps, and it reads the test folders.
  let forSteps: boolean | undefined;
  const isOutsideFor = (owner: string | undefined): boolean =>
    owner === undefined ? (forSteps ??= mayBeUsedOutside(users, undefined)) : mayBeUsedOutside(users, owner);
  return groupsOf(root).flatMap((paths) => {
    const unused = paths.filter((path) => !touched.has(path));
    const [first] = unused;
    if (first === undefined) return [];
    const { owner, step } = ownerOf(first);
    const owners = owner === undefined ? testPaths : testPaths.filter((path) => nameOf(path) === owner);
    const isGone = owner !== undefined && owners.length === 0;
    const isOutside = (isGone || owner === undefined) && isOutsideFor(owner);
    const incomplete = owners.every(completed) ? undefined : "incomplete";
    const reason = isOutside ? "outside" : incomplete;
    const isLeft = (): boolean =>
      !isOutside && (reason === undefined || (step !== undefined && !owners.some((path) => mayUse(path, step))));
    return [{ root, paths: unused, reason, isLeft }];
  });
}

/** The test file that a group's values belong to, or its step. All baselines of a group are of one kind. */
function ownerOf(path: string): { readonly owner?: string; readonly step?: string } {
  const parsed = parseBaseline(readText(path) ?? "", path);
  if (!parsed.ok) return {};
  return parsed.value.kind === "value" ? { owner: parsed.value.test } : { step: parsed.value.step };
}

/**
 * True if the run leaves out a test file that may use baselines: their owner, or any test file next to those of the
 * run. If baselines are stored away from their tests, such a file may be anywhere.
 */
function mayBeUsedOutside({ root, testPaths }: Users, owner: string | undefined): boolean {
  const folders = [...new Set(testPaths.map((path) => dirname(path)))];
  if (folders.some((folder) => !isWithin(folder, dirname(root)))) return true;
  // Vite writes paths with slashes on Windows too.
  const known = new Set(testPaths.map((path) => normalize(path)));
  const paths = folders.flatMap((folder) => listNames(folder).map((name) => join(folder, name)));
  return paths.some((path) => !known.has(path) && (owner === undefined ? isTestSource(path) : nameOf(path) === owner));
}

/** Name of a test file as baselines have it: some file systems return it decomposed. */
function nameOf(path: string): string {
  return basename(path).normalize("NFC");
}

function removalOf(root: string, path: string): BaselineUpdate {
  return { kind: "remove", root, path, group: basename(dirname(path)), before: readText(path), after: undefined };
}

/** Baselines of a directory, by group. */
function groupsOf(root: string): string[][] {
  const groups = listNames(root)
    .map((name) => join(root, name))
    .filter((path) => lstatSync(path).isDirectory());
  return groups.map((group) =>
    listNames(group)
      .filter(isBaselineFileName)
      .map((name) => join(group, name)),
  );
}
