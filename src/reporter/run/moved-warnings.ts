import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { groupOf } from "../../baseline/baseline.ts";
import { groupDirectory, isBaselineFileName, isTestFileName } from "../../baseline/baseline-paths.ts";
import { directoriesIn, filesOfGroup } from "../../baseline/baseline-files.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { type MovedGroup, caseOf, mayStoreAway, movedGroups, pathOfCase } from "../../baseline/moved-baselines.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import { projectCommand } from "../../explain/rerun-command.ts";
import { commandPath } from "../../kernel/text.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import type { BaselineOutcome, Remark } from "../outcomes.ts";
import type { RanTestFile } from "./find-obsolete.ts";

/** Returns the baselines that no test uses. Undefined if the run left out tests that may use any. */
export type Unused = () => readonly string[] | undefined;

/** Tests of a run, for the baselines that it didn't use. */
export interface EndedTests {
  readonly root: string;
  readonly logs: readonly TestFileLog[];
  readonly files: readonly RanTestFile[];
  readonly unused: Unused;
  /** True if the run left out test files: they may use any baseline that is stored away from its test. */
  readonly isNarrowed: boolean;
}

/**
 * Commands to run if a test file was moved without its baselines, or a test file or step was renamed: `git mv` for each
 * folder, or `veritest rename-step` for each name. A missing or newly captured case may have an accepted result there.
 */
export function movedWarnings(
  outcomes: readonly BaselineOutcome[],
  { root, logs, files, unused, isNarrowed }: EndedTests,
): Remark[] {
  const wanted = outcomes.filter(isNew).map(({ path }) => path);
  if (wanted.length === 0) return [];
  const used = new Set(logs.map((log) => log.root));
  const paths = unused();
  const isAway = logs.some(isStoredAway);
  const run = { wanted, used, unused: new Set(paths), mayBeElsewhere: paths === undefined || isAway };
  const likely = movedGroups(root, run);
  // Last, because it reads all files.
  const mayBeAway = likely.length > 0 && (isAway || mayStoreAway(root));
  if (mayBeAway && isNarrowed) return [];
  const groups = mayBeAway ? movedGroups(root, { ...run, mayBeElsewhere: true }) : likely;
  const isMove = ({ from, to }: MovedGroup): boolean => basename(from) === basename(to);
  // A test file may have baselines of values and of several steps.
  const moves = Map.groupBy(groups.filter(isMove).filter(hasOneSource), ({ from, to }) =>
    JSON.stringify([from, to].map(dirname)),
  );
  const renames = groups.filter((group) => !isMove(group)).filter(hasOneSource);
  const incomplete = new Set(files.filter(({ allPassed }) => !allPassed).map(({ testPath }) => testPath));
  const isIncomplete = ({ testPath }: TestFileLog): boolean => incomplete.has(testPath);
  const roots = new Set(logs.filter(isIncomplete).map((log) => log.root));
  return [
    ...[...moves.values()].flatMap((of) => moveRemark(of, { unused: paths, roots })),
    ...renames.flatMap((moved) => {
      const text = renameText(moved, logs, root);
      return text === undefined ? [] : [{ path: moved.to, text }];
    }),
  ];
}

/** Returns true if a test's baselines aren't next to it, because the runner stores its snapshots elsewhere. */
function isStoredAway({ testPath, root }: TestFileLog): boolean {
  return resolve(dirname(testPath)) !== resolve(dirname(root));
}

/** Returns false if several directories have a file that is looked for: which of them was moved is unknown. */
function hasOneSource({ to, from, names }: MovedGroup, _index: number, all: readonly MovedGroup[]): boolean {
  const cases = new Set(names.map(caseOf));
  const elsewhere = all.filter((other) => other.to === to && other.from !== from);
  return !elsewhere.some((other) => other.names.some((name) => cases.has(caseOf(name))));
}

/** Baselines that moved tests may also use. */
interface OtherBaselines {
  /** Undefined if the run left out tests that may use any. */
  readonly unused: readonly string[] | undefined;
  /** Directories of baselines with a test that failed or was skipped. */
  readonly roots: ReadonlySet<string>;
}

