import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { escapeText, truncate } from "../../kernel/text.ts";
import type { ChangedFile } from "./changes.ts";
import { type GateFinding, isTestFile } from "./check-diff.ts";
import { CODE, type MeasuredCheck, TEST_SIDE, resultsFile } from "./fresh-checks.ts";
import { git } from "./git.ts";
import { type ChangedCode, mutantsOf } from "./mutants.ts";
import { projectIn, runProgram, timeOf } from "./run-checks.ts";
import { type RunContext, type RunDiscard, discardOf, gitCall, recordGate, treePath } from "./run-options.ts";
import { addWorktree, makeLinks } from "./temporary-worktree.ts";
import { REQUIRE_ASSERTIONS, type TestResult, measured, testRunOf } from "./runner-results.ts";

/** Checked-out files that a run is about to commit. */
export interface CheckedWork {
  readonly tree: string;
  readonly changes: readonly ChangedFile[];
}

const ALTERED = "altered code";
/** Milliseconds that the tests of a mutant may take: an altered loop may never end. */
const MUTANT_MS = 60_000;
const CONFIGURATION = /(?:^|\/)(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|[^/]*\.config\.[^/]*)$/;

/**
 * Compares what the runner reports of the run's tests with what it reports of the commit before, in a third work tree:
 * tests that ran there and don't run now, a smaller suite, tests that execute no assertion. If the run changes code and
 * tests, one of the changed test files must also fail on the old code, and if a changed line of the code is altered.
 */
export async function judgeResults(
  context: RunContext,
  work: CheckedWork,
  checks: readonly MeasuredCheck[],
): Promise<RunDiscard | undefined> {
  if (checks.length === 0) return undefined;
  const started = context.options.clock();
  const path = treePath(context, "before");
  const { repository, links } = context;
  const added = await addWorktree({ ...repository, environment: gitCall(context).environment }, path, repository.base);
  if (!added.ok) return discardOf("worktree", added.error);
  makeLinks(repository, path, links);
  context.options.onStep?.("before-tree-made");
  const findings: GateFinding[] = [];
  for (const [index, after] of checks.entries()) {
    const judge = new Judge(context, work, { after, index, path });
    findings.push(...(await judge.judged()));
    if (context.options.signal.aborted) return { gate: "results", summary: "the run was interrupted.", details: [] };
  }
  const { allow } = context.options.limits;
  const failure = findingsFailure(
    "results",
    findings.filter(({ rule }) => !allow.some((allowed) => allowed === rule)),
  );
  recordGate(context, { name: "results", started, failure });
  context.options.onStep?.("results-judged");
  return failure;
}

/** The failure that findings cause; undefined if there are none. Safe to print. */
export function findingsFailure(gate: "diff" | "results", findings: readonly GateFinding[]): RunDiscard | undefined {
  if (findings.length === 0) return undefined;
  const details = findings.map(({ rule, path, line, detail }) => {
    const location = `${escapeText(path)}${line === undefined ? "" : `:${line}`}`;
    return `${location}: ${truncate(escapeText(detail).replaceAll("\n", " "), 200)} (${rule})`;
  });
  const what = gate === "diff" ? "the diff has" : "what the tests report has";
  return { gate, summary: `${what} ${findings.length === 1 ? "one fault" : `${findings.length} faults`}.`, details };
}

interface Judged {
  readonly after: MeasuredCheck;
  readonly index: number;
  /** The third work tree. */
  readonly path: string;
}

/** Reports of one check's runner, before the run and now. */
class Judge {
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

