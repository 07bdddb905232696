import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { expect, test } from "vitest";
import { type LoggedCheck, type TestFileLog, appendRunLog } from "../../explain/append-run-log.ts";
import { createValueBaseline } from "../../baseline/create-baseline.ts";
import { serializeBaseline } from "../../baseline/serialize-baseline.ts";
import { summarize } from "../outcomes.ts";
import { type RunEffects, renderSummary } from "../runner-summary.ts";
import { pendingChange } from "../../updates/pending/pending-change.ts";
import type { RunUpdateResult } from "../../updates/apply-run.ts";
import { type RanTestFile, findObsolete } from "./find-obsolete.ts";
import { closeRunLog, drainRunLog, openRunLog } from "./run-log.ts";

function temporaryDirectory(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "veritest-report-")));
}

function check(test: string, path: string, outcome: string): LoggedCheck {
  return { test, path, outcome };
}

function log(testPath: string, ...checks: readonly LoggedCheck[]): TestFileLog {
  return { testPath, root: "/app/__baselines__", checks, staged: [] };
}

test("counts the last attempt of a test", () => {
  const logs = [
    log(
      "/a",
      check("t", "/1", "value_changed"),
      check("t", "/1", "clean"),
      check("u", "/2", "pending"),
      check("u", "/2", "captured"),
    ),
  ];
  expect(summarize(logs)).toStrictEqual([
    { path: "/1", outcome: "clean" },
    { path: "/2", outcome: "captured" },
  ]);
});

test("counts the worst test of a baseline", () => {
  const logs = [
    log("/a", check("t", "/1", "clean"), check("u", "/1", "value_changed"), check("v", "/1", "broken")),
    log("/b", check("t", "/1", "clean"), check("t", "/2", "clean"), check("u", "/2", "captured")),
  ];
  expect(summarize(logs)).toStrictEqual([
    { path: "/1", outcome: "broken" },
    { path: "/2", outcome: "captured" },
  ]);
});

test("treats tests with the same name in two files as two", () => {
  expect(summarize([log("/a", check("t", "/1", "failed")), log("/b", check("t", "/1", "clean"))])).toStrictEqual([
    { path: "/1", outcome: "failed" },
  ]);
});

test("keeps a capture or update if its test checks the baseline again, unless it changed since", () => {
  const logs = [
    log(
      "/a",
      check("t", "/1", "captured"),
      check("t", "/1", "clean"),
      check("t", "/2", "updated"),
      check("t", "/2", "clean"),
    ),
    log("/a", check("u", "/3", "captured"), check("u", "/3", "value_changed")),
  ];
  expect(summarize(logs).map(({ outcome }) => outcome)).toStrictEqual(["captured", "updated", "value_changed"]);
});

test("treats an unknown outcome as the worst", () => {
  expect(summarize([log("/a", check("t", "/1", "exploded"), check("u", "/1", "broken"))])).toStrictEqual([
    { path: "/1", outcome: "exploded" },
  ]);
});

test("passes logs through the environment, one file each, and is empty after reading", () => {
  const environment: NodeJS.ProcessEnv = {};
  const directory = openRunLog(environment);
  expect(environment["VERITEST_RUN_LOG"]).toBe(directory);
  const logs = [log("/a", check("t\n\u2028", "/1", "clean")), log("/b")];
  for (const one of logs) appendRunLog(environment, one);
  const drained = drainRunLog(directory);
  expect(drained.logs.toSorted((a, b) => (a.testPath < b.testPath ? -1 : 1))).toStrictEqual(logs);
  expect(drained.lost).toBe(0);
  expect(drainRunLog(directory)).toStrictEqual({ logs: [], lost: 0 });
  closeRunLog(environment, directory);
  expect([existsSync(directory), "VERITEST_RUN_LOG" in environment]).toStrictEqual([false, false]);
});

test("writes no log without a reader", () => {
  appendRunLog({}, log("/a"));
  appendRunLog({ VERITEST_RUN_LOG: "" }, log("/a"));
});

