import { processEnvironment } from "../../kernel/environment.ts";
import type { CircusTest, MatcherContext } from "../matcher-context.ts";
import { type ExtraMatchers, createMatchers } from "../create-matchers.ts";
import { type ExpectState, createSession } from "./create-session.ts";
import { reportFile } from "./missing-reporter.ts";

/** The part of `@jest/globals` a set-up file uses, the same in Jest 29 and 30. */
interface JestModule {
  readonly expect: { extend(matchers: object): void; getState(): ExpectState };
  readonly beforeAll: (hook: () => void | Promise<void>) => void;
  readonly afterEach: (hook: () => Promise<void>) => void;
  readonly afterAll: (hook: () => Promise<void>) => void;
}

/**
 * Adds the matchers to Jest's `expect` and follows every test to its end. A test is identified by the object that
 * jest-circus keeps of it, the same one when it is tried again.
 */
export function installJest(jest: JestModule, extra: ExtraMatchers): void {
  const session = createSession((context) => {
    const name = context.currentConcurrentTestName?.() ?? context.currentTestName;
    if (name === undefined) return undefined;
    const test = testOf(context, name);
    // Jest 29 starts a concurrent test before it counts that.
    const attempt = test?.invocations || 1;
    return {
      key: test ?? name,
      name,
      id: name,
      attempt,
      expectsFailure: test?.failing === true,
      // The number that `jest.retryTimes` sets.
      hasRetry: attempt <= Reflect.get(globalThis, Symbol.for("RETRY_TIMES")),
    };
  });
  jest.expect.extend(createMatchers(session.run, extra));
  const endAttempt = async (): Promise<void> => {
    const test = runningTest();
    await session.endAttempt(test ?? jest.expect.getState().currentTestName, test?.errors.length === 0);
  };
  jest.afterEach(endAttempt);
  jest.beforeAll(async () => {
    runLast(endAttempt);
    const { testPath } = jest.expect.getState();
    if (testPath !== undefined) await session.begin(testPath);
  });
  jest.afterAll(async () => {
    const tests = testsIn();
    const names = new Map<unknown, unknown>(tests.map(({ test, name }) => [test, name]));
    const known = new Set(names.values());
    const failed = new Set<unknown>(tests.filter(({ test }) => test.errors.length > 0).map(({ name }) => name));
    // Tests with one name count together, because a concurrent one may be known by its name alone.
    const passed = (key: unknown): boolean => {
      const name = names.get(key) ?? key;
      return known.has(name) && !failed.has(name);
    };
    await session.endRest(passed);
    await session.judge(passed);
    const { testPath, snapshotState } = jest.expect.getState();
    const log = testPath === undefined ? undefined : session.takeLog(testPath, snapshotState);
    if (log !== undefined) await reportFile(processEnvironment(), log);
  });
}

/** A describe block as jest-circus keeps it; the root one has no parent. */
interface CircusBlock {
  readonly type: "describeBlock";
  readonly name: string;
  readonly children: readonly (CircusBlock | CircusTest)[];
}

/** Block of a test file, with the hooks added outside of any describe. */
interface CircusRoot extends CircusBlock {
  readonly hooks: { readonly fn: unknown }[];
}

/** State that jest-circus has while a test file runs. */
interface CircusState {
  readonly rootDescribeBlock: CircusRoot;
  readonly currentlyRunningTest?: CircusTest | null;
}

/**
 * The test that runs; of concurrent ones, the last that started. jest-circus keeps its state under a private symbol,
 * and there is no public answer before a test file ends (checked with 29.7 and 30.5); without that state a test counts
 * as failed.
 */
function runningTest(): CircusTest | undefined {
  return circusState()?.currentlyRunningTest ?? undefined;
}

/**
 * The test that a matcher call belongs to. Jest runs concurrent tests at once. It identifies tests from 30.5; from 30.2
 * it names every test, and before only concurrent ones. In a hook of a block, no test runs.
 */
function testOf(context: MatcherContext, name: string): CircusTest | undefined {
  const identity = context.currentTestIdentity?.();
  if (identity !== undefined) return identity;
  const [running, named] = [runningTest(), context.currentConcurrentTestName?.()];
  const isOwn = named === undefined || (running?.concurrent !== true && named === context.currentTestName);
  if (running !== undefined && isOwn) return running;
  return named === undefined ? undefined : testsIn().find((each) => each.name === name)?.test;
}

/**
 * Moves a hook of the set-up file behind those of the test file, so that it sees whether they threw: jest-circus runs
 * the hooks of a block in the order they were added.
 */
function runLast(hook: () => unknown): void {
  const hooks = circusState()?.rootDescribeBlock.hooks ?? [];
  const index = hooks.findIndex(({ fn }) => fn === hook);
  if (index !== -1) hooks.push(...hooks.splice(index, 1));
}

/** The tests of a block, or of the file, with their full names. */
function testsIn(
  block: CircusBlock | undefined = circusState()?.rootDescribeBlock,
  titles: string = "",
): { readonly name: string; readonly test: CircusTest }[] {
  return (block?.children ?? []).flatMap((child) => {
    const name = titles + child.name;
    return child.type === "test" ? [{ name, test: child }] : testsIn(child, `${name} `);
  });
}

/** Symbol that stays the same for the lifetime of a worker. Finding it costs more than the rest of an assertion. */
let stateSymbol: symbol | undefined;

function circusState(): CircusState | undefined {
  stateSymbol ??= Object.getOwnPropertySymbols(globalThis).find(
    ({ description }) => description === "JEST_STATE_SYMBOL",
  );
  const state: unknown = stateSymbol === undefined ? undefined : Reflect.get(globalThis, stateSymbol);
  return isCircusState(state) ? state : undefined;
}

function isCircusState(state: unknown): state is CircusState {
  return typeof state === "object" && state !== null && "rootDescribeBlock" in state && "currentlyRunningTest" in state;
}
