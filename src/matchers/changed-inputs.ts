import { dirname, join } from "node:path";
import { directoryIndex } from "../baseline/directory-index.ts";
import type { Check } from "../check/check.ts";
import { type InputChange, inputChangesOf } from "../updates/gates/changed-inputs.ts";
import { bounded } from "./matcher-text.ts";
import { newCaseOf } from "./session/project-findings.ts";
import type { TestSession } from "./test-session.ts";

/**
 * Finds the cases that a run without captures lacks because the test now passes another input, by path, each with the
 * nearest case of the same step and label that no test of the file has used so far.
 */
export function changedInputsOf(
  failures: readonly Check[],
  session: Pick<TestSession, "isUsed" | "testName"> | undefined,
): ReadonlyMap<string, InputChange> {
  const cases = new Map(
    failures.flatMap((check) => {
      const newCase = check.update?.state === undefined ? newCaseOf(check) : undefined;
      return newCase === undefined ? [] : [[check.path, { ...newCase, test: session?.testName ?? "" }]];
    }),
  );
  const unused = [...new Set([...cases.keys()].map((path) => dirname(path)))].flatMap((directory) =>
    directoryIndex(directory).names.map((name) => join(directory, name)),
  );
  return inputChangesOf(
    cases,
    unused.filter((path) => session?.isUsed(path) === false).map((path) => ({ path, allTestsRan: false })),
  );
}

/** Returns the lines of a changed input in a failure message. */
export function inputLines({ lines, earlier }: InputChange): string[] {
  return [
    ...lines,
    `compared with the most similar baseline that no test in this file has used so far: ${earlier}`,
  ].map((line) => bounded(`    ${line}`));
}
