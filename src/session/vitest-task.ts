/** A test as Vitest's runner keeps it. */
export interface TestTask {
  readonly type: "test";
  readonly id: string;
  readonly name: string;
  readonly suite?: SuiteTask | undefined;
  readonly result?: { readonly state: string; readonly repeatCount?: number } | undefined;
}

/** A describe block or a test file as Vitest's runner keeps it; a file has a `filepath`. */
export interface SuiteTask {
  readonly type: "suite";
  readonly name: string;
  readonly suite?: SuiteTask | undefined;
  readonly filepath?: string;
  readonly tasks: readonly object[];
  readonly meta?: object;
}

/** Narrows anything to a test of Vitest's. */
export function isTestTask(task: unknown): task is TestTask {
  return typeof task === "object" && task !== null && "type" in task && task.type === "test" && "id" in task;
}

/** A test's titles joined by blanks, outermost first, without the file. */
export function testName(test: TestTask): string {
  const titles = [test.name];
  for (let suite = test.suite; suite !== undefined && suite.filepath === undefined; suite = suite.suite) {
    if (suite.name !== "") titles.unshift(suite.name);
  }
  return titles.join(" ");
}

/** The suite among a hook's arguments: the first in Vitest 3, the second from 4 on. */
export function findSuite(args: readonly unknown[]): SuiteTask | undefined {
  return args.find(isSuiteTask);
}

/** All tests below a suite. */
export function testsOf(suite: SuiteTask): TestTask[] {
  return suite.tasks.flatMap((task) => {
    if (isTestTask(task)) return [task];
    return isSuiteTask(task) ? testsOf(task) : [];
  });
}

function isSuiteTask(task: unknown): task is SuiteTask {
  return typeof task === "object" && task !== null && "type" in task && task.type === "suite" && "tasks" in task;
}