test("closing a log keeps the variable of a newer one", () => {
  const environment: NodeJS.ProcessEnv = {};
  const older = openRunLog(environment);
  const newer = openRunLog(environment);
  closeRunLog(environment, older);
  expect([existsSync(older), existsSync(newer), environment["VERITEST_RUN_LOG"]]).toStrictEqual([false, true, newer]);
  closeRunLog(environment, newer);
});

test("counts and skips incomplete and foreign lines, and reads the others", () => {
  const environment: NodeJS.ProcessEnv = {};
  const directory = openRunLog(environment);
  appendRunLog(environment, log("/a"));
  const [name = ""] = readdirSync(directory);
  const lines = [
    '{"testPath":"/b","root":"/r","che',
    "null",
    "[]",
    '{"testPath":"/b","root":"/r"}',
    '{"testPath":"/b","root":"/r","checks":[null]}',
    '{"testPath":"/b","root":"/r","checks":[{"test":"t"}],"staged":[]}',
    '{"testPath":"/b","root":"/r","checks":[],"staged":[1]}',
    "",
  ];
  appendFileSync(join(directory, name), lines.join("\n"));
  expect(drainRunLog(directory)).toStrictEqual({ logs: [log("/a")], lost: 7 });
  closeRunLog(environment, directory);
});

test("reads a removed log directory as empty", () => {
  const directory = openRunLog({});
  rmSync(directory, { recursive: true });
  expect(drainRunLog(directory)).toStrictEqual({ logs: [], lost: 0 });
});

interface Project {
  readonly root: string;
  readonly path: (name: string) => string;
  readonly logOf: (testPath: string, ...used: readonly string[]) => TestFileLog;
}

/** A directory of baselines `a`, `b` and `c` of one step. */
function project(): Project {
  const root = join(temporaryDirectory(), "__baselines__");
  const path = (name: string): string => join(root, "step", `${name}.json`);
  mkdirSync(join(root, "step"), { recursive: true });
  for (const name of ["a", "b", "c"]) writeFileSync(path(name), name);
  return {
    root,
    path,
    logOf: (testPath, ...used) => ({
      testPath,
      root,
      checks: used.map((name) => check("t", path(name), "clean")),
      staged: [],
    }),
  };
}

function ran(testPath: string, allPassed = true): RanTestFile {
  return { testPath, allPassed, failed: !allPassed };
}

test("reports unused baselines as obsolete, with their texts, if all related test files passed", () => {
  const { root, path, logOf } = project();
  expect(findObsolete({ files: [ran("/1"), ran("/2")] }, [logOf("/1", "a"), logOf("/2", "b")])).toStrictEqual({
    obsolete: [{ kind: "remove", root, path: path("c"), group: "step", before: "c", after: undefined }],
    unjudged: new Map(),
  });
});

test.each<[string, readonly RanTestFile[], readonly string[]]>([
  ["a test file there did not pass in full", [ran("/1"), ran("/2", false)], ["/1", "/2"]],
  ["a test file left no log", [ran("/1"), ran("/2"), ran("/3")], ["/1", "/2"]],
  ["a log is of a file that is not of the run", [ran("/1")], ["/1", "/2"]],
])("reports no obsolete baselines if %s", (_what, files, logged) => {
  const { logOf } = project();
  expect(
    findObsolete(
      { files },
      logged.map((testPath) => logOf(testPath, "a")),
    ),
  ).toStrictEqual({ obsolete: [], unjudged: new Map([["incomplete", 2]]) });
});

/** A folder with test files and baselines of values: one of `a.test.ts`, two of `b.test.ts`, and one of a step. */
function folder(): { readonly folder: string; readonly log: (file: string) => TestFileLog } {
  const directory = temporaryDirectory();
  const root = join(directory, "__baselines__");
  for (const [test, ...names] of [
    ["a.test.ts", "one"],
    ["b.test.ts", "two", "three"],
  ] as const) {
    mkdirSync(join(root, test), { recursive: true });
    writeFileSync(join(directory, test), "");
    for (const name of names)
      writeFileSync(join(root, test, `${name}.json`), serializeBaseline(createValueBaseline(name, { test, name })));
  }
  mkdirSync(join(root, "step"));
  writeFileSync(join(root, "step", "case.json"), "{}");
  return { folder: directory, log: (file) => ({ testPath: join(directory, file), root, checks: [], staged: [] }) };
}

