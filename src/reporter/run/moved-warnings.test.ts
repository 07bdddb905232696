import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { expect, test } from "vitest";
import { putStep } from "../../../test-support/put-step.ts";
import { groupDirectory } from "../../baseline/baseline-paths.ts";
import { commitAll, makeProject, put } from "../../../test-support/pending-project.ts";
import type { TestFileLog } from "../../explain/append-run-log.ts";
import { movedWarnings } from "./moved-warnings.ts";

function touch(root: string, ...files: readonly string[]): void {
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), "");
  }
}

/** Moves a test file to a new folder, without its baselines, which is not committed. */
function moveTest(root: string, from: string, to: string): void {
  touch(root, from);
  commitAll(root);
  mkdirSync(dirname(join(root, to)), { recursive: true });
  renameSync(join(root, from), join(root, to));
}

function logOf(root: string, testFile: string): TestFileLog {
  const testPath = join(root, testFile);
  const steps = ["plan", "extract-tasks", "extractTasks"];
  return { testPath, root: join(dirname(testPath), "__baselines__"), checks: [], steps, staged: [] };
}

/** Facts of a run: its test files, one whose baselines are in `snaps`, and unused baselines if all tests ran. */
interface Run {
  readonly logs: readonly string[];
  readonly away?: string;
  readonly unused?: readonly string[];
  readonly isPartial?: boolean;
  readonly isNarrowed?: boolean;
  readonly passed?: readonly string[];
}

/** The lines of a run in which these cases are missing, with paths relative to the project. */
function warnings(root: string, missing: readonly string[], rest: Run): string[] {
  const outcomes = missing.map((path) => ({ path: join(root, path), outcome: "missing" }));
  const away = rest.away === undefined ? [] : [{ ...logOf(root, rest.away), root: join(root, "snaps/__baselines__") }];
  const logs = [...rest.logs.map((file) => logOf(root, file)), ...away];
  const unused = rest.isPartial === true ? undefined : (rest.unused ?? []).map((path) => join(root, path));
  const shown = relative(process.cwd(), root).startsWith("..") ? `${root}/` : `${relative(process.cwd(), root)}/`;
  const { isNarrowed = false, passed = [] } = rest;
  const files = logs.map(({ testPath }) => {
    const allPassed = passed.includes(relative(root, testPath));
    return { testPath, allPassed, failed: !allPassed };
  });
  return movedWarnings(outcomes, { root, logs, files, unused: () => unused, isNarrowed }).map(({ text }) =>
    text.replaceAll(shown, ""),
  );
}

test("finds a renamed step by its cases if no test uses the old name", () => {
  const { root } = makeProject();
  const old = putStep(root, { step: "extract", name: "monday", input: {} });
  touch(root, "a.test.ts");
  const missing = [old.replace("/extract/", "/extract-tasks/")];
  expect(warnings(root, missing, { logs: ["a.test.ts"], unused: [old] })).toStrictEqual([
    "the step was renamed, but its baselines weren't: npx veritest rename-step extract extract-tasks",
  ]);
  expect(warnings(root, missing, { logs: ["a.test.ts"] })).toStrictEqual([]);
  const captured = putStep(root, { step: "extract-tasks", name: "monday", input: {} });
  expect(warnings(root, [captured], { logs: ["a.test.ts"], unused: [old] })).toStrictEqual([
    "the step was renamed, but its baselines weren't: npx veritest rename-step extract extract-tasks --force",
  ]);
});

test("suggests no new name for a step while tests use, or may use, some of its baselines", () => {
  const { root } = makeProject();
  const old = putStep(root, { step: "extract", name: "monday", input: {} });
  touch(root, "a.test.ts", "other/b.test.ts");
  const missing = [old.replace("/extract/", "/extract-tasks/")];
  const suggested = (unused: string[]): string[] => warnings(root, missing, { logs: ["a.test.ts"], unused });
  expect(suggested([old])).toHaveLength(1);
  const tuesday = putStep(root, { step: "extract", name: "tuesday", input: { day: 2 } });
  expect(suggested([old])).toStrictEqual([]);
  expect(suggested([old, tuesday])).toHaveLength(1);
  const other = putStep(root, { step: "extract", name: "monday", input: {}, directory: "other" });
  expect(suggested([old, tuesday])).toStrictEqual([]);
  expect(suggested([old, tuesday, other])).toHaveLength(1);
});

