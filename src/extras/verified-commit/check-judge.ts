import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type ChangedFile, blobText } from "./changes.ts";
import { type GateFinding, isTestFile } from "./check-diff.ts";
import { isProduct, isTestSide } from "./base-tests.ts";
import { type CheckedWork, type MeasuredCheck, resultsFile } from "./fresh-checks.ts";
import { type ChangedCode, type Mutant, mutantsOf } from "./mutants.ts";
import { differingTests, measuredPlain, untestedCode } from "./plain-node.ts";
import { projectIn, runProgram, timeOf } from "./run-checks.ts";
import { type RunContext, gitCall, treePath } from "./run-options.ts";
import {
  REQUIRE_ASSERTIONS,
  type TestResult,
  hasFailed,
  isRun,
  isSilent,
  isUnnoticed,
  testKey,
  measured,
  testRunOf,
} from "./runner-results.ts";
import { writeChanges, writeInto } from "./tree-files.ts";
import { unnoticedChanges } from "./unnoticed-changes.ts";
import type { VerifyCommand } from "../../updates/policy.ts";

const ALTERED = "altered code";
const PLAIN = "plain Node";
/** Milliseconds that the tests of a mutant may take: an altered loop may never end. */
const MUTANT_MS = 60_000;

interface Judged {
  readonly check: VerifyCommand;
  /** Undefined if the check measures no test in the new commit. */
  readonly after: MeasuredCheck | undefined;
  /** Work tree of the base, with the new code. */
  readonly path: string;
  /** True if the run changes configuration, scripts or tests of this check, which are the base's in that tree. */
  readonly isKept: boolean;
  /** True if no other check runs tests, which might execute other code. */
  readonly isOnly: boolean;
}

/** Reports of one check's runner, before the run and now. */
export class CheckJudge {
  readonly #context: RunContext;
  readonly #work: CheckedWork;
  readonly #judged: Judged;
  /** The project's folder, from the top. */
  readonly #project: string;

  constructor(context: RunContext, work: CheckedWork, judged: Judged) {
    this.#context = context;
    this.#work = work;
    this.#judged = judged;
    this.#project = relative(judged.path, projectIn(context, judged.path)).replaceAll("\\", "/");
  }

  /** Folder for reports of the code that tests execute in plain Node. */
  get #coverage(): string {
    return `${resultsFile(this.#context, `coverage-${this.#context.options.checks.indexOf(this.#judged.check)}`)}.d`;
  }

  /** True if the base's tests were measured. */
  isMeasured = false;
  /** Files of which the base's tests were measured. */
  files: readonly string[] = [];