/** Names of the obsolete baselines, and the numbers of those that are not judged. */
function judged(files: readonly RanTestFile[], logs: readonly TestFileLog[]): unknown {
  const { obsolete, unjudged } = findObsolete({ files }, logs);
  return [obsolete.map(({ path }) => basename(path)), Object.fromEntries(unjudged)];
}

test("a skipped test protects only the baselines in its file and of steps", () => {
  const { folder: at, log } = folder();
  const files = [ran(join(at, "a.test.ts"), false), ran(join(at, "b.test.ts"))];
  expect(judged(files, [log("a.test.ts"), log("b.test.ts")])).toStrictEqual([
    ["three.json", "two.json"],
    { incomplete: 2 },
  ]);
});

test("counts the baselines of a project that ran no tests, apart from those that other projects use", () => {
  const { folder: at, log } = folder();
  const idle = folder();
  const files = [ran(join(at, "a.test.ts")), ran(join(at, "b.test.ts"))];
  const logs = [log("a.test.ts"), log("b.test.ts")];
  const countOf = (mayLackProjects: boolean): unknown =>
    Object.fromEntries(findObsolete({ files, idleProjects: [idle.folder, at], mayLackProjects }, logs).unjudged);
  expect(countOf(false)).toStrictEqual({ untested: 4 });
  expect(countOf(true)).toStrictEqual({ projects: 8 });
});

test("judges a test file that two projects run only if it passed in both", () => {
  const { folder: at, log } = folder();
  const b = join(at, "b.test.ts");
  expect(judged([ran(b), ran(b, false)], [log("b.test.ts"), log("b.test.ts")])).toStrictEqual([
    [],
    { outside: 2, incomplete: 2 },
  ]);
});

test.each([
  ["beside it", "b.test.ts", ""],
  ["under another name", "b.llm.js", "\nit.each([1])('x', () => {});"],
  ["that was compiled", "b.llm.cjs", 'const globals_1 = require("@jest/globals"); (0, globals_1.test)("x", run);'],
  ["of helpers alone", "b.llm.ts", "export const check = () => expect(step).toMatchBaseline({ input });"],
  ["with describe alone", "b.checks.mjs", "describe(`x`, all);"],
])("a test file %s that isn't part of the run protects its own baselines and those of steps", (_what, name, text) => {
  const { folder: at, log } = folder();
  rmSync(join(at, "b.test.ts"));
  writeFileSync(join(at, name), text);
  const isOwner = name === "b.test.ts";
  expect(judged([ran(join(at, "a.test.ts"))], [log("a.test.ts")])).toStrictEqual([
    isOwner ? ["one.json"] : ["one.json", "three.json", "two.json"],
    { outside: isOwner ? 3 : 1 },
  ]);
});

test("a helper next to a test file, and a removed test file, protect no baselines", () => {
  const { folder: at, log } = folder();
  rmSync(join(at, "b.test.ts"));
  writeFileSync(join(at, "helper.ts"), "export const isCase = (x: string) => /x/.test(x);");
  expect(judged([ran(join(at, "a.test.ts"))], [log("a.test.ts")])).toStrictEqual([
    ["one.json", "three.json", "two.json", "case.json"],
    {},
  ]);
});

test("judges baselines stored away from their tests by the test file that they name", () => {
  const { folder: at, log } = folder();
  const elsewhere = join(temporaryDirectory(), "a.test.ts");
  expect(judged([ran(elsewhere)], [{ ...log("a.test.ts"), testPath: elsewhere }])).toStrictEqual([
    ["one.json"],
    { outside: 3 },
  ]);
  expect(existsSync(join(at, "b.test.ts"))).toBe(true);
});

test("a failing test file elsewhere doesn't protect baselines here", () => {
  const [here, there] = [project(), project()];
  const files = [ran("/1"), ran("/2", false)];
  expect(
    findObsolete({ files }, [here.logOf("/1", "a", "b"), there.logOf("/2")]).obsolete.map(({ path }) => path),
  ).toStrictEqual([here.path("c")]);
});

