import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createValueBaseline } from "../baseline/create-baseline.ts";
import { serializeBaseline } from "../baseline/serialize-baseline.ts";
import { pendingChange } from "../updates/pending/pending-change.ts";
import type { RunUpdateResult } from "../updates/apply-run.ts";
import type { LoggedCheck, TestFileLog } from "../explain/append-run-log.ts";
import { adviceLines, remarksOfRun, rerunLines, appliedOutcomes, summarize } from "./outcomes.ts";

const root = mkdtempSync(join(tmpdir(), "veritest-outcomes-"));
const there = join(root, "there.json");
const absent = join(root, "absent.json");
writeFileSync(there, "{}");

function settlement(...heldPaths: string[]): RunUpdateResult {
  const after = serializeBaseline(createValueBaseline(1, { test: "a.test.ts", name: "one" }));
  const pending = heldPaths.map((path) =>
    pendingChange(
      {
        update: { kind: "add", root, path, group: "a.test.ts", before: undefined, after },
        intent: "write",
        verdict: "missing",
        shown: [],
      },
      {
        projectRoot: root,
        testPath: join(root, "a.test.ts"),
        test: "one",
        passed: true,
        run: "r",
        at: "2026-01-01T00:00:00.000Z",
      },
    ),
  );
  return {
    root,
    written: [],
    receipt: undefined,
    pending,
    incomplete: [],
    reasons: [],
    failing: [],
    earlier: 0,
    notices: [],
    failed: heldPaths.length > 0,
  };
}

test("what the run left pending is pending, whatever its test thought", () => {
  const outcomes = ["captured", "updated", "pending"].map((outcome) => ({ path: absent, outcome }));
  expect(appliedOutcomes(outcomes, settlement(absent))).toStrictEqual(
    outcomes.map(({ path }) => ({ path, outcome: "pending" })),
  );
});

test("counts only the written file of a case captured under several names", () => {
  expect(
    appliedOutcomes(
      [
        { path: there, outcome: "captured" },
        { path: absent, outcome: "captured" },
      ],
      settlement(),
    ),
  ).toStrictEqual([{ path: there, outcome: "captured" }]);
});

test("drops a pending outcome that a retry didn't repeat, and keeps the verdicts", () => {
  const verdicts = [
    { path: there, outcome: "clean" },
    { path: absent, outcome: "missing" },
    { path: there, outcome: "updated" },
  ];
  expect(appliedOutcomes([{ path: absent, outcome: "pending" }, ...verdicts], settlement())).toStrictEqual(verdicts);
});

test("without applied updates counts only existing files as written", () => {
  const outcomes = [
    { path: there, outcome: "captured" },
    { path: absent, outcome: "captured" },
    { path: there, outcome: "updated" },
    { path: there, outcome: "clean" },
  ];
  expect(appliedOutcomes(outcomes, undefined).map(({ outcome }) => outcome)).toStrictEqual([
    "captured",
    "not written",
    "not written",
    "clean",
  ]);
});

const oneFile = (...checks: readonly Partial<LoggedCheck>[]): TestFileLog => ({
  testPath: "/p/a.test.ts",
  root: "/b",
  checks: checks.map((check) => ({ test: "t", path: "/b/step/x.json", outcome: "clean", ...check })),
  staged: [],
});
const failed = { outcome: "value_changed" };

test.each<[string, readonly TestFileLog[], string]>([
  [
    "a retry replaces what its test's first attempt reported",
    [oneFile({ round: 1, ...failed }, { round: 1 })],
    "clean",
  ],
  [
    "a retry replaces its own test's check, and not that of another test with its title",
    [oneFile({ round: 1, ...failed }, { round: 2, ...failed }, { round: 2 })],
    "value_changed",
  ],
  [
    "a later test with the same title hides no failure",
    [oneFile({ round: 1, ...failed }, { round: 2 })],
    "value_changed",
  ],
  ["a later failure counts", [oneFile({ round: 1 }, { round: 2, ...failed })], "value_changed"],
  ["a project's clean check hides no other project's failure", [oneFile(failed), oneFile({})], "value_changed"],
  ["a failure of the second project counts", [oneFile({}), oneFile(failed)], "value_changed"],
  ["a capture stays one if its test checks it again", [oneFile({ outcome: "captured" }, {})], "captured"],
])("%s", (_rule, logs, outcome) => {
  expect(summarize(logs).map((each) => each.outcome)).toStrictEqual([outcome]);
});

test("reports each rule that no check of its step matches", () => {
  const check = (path: string, ...rules: readonly string[]): LoggedCheck => ({
    test: "t",
    path,
    outcome: "clean",
    remarks: ["it is said anyway"],
    unmatchedRules: rules,
  });
  const log = (...checks: readonly LoggedCheck[]): TestFileLog => ({
    testPath: "/p/a.test.ts",
    root: "/b",
    checks,
    staged: [],
  });
  const told = remarksOfRun([
    log(check("/b/read/1.json", 'keyBy "itmes"', 'compare "note"'), check("/b/ask/1.json", 'compare "note"')),
    log({ ...check("/b/read/2.json", 'keyBy "itmes"'), matchedRules: ['compare "note"'] }),
  ]);
  expect(told.filter(({ text }) => text !== "it is said anyway")).toStrictEqual([
    {
      path: "/b/read/1.json",
      text: 'keyBy "itmes" doesn\'t match a path in any baseline of this run. Check its spelling, or remove it.',
    },
    {
      path: "/b/ask/1.json",
      text: 'compare "note" doesn\'t match a path in any baseline of this run. Check its spelling, or remove it.',
    },
    {
      path: "/b/read/2.json",
      text: 'keyBy "itmes" doesn\'t match a path in any baseline of this run. Check its spelling, or remove it.',
    },
  ]);
});

