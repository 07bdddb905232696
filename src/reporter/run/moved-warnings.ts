import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { groupOf } from "../../baseline/baseline.ts";
import { groupDirectory, isBaselineFileName, isTestFileName } from "../../baseline/baseline-paths.ts";
import { directoriesIn, filesOfGroup } from "../../baseline/baseline-files.ts";
import { displayPath } from "../../baseline/baseline-library.ts";
import { type MovedGroup, caseOf, movedGroups } from "../../baseline/moved-baselines.ts";
import { parseBaseline } from "../../baseline/parse-baseline.ts";
import { listNames, readText } from "../../kernel/files/read.ts";
import { commandPath, projectCommand } from "../../explain/rerun-command.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import type { BaselineOutcome, Remark } from "../outcomes.ts";

/**
 * Commands to run if a test file was moved without its baselines, or a test file or step was renamed: `git mv` for each
 * folder, or `veritest rename-step` for each name. A missing or newly captured case may have an accepted result there.
 */
export function movedWarnings(
  outcomes: readonly BaselineOutcome[],
  {
    root,
    logs,
    unused,
  }: { readonly root: string; readonly logs: readonly TestFileLog[]; readonly unused: () => readonly string[] },
): Remark[] {
  const wanted = outcomes.filter(isNew).map(({ path }) => path);
  if (wanted.length === 0) return [];
  const used = new Set(logs.map((log) => log.root));
  const groups = movedGroups(root, { wanted, used, unused: new Set(unused()) });
  const isMove = ({ from, to }: MovedGroup): boolean => basename(from) === basename(to);
  // A test file may have baselines of values and of several steps.
  const moves = Map.groupBy(groups.filter(isMove).filter(hasOneSource), ({ from, to }) =>
    JSON.stringify([from, to].map(dirname)),
  );
  const renames = groups.filter((group) => !isMove(group)).filter(hasOneSource);
  return [
    ...[...moves.values()].flatMap((of) => moveRemark(of, unused)),
    ...renames.flatMap((moved) => {
      const text = renameText(moved, logs, root);
      return text === undefined ? [] : [{ path: moved.to, text }];
    }),
  ];
}

/** Returns false if several directories have a file that is looked for: which of them was moved is unknown. */
function hasOneSource({ to, from, names }: MovedGroup, _index: number, all: readonly MovedGroup[]): boolean {
  const cases = new Set(names.map(caseOf));
  const elsewhere = all.filter((other) => other.to === to && other.from !== from);
  return !elsewhere.some((other) => other.names.some((name) => cases.has(caseOf(name))));
}

/** Remark with one command for all groups that went from one directory of baselines to another. */
function moveRemark(groups: readonly MovedGroup[], unused: () => readonly string[]): Remark[] {
  const [first, ...more] = groups;
  if (first === undefined) return [];
  const missing = groups.filter(({ to }) => !existsSync(to)).map(({ to }) => commandPath(displayPath(to)));
  const make = missing.length === 0 ? [] : [`mkdir -p ${missing.join(" ")}`];
  const command = [...make, ...groups.map(moveCommand)].join(" && ");
  const path = more.length === 0 ? first.to : dirname(first.to);
  return [
    { path, text: `the test was moved, but its baselines weren't${othersText(groups, unused)}. Run: ${command}` },
  ];
}

/** Counts the other baselines in the old directory that no test uses: a failed test didn't reach all of them. */
function othersText(groups: readonly MovedGroup[], unused: () => readonly string[]): string {
  const [first] = groups;
  if (first === undefined) return "";
  const directory = dirname(first.from);
  const known = new Set(first.isLeft === true ? [] : unused());
  const all = directoriesIn(directory).flatMap((name) => filesOfGroup(directory, join(directory, name)));
  const count = all.filter(({ path }) => first.isLeft === true || known.has(path)).length;
  const rest = groups.reduce((left, { names }) => left - names.length, count);
  if (rest <= 0) return "";
  const remaining = rest === 1 ? "1 other is" : `${rest} others are`;
  return ` (${remaining} left in ${displayPath(directory)}: run the tests again afterwards)`;
}

function moveCommand({ from, to, names }: MovedGroup): string {
  const all = names.length === listNames(from).length;
  const paths =
    all && names.length > 1
      ? [`${commandPath(displayPath(from))}/*.json`]
      : names.map((name) => commandPath(displayPath(join(from, name))));
  // Without -f git refuses if the case was captured again.
  return `git mv -f ${paths.join(" ")} ${commandPath(displayPath(to))}/`;
}

/** Undefined if neither the run nor a baseline of a directory tells its name. */
function renameText({ from, to, names }: MovedGroup, logs: readonly TestFileLog[], root: string): string | undefined {
  const old = groupIn(from);
  const next = groupOfRun(to, logs) ?? groupIn(to);
  if (old === undefined || next === undefined) return undefined;
  const force = names.some((name) => existsSync(join(to, name))) ? " --force" : "";
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
