import { writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expect, test } from "vitest";
import { putStep } from "../../../test-support/put-step.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import { type RanTestFile, findLeft, findObsolete, findUnused } from "./find-obsolete.ts";

/** A folder of test files that share a baseline which none of them uses, and what `findUnused` says about it. */
function unusedAfter(
  run: Readonly<Record<string, "passed" | "incomplete">>,
  { present, folder = "steps" }: { readonly present: readonly string[]; readonly folder?: string },
): boolean | undefined {
  const directory = join(temporaryProject("unused"), folder);
  const root = join(directory, "__baselines__");
  const [used = "", left = ""] = ["a-11111111.json", "b-22222222.json"].map((name) => join(root, "step", name));
  for (const path of [used, left]) putBaseline(path, "{}");
  for (const name of present) writeFileSync(join(directory, name), TEST_CODE);
  writeFileSync(join(directory, "helper.ts"), "export {};");
  const files = Object.entries(run).map(([name, state]): RanTestFile => {
    return { testPath: join(directory, name), allPassed: state === "passed", failed: false };
  });
  const logs = files.map(({ testPath }): TestFileLog => {
    return { testPath, root, checks: [{ test: "a", path: used, outcome: "clean" }], staged: [] };
  });
  const unused = findUnused(files, logs);
  expect(unused.map(({ path }) => path)).toStrictEqual([left]);
  return unused[0]?.allTestsRan;
}

const TEST_CODE = 'test("x", () => {});';

test.each<[string, Parameters<typeof unusedAfter>[0], Parameters<typeof unusedAfter>[1], boolean]>([
  [
    "every test next to it ran",
    { "a.test.ts": "passed", "b.test.ts": "passed" },
    { present: ["a.test.ts", "b.test.ts"] },
    true,
  ],
  ["a test file didn't run", { "a.test.ts": "passed" }, { present: ["a.test.ts", "b.test.ts"] }, false],
  [
    "a test file without a usual name didn't run",
    { "a.js": "passed" },
    { present: ["a.js", "b.js"], folder: "__tests__" },
    false,
  ],
  [
    "all files of __tests__ ran",
    { "a.js": "passed", "b.js": "passed" },
    { present: ["a.js", "b.js"], folder: "__tests__" },
    true,
  ],
  ["a test was skipped, filtered out or failed", { "a.test.ts": "incomplete" }, { present: ["a.test.ts"] }, false],
  [
    "a test of another file was skipped, filtered out or failed",
    { "a.test.ts": "passed", "b.test.ts": "incomplete" },
    { present: ["a.test.ts", "b.test.ts"] },
    false,
  ],
])("tells if all tests ran that may use an unused baseline: %s", (_case, run, files, allTestsRan) => {
  expect(unusedAfter(run, files)).toBe(allTestsRan);
});

/** The baseline of "old" that no test of two files used, the first of which failed, if it was left behind. */
function leftAfter(
  failed: Pick<TestFileLog, "steps">,
  { isMissing = false, isSkipped = false, code = TEST_CODE } = {},
): readonly string[] {
  const directory = temporaryProject("left");
  const root = join(directory, "__baselines__");
  putStep(directory, { step: "old", input: {} });
  for (const name of ["a.test.ts", "b.test.ts"]) writeFileSync(join(directory, name), code);
  const files = ["a.test.ts", "b.test.ts"].map((name): RanTestFile => {
    return {
      testPath: join(directory, name),
      allPassed: name !== "a.test.ts",
      failed: name === "a.test.ts" && !isSkipped,
    };
  });
  const logs = files.flatMap(({ testPath, allPassed }): TestFileLog[] =>
    !allPassed && isMissing ? [] : [{ testPath, root, checks: [], staged: [], ...(!allPassed && failed) }],
  );
  expect(findObsolete({ files }, logs).obsolete).toStrictEqual([]);
  return findLeft(files, logs).map((path) => basename(dirname(path)));
}

test("a failed test file leaves the baselines of the steps that it doesn't define", () => {
  expect(leftAfter({ steps: ["new"] })).toStrictEqual(["old"]);
  expect(leftAfter({ steps: ["new", "old"] })).toStrictEqual([]);
  expect(leftAfter({})).toStrictEqual([]);
  expect(leftAfter({}, { isMissing: true })).toStrictEqual([]);
  expect(leftAfter({ steps: ["new"] }, { isSkipped: true })).toStrictEqual([]);
  const later = 'test("x", async () => {\n  const { old } = await import("./old.ts");\n});\n';
  expect(leftAfter({ steps: ["new"] }, { code: later })).toStrictEqual([]);
  const line = 'const { test } = require("vitest"); test("x", async () => import("./old.ts"));\n';
  expect(leftAfter({ steps: ["new"] }, { code: line })).toStrictEqual([]);
  expect(leftAfter({ steps: ["new"] }, { code: 'const { now } = await import("./new.ts");\n' })).toStrictEqual(["old"]);
});
