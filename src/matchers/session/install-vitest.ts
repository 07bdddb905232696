import { processEnvironment, readVariable } from "../../kernel/environment.ts";
import { AsyncLocalStorage } from "node:async_hooks";
import type { MatcherContext } from "../matcher-context.ts";
import { type ExtraMatchers, createMatchers } from "../create-matchers.ts";
import { META_NAME } from "../../explain/append-run-log.ts";
import { importSequentially } from "../../kernel/import-sequentially.ts";
import { type ExpectState, type RunningTest, type Session, createSession } from "./create-session.ts";
import { reportFile } from "./missing-reporter.ts";

declare global {
  /** Part of the state of Vitest's worker. Vitest 5 records the files that a test file uses for --since-last-run. */
  var __vitest_worker__: { readonly dependencies?: { add(path: string): void } | undefined } | undefined;
}

/** The part of Vitest's module a set-up file uses, the same in Vitest 3.2 to 5 but for `aroundEach` (4.1 and newer). */
export interface VitestModule {
  readonly expect: { extend(matchers: object): void; getState(): ExpectState };
  readonly beforeAll: (hook: () => void | Promise<void>) => void;
  readonly beforeEach: (hook: (context: { readonly task: object }) => Promise<void>) => void;
  readonly afterEach: (hook: (context: { readonly task: object }) => Promise<void>) => void;
  readonly afterAll: (hook: () => Promise<void>) => void;
  readonly aroundEach?: (
    hook: (runTest: () => Promise<void>, context: { readonly task: object }) => Promise<void>,
  ) => void;
}

/** Vitest 3's and 4's access to a test's function, for versions without `aroundEach`. */
export interface VitestSuiteModule {
  getFn(test: object): () => unknown;
  setFn(test: object, run: () => unknown): void;
}

const NOT_FOLLOWED =
  "veritest can't track this test file. With isolate: false, Vitest runs a setup file's imports only once. " +
  'Use the plugin, or add "veritest/vitest" to setupFiles.';

/**
 * Adds the matchers to Vitest's `expect` and follows every test from start to end. The running test is stored in an
 * AsyncLocalStorage, because Vitest's own record of it is wrong under `test.concurrent` with the global `expect`.
 */
export function followVitest(
  vitest: VitestModule,
  suiteModule: VitestSuiteModule | undefined,
  extra: ExtraMatchers,
): void {
  const running = new AsyncLocalStorage<object>();
  const followed = new Set<string>();
  const session = createSession((context) => runningTest(running.getStore(), followed, context), {
    roundOf: (task) => (isTestTask(task) ? task.result?.repeatCount : undefined),
    ifLost: async (failure, note) =>
      (await importSequentially(async () => import("./lost-failures.ts"))).watchFailure(failure, note),
  });
  vitest.expect.extend(createMatchers(session.run, extra));
  vitest.beforeAll(
    hookWithArguments(async (args) => {
      const file = findSuite(args);
      if (file === undefined) return;
      if (vitest.aroundEach === undefined && suiteModule !== undefined) wrapTests(file, running, suiteModule);
      if (file.filepath === undefined) return;
      followed.add(file.filepath);
      await session.begin(file.filepath);
    }),
  );
  followTests(vitest, running, session);
  vitest.afterAll(
    hookWithArguments(async (args) => {
      await session.endRest(() => false);
      await session.judge(hasPassed);
      const { testPath, snapshotState } = vitest.expect.getState();
      const log = testPath === undefined ? undefined : session.takeLog(testPath, snapshotState);
      if (log === undefined) return;
      // For --since-last-run, as Vitest 5 does with its .snap files.
      for (const path of [...log.checks.map((check) => check.path), ...(log.unreported ?? [])])
        globalThis.__vitest_worker__?.dependencies?.add(path);
      await reportFile(processEnvironment(), log);
      // As a text: what is not plain data would cost the file its results.
      if (readVariable(processEnvironment(), "VERITEST_META") === "1")
        Reflect.set(findSuite(args)?.meta ?? {}, META_NAME, JSON.stringify(log));
    }),
  );
}

