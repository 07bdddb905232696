import { processEnvironment } from "../../kernel/environment.ts";
import { type ExtraMatchers, createMatchers } from "../create-matchers.ts";
import { appendRunLog } from "../../explain/append-run-log.ts";
import { type ExpectState, createSession } from "./create-session.ts";

/** The part of `@jest/globals` a set-up file uses, the same in Jest 29 and 30. */
interface JestModule {
  readonly expect: { extend(matchers: object): void; getState(): ExpectState };
  readonly beforeAll: (hook: () => void | Promise<void>) => void;
  readonly afterEach: (hook: () => Promise<void>) => void;
  readonly afterAll: (hook: () => Promise<void>) => void;
}

/**
 * Adds the matchers to Jest's `expect` and follows every test to its end. A test is identified by its full name: under
 * `test.concurrent` Jest gives matchers only that.
 */
export function installJest(jest: JestModule, extra: ExtraMatchers): void {
  const session = createSession(
    (context) => {
      const name = context.currentConcurrentTestName?.() ?? context.currentTestName;
      if (name === undefined) return undefined;
      return { key: name, name, id: name, expectsFailure: circusState()?.currentlyRunningTest?.failing === true };
    },
    { roundOf: runningTest },
  );
  jest.expect.extend(createMatchers(session.run, extra));
  const endAttempt = async (): Promise<void> =>
    session.endAttempt(jest.expect.getState().currentTestName, runningTestPassed());
  jest.afterEach(endAttempt);
  jest.beforeAll(async () => {
    runLast(endAttempt);
    const { testPath } = jest.expect.getState();
    if (testPath !== undefined) await session.begin(testPath);
  });
  jest.afterAll(async () => {
    const names = passedNames();
    const passed = (name: unknown): boolean => typeof name === "string" && names.has(name);
    await session.endRest(passed);
    await session.judge(passed);
    const { testPath, snapshotState } = jest.expect.getState();
    const log = testPath === undefined ? undefined : session.takeLog(testPath, snapshotState);
    if (log !== undefined) appendRunLog(processEnvironment(), log);
  });
}

/** A test as jest-circus keeps it. */
interface CircusTest {
  readonly type: "test";
  readonly name: string;
  /** True for `test.failing`. */
  readonly failing?: boolean;
  readonly errors: readonly unknown[];
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
 * True when the running test has no error so far. jest-circus keeps its state under a private symbol, and there is no
 * public answer before a test file ends (checked with 29.7 and 30.5); without that state a test counts as failed.
 */
function runningTestPassed(): boolean {
  return circusState()?.currentlyRunningTest?.errors.length === 0;
}

/** The running test itself, the same object when it is tried again; another test with the same name is another one. */
function runningTest(): unknown {
  return circusState()?.currentlyRunningTest ?? undefined;
}

/** The full names under which every test of the file that ended has passed. */
function passedNames(): ReadonlySet<string> {
  const tests = testsIn(circusState()?.rootDescribeBlock, []);
  const failed = new Set(tests.filter(({ test }) => test.errors.length > 0).map(({ name }) => name));
  return new Set(tests.map(({ name }) => name).filter((name) => !failed.has(name)));
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

function testsIn(
  block: CircusBlock | undefined,
  titles: readonly string[],
): { readonly name: string; readonly test: CircusTest }[] {
  return (block?.children ?? []).flatMap((child) => {
    const path = [...titles, child.name];
    return child.type === "test" ? [{ name: path.join(" "), test: child }] : testsIn(child, path);
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
