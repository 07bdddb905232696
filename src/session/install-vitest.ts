import { AsyncLocalStorage } from "node:async_hooks";
import { createMatchers } from "../matchers/create-matchers.ts";
import type { MatcherContext } from "../matchers/context.ts";
import { appendRunLog } from "../reporter/run-log.ts";
import { type ExpectState, type RunningTest, createSession } from "./create-session.ts";
import { type SuiteTask, type TestTask, findSuite, isTestTask, testName, testsOf } from "./vitest-task.ts";

/** The part of Vitest's module a set-up file uses, the same in Vitest 3.2 to 5 but for `aroundEach` (4.1 and newer). */
export interface VitestModule {
  readonly expect: { extend(matchers: object): void; getState(): ExpectState };
  readonly beforeAll: (hook: () => void) => void;
  readonly afterEach: (hook: (context: { readonly task: object }) => Promise<void>) => void;
  readonly afterAll: (hook: () => void) => void;
  readonly aroundEach?: (hook: (runTest: () => Promise<void>, context: { readonly task: object }) => Promise<void>) => void;
}

/** Vitest 3's and 4's access to a test's function, for versions without `aroundEach`. */
export interface VitestSuiteModule {
  getFn(test: object): () => unknown;
  setFn(test: object, run: () => unknown): void;
}

/**
 * Adds the matchers to Vitest's `expect` and follows every test from start to end. The running test is kept in an
 * AsyncLocalStorage, because Vitest's own record of it is wrong under `test.concurrent` with the global `expect`.
 */
export function installVitest(vitest: VitestModule, suiteModule: VitestSuiteModule | undefined): void {
  const running = new AsyncLocalStorage<object>();
  const session = createSession((context) => runningTest(running.getStore(), context));
  vitest.expect.extend(createMatchers(session.run));
  if (vitest.aroundEach !== undefined) {
    vitest.aroundEach(async (runTest, { task }) => running.run(task, runTest));
  } else if (suiteModule !== undefined) {
    vitest.beforeAll(hookWithArguments((args) => wrapTests(findSuite(args), { running, suiteModule })));
  }
  vitest.afterEach(async ({ task }) => session.endAttempt(task, isTestTask(task) && task.result?.state === "pass"));
  vitest.afterAll(() => {
    const { testPath, snapshotState } = vitest.expect.getState();
    const log = testPath === undefined ? undefined : session.takeLog(testPath, snapshotState);
    if (log !== undefined) appendRunLog(process.env, log);
  });
}

/** A hook that sees what it is called with although it names no parameter: Vitest 4 reads those as fixtures and refuses. */
function hookWithArguments(hook: (args: readonly unknown[]) => void): () => void {
  return function () {
    // oxlint-disable-next-line prefer-rest-params
    hook([...arguments]);
  };
}

function wrapTests(
  suite: SuiteTask | undefined,
  { running, suiteModule }: { readonly running: AsyncLocalStorage<object>; readonly suiteModule: VitestSuiteModule },
): void {
  for (const test of suite === undefined ? [] : testsOf(suite)) {
    const original = suiteModule.getFn(test);
    suiteModule.setFn(test, () => running.run(test, original));
  }
}

function runningTest(stored: object | undefined, { task }: MatcherContext): RunningTest | undefined {
  const test: TestTask | undefined = isTestTask(stored) ? stored : isTestTask(task) ? task : undefined;
  return test === undefined ? undefined : { key: test, name: testName(test), id: test.id };
}
