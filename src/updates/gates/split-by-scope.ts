import { truncate } from "../../kernel/text.ts";
import type { PendingChange } from "../pending/pending-change.ts";
import type { Scope } from "../policy.ts";
import { targetName } from "../../kernel/files/project-paths.ts";

/** A test file of the run as its runner saw it end. */
export interface EndedFile {
  /** Absolute path. */
  readonly testPath: string;
  /** Name of the project that ran it. Undefined if its workers name it in their changes, or the run has one project. */
  readonly project?: string | undefined;
  /** True if it was loaded and all its tests passed. */
  readonly passed: boolean;
  /** Keys of the changes that its tests staged. Undefined if its worker reported none. */
  readonly staged: readonly string[] | undefined;
}

/** A run's changes, parted into those that may go on to the gates and those that stay behind. */
export interface SplitChanges {
  readonly candidates: readonly PendingChange[];
  readonly withheld: readonly PendingChange[];
  /** Why they stay behind, a sentence each. */
  readonly reasons: readonly string[];
}

/**
 * Splits the changes of a run by its failures. With scope `run`, any failure withholds all changes. With `file`, it
 * withholds the changes of that test file, and with `test` those of that test.
 */
export function splitByScope(
  changes: readonly PendingChange[],
  { scope, root, files }: { readonly scope: Scope; readonly root: string; readonly files: readonly EndedFile[] },
): SplitChanges {
  if (changes.length === 0) return { candidates: [], withheld: [], reasons: [] };
  const failedFiles = new Set(files.filter(({ passed }) => !passed).map(({ testPath }) => targetName(root, testPath)));
  switch (scope) {
    case "run": {
      if (failedFiles.size === 0 && changes.every(({ passed }) => passed))
        return { candidates: changes, withheld: [], reasons: [] };
      const because = failedFiles.size > 0 ? filesFailed([...failedFiles]) : `A test failed, ${inFiles(changes)}`;
      return { candidates: [], withheld: changes, reasons: [`${because} (transaction.scope is "run").`] };
    }
    case "file": {
      const groups = Map.groupBy(changes, ({ testFile }) => testFile);
      const badGroups = [...groups].filter(([file, of]) => failedFiles.has(file) || of.some(({ passed }) => !passed));
      const bad = new Set(badGroups.map(([file]) => file));
      return parted(
        changes,
        ({ testFile }) => bad.has(testFile),
        () => `${filesFailed([...bad])} (transaction.scope is "file").`,
      );
    }
    case "test":
      return parted(
        changes,
        ({ passed }) => !passed,
        (behind) => `Their tests failed, ${inFiles(behind)} (transaction.scope is "test").`,
      );
  }
}

function parted(
  changes: readonly PendingChange[],
  stays: (change: PendingChange) => boolean,
  why: (behind: readonly PendingChange[]) => string,
): SplitChanges {
  const withheld = changes.filter(stays);
  const reasons = withheld.length === 0 ? [] : [why(withheld)];
  return { candidates: changes.filter((change) => !stays(change)), withheld, reasons };
}

/** Maximum number of files that a sentence names before it counts the rest, and of characters of each name. */
const MAX_NAMED = 3;
const MAX_NAME = 120;

/** `2 test files failed: a.test.ts, b.test.ts`, of files by their names. The caller ends the sentence. */
function filesFailed(names: readonly string[]): string {
  return `${names.length} test ${names.length === 1 ? "file" : "files"} failed: ${listed(names)}`;
}

function inFiles(changes: readonly PendingChange[]): string {
  return `in ${listed([...new Set(changes.filter(({ passed }) => !passed).map(({ testFile }) => testFile))])}`;
}

function listed(names: readonly string[]): string {
  // A name may contain a line end, and a sentence is one line.
  const listed = names
    .toSorted()
    .slice(0, MAX_NAMED)
    .map((name) => truncate(name, MAX_NAME).replaceAll(/\s/g, " "));
  const rest = names.length - listed.length;
  return `${listed.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

function projectsOf(runs: readonly EndedFile[] = []): readonly string[] {
  return [...new Set(runs.map(({ project }) => project ?? ""))];
}

/** Differences between the changes that tests reported and the staged ones, one sentence per test file. */
export function manifestProblems(
  changes: readonly PendingChange[],
  { root, files }: { readonly root: string; readonly files: readonly EndedFile[] },
): string[] {
  const stagedFiles = Map.groupBy(changes, ({ testFile }) => testFile);
  const ended = new Set(files.map(({ testPath }) => targetName(root, testPath)));
  const unreported = [...stagedFiles.keys()]
    .filter((name) => !ended.has(name))
    .map((name) => `${name} has pending updates, but the runner didn't report that it finished. Run the tests again.`);
  const unlike = files.flatMap(({ testPath, staged }) => {
    const name = targetName(root, testPath);
    const keys = (stagedFiles.get(name) ?? []).map(({ key }) => key).toSorted();
    if (staged === undefined)
      return keys.length === 0
        ? []
        : [`${name} has pending updates, but its worker crashed before it finished. Run the tests again.`];
    const same = JSON.stringify(keys) === JSON.stringify([...staged].toSorted());
    if (same) return [];
    return [
      `The pending updates of ${name} (${staged.length}) don't match those in the state directory (${keys.length}). ` +
        "Run the tests again.",
    ];
  });
  return [...unreported, ...unlike];
}

/** One sentence for each case that two tests, two attempts of one, or two projects gave two results. */
export function conflictProblems(
  changes: readonly PendingChange[],
  { root, files }: { readonly root: string; readonly files: readonly EndedFile[] },
): string[] {
  const ended = Map.groupBy(files, ({ testPath }) => targetName(root, testPath));
  const twice = changes
    .filter(({ contradicted }) => contradicted)
    .map(({ target, test, testFile, projects = projectsOf(ended.get(testFile)) }) =>
      projects.length < 2
        ? `${target} had a different result when the test "${test}" ran again. Make the step deterministic.`
        : `${target} has different results in the projects ${projects.map((name) => `"${name}"`).join(" and ")}. ` +
          "Give each project its own baselines with Vitest's resolveSnapshotPath or Jest's snapshotResolver.",
    );
  const rivals = [...Map.groupBy(changes, ({ target }) => target)].filter(
    ([, of]) => new Set(of.map(({ after }) => after)).size > 1,
  );
  return [
    ...twice,
    ...rivals.map(
      ([target, of]) => `${target} has different results from ${of.map(({ test }) => `"${test}"`).join(" and ")}.`,
    ),
  ];
}