test("suggests no new name that replaces an accepted case of it, or that two steps have", () => {
  const { root } = makeProject();
  touch(root, "a.test.ts");
  const old = putStep(root, { step: "extract", name: "monday", input: {} });
  const both = putStep(root, { step: "extract", name: "tuesday", input: {} });
  const captured = putStep(root, { step: "plan", name: "monday", input: {} });
  const suggested = (unused: string[]): string[] => warnings(root, [captured], { logs: ["a.test.ts"], unused });
  expect(suggested([old, both])).toHaveLength(1);
  putStep(root, { step: "plan", name: "tuesday", input: {} });
  expect(suggested([old, both])).toStrictEqual([]);
  const third = putStep(root, { step: "read", name: "monday", input: {} });
  const missing = [old.replace("/extract/", "/extract-tasks/")];
  expect(warnings(root, missing, { logs: ["a.test.ts"], unused: [old, both, third] })).toStrictEqual([]);
});

test("suggests no move if two directories have the case", () => {
  const { root } = makeProject();
  const [one] = ["one", "two"].map((directory) =>
    putStep(root, { step: "extract", name: "monday", input: {}, directory }),
  );
  if (one === undefined) throw new Error("a baseline");
  touch(root, "new/moved.test.ts");
  const missing = [one.replace("one/", "new/")];
  expect(warnings(root, missing, { logs: ["new/moved.test.ts"] })).toStrictEqual([]);
});

test("names a renamed step as its code does, not as its directory is called", () => {
  const { root } = makeProject();
  const old = putStep(root, { step: "extract", name: "monday", input: {} });
  touch(root, "a.test.ts");
  const missing = [old.replace("/extract/", `/${groupDirectory("extractTasks")}/`)];
  expect(warnings(root, missing, { logs: ["a.test.ts"], unused: [old] })).toStrictEqual([
    "the step was renamed, but its baselines weren't: npx veritest rename-step extract extractTasks",
  ]);
});

test("a failed case counts as missing, if it has no baseline", () => {
  const { root } = makeProject();
  const old = putStep(root, { step: "extract", name: "monday", input: {} });
  touch(root, "a.test.ts");
  const path = join(root, old.replace("/extract/", "/plan/"));
  const textsOf = (paths: readonly string[]): string[] =>
    movedWarnings(
      paths.map((failed) => ({ path: failed, outcome: "failed" })),
      { root, logs: [logOf(root, "a.test.ts")], files: [], unused: () => [join(root, old)], isNarrowed: false },
    ).map(({ text }) => text);
  expect(textsOf([path])).toStrictEqual([
    "the step was renamed, but its baselines weren't: npx veritest rename-step extract plan",
  ]);
  putStep(root, { step: "plan", name: "monday", input: {} });
  expect(textsOf([path])).toStrictEqual([]);
});

test("finds a renamed test file by its values if the old one is gone", () => {
  const { root, ...project } = makeProject();
  const old = relative(root, put({ root, ...project }, "one", { a: 1 }));
  touch(root, "a.test.ts", "b.test.ts");
  const missing = [old.replace("a.test.ts", "b.test.ts")];
  expect(warnings(root, missing, { logs: ["b.test.ts"] })).toStrictEqual([]);
  rmSync(join(root, "a.test.ts"));
  expect(warnings(root, missing, { logs: ["b.test.ts"] })).toStrictEqual([
    "the test file was renamed, but its baselines weren't: npx veritest rename-step a.test.ts b.test.ts",
  ]);
});

test("suggests no move of baselines that tests elsewhere may use", () => {
  const { root } = makeProject({ git: true });
  const old = putStep(root, { step: "extract", name: "monday", input: {}, directory: "old" });
  touch(root, "unit/a.test.ts");
  moveTest(root, "old/moved.test.ts", "new/moved.test.ts");
  const missing = [old.replace("old/", "new/")];
  const logs = ["new/moved.test.ts"];
  expect(warnings(root, missing, { logs })).toHaveLength(1);
  expect(warnings(root, missing, { logs, away: "unit/a.test.ts" })).toStrictEqual([]);
  expect(warnings(root, missing, { logs, isPartial: true })).toStrictEqual([]);
  writeFileSync(join(root, "old/helper.ts"), "export {};");
  expect(warnings(root, missing, { logs })).toHaveLength(1);
  writeFileSync(join(root, "old/checks.ts"), 'test("x", () => {});');
  expect(warnings(root, missing, { logs })).toStrictEqual([]);
});