test("reports the baselines of a test file without matcher calls as obsolete", () => {
  const { logOf } = project();
  expect(findObsolete({ files: [ran("/1")] }, [logOf("/1")]).obsolete).toHaveLength(3);
});

test("never reports temporary, hidden and foreign files, links, and files outside of a group as obsolete", () => {
  const { root, path, logOf } = project();
  for (const name of [".a.json.1-2.tmp", ".hidden.json", "notes.md"]) writeFileSync(join(root, "step", name), "");
  writeFileSync(join(root, "stray.json"), "");
  symlinkSync(join(root, "nowhere"), join(root, "dangling"));
  symlinkSync(join(root, "step"), join(root, "linked"));
  expect(
    findObsolete({ files: [ran("/1")] }, [logOf("/1", "a", "b")]).obsolete.map((removal) => removal.path),
  ).toStrictEqual([path("c")]);
});

test("a missing directory has no obsolete baselines", () => {
  expect(
    findObsolete({ files: [ran("/1")] }, [
      { testPath: "/1", root: join(temporaryDirectory(), "none"), checks: [], staged: [] },
    ]),
  ).toStrictEqual({ obsolete: [], unjudged: new Map() });
});

const PROPOSAL = { kind: "add", root: "/b", group: "a.test.ts", before: undefined, after: "{}" } as const;
const ORIGIN = {
  projectRoot: "/",
  testPath: "/a.test.ts",
  test: "t",
  passed: true,
  run: "r",
  at: "2026-01-01T00:00:00.000Z",
};

const NOTHING: RunEffects = {
  outcomes: [],
  obsolete: [],
  removed: false,
  updateResult: undefined,
  dropped: [],
  remarks: [],
  problems: [],
};

test("prints no summary for a run without baselines", () => {
  expect(renderSummary(NOTHING)).toStrictEqual([]);
});

test("the summary counts by class, clean ones first, and lists those that need a review", () => {
  const outcome = (path: string, of: string): { path: string; outcome: string } => ({ path, outcome: of });
  const outcomes = [
    outcome("/b/1.json", "value_changed"),
    ...["2", "3"].map((name) => outcome(`/b/${name}.json`, "clean")),
    ...["4", "5", "6", "7", "8", "9"].map((name) => outcome(`/b/${name}.json`, "captured")),
    outcome("/b/u.json", "updated"),
    outcome("/b/h.json", "pending"),
  ];
  const pending = [{ target: "b/h.json" }].map(({ target }) =>
    pendingChange(
      { update: { ...PROPOSAL, path: `/${target}` }, intent: "write", verdict: "missing", shown: [] },
      ORIGIN,
    ),
  );
  const updateResult: RunUpdateResult = {
    root: "/",
    written: [],
    receipt: undefined,
    pending,
    incomplete: [],
    reasons: ["1 test file failed."],
    notices: [],
    failing: [],
    earlier: 0,
    failed: true,
  };
  expect(
    renderSummary({ ...NOTHING, outcomes, obsolete: ["/b/o.json"], updateResult }).join("\n"),
  ).toMatchInlineSnapshot(`
    "  Baselines  2 clean, 6 captured, 1 updated, 1 pending, 1 value_changed,
                     1 obsolete
                 –         1 × b/1.json  value_changed
                 g-93be7b  1 × b/h.json  missing
                 captured: read and commit
                   /b/4.json
                   /b/5.json
                   /b/6.json
                   /b/7.json
                   /b/8.json
                   … and 1 more
                 updated: read and commit
                   /b/u.json
                 obsolete: no test uses it; remove with -u, or delete it
                   /b/o.json
                 pending: 1 test file failed.
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
  `);
});

test("removed baselines are reported as removed", () => {
  expect(renderSummary({ ...NOTHING, obsolete: ["/b/o.json"], removed: true })).toStrictEqual([
    "  Baselines  1 obsolete, removed",
    "             removed",
    "               /b/o.json",
  ]);
});
