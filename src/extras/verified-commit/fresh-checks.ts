import { mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeText } from "../../kernel/text.ts";
import type { VerifyCommand } from "../../updates/policy.ts";
import type { ChangedFile } from "./changes.ts";
import { isTestFile } from "./check-diff.ts";
import { type RunProgram, projectIn, runProgram, timeOf } from "./run-checks.ts";
import type { RunContext, RunDiscard } from "./run-options.ts";
import {
  REQUIRE_ASSERTIONS,
  type TestCommand,
  type TestResult,
  isSilent,
  measured,
  testRunOf,
} from "./runner-results.ts";

/** A check that ran tests, with what its runner reported. */
export interface MeasuredCheck {
  readonly check: VerifyCommand;
  readonly test: TestCommand;
  readonly results: readonly TestResult[];
  /** Tests that executed no assertion, as far as the runner reports it. */
  readonly silent: readonly TestResult[];
}

/** Code: everything that isn't text. Tests and configuration are code. */
export const CODE: RegExp = /\.(?:[cm]?[jt]sx?|vue|svelte|json)$/;
/** Files of tests: their expectations, and their input data. */
export const TEST_SIDE: RegExp =
  /\.snap$|(?:^|\/)(?:__(?:tests|baselines|snapshots|fixtures|mocks)__|tests?|fixtures|mocks|testing|e2e)\//;
/** Runs every check in a fresh work tree, those that run tests so that their runner's own results are stored. */
export async function freshChecks(
  context: RunContext,
  tree: string,
  changes: readonly ChangedFile[],
): Promise<{ readonly failure: RunDiscard | undefined; readonly measured: readonly MeasuredCheck[] }> {
  const kept: MeasuredCheck[] = [];
  const isMeasured = changes.some(({ path }) => CODE.test(path) || TEST_SIDE.test(path));
  for (const [index, check] of context.options.checks.entries()) {
    const program = { gate: `fresh check ${check.name}`, command: check.run, timeoutMs: timeOf(check) };
    const test = isMeasured ? testRunOf(check.run, projectIn(context, tree)) : undefined;
    if (test === undefined) {
      const failure = await runProgram(context, tree, program);
      if (failure !== undefined) return { failure, measured: kept };
      if (isMeasured)
        context.options.onProgress(`results: veritest can't read the results of ${escapeText(check.name)}`);
    } else {
      const file = resultsFile(context, `after-${index}`);
      const { failure, results, silent } = await measureFresh(context, tree, { program, test, file, changes });
      if (failure !== undefined) return { failure, measured: kept };
      if (results !== undefined) kept.push({ check, test, results, silent });
    }
    context.options.onStep?.("fresh checked");
  }
  return { failure: undefined, measured: kept };
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
export function resultsFile({ folder, options }: RunContext, name: string): string {
  const file = join(folder, `veritest-${options.runId}-results`, `${name.replaceAll(" ", "-")}.json`);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  return file;
}
