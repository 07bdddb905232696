import { namedBy } from "./base-tests.ts";

/** Programs that run tests. */
const RUNNERS =
  "pytest|py\\.test|unittest|tox|nox|rspec|phpunit|ctest|gotestsum|nextest|mocha|ava|playwright|cypress|vitest|jest";
/** Programs that run tests with the argument `test`. */
const TOOLS =
  "cargo|go|dotnet|swift|mix|zig|dart|flutter|bazel|deno|make|just|mvnw?|gradlew?|rake|npm|pnpm|yarn|bun|node";
const BEGINS = String.raw`(?:^|[\s/;&|("'])`;
const ENDS = String.raw`(?=$|[\s:;&|)"'])`;
const RUNS_TESTS = new RegExp(
  String.raw`${BEGINS}(?:(?:${RUNNERS})${ENDS}|(?:${TOOLS})\s(?:[^;&|]*\s)?(?:--)?test${ENDS})`,
);

/**
 * Returns true if a check, or a script that it runs, names a program that runs tests. If its results can't be read, the
 * results of other checks say nothing about these tests.
 */
export function namesTests(run: readonly string[], folder: string): boolean {
  return RUNS_TESTS.test(namedBy(run, folder).join(" "));
}