/** Ends each attempt of a test when all its hooks have run. */
function followTests(vitest: VitestModule, running: AsyncLocalStorage<object>, session: Session): void {
  if (vitest.aroundEach === undefined) {
    // An attempt outlives its test if a hook of the test threw: Vitest skips the hooks after it, ours too.
    vitest.beforeEach(async ({ task }) => session.endAttempt(task, false));
    vitest.afterEach(async ({ task }) => session.endAttempt(task, hasPassed(task)));
    return;
  }
  // One hook and not three: each costs every test as much as an assertion.
  vitest.aroundEach(async (runTest, { task }) => {
    let passed = false;
    try {
      // An attempt that a time limit of Vitest's stopped hasn't ended yet.
      await session.endAttempt(task, false);
      await running.run(task, runTest);
      passed = hasPassed(task);
    } finally {
      await session.endAttempt(task, passed);
    }
  });
}

/**
 * A hook that sees what it is called with although it names no parameter: Vitest 4 reads those as fixtures and refuses.
 */
function hookWithArguments<T>(hook: (args: readonly unknown[]) => T): () => T {
  return function () {
    return hook([...arguments]);
  };
}

function wrapTests(file: SuiteTask, running: AsyncLocalStorage<object>, suiteModule: VitestSuiteModule): void {
  for (const test of testsOf(file)) {
    const original = suiteModule.getFn(test);
    suiteModule.setFn(test, () => running.run(test, original));
  }
}

/**
 * Returns the test that a matcher call belongs to. Throws in a test file that isn't followed: with `isolate: false` the
 * matchers stay for all files, but the hooks only apply to those whose set-up ran. Without them baselines would be lost
 * silently.
 */
function runningTest(
  stored: object | undefined,
  followed: ReadonlySet<string>,
  { task, testPath, snapshotState }: MatcherContext,
): RunningTest | undefined {
  if (snapshotState !== undefined && testPath !== undefined && !followed.has(testPath)) throw new Error(NOT_FOLLOWED);
  const test = [stored, task].find(isTestTask);
  if (test === undefined) return undefined;
  const project = test.file?.projectName;
  return {
    key: test,
    name: testName(test),
    id: test.id,
    expectsFailure: test.fails === true,
    hasRetry: (test.result?.retryCount ?? 0) < retriesOf(test),
    ...(project ? { project } : {}),
  };
}

function retriesOf({ retry = 0 }: TestTask): number {
  return typeof retry === "number" ? retry : (retry.count ?? 0);
}

/** A test as Vitest's runner keeps it. */
interface TestTask {
  readonly type: "test";
  readonly id: string;
  readonly name: string;
  /** True for `test.fails`. */
  readonly fails?: boolean | undefined;
  /** Number of retries; from Vitest 4.1 on also an object with it. */
  readonly retry?: number | { readonly count?: number } | undefined;
  readonly file?: { readonly projectName?: string | undefined } | undefined;
  readonly suite?: SuiteTask | undefined;
  readonly result?: { readonly state: string; readonly repeatCount?: number; readonly retryCount?: number } | undefined;
}

/** A describe block or a test file as Vitest's runner keeps it; a file has a `filepath`. */
interface SuiteTask {
  readonly type: "suite";
  readonly name: string;
  readonly suite?: SuiteTask | undefined;
  readonly filepath?: string;
  readonly tasks: readonly object[];
  readonly meta?: object;
}

/** Narrows anything to a test of Vitest's. */
function isTestTask(task: unknown): task is TestTask {
  return Reflect.get(Object(task), "type") === "test";
}

function hasPassed(task: unknown): boolean {
  return isTestTask(task) && task.result?.state === "pass";
}

/** Joins a test's titles by spaces, outermost first, without the file. */
function testName(test: TestTask): string {
  const titles = [test.name];
  for (let suite = test.suite; suite !== undefined && suite.filepath === undefined; suite = suite.suite) {
    if (suite.name !== "") titles.unshift(suite.name);
  }
  return titles.join(" ");
}

/** The suite among a hook's arguments: the first in Vitest 3, the second from 4 on. */
function findSuite(args: readonly unknown[]): SuiteTask | undefined {
  return args.find(isSuiteTask);
}

/** All tests below a suite. */
function testsOf(suite: SuiteTask): TestTask[] {
  return suite.tasks.flatMap((task) => {
    if (isTestTask(task)) return [task];
    return isSuiteTask(task) ? testsOf(task) : [];
  });
}

function isSuiteTask(task: unknown): task is SuiteTask {
  return Reflect.get(Object(task), "type") === "suite";
}
