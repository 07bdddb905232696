import { printed } from "../kernel/printed.ts";
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { TestFileLog } from "../explain/append-run-log.ts";
import { writeEndReports } from "./end-reports.ts";
import { mergedReport } from "./run/merged-report.ts";
import type { FinishedTestRun } from "./run-report.ts";

interface Place {
  readonly root: string;
  readonly read: (name: string) => string;
  readonly left: (environment?: NodeJS.ProcessEnv) => Omit<FinishedTestRun, "endedAt">;
}

function place(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-reports-")));
  writeFileSync(join(root, "package.json"), "{}");
  const log: TestFileLog = {
    testPath: join(root, "a.test.ts"),
    root: join(root, "__baselines__"),
    staged: [],
    checks: [
      { test: "t", path: join(root, "__baselines__/claims/one-0badcafe.json"), outcome: "clean", source: "recorded" },
    ],
  };
  const left: Place["left"] = (environment = {}) => ({
    root,
    logs: [log],
    updateResult: undefined,
    obsolete: [],
    removed: false,
    problems: [],
    startedAt: Date.now(),
    runner: undefined,
    shard: undefined,
    environment,
    lines: new Map(),
  });
  return { root, read: (name) => readFileSync(join(root, name), "utf8"), left };
}

test("writes no report and no directory without formats", async () => {
  const { root, left } = place();
  expect(await writeEndReports(left(), { formats: [] })).toStrictEqual({ lines: [], problems: [], hasPage: false });
  expect(existsSync(join(root, "veritest-report"))).toBe(false);
});

test("writes a file for each format, and returns the text report as lines", async () => {
  const { root, left, read } = place();
  const { lines, problems } = await writeEndReports(left({ VERITEST_REPORT: "json,junit,markdown,text" }), {
    formats: [],
    directory: "out",
  });
  expect(problems).toStrictEqual([]);
  expect(lines.slice(0, 3).map((line) => printed([line]).slice(0, -1).replace(`${root}/`, ""))).toStrictEqual([
    "  Report     out/run.json",
    "  Report     out/junit.xml",
    "  Report     out/report.md",
  ]);
  expect(printed(lines.slice(3))).toContain("1 baseline, 1 clean");
  expect(JSON.parse(read("out/run.json"))).toMatchObject({
    version: 2,
    status: "pass",
    cases: [{ step: "claims", baseline: "__baselines__/claims/one-0badcafe.json" }],
  });
});

test("in GitHub Actions appends the markdown to the job summary", async () => {
  const { root, left, read } = place();
  writeFileSync(join(root, "summary.md"), "before\n");
  const { problems } = await writeEndReports(
    left({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(root, "summary.md") }),
    { formats: [] },
  );
  expect(problems).toStrictEqual([]);
  expect(read("summary.md")).toMatch(/^before\n<!-- veritest -->\n/);
});

test("reports a file that can't be written, and writes the others", async () => {
  const { root, left, read } = place();
  writeFileSync(join(root, "blocked"), "a file where a directory is wanted");
  const { problems } = await writeEndReports(
    left({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(root, "summary.md") }),
    { formats: ["json"], directory: "blocked" },
  );
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^Cannot write the report \S*blocked\/run\.json: EEXIST/);
  expect(read("summary.md")).toContain("<!-- veritest -->");
});

test("refuses to write a report through a link that leads out of the project", async () => {
  const [{ root, left }, outside] = [place(), place()];
  symlinkSync(outside.root, join(root, "veritest-report"));
  symlinkSync(outside.root, join(root, "out"));
  for (const [directory, name] of [
    [undefined, "veritest-report"],
    ["out/reports", "out/reports"],
  ])
    expect(await writeEndReports(left(), { formats: ["json"], directory })).toMatchObject({
      problems: [expect.stringContaining(`${name} points outside this project through a symbolic link`)],
    });
  expect(readdirSync(outside.root)).toStrictEqual(["package.json"]);
});

test("merged shards are reported, and nothing is applied", async () => {
  const { root, left, read } = place();
  const { logs } = left();
  const told = await mergedReport(
    { root, logs, problems: ["The run was interrupted."], runner: undefined, lines: new Map() },
    { VERITEST_REPORT: "json" },
  );
  expect(told.failed).toBe(false);
  expect(told.lines.map((line) => printed([line]).slice(0, -1).replace(`${root}/`, ""))).toStrictEqual([
    "  Baselines  1 clean",
    "             The run was interrupted.",
    "  Report     veritest-report/run.json",
  ]);
  expect(JSON.parse(read("veritest-report/run.json"))).toMatchObject({
    status: "error",
    problems: ["The run was interrupted."],
  });
});

test("a configuration that cannot be read fails a merge, which still reports what it knows", async () => {
  const { root, left, read } = place();
  writeFileSync(join(root, "veritest.config.mjs"), "export default { report: { formats: ['pdf'] } };");
  const shards = { root, logs: left().logs, problems: [], runner: undefined, lines: new Map<string, number>() };
  const told = await mergedReport(shards, {});
  expect([told.failed, told.lines[0]]).toStrictEqual([true, "  Baselines  1 clean"]);
  expect(told.lines[1]).toContain("report.formats[0]");
  // Tools that read run.json need the error.
  const reported = await mergedReport(shards, { VERITEST_REPORT: "json" });
  expect([reported.failed, reported.lines.length]).toStrictEqual([true, told.lines.length + 1]);
  expect(JSON.parse(read("veritest-report/run.json"))).toMatchObject({
    status: "error",
    problems: [expect.stringContaining("report.formats[0]")],
  });
});
