import { createMatchers } from "../matchers/create-matchers.ts";
import { appendRunLog } from "../reporter/append-run-log.ts";
import { passedNames, runLast, runningTest, runningTestPassed } from "./circus.ts";
import { type ExpectState, createSession } from "./create-session.ts";
import { loadFirstCheck } from "../late/load-first-check.ts";

/** The part of `@jest/globals` a set-up file uses, the same in Jest 29 and 30. */
export interface JestModule {
  readonly expect: { extend(matchers: object): void; getState(): ExpectState };
  readonly beforeAll: (hook: () => void) => void;
  readonly afterEach: (hook: () => Promise<void>) => void;
  readonly afterAll: (hook: () => Promise<void>) => void;
}

/**
 * Adds the matchers to Jest's `expect` and follows every test to its end. A test is told by its full name: Jest hands
 * matchers nothing else under `test.concurrent`.
 */
export function installJest(jest: JestModule): void {
  const session = createSession(
    (context) => {
      const name = context.currentConcurrentTestName?.() ?? context.currentTestName;
      return name === undefined ? undefined : { key: name, name, id: name };
    },
    { roundOf: runningTest },
  );
  jest.expect.extend(createMatchers(session.run, loadFirstCheck));
  const endAttempt = async (): Promise<void> =>
    session.endAttempt(jest.expect.getState().currentTestName, runningTestPassed());
  jest.afterEach(endAttempt);
  jest.beforeAll(() => runLast(endAttempt));
  jest.afterAll(async () => {
    const names = passedNames();
    const passed = (name: unknown): boolean => typeof name === "string" && names.has(name);
    await session.endRest(passed);
    await session.judge(passed);
    const { testPath, snapshotState } = jest.expect.getState();
    const log = testPath === undefined ? undefined : session.takeLog(testPath, snapshotState);
    if (log !== undefined) appendRunLog(process.env, log);
  });
}