  async judged(): Promise<readonly GateFinding[]> {
    const { path } = this.#judged;
    await this.#prepare(path);
    const test = testRunOf(this.#judged.check.run, projectIn(this.#context, path));
    if (test === undefined) return this.#changedCheck();
    const strict = test.runner === "vitest" && this.#judged.after !== undefined ? [REQUIRE_ASSERTIONS] : [];
    const before = (await this.#measure(path, "base", strict)) ?? [];
    this.#context.options.onStep?.("base-measured");
    this.isMeasured = before.some(isRun);
    this.files = before.map((result) => this.#path(result));
    return [
      ...(await this.#changedExpectations(before)),
      ...this.#missing(before),
      ...this.#silent(before),
      ...(await this.#differing(before)),
      ...(await this.#unnoticed()),
    ];
  }

  /** Changes that no test of the new code can tell from the old code. */
  async unnoticedChanges(judging: ReadonlySet<string>): Promise<readonly GateFinding[]> {
    const { after } = this.#judged;
    const { checks, limits } = this.#context.options;
    // Another check may notice them. A person who allows code that no test executes also allows unnoticed code.
    if (after === undefined || checks.length > 1 || limits.allow.includes("untested-code")) return [];
    const tree = treePath(this.#context, "check");
    const call = gitCall(this.#context);
    const changes = this.#work.changes.filter(({ oldPath }) => !judging.has(oldPath));
    const touched = this.#touched(() => true).map(({ file }) => file);
    const code = changes.filter(({ path }) => isProduct(path) && !touched.includes(this.#local(path)));
    return unnoticedChanges({
      tree,
      folder: projectIn(this.#context, tree),
      changes,
      sources: await this.#sources(code),
      files: filesOfTests(after),
      changed: new Set(touched),
      runAltered: async (mutant, files) => this.#runAltered(mutant, files),
      runBefore: async (change, files) => {
        await writeChanges(tree, [change], { side: "before", call });
        const results = await this.#measure(tree, ALTERED, files);
        await writeChanges(tree, [change], { side: "after", call });
        return results;
      },
      textsOf: async ({ oldId, newId }) => [await blobText(oldId, call), await blobText(newId, call)],
    });
  }

  /** Runs tests in the work tree of the checks with one file altered. */
  async #runAltered({ path, text }: Mutant, files: readonly string[]): Promise<readonly TestResult[] | undefined> {
    const tree = treePath(this.#context, "check");
    const original = readFileSync(join(tree, path));
    writeInto(tree, path, { bytes: text });
    await this.#prepare(tree);
    const results = await this.#measure(tree, ALTERED, files);
    writeInto(tree, path, { bytes: original });
    return results;
  }

  /** A check without measured tests that passes only because of what the run changes in it. */
  async #changedCheck(): Promise<readonly GateFinding[]> {
    const { check, path, isKept } = this.#judged;
    if (!isKept) return [];
    const program = { gate: `base ${check.name}`, command: check.run, timeoutMs: timeOf(check), isWatched: true };
    const failure = await runProgram(this.#context, path, program);
    if (failure === undefined) return [];
    const detail = `its old version fails on the new code: ${failure.details.at(-1) ?? failure.summary}`;
    return [{ rule: "check-changed", path: check.name, line: undefined, detail }];
  }

  /** Checks that come before the tests may be what makes them run: an installation, a build. */
  async #prepare(tree: string): Promise<void> {
    for (const check of this.#context.options.checks) {
      if (check === this.#judged.check) return;
      const program = { gate: `base ${check.name}`, command: check.run, timeoutMs: timeOf(check), isWatched: true };
      await runProgram(this.#context, tree, program);
    }
  }

  async #measure(tree: string, what: string, more: readonly string[] = []): Promise<readonly TestResult[] | undefined> {
    const { check } = this.#judged;
    const test = testRunOf(check.run, projectIn(this.#context, tree));
    if (test === undefined) return undefined;
    const index = this.#context.options.checks.indexOf(check);
    const file = resultsFile(this.#context, `${what}-${index}`);
    const plain = { file, more, what, coverage: this.#coverage };
    const run = what.startsWith(PLAIN) ? measuredPlain(test, plain) : measured(test, file, more);
    const gate = `${what} ${check.name}`;
    const timeoutMs = Math.min(timeOf(check), what === ALTERED ? MUTANT_MS : Infinity);
    await runProgram(this.#context, tree, { ...run, gate, timeoutMs, isWatched: true });
    return run.read(projectIn(this.#context, tree));
  }

  /**
   * Tests of the base that fail on the new code, twice, and pass on the old code; and those that run only on the old
   * code.
   */
  async #changedExpectations(before: readonly TestResult[]): Promise<readonly GateFinding[]> {
    const { path } = this.#judged;
    const isFailure = (result: TestResult): boolean => result.end === "failed" && !isSilent(result);
    const rerun = async (failed: readonly TestResult[], what: string): Promise<readonly TestResult[]> => {
      if (failed.length === 0) return [];
      const again = (await this.#measure(path, what, [...new Set(failed.map(({ file }) => file))])) ?? [];
      const names = new Set(again.filter(isFailure).map(testKey));
      return failed.filter((result) => names.has(testKey(result)));
    };
    const failed = await rerun(before.filter(isFailure), "base again");
    await this.#layOldCode();
    const old = new Set(await rerun(failed, "old code"));
    const stopped = await this.#stopped(before);
    const approved = this.#context.options.limits.approvedTests;
    return failed
      .filter((result) => !old.has(result) && !approved.includes(result.name))
      .map((result) => {
        const [problem = ""] = result.problem.split("\n");
        const what =
          result.name === ""
            ? "the old version of the file can't be loaded"
            : `the old version of ${result.name} fails`;
        return this.#finding("expectation-changed", result, `${what} with the new code: ${problem}`);
      })
      .concat(stopped);
  }

  /** Tests that the new code keeps from running. Runs the files with tests that didn't run, or with none, once more. */
  async #stopped(before: readonly TestResult[]): Promise<readonly GateFinding[]> {
    if (!this.#work.changes.some(({ oldPath }) => isProduct(oldPath))) return [];
    const suspects = new Set(
      before.filter((result) => !isRun(result) && result.end !== "failed").map(({ file }) => file),
    );
    if (suspects.size === 0) return [];
    const old = (await this.#measure(this.#judged.path, "old code alone", [...suspects])) ?? [];
    const ran = new Set(before.filter(isRun).map(testKey));
    return old
      .filter((result) => isRun(result) && suspects.has(result.file) && !ran.has(testKey(result)))
      .map((result) => this.#finding("test-not-run", result, `${result.name} doesn't run on the new code`));
  }

  async #layOldCode(): Promise<void> {
    const code = this.#work.changes;
    await writeChanges(this.#judged.path, code, { side: "before", call: gitCall(this.#context) });
  }

  #missing(before: readonly TestResult[]): readonly GateFinding[] {
    const { results } = this.#judged.after ?? { results: [] };
    const now = new Map(results.map((result) => [result.name, result]));
    const ran = before.filter(isRun);
    const count = results.filter(isRun).length;
    const smaller = `${ran.length} ${ran.length === 1 ? "test" : "tests"} ran before, and ${count} now`;
    if (count === 0 && ran.length > 0)
      return [{ rule: "suite-smaller", path: this.#project || ".", line: undefined, detail: smaller }];
    const gone = ran.filter(({ name }) => !now.has(name));
    const changes = new Map(this.#work.changes.map((change) => [change.oldPath, change]));
    const [removed, stopped] = [
      gone.filter((result) => isTestFileRemoved(changes.get(this.#path(result)))),
      // A name that is gone from a file that didn't change: something else keeps it from running.
      gone.filter((result) => !changes.has(this.#path(result))),
    ];
    const idle = [...stopped, ...ran.filter(({ name }) => now.get(name)?.end === "not-run")];
    const known = new Set(before.map(({ name }) => name));
    const findings = [
      ...[...Map.groupBy(removed, (result) => this.#path(result))].map(([path, tests]): GateFinding => {
        const detail = `the file was removed, along with ${tests.length} of the tests that ran before`;
        return { rule: "test-file-removed", path, line: undefined, detail };
      }),
      ...idle.map((result) => this.#finding("test-not-run", result, `${result.name} ran before and doesn't run now`)),
      ...this.#touched(({ name, end }) => end === "not-run" && !known.has(name)).map((result) =>
        this.#finding("test-not-run", result, `${result.name} is new and doesn't run`),
      ),
    ];
    if (count >= ran.length || findings.length > 0) return findings;
    return [{ rule: "suite-smaller", path: this.#project || ".", line: undefined, detail: smaller }];
  }

  /** Tests that execute no assertion: new ones, and those that executed one before. */
  #silent(before: readonly TestResult[]): readonly GateFinding[] {
    const { silent, results } = this.#judged.after ?? { silent: [], results: [] };
    const had = new Set(before.filter((result) => isRun(result) && !isSilent(result)).map(({ name }) => name));
    const known = new Set(before.filter(isRun).map(({ name }) => name));
    const ran = new Set(results.filter(isRun).map(({ name }) => name));
    const now = silent.filter(({ name }) => ran.has(name));
    const fresh = this.#touched(({ name }) => !known.has(name) && now.some((each) => each.name === name));
    return [
      ...now
        .filter(({ name }) => had.has(name))
        .map((result) => this.#finding("assertions-gone", result, `${result.name} no longer executes an assertion`)),
      ...fresh.map((result) =>
        this.#finding(
          "no-assertion",
          result,
          `${result.name} doesn't execute an assertion (only calls of expect count)`,
        ),
      ),
    ];
  }

  /** Tests that fail without a bundler, and code that no test executes. The work tree of the base has the old code. */
  async #differing(before: readonly TestResult[]): Promise<readonly GateFinding[]> {
    const { path, after, isOnly } = this.#judged;
    if (after?.test.runner !== "vitest") return [];
    const tree = treePath(this.#context, "check");
    const folder = projectIn(this.#context, tree);
    const code = this.#work.changes.filter((change) => change.kind !== "removed" && isProduct(change.path));
    const measure = async (side: string, files: readonly string[], what: string): Promise<readonly TestResult[]> =>
      (await this.#measure(side === "old" ? path : tree, `${PLAIN} ${what}`, files)) ?? [];
    const { differing, uncompared } = await differingTests({
      folder,
      code: new Set(code.map((change) => this.#local(change.path))),
      passed: after.results.filter(({ end }) => end === "passed"),
      before: before.filter(isRun),
      measure,
    });
    if (uncompared.length > 0)
      this.#context.options.onProgress(
        `results: plain Node can't run these tests, so they weren't compared: ${uncompared.join(", ")}`,
      );
    const findings = differing.map(({ test, detail }) => this.#finding("differs-outside-tests", test, detail));
    if (!isOnly) return findings;
    const untested = await untestedCode({
      tree,
      folder,
      coverage: this.#coverage,
      sources: await this.#sources(code),
      files: filesOfTests(after),
      uncompared,
      measure: async (files) => measure("new", files, "others"),
    });
    return [...findings, ...untested];
  }

  /** Runs the changed test files on the old code, and on mutants of the new code: both must make one of them fail. */
  async #unnoticed(): Promise<readonly GateFinding[]> {
    const touched = new Set(this.#touched(() => true).map((result) => this.#path(result)));
    const code = this.#work.changes.filter(({ path }) => isProduct(path) && !touched.has(path));
    const [first] = touched;
    if (code.length === 0 || first === undefined) return [];
    if (await this.#failsBefore(touched)) return this.#survivor(touched, code);
    const detail = "the new and changed tests pass without the run's code changes";
    return [{ rule: "tests-insensitive", path: first, line: undefined, detail }];
  }

  /** True if a changed test file fails twice on the old code. */
  async #failsBefore(touched: ReadonlySet<string>): Promise<boolean> {
    const isLaidOver = (path: string): boolean => isTestSide(path) || touched.has(path);
    const tests = this.#work.changes.filter(({ path, oldPath }) => isLaidOver(path) || isTestSide(oldPath));
    await writeChanges(this.#judged.path, tests, { side: "after", call: gitCall(this.#context) });
    this.#context.options.onStep?.("tests-laid-over");
    let failing: ReadonlySet<string> | undefined;
    for (const what of ["old code", "old code again"]) {
      const results = await this.#measure(this.#judged.path, what, this.#locals(touched));
      if (results === undefined) return true;
      // A file that can't be loaded without the new code fails too, by a result without a name.
      const failed = results
        .filter((result) => touched.has(this.#path(result)) && result.end === "failed")
        .map(testKey);
      failing = new Set(failed.filter((key) => failing?.has(key) ?? true));
      if (failing.size === 0) return false;
    }
    this.#context.options.onStep?.("old-code-measured");
    return true;
  }

  /** Alters changed lines in the work tree of the checks, one at a time, until a test fails. */
  async #survivor(touched: ReadonlySet<string>, code: readonly ChangedFile[]): Promise<readonly GateFinding[]> {
    let survivor: GateFinding | undefined;
    for (const mutant of mutantsOf(await this.#sources(code))) {
      const { path, line, source } = mutant;
      const results = await this.#runAltered(mutant, this.#locals(touched));
      if (hasFailed(results)) return [];
      const detail = `no new or changed test fails if this line is altered: ${source.trim()}`;
      if (isUnnoticed(results)) survivor ??= { rule: "tests-insensitive", path, line, detail };
    }
    return survivor === undefined ? [] : [survivor];
  }

  async #sources(code: readonly ChangedFile[]): Promise<readonly ChangedCode[]> {
    const call = gitCall(this.#context);
    const files: ChangedCode[] = [];
    // Through a symbolic link a mutant would be written somewhere else.
    for (const { path, oldId, newId, newMode } of code)
      if (newMode.startsWith("100") && !path.endsWith(".json"))
        files.push({ path, before: await blobText(oldId, call), after: await blobText(newId, call) });
    return files;
  }

  /** Results of the test files that the run adds or changes. */
  #touched(filter: (result: TestResult) => boolean): readonly TestResult[] {
    const changed = this.#work.changes.filter(({ kind, oldId, newId }) => kind !== "removed" && oldId !== newId);
    const paths = new Set(changed.map(({ path }) => path));
    return (this.#judged.after?.results ?? []).filter((result) => paths.has(this.#path(result)) && filter(result));
  }

  #locals(paths: ReadonlySet<string>): readonly string[] {
    return [...paths].map((path) => this.#local(path));
  }

  #local(path: string): string {
    return relative(this.#project, path).replaceAll("\\", "/");
  }

  #path({ file }: TestResult): string {
    return join(this.#project, file).replaceAll("\\", "/");
  }

  #finding(rule: GateFinding["rule"], result: TestResult, detail: string): GateFinding {
    return { rule, path: this.#path(result), line: undefined, detail };
  }
}

/** Returns true if a runner can no longer find the removed or changed file as a test file. */
function isTestFileRemoved(change: ChangedFile | undefined): boolean {
  return (
    change !== undefined && (change.kind === "removed" || (isTestFile(change.oldPath) && !isTestFile(change.path)))
  );
}

function filesOfTests({ results }: MeasuredCheck): readonly string[] {
  return [...new Set(results.filter(isRun).map(({ file }) => file))];
}
