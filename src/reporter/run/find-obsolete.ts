import { basename, dirname, join } from "node:path";
import { listNames, readText } from "../../kernel/files/read.ts";
import type { BaselineUpdate } from "../../baseline/baseline.ts";
import { isBaselineFileName, isTestFileName } from "../../baseline/baseline-paths.ts";
import { lstatSync } from "node:fs";
import type { TestFileLog } from "../../explain/append-run-log.ts";

/** A test file of the run, as its runner saw it end. */
export interface RanTestFile {
  readonly testPath: string;
  /** True if every test in it ran and passed: none failed, was skipped, filtered out or is a todo. */
  readonly allPassed: boolean;
  /** True when a test in it failed or it could not be loaded. */
  readonly failed: boolean;
}

/**
 * Finds the baselines that no test uses. A baseline is obsolete if every test file with the same baseline directory ran
 * completely and passed, and none of them touched it. If a test file left no log (all its tests were skipped, or its
 * worker died), its baselines are unknown, so none is obsolete. The caller ensures that the run was complete and
 * unfiltered.
 */
export function findObsolete(files: readonly RanTestFile[], logs: readonly TestFileLog[]): BaselineUpdate[] {
  const logged = new Set(logs.map(({ testPath }) => testPath));
  if (files.some(({ testPath }) => !logged.has(testPath))) return [];
  const passed = new Set(files.filter(({ allPassed }) => allPassed).map(({ testPath }) => testPath));
  const roots = Map.groupBy(logs, ({ root }) => root);
  return [...roots].flatMap(([root, users]) => {
    if (!users.every(({ testPath }) => passed.has(testPath))) return [];
    const touched = new Set(users.flatMap(({ checks }) => checks.map(({ path }) => path)));
    return baselinePaths(root)
      .filter((path) => !touched.has(path))
      .map((path) => removalOf(root, path));
  });
}

/**
 * Finds the baselines that no test of a run used, in directories all of whose test files ran. Tests that were skipped
 * or filtered out may use them.
 */
export function findUnused(logs: readonly TestFileLog[]): string[] {
  const roots = Map.groupBy(logs, ({ root }) => root);
  return [...roots].flatMap(([root, users]) => {
    const ran = new Set(users.map(({ testPath }) => testPath));
    const folder = dirname(root);
    if (listNames(folder).some((name) => isTestFileName(name) && !ran.has(join(folder, name)))) return [];
    const touched = new Set(users.flatMap(({ checks }) => checks.map(({ path }) => path)));
    return baselinePaths(root).filter((path) => !touched.has(path));
  });
}

function removalOf(root: string, path: string): BaselineUpdate {
  return { kind: "remove", root, path, group: basename(dirname(path)), before: readText(path), after: undefined };
}

function baselinePaths(root: string): string[] {
  const groups = listNames(root)
    .map((name) => join(root, name))
    .filter((path) => lstatSync(path).isDirectory());
  return groups.flatMap((group) =>
    listNames(group)
      .filter(isBaselineFileName)
      .map((name) => join(group, name)),
  );
}