test("suggests no move of captured baselines from a folder that had no test", () => {
  const { root } = makeProject({ git: true });
  const old = putStep(root, { step: "extract", name: "monday", input: {}, directory: "lib" });
  const missing = [old.replace("lib/", "new/")];
  touch(root, "new/a.test.ts");
  expect(warnings(root, missing, { logs: ["new/a.test.ts"] })).toStrictEqual([]);
  commitAll(root);
  expect(warnings(root, missing, { logs: ["new/a.test.ts"] })).toStrictEqual([]);
});

test("suggests nothing for a run of some files if tests that it left out may be stored away", () => {
  const { root } = makeProject({ git: true });
  const old = putStep(root, { step: "extract", name: "monday", input: {}, directory: "old" });
  const moved = [old.replace("old/", "new/")];
  moveTest(root, "old/moved.test.ts", "new/moved.test.ts");
  const unused = putStep(root, { step: "plan", name: "tuesday", input: {}, directory: "new" });
  const renamed = [unused.replace("/plan/", "/extract-tasks/")];
  const run = { logs: ["new/moved.test.ts"], unused: [unused], isNarrowed: true };
  expect([...warnings(root, moved, run), ...warnings(root, renamed, run)]).toHaveLength(2);
  writeFileSync(join(root, "jest.config.json"), '{ "snapshotResolver": "./resolver.cjs" }');
  expect([...warnings(root, moved, run), ...warnings(root, renamed, run)]).toStrictEqual([]);
  expect(warnings(root, moved, { ...run, isNarrowed: false })).toStrictEqual([]);
  expect(warnings(root, renamed, { ...run, isNarrowed: false })).toHaveLength(1);
});

test("suggests no new name for the baselines of a test file that is stored elsewhere", () => {
  const { root, ...project } = makeProject();
  const old = relative(root, put({ root, ...project }, "one", { a: 1 }));
  touch(root, "b.test.ts", "unit/c.test.ts");
  const missing = [old.replace("a.test.ts", "b.test.ts")];
  expect(warnings(root, missing, { logs: ["b.test.ts"] })).toHaveLength(1);
  expect(warnings(root, missing, { logs: ["b.test.ts"], away: "unit/c.test.ts" })).toStrictEqual([]);
});

test("assigns cases to the moved test file if the other ones don't use them", () => {
  const { root } = makeProject();
  const [monday, tuesday] = ["monday", "tuesday"].map((name) =>
    putStep(root, { step: "extract", name, input: {}, directory: "old" }),
  );
  if (monday === undefined || tuesday === undefined) throw new Error("two baselines");
  touch(root, "old/stays.test.ts", "new/moved.test.ts");
  const missing = [monday.replace("old/", "new/")];
  const logs = ["old/stays.test.ts", "new/moved.test.ts"];
  expect(warnings(root, missing, { logs, unused: [monday] })).toStrictEqual([
    "the test was moved, but its baselines weren't. Run: mkdir -p new/__baselines__/extract && " +
      `git mv -f ${monday} new/__baselines__/extract/`,
  ]);
  expect(warnings(root, missing, { logs, unused: [tuesday] })).toStrictEqual([]);
});

test("has one command for the values and steps of a moved test file", () => {
  const { root } = makeProject({ git: true });
  const [extract, plan, other] = ["extract", "plan", "plan"].map((step, at) =>
    putStep(root, { step, name: `case-${at}`, input: {}, directory: "old" }),
  );
  if (extract === undefined || plan === undefined || other === undefined) throw new Error("three baselines");
  touch(root, "new/__baselines__/extract/other.json");
  moveTest(root, "old/moved.test.ts", "new/moved.test.ts");
  const missing = [extract, plan, other].map((path) => path.replace("old/", "new/"));
  expect(warnings(root, missing, { logs: ["new/moved.test.ts"] })).toStrictEqual([
    "the test was moved, but its baselines weren't. Run: mkdir -p new/__baselines__/plan && " +
      `git mv -f ${extract} new/__baselines__/extract/ && ` +
      "git mv -f old/__baselines__/plan/*.json new/__baselines__/plan/",
  ]);
});

