import { rmSync } from "node:fs";
import { join, relative } from "node:path";
import { escapeText, truncate } from "../../kernel/text.ts";
import type { ChangedFile } from "./changes.ts";
import { isTestFile } from "./check-diff.ts";
import { CODE, type MeasuredCheck, TEST_SIDE, resultsFile } from "./fresh-checks.ts";
import { git } from "./git.ts";
import { type TestSource, readTests } from "./read-tests.ts";
import { projectIn, runProgram, timeOf } from "./run-checks.ts";
import { type RunContext, type RunDiscard, discardOf, gitCall, recordGate, treePath } from "./run-options.ts";
import { addTree, makeLinks } from "./run-tree.ts";
import { REQUIRE_ASSERTIONS, type TestResult, measured, testRunOf } from "./runner-results.ts";
import type { GateFinding } from "./stub-gate.ts";

/** What a run is about to commit, checked out. */
export interface CheckedWork {
  readonly tree: string;
  readonly changes: readonly ChangedFile[];
}

const CONFIGURATION = /(?:^|\/)(?:package(?:-lock)?\.json|tsconfig[^/]*\.json|[^/]*\.config\.[^/]*)$/;

/**
 * Compares what the runner reports of the run's tests with what it reports of the commit before, in a third work tree:
 * tests that ran there and do not run now, a suite that got smaller, tests that execute no assertion any more; and,
 * where the run changes code and tests, whether one of the new or changed tests fails on the old code.
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
  const added = await addTree({ ...repository, environment: gitCall(context).environment }, path, repository.base);
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

/** What findings say against a run; undefined where there is none. Safe to print. */
export function findingsFailure(gate: "diff" | "results", findings: readonly GateFinding[]): RunDiscard | undefined {
  if (findings.length === 0) return undefined;
  const details = findings.map(({ rule, path, line, detail }) => {
    const place = `${escapeText(path)}${line === undefined ? "" : `:${line}`}`;
    return `${place}: ${truncate(escapeText(detail).replaceAll("\n", " "), 200)} (${rule})`;
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

/** What one check's runner reports, before the run and now. */
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
    const { after } = this.#judged;
    await this.#prepare();
    const before = await this.#measure(this.#judged.path, "before");
    this.#context.options.onStep?.("before-measured");
    if (before === undefined) {
      this.#context.options.onProgress(`results: ${escapeText(after.check.name)} reports nothing at the commit before`);
      return [];
    }
    return [...this.#smaller(before), ...(await this.#silent(before)), ...(await this.#failsBefore(before))];
  }

  /** Checks that stand before the tests may be what makes them run: an installation, a build. */
  async #prepare(): Promise<void> {
    if (this.#judged.index > 0) return;
    for (const check of this.#context.options.checks) {
      if (check === this.#judged.after.check) return;
      const program = { gate: `before ${check.name}`, command: check.run, timeoutMs: timeOf(check), isWatched: true };
      await runProgram(this.#context, this.#judged.path, program);
    }
  }

  async #measure(tree: string, what: string, more: readonly string[] = []): Promise<readonly TestResult[] | undefined> {
    const { after, index } = this.#judged;
    const test = testRunOf(after.check.run, projectIn(this.#context, tree));
    if (test === undefined) return undefined;
    const run = measured(test, resultsFile(this.#context, `${what}-${index}`), more);
    const gate = `${what} ${after.check.name}`;
    await runProgram(this.#context, tree, { ...run, gate, timeoutMs: timeOf(after.check), isWatched: true });
    return run.read(projectIn(this.#context, tree));
  }

  #smaller(before: readonly TestResult[]): readonly GateFinding[] {
    const now = new Map(this.#judged.after.results.map((result) => [result.name, result]));
    const changed = new Set(this.#work.changes.flatMap(({ path, oldPath }) => [path, oldPath]));
    const ran = before.filter(isRun);
    const idle = ran.filter((result) => {
      const after = now.get(result.name);
      // A name that is gone from a file that did not change: something else keeps it from running.
      return after === undefined ? !changed.has(this.#path(result)) : !isRun(after);
    });
    const count = this.#judged.after.results.filter(isRun).length;
    const findings = idle.map((result) =>
      this.#finding("test-not-run", result, `${result.name} ran before the run and does not now`),
    );
    if (count >= ran.length || findings.length > 0) return findings;
    const detail = `${ran.length} tests ran before, and ${count} run now`;
    return [{ rule: "suite-smaller", path: this.#project || ".", line: undefined, detail }];
  }

  /** Tests that execute no assertion any more. */
  async #silent(before: readonly TestResult[]): Promise<readonly GateFinding[]> {
    const { silent, results, test } = this.#judged.after;
    if (silent.length === 0) return [];
    const had =
      test.runner === "vitest"
        ? await this.#speaking(before, silent)
        : new Set(before.flatMap(({ name, assertions = 0 }) => (assertions > 0 ? [name] : [])));
    const ran = new Set(results.filter(isRun).map(({ name }) => name));
    return silent
      .filter(({ name }) => ran.has(name) && had.has(name))
      .map((result) => this.#finding("assertions-gone", result, `${result.name} executes no assertion any more`));
  }

  /** Of tests that are silent now, those that passed before and were not silent then. */
  async #speaking(before: readonly TestResult[], silent: readonly TestResult[]): Promise<ReadonlySet<string>> {
    const known = new Set(before.filter(({ end }) => end === "passed").map(({ name }) => name));
    if (!silent.some(({ name }) => known.has(name))) return new Set();
    const files = this.#work.changes.filter(({ kind, oldPath }) => kind !== "added" && isTestFile(oldPath));
    const more = [REQUIRE_ASSERTIONS, ...files.map(({ oldPath }) => this.#local(oldPath))];
    const results = await this.#measure(this.#judged.path, "spoke", more);
    return new Set((results ?? []).flatMap(({ name, end }) => (end === "passed" ? [name] : [])));
  }

  /** The new and changed tests on the old code: they notice what the run changes, or they do not. */
  async #failsBefore(before: readonly TestResult[]): Promise<readonly GateFinding[]> {
    const { changes, tree } = this.#work;
    const touched = await this.#touched();
    if (!changes.some(({ path }) => isProduct(path)) || touched.length === 0) return [];
    const call = gitCall(this.#context, this.#judged.path);
    const [coming, leaving] = [
      changes.filter(({ kind }) => kind !== "removed"),
      changes.filter(({ kind }) => kind === "removed"),
    ];
    const paths = coming.map(({ path }) => path).filter(isTestSide);
    const out = await git(["checkout", tree, "--", ...paths.map((path) => `:(top,literal)${path}`)], call);
    if (!out.ok) return [];
    for (const { path } of leaving.filter(({ path: each }) => isTestSide(each)))
      rmSync(join(this.#judged.path, path), { force: true });
    this.#context.options.onStep?.("tests-laid-over");
    const results = await this.#measure(
      this.#judged.path,
      "old code",
      touched.map(({ path }) => this.#local(path)),
    );
    this.#context.options.onStep?.("old-code-measured");
    if (results === undefined || results.some((result) => this.#notices(result, touched, before))) return [];
    const [first] = touched;
    const detail = "the new and changed tests pass without what the run changes in the code";
    return [{ rule: "tests-notice-nothing", path: first?.path ?? "", line: undefined, detail }];
  }

  /** A test that did not change may fail for reasons of its own. */
  #notices(result: TestResult, touched: readonly TouchedFile[], before: readonly TestResult[]): boolean {
    if (result.end !== "failed") return false;
    const file = touched.find(({ path }) => path === this.#path(result));
    if (file === undefined) return false;
    const known = before.some(({ name, end }) => name === result.name && end === "failed");
    const title = result.name.split(" > ").at(-1) ?? "";
    return result.name === "" || (!known && file.titles.some((pattern) => pattern.test(title)));
  }

  async #touched(): Promise<readonly TouchedFile[]> {
    const files: TouchedFile[] = [];
    for (const { kind, path, oldPath, oldId, newId } of this.#work.changes) {
      if (kind === "removed" || !isTestFile(path) || !this.#isInside(path)) continue;
      const [was, is] = [await this.#source(oldPath, oldId), await this.#source(path, newId)];
      const known = new Set(was?.tests.map(({ source }) => source));
      const tests = (is?.tests ?? []).filter(({ source }) => !known.has(source));
      if (tests.length > 0) files.push({ path, titles: tests.map(({ title }) => titlePattern(title)) });
    }
    return files;
  }

  async #source(path: string, id: string): Promise<TestSource | undefined> {
    const blob = /^0+$/.test(id) ? undefined : await git(["cat-file", "blob", id], gitCall(this.#context));
    const tests = blob?.ok === true ? readTests(blob.value, path, new Set()) : undefined;
    return tests?.ok === true ? tests.value : undefined;
  }

  #isInside(path: string): boolean {
    return this.#project === "" || path.startsWith(`${this.#project}/`);
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

interface TouchedFile {
  readonly path: string;
  /** What the names of its new and changed tests look like. */
  readonly titles: readonly RegExp[];
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

/** A title as it stands in the source, as a pattern of the names that it gives: `%i` and `${…}` are anything. */
function titlePattern(title: string): RegExp {
  const text = /^(["'`])([^]*)\1$/.exec(title)?.[2];
  if (text === undefined) return /^/;
  const parts = text.split(/\$\{[^}]*\}|%[a-zA-Z#$]|\$[\w.]+|\s+|\\./);
  return new RegExp(
    `^\\s*${parts.map((part) => part.replaceAll(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`)).join("[^]*")}\\s*$`,
  );
}
