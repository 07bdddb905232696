import { displayPath } from "../baseline/baseline-library.ts";

/** Characters of a test's name in a command: the name is searched for, so its beginning is enough. */
const MAX_NAME = 200;

/** Test that called a matcher, as far as its runner describes it. */
interface CallingTest {
  readonly testPath?: string;
  readonly currentConcurrentTestName?: () => string | undefined;
}

/** Test in its file, and the variable that its command needs. */
interface RerunTest {
  readonly testFile: string;
  readonly testName: string;
  /** True if only `VERITEST_MODE` makes the test call live adapters. */
  readonly needsLiveMode: boolean;
}

/** Returns the command that records the unrecorded requests of one test, for the runner that calls. */
export function rerunCommand(context: CallingTest, { testFile, testName, needsLiveMode }: RerunTest): string {
  const file = context.testPath === undefined ? testFile : displayPath(context.testPath);
  const runner = isJest(context) ? "jest" : "vitest run";
  return `${needsLiveMode ? "VERITEST_MODE=live " : ""}npx ${runner} ${commandPath(file)} -t "${pattern(testName)}" -u`;
}

/**
 * Returns true for a context with fields that only Jest gives to matchers. Jest 29 gives the concurrent test's name in
 * concurrent tests alone.
 */
function isJest(context: CallingTest): boolean {
  return context.currentConcurrentTestName !== undefined || "dontThrow" in context;
}

/**
 * The name as both runners search for it; what a shell or a regular expression would read otherwise is any character.
 */
function pattern(name: string): string {
  return name.slice(0, MAX_NAME).replaceAll(/[^\p{L}\p{N} _,:;=@/<>'#%&-]/gu, ".");
}

/** Quotes a path for a shell if it contains characters other than letters, digits and `_./-`. */
export function commandPath(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `"${path.replaceAll(/["$`\\]/g, "\\$&")}"`;
}