test("a rule is reported if no check of its step matches it in any folder, and no check of its test file", () => {
  const rule = 'keyBy "items"';
  const log = (folder: string, group: string, rules: Partial<LoggedCheck>): TestFileLog => ({
    testPath: `/p/${folder}/index.test.ts`,
    root: `/p/${folder}`,
    checks: [{ test: "t", path: `/p/${folder}/${group}/1.json`, outcome: "clean", ...rules }],
    staged: [],
  });
  const [unmatched, matched] = [{ unmatchedRules: [rule] }, { matchedRules: [rule] }];
  const remark = (path: string): object => ({
    path,
    text: `${rule} doesn't match a path in any baseline of this run. Check its spelling, or remove it.`,
  });
  expect(remarksOfRun([log("a", "read", unmatched), log("b", "read", matched)])).toStrictEqual([]);
  expect(remarksOfRun([log("a", "index.test.ts", unmatched), log("b", "index.test.ts", matched)])).toStrictEqual([
    remark("/p/a/index.test.ts/1.json"),
  ]);
  // A check without the rule can't match it.
  expect(remarksOfRun([log("a", "read", unmatched), log("b", "read", {})])).toStrictEqual([remark("/p/a/read/1.json")]);
});

test("reports a project's ignore rule that no test file matched once", () => {
  const none = (rule: string): string =>
    `recording.ignore: "${rule}" didn't match any request in this run. Check its spelling, or remove it.`;
  const log = (name: string, matched: readonly string[], unmatched: readonly string[]): TestFileLog => ({
    testPath: `/p/${name}.test.ts`,
    root: "/b",
    checks: [{ test: "t", path: `/b/${name}/1.json`, outcome: "clean", projectIgnores: { matched, unmatched } }],
    staged: [],
  });
  const logs = [log("a", [], ['"**.idd"', '"**.id"']), log("b", ['"**.id"'], ['"**.idd"']), log("c", [], ['"**.idd"'])];
  expect(remarksOfRun(logs)).toStrictEqual([{ path: "/b/a/1.json", text: none("**.idd") }]);
});

test("names one command for several tests with unrecorded requests, by the last check of each", () => {
  const check = (test: string, path: string, changed = true): LoggedCheck => ({
    test,
    path,
    outcome: changed ? "request_changed" : "clean",
    ...(changed ? { rerun: test } : {}),
  });
  const log = (checks: readonly LoggedCheck[]): TestFileLog => ({
    testPath: join(process.cwd(), "a.test.ts"),
    root,
    checks,
    staged: [],
  });
  const retried = [check("c", there), check("c", there, false)];
  expect(rerunLines([log([check("a", there), ...retried])], "jest")).toStrictEqual([]);
  // Two baselines of one test, and a test whose requests a run doesn't record.
  const other = { ...check("d", there, false), outcome: "request_changed" };
  expect(rerunLines([log([check("a", there), check("a", absent), other])], "jest")).toStrictEqual([]);
  expect(rerunLines([log([check("a", there), ...retried, check("b", there)])], "jest")).toStrictEqual([
    "2 tests have unrecorded requests. Record all their responses:",
    'npx jest --runTestsByPath a.test.ts -t "^a$|^b$" -u',
  ]);
});

test("names the host of several tests whose requests differ by it alone, and no command that records them", () => {
  const check = (name: string, origin?: string): LoggedCheck => ({
    test: name,
    path: there,
    outcome: "request_changed",
    ...(origin !== undefined && { origin }),
  });
  const log = (...checks: readonly LoggedCheck[]): TestFileLog => ({
    testPath: join(process.cwd(), "a.test.ts"),
    root,
    checks,
    staged: [],
  });
  const openai = "https://api.openai.com";
  const several = [log(check("a", openai), check("b", openai), check("b", openai), check("c"))];
  expect(adviceLines(several, undefined)).toStrictEqual([
    "2 tests send their recorded requests to another host: https://api.openai.com. " +
      "Check variables such as OPENAI_BASE_URL.",
  ]);
  expect(rerunLines(several, "vitest")).toStrictEqual([]);
  // The message of a single test says it.
  expect(adviceLines([log(check("a", openai))], undefined)).toStrictEqual([]);
});

test("names the steps whose baselines a test checked before this run captured them", () => {
  const early = (emptySteps: readonly string[], ...checks: readonly LoggedCheck[]): TestFileLog => ({
    testPath: join(root, "a.test.ts"),
    root: join(root, "__baselines__"),
    emptySteps,
    checks,
    staged: [],
  });
  const text = (steps: string): string[] => [
    `A test checked the baselines of ${steps} before this run captured them.`,
    "Accept the pending changes, then run the tests again.",
  ];
  const captured = settlement(join(root, "__baselines__", "a.test.ts", "1.json"));
  const check = (test: string, path: string): LoggedCheck => ({ test, path, outcome: "request_changed" });
  expect(adviceLines([early(["a.test.ts", "other"])], captured)).toStrictEqual(text('"a.test.ts"'));
  expect(adviceLines([early(["other"])], captured)).toStrictEqual([]);
  expect(adviceLines([early(["a.test.ts"])], settlement())).toStrictEqual([]);
  // A test without live adapters, before another recorded the case again. The test "one" staged it itself.
  expect(adviceLines([early([], check("all", there))], settlement(there))).toStrictEqual(text('"a.test.ts"'));
  expect(adviceLines([early([], check("one", there))], settlement(there))).toStrictEqual([]);
});