test("replaces a case that was captured again with another title of its test", () => {
  const { root } = makeProject();
  const input = { notes: "B" };
  const old = putStep(root, { step: "extract", input, label: "old title" });
  touch(root, "a.test.ts", "new/moved.test.ts");
  const renamed = putStep(root, { step: "extract-tasks", input, label: "new title" });
  expect(warnings(root, [renamed], { logs: ["a.test.ts"], unused: [old] })).toStrictEqual([
    "the step was renamed, but its baselines weren't: npx veritest rename-step extract extract-tasks --force",
  ]);
  const moved = putStep(root, { step: "extract", input, label: "new title", directory: "new" });
  expect(warnings(root, [moved], { logs: ["a.test.ts", "new/moved.test.ts"], unused: [old] })).toStrictEqual([
    `the test was moved, but its baselines weren't. Run: git mv -f ${old} ${moved}`,
  ]);
});

test("counts the other baselines that the moved test may have left: a failed test doesn't reach all of them", () => {
  const { root } = makeProject({ git: true });
  const [first, ...others] = ["extract", "extract", "plan"].map((step, at) =>
    putStep(root, { step, name: `case-${at}`, input: {}, directory: "old" }),
  );
  if (first === undefined) throw new Error("a baseline");
  moveTest(root, "old/moved.test.ts", "new/moved.test.ts");
  const missing = [first.replace("old/", "new/")];
  const command = `mkdir -p new/__baselines__/extract && git mv -f ${first} new/__baselines__/extract/`;
  expect(warnings(root, missing, { logs: ["new/moved.test.ts"] })).toStrictEqual([
    "the test was moved, but its baselines weren't (2 others are still in old/__baselines__: run the tests again " +
      `afterwards). Run: ${command}`,
  ]);
  touch(root, "old/stays.test.ts");
  const logs = ["old/stays.test.ts", "new/moved.test.ts"];
  expect(warnings(root, missing, { logs, unused: [first, ...others.slice(1)] })).toStrictEqual([
    "the test was moved, but its baselines weren't (1 other is still in old/__baselines__: run the tests again " +
      `afterwards). Run: ${command}`,
  ]);
});

test("counts no other baselines if all tests of the new folder passed: they don't use the ones that are left", () => {
  const { root } = makeProject({ git: true });
  const [first] = ["extract", "plan"].map((step, at) =>
    putStep(root, { step, name: `case-${at}`, input: {}, directory: "old" }),
  );
  if (first === undefined) throw new Error("a baseline");
  moveTest(root, "old/moved.test.ts", "new/moved.test.ts");
  touch(root, "new/other.test.ts", "unit/a.test.ts");
  const captured = putStep(root, { step: "extract", name: "case-0", input: {}, directory: "new" });
  const logs = ["new/moved.test.ts", "new/other.test.ts", "unit/a.test.ts"];
  const command = `Run: git mv -f ${first} new/__baselines__/extract/`;
  expect(warnings(root, [captured], { logs, passed: logs.slice(0, 2) })).toStrictEqual([
    `the test was moved, but its baselines weren't. ${command}`,
  ]);
  expect(warnings(root, [captured], { logs, passed: logs.slice(1) })).toStrictEqual([
    "the test was moved, but its baselines weren't (1 other is still in old/__baselines__: run the tests again " +
      `afterwards). ${command}`,
  ]);
});

test("passes over files that lie among the directories of baselines", () => {
  const { root } = makeProject();
  const old = putStep(root, { step: "extract", name: "monday", input: {} });
  touch(root, "a.test.ts", "__baselines__/.DS_Store");
  expect(
    warnings(root, [old.replace("/extract/", "/extract-tasks/")], { logs: ["a.test.ts"], unused: [old] }),
  ).toStrictEqual(["the step was renamed, but its baselines weren't: npx veritest rename-step extract extract-tasks"]);
});