  async judged(): Promise<readonly GateFinding[]> {
    const { after, path, index } = this.#judged;
    if (index === 0) await this.#prepare(path);
    const results = await this.#measure(path, "before");
    this.#context.options.onStep?.("before-measured");
    if (results === undefined)
      this.#context.options.onProgress(`results: ${escapeText(after.check.name)} reports nothing at the commit before`);
    const before = results ?? [];
    return [...this.#missing(before), ...(await this.#silent(before)), ...(await this.#unnoticed(before))];
  }

  /** Checks that stand before the tests may be what makes them run: an installation, a build. */
  async #prepare(tree: string): Promise<void> {
    for (const check of this.#context.options.checks) {
      if (check === this.#judged.after.check) return;
      const program = { gate: `before ${check.name}`, command: check.run, timeoutMs: timeOf(check), isWatched: true };
      await runProgram(this.#context, tree, program);
    }
  }

  async #measure(tree: string, what: string, more: readonly string[] = []): Promise<readonly TestResult[] | undefined> {
    const { after, index } = this.#judged;
    const test = testRunOf(after.check.run, projectIn(this.#context, tree));
    if (test === undefined) return undefined;
    const run = measured(test, resultsFile(this.#context, `${what}-${index}`), more);
    const gate = `${what} ${after.check.name}`;
    const timeoutMs = Math.min(timeOf(after.check), what === ALTERED ? MUTANT_MS : Infinity);
    await runProgram(this.#context, tree, { ...run, gate, timeoutMs, isWatched: true });
    return run.read(projectIn(this.#context, tree));
  }

  #missing(before: readonly TestResult[]): readonly GateFinding[] {
    const { results } = this.#judged.after;
    const now = new Map(results.map((result) => [result.name, result]));
    const ran = before.filter(isRun);
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
        const detail = `it is gone, and with it ${tests.length} of the tests that ran before`;
        return { rule: "test-file-removed", path, line: undefined, detail };
      }),
      ...idle.map((result) => this.#finding("test-not-run", result, `${result.name} ran before and doesn't run now`)),
      ...this.#touched(({ name, end }) => end === "not-run" && !known.has(name)).map((result) =>
        this.#finding("test-not-run", result, `${result.name} is new and doesn't run`),
      ),
    ];
    const count = results.filter(isRun).length;
    if (count >= ran.length || findings.length > 0) return findings;
    const detail = `${ran.length} tests ran before, and ${count} run now`;
    return [{ rule: "suite-smaller", path: this.#project || ".", line: undefined, detail }];
  }

  /** Tests that execute no assertion: new ones, and those that executed one before. */
  async #silent(before: readonly TestResult[]): Promise<readonly GateFinding[]> {
    const { silent, results, test } = this.#judged.after;
    if (silent.length === 0) return [];
    const had =
      test.runner === "vitest"
        ? await this.#speaking(before, silent)
        : new Set(before.flatMap(({ name, assertions = 0 }) => (assertions > 0 ? [name] : [])));
    const ran = new Set(results.filter(isRun).map(({ name }) => name));
    const known = new Set(before.filter(isRun).map(({ name }) => name));
    const now = silent.filter(({ name }) => ran.has(name));
    const fresh = this.#touched(({ name }) => !known.has(name) && now.some((each) => each.name === name));
    return [
      ...now
        .filter(({ name }) => had.has(name))
        .map((result) => this.#finding("assertions-gone", result, `${result.name} no longer executes an assertion`)),
      ...fresh.map((result) =>
        this.#finding("no-assertion", result, `${result.name} executes no assertion: only calls of expect count`),
      ),
    ];
  }

  /** Tests that are silent now, but passed and were not silent before. */
  async #speaking(before: readonly TestResult[], silent: readonly TestResult[]): Promise<ReadonlySet<string>> {
    const known = new Set(before.filter(({ end }) => end === "passed").map(({ name }) => name));
    if (!silent.some(({ name }) => known.has(name))) return new Set();
    const files = this.#work.changes.filter(({ kind, oldPath }) => kind !== "added" && isTestFile(oldPath));
    const more = [REQUIRE_ASSERTIONS, ...files.map(({ oldPath }) => this.#local(oldPath))];
    const results = await this.#measure(this.#judged.path, "spoke", more);
    return new Set((results ?? []).flatMap(({ name, end }) => (end === "passed" ? [name] : [])));
  }

  /** Runs the changed test files on the old code, and on mutants of the new code: both must make one of them fail. */
  async #unnoticed(before: readonly TestResult[]): Promise<readonly GateFinding[]> {
    const touched = new Set(this.#touched(() => true).map((result) => this.#path(result)));
    const code = this.#work.changes.filter(({ path }) => isProduct(path) && !touched.has(path));
    const [first] = touched;
    if (code.length === 0 || first === undefined) return [];
    if (await this.#failsBefore(touched, before)) return this.#survivor(touched, code);
    const detail = "the new and changed tests pass without what the run changes in the code";
    return [{ rule: "tests-notice-nothing", path: first, line: undefined, detail }];
  }

  async #failsBefore(touched: ReadonlySet<string>, before: readonly TestResult[]): Promise<boolean> {
    const { changes, tree } = this.#work;
    const isLaidOver = (path: string): boolean => isTestSide(path) || touched.has(path);
    const paths = changes.filter(({ kind, path }) => kind !== "removed" && isLaidOver(path)).map(({ path }) => path);
    const call = gitCall(this.#context, this.#judged.path);
    const out = await git(["checkout", tree, "--", ...paths.map((path) => `:(top,literal)${path}`)], call);
    if (!out.ok) throw new Error(out.error.message);
    for (const { path } of changes.filter(({ kind, path: each }) => kind === "removed" && isTestSide(each)))
      rmSync(join(this.#judged.path, path), { force: true });
    this.#context.options.onStep?.("tests-laid-over");
    const results = await this.#measure(this.#judged.path, "old code", this.#locals(touched));
    this.#context.options.onStep?.("old-code-measured");
    const failing = new Set(before.filter(({ end }) => end === "failed").map(({ name }) => name));
    // A file that can't be loaded without the new code fails too, by a result without a name.
    const isNotice = ({ name, end }: TestResult): boolean => end === "failed" && (name === "" || !failing.has(name));
    return results?.some((result) => touched.has(this.#path(result)) && isNotice(result)) ?? true;
  }

  /** Alters changed lines in the work tree of the checks, one at a time, until a test fails. */
  async #survivor(touched: ReadonlySet<string>, code: readonly ChangedFile[]): Promise<readonly GateFinding[]> {
    const tree = treePath(this.#context, "check");
    let survivor: GateFinding | undefined;
    for (const { path, line, source, text } of mutantsOf(await this.#sources(code))) {
      const original = readFileSync(join(tree, path));
      writeFileSync(join(tree, path), text);
      await this.#prepare(tree);
      const results = await this.#measure(tree, ALTERED, this.#locals(touched));
      writeFileSync(join(tree, path), original);
      // A mutant that can't be loaded fails without running a test, which has no meaning.
      if (results?.some(({ end, name }) => end === "failed" && name !== "") === true) return [];
      const detail = `no new or changed test fails if this line is altered: ${source.trim()}`;
      if (results?.some(isRun) === true && results.every(({ end }) => end !== "failed"))
        survivor ??= { rule: "tests-notice-nothing", path, line, detail };
    }
    return survivor === undefined ? [] : [survivor];
  }

  async #sources(code: readonly ChangedFile[]): Promise<readonly ChangedCode[]> {
    const textOf = async (id: string): Promise<string> => {
      const blob = /^0+$/.test(id) ? undefined : await git(["cat-file", "blob", id], gitCall(this.#context));
      return blob?.ok === true ? blob.value : "";
    };
    const files: ChangedCode[] = [];
    // Through a symbolic link a mutant would be written somewhere else.
    for (const { path, oldId, newId, newMode } of code)
      if (newMode.startsWith("100") && !path.endsWith(".json"))
        files.push({ path, before: await textOf(oldId), after: await textOf(newId) });
    return files;
  }

  /** Results of the test files that the run adds or changes. */
  #touched(filter: (result: TestResult) => boolean): readonly TestResult[] {
    const changed = this.#work.changes.filter(({ kind, oldId, newId }) => kind !== "removed" && oldId !== newId);
    const paths = new Set(changed.map(({ path }) => path));
    return this.#judged.after.results.filter((result) => paths.has(this.#path(result)) && filter(result));
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

function isRun({ end, name }: TestResult): boolean {
  return end !== "not-run" && name !== "";
}

function isTestSide(path: string): boolean {
  return isTestFile(path) || TEST_SIDE.test(path);
}

function isProduct(path: string): boolean {
  return CODE.test(path) && !isTestSide(path) && !CONFIGURATION.test(path);
}
