import { expect, test } from "vitest";
import { planReports } from "./end-reports.ts";

const NOTHING = { formats: [] } as const;

function plan(
  environment: NodeJS.ProcessEnv,
  settings: Parameters<typeof planReports>[0] = NOTHING,
): ReturnType<typeof planReports> {
  return planReports(settings, "/app", environment);
}

test("nothing is requested: nothing is written", () => {
  expect(plan({})).toStrictEqual({
    ok: true,
    value: { formats: [], directory: "/app/veritest-report", jobSummary: undefined },
  });
});

test("takes formats and directory from the configuration", () => {
  expect(plan({}, { formats: ["html", "json"], directory: "out/claims" })).toMatchObject({
    value: { formats: ["json", "html"], directory: "/app/out/claims" },
  });
});

test.each<[string, readonly string[]]>([
  ["html,markdown", ["markdown", "html"]],
  [" junit , junit ,, ", ["junit"]],
  ["none", []],
])("VERITEST_REPORT=%s replaces the configured formats", (value, formats) => {
  expect(plan({ VERITEST_REPORT: value, VERITEST_REPORT_DIR: "/tmp/r" }, { formats: ["json"] })).toMatchObject({
    value: { formats, directory: "/tmp/r" },
  });
});

test("an empty VERITEST_REPORT_DIR means the configured directory", () => {
  expect(plan({ VERITEST_REPORT_DIR: "" }, { formats: [], directory: "d" })).toMatchObject({
    value: { directory: "/app/d" },
  });
});

test("an unknown format is an error that names all formats", () => {
  expect(plan({ VERITEST_REPORT: "html,pdf\u001b[2J" })).toStrictEqual({
    ok: false,
    error:
      'VERITEST_REPORT contains "pdf\\u001b[2J", which isn\'t a format. Use one of these: text, json, junit, markdown, github, html.',
  });
});

test("in GitHub Actions adds annotations, and a summary if the job has a file for it", () => {
  expect(plan({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: "/job/summary.md" })).toMatchObject({
    value: { formats: ["github"], jobSummary: "/job/summary.md" },
  });
  expect(plan({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: "" })).toMatchObject({
    value: { formats: ["github"], jobSummary: undefined },
  });
  expect(plan({ GITHUB_STEP_SUMMARY: "/job/summary.md" })).toMatchObject({
    value: { formats: [], jobSummary: undefined },
  });
});
