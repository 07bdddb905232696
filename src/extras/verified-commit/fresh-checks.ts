import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeText } from "../../kernel/text.ts";
import type { VerifyCommand } from "../../updates/policy.ts";
import type { ChangedFile } from "./changes.ts";
import { isTestFile } from "./check-diff.ts";
import { type RunProgram, projectIn, runProgram, timeOf } from "./run-checks.ts";
import { type RunContext, type RunDiscard, discardOf, gitCall } from "./run-options.ts";
import { isTestSide } from "./base-tests.ts";
import { differingFile } from "./own-repository.ts";
import {
  REQUIRE_ASSERTIONS,
  type TestCommand,
  type TestResult,
  isSilent,
  measured,
  testRunOf,
} from "./runner-results.ts";

/** Checked-out files that a run is about to commit. */
export interface CheckedWork {
  readonly tree: string;
  readonly changes: readonly ChangedFile[];
}

/** A check that ran tests, with what its runner reported. */
export interface MeasuredCheck {
  readonly check: VerifyCommand;
  readonly test: TestCommand;
  readonly results: readonly TestResult[];
  /** Tests that executed no assertion, as far as the runner reports it. */
  readonly silent: readonly TestResult[];
}

/** Files that no test is about: prose and pictures. */
const PROSE = /\.(?:mdx?|txt|rst|adoc|png|jpe?g|gif|svg|ico|webp|pdf)$|(?:^|\/)(?:LICEN[CS]E|README|CHANGELOG)[^/]*$/i;

/** Returns true if tests should notice a run's changes. */
export function hasCode(changes: readonly ChangedFile[]): boolean {
  return changes.some(({ path }) => !PROSE.test(path) || isTestSide(path));
}

/** Runs every check in a fresh work tree, those that run tests so that their runner's own results are stored. */
export async function freshChecks(
  context: RunContext,
  tree: string,
  work: CheckedWork,
): Promise<{ readonly failure: RunDiscard | undefined; readonly measured: readonly MeasuredCheck[] }> {
  const { changes } = work;
  const kept: MeasuredCheck[] = [];
  const isMeasured = hasCode(changes);
  for (const [index, check] of context.options.checks.entries()) {
    const program = { gate: `check ${check.name}`, command: check.run, timeoutMs: timeOf(check) };
    const test = isMeasured ? testRunOf(check.run, projectIn(context, tree)) : undefined;
    if (test === undefined) {
      const failure = await runProgram(context, tree, program);
      if (failure !== undefined) return { failure, measured: kept };
    } else {
      const file = resultsFile(context, `after-${index}`);
      const { failure, results, silent } = await measureFresh(context, tree, { program, test, file, changes });
      if (failure !== undefined) return { failure, measured: kept };
      if (results !== undefined) kept.push({ check, test, results, silent });
    }
    const failure = await rewriteFailure(context, tree, { gate: program.gate, commit: work.tree });
    if (failure !== undefined) return { failure, measured: kept };
    context.options.onStep?.("checked");
  }
  return { failure: undefined, measured: kept };
}

/** A check that changes a committed file has checked another file than the one that would be committed. */
async function rewriteFailure(
  context: RunContext,
  tree: string,
  { gate, commit }: { readonly gate: string; readonly commit: string },
): Promise<RunDiscard | undefined> {
  const changed = await differingFile(tree, commit, gitCall(context));
  if (!changed.ok) return discardOf(gate, changed.error);
  if (changed.value === undefined) return undefined;
  const summary = `the check changed ${escapeText(changed.value)}, but that change isn't in the commit.`;
  return { gate, summary, details: ["Make the change in the command, or let git ignore the file."] };
}

interface FreshResults extends Pick<MeasuredCheck, "silent"> {
  readonly failure?: RunDiscard;
  /** Absent if the runner reported nothing. */
  readonly results?: readonly TestResult[];
}

/**
 * Runs one check for its runner's report. If the run changes tests, Vitest also fails tests without assertions in the
 * same run: a second run, without that option, is needed only if there are some, to see how they end.
 */
async function measureFresh(
  context: RunContext,
  tree: string,
  check: {
    readonly program: RunProgram;
    readonly test: TestCommand;
    readonly file: string;
    readonly changes: readonly ChangedFile[];
  },
): Promise<FreshResults> {
  const { program, test, file } = check;
  const project = projectIn(context, tree);
  let silent: readonly TestResult[] = [];
  if (test.runner === "vitest" && check.changes.some(({ kind, path }) => kind !== "removed" && isTestFile(path))) {
    const strict = measured(test, file, [REQUIRE_ASSERTIONS]);
    const forgives = (): boolean => {
      const results = strict.read(project) ?? [];
      silent = results.filter(isSilent);
      return silent.length > 0 && results.every((result) => result.end !== "failed" || silent.includes(result));
    };
    const failure = await runProgram(context, tree, { ...program, ...strict, forgives });
    if (failure !== undefined) return { failure, silent };
    const results = strict.read(project);
    if (silent.length === 0) return results === undefined ? { silent } : { results, silent };
    rmSync(file, { force: true });
  }
  const run = measured(test, file);
  const failure = await runProgram(context, tree, { ...program, ...run });
  if (failure !== undefined) return { failure, silent };
  const results = run.read(project);
  if (results === undefined) return { silent };
  return { results, silent: test.runner === "jest" ? results.filter(isSilent) : silent };
}

/** File to which a runner writes its report, outside of every work tree. */
export function resultsFile({ folder }: RunContext, name: string): string {
  const file = join(folder, "results", `${name.replaceAll(" ", "-")}.json`);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  return file;
}