/** Remark with one command for all groups that went from one directory of baselines to another. */
function moveRemark(groups: readonly MovedGroup[], { unused, roots }: OtherBaselines): Remark[] {
  const [first, ...more] = groups;
  if (first === undefined) return [];
  const missing = groups.filter(({ to }) => !existsSync(to)).map(({ to }) => displayed(to));
  const make = missing.length === 0 ? [] : [`mkdir -p ${missing.join(" ")}`];
  const command = [...make, ...groups.map(moveCommand)].join(" && ");
  const path = more.length === 0 ? first.to : dirname(first.to);
  const rest = roots.has(dirname(first.to)) ? othersText(first, groups, unused) : "";
  return [{ path, text: `the test was moved, but its baselines weren't${rest}. Run: ${command}` }];
}

/** Counts the other baselines in the old directory that no test uses: a failed test didn't reach all it has. */
function othersText(first: MovedGroup, groups: readonly MovedGroup[], unused: readonly string[] = []): string {
  const directory = dirname(first.from);
  const known = new Set(unused);
  const all = directoriesIn(directory).flatMap((name) => filesOfGroup(directory, join(directory, name)));
  const count = all.filter(({ path }) => first.isLeft === true || known.has(path)).length;
  const rest = groups.reduce((left, { names }) => left - names.length, count);
  if (rest <= 0) return "";
  const left = rest === 1 ? "1 other is" : `${rest} others are`;
  return ` (${left} still in ${displayPath(directory)}: run the tests again afterwards)`;
}

function moveCommand({ from, to, names }: MovedGroup): string {
  // A case that was captured again may have the label of a new title. With its old name, it would be there twice.
  const targets = names.map((name) => [name, pathOfCase(to, name)] as const);
  const renamed = targets.filter(([name, target]) => target !== join(to, name));
  const rest = targets.flatMap(([name, target]) => (target === join(to, name) ? [name] : []));
  const all = rest.length === listNames(from).length;
  const paths =
    all && rest.length > 1 ? [`${displayed(from)}/*.json`] : rest.map((name) => displayed(join(from, name)));
  // Without -f git refuses if the case was captured again.
  return [
    ...(rest.length === 0 ? [] : [`git mv -f ${paths.join(" ")} ${displayed(to)}/`]),
    ...renamed.map(([name, target]) => `git mv -f ${displayed(join(from, name))} ${displayed(target)}`),
  ].join(" && ");
}

function displayed(path: string): string {
  return commandPath(displayPath(path));
}

/** Undefined if neither the run nor a baseline of a directory tells its name. */
function renameText({ from, to, names }: MovedGroup, logs: readonly TestFileLog[], root: string): string | undefined {
  const old = groupIn(from);
  const next = groupOfRun(to, logs) ?? groupIn(to);
  if (old === undefined || next === undefined) return undefined;
  const force = names.some((name) => existsSync(pathOfCase(to, name))) ? " --force" : "";
  const what = `${isTestFileName(next) ? "the test file" : "the step"} was renamed, but its baselines weren't`;
  const command = `npx veritest rename-step ${commandPath(old)} ${commandPath(next)}${force}`;
  return `${what}: ${projectCommand(command, root)}`;
}

/** The step or test file of a run that a directory is named after. */
function groupOfRun(directory: string, logs: readonly TestFileLog[]): string | undefined {
  const names = logs.flatMap(({ testPath, steps = [] }) => [basename(testPath).normalize("NFC"), ...steps]);
  return names.find((name) => groupDirectory(name) === basename(directory));
}

/** The step or test file of the baselines in a directory. */
function groupIn(directory: string): string | undefined {
  const file = listNames(directory).find(isBaselineFileName);
  const parsed = file === undefined ? undefined : parseBaseline(readText(join(directory, file)) ?? "", file);
  return parsed?.ok === true ? groupOf(parsed.value) : undefined;
}

const NEW: ReadonlySet<string> = new Set(["missing", "captured", "pending"]);

/** Returns true for a case that had no baseline. Its first run may have failed, as without a key. */
function isNew({ outcome, path }: BaselineOutcome): boolean {
  return NEW.has(outcome) || (outcome === "failed" && !existsSync(path));
}
