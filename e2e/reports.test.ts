import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { anyRunner, isFull, majors, newest, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/**
 * Three files of cases, one of which changes where CHANGED is set; the line of each assertion is the one of its test.
 */
const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  ["a", "b", "c"].map((file) => [
    `${file}.test.js`,
    testFile(`
describe("claims of ${file}", () => {
  test("one", async () => {
    await expect(extractClaims).toMatchBaseline({ input: { text: "${file} ${file}3" }, adapters: { llm } });
  });
  test("words", async () => {
    await expect(countWords).toMatchBaseline({ input: { text: "${file} two three" } });
  });
});
${file === "c" ? 'test("new", async () => { await expect({ n: 1 }).toMatchBaseline({ name: "fresh" }); });' : ""}
`),
  ]),
);

interface ReportedCase {
  readonly step: string;
  readonly baseline: string;
  readonly kind: string;
  readonly source: string | null;
  readonly test: { readonly file: string; readonly name: string; readonly line: number | null };
  readonly findings: {
    readonly changes: readonly { readonly path: string }[];
    readonly cause: { readonly kind: string };
  } | null;
}

interface Reported {
  readonly status: string;
  readonly summary: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly environment: { readonly runner: { readonly name: string; readonly version: string } };
  readonly cases: readonly ReportedCase[];
}

function reported(project: Project, directory = "veritest-report"): Reported {
  return JSON.parse(project.read(`${directory}/run.json`));
}

/** A project whose cases are captured but for one, in which every `extract-claims` now comes out otherwise. */
async function changedProject(project: Project): Promise<Readonly<Record<string, string>>> {
  project.write(FILES);
  await project.capture();
  const fresh = project.baselines().find((path) => path.includes("fresh")) ?? "";
  project.remove(fresh);
  return { CI: "1", CHANGED: "field", VERITEST_MODE: "live" };
}

describe.each(sampled(majors))("$name", (runner) => {
  test("one run in every format: each assertion's place in the file, its verdict and cause, and what is missing", async () => {
    const project = createProject(runner);
    const env = await changedProject(project);
    expect(existsSync(join(project.folder, "veritest-report"))).toBe(false);
    const run = await project.run([], { env: { ...env, VERITEST_REPORT: "json,junit,markdown,html" } });
    expect(run.exitCode).toBe(1);
    const { status, summary, environment, cases } = reported(project);
    expect([status, summary]).toStrictEqual(["fail", "7 baselines, 3 clean, 3 changed, 1 missing"]);
    expect(environment.runner.name).toBe(runner.kind);
    const [first] = cases.filter(({ step }) => step === "extract-claims");
    const line =
      project
        .read("a.test.js")
        .split("\n")
        .findIndex((text) => text.includes("a a3")) + 1;
    expect(first).toMatchObject({
      kind: "value_changed",
      source: "live",
      test: { file: "a.test.js", name: "claims of a one", line },
      findings: {
        cause: { kind: "code" },
        changes: [{ part: "output", path: "claims.a3.confidence", before: 0.9, after: 0.7 }],
      },
    });
    expect(project.read("veritest-report/junit.xml")).toContain('tests="7"');
    expect(project.read("veritest-report/report.md").split("\n")[0]).toBe("<!-- veritest -->");
    expect(project.read("veritest-report/report.html")).toContain("claims.a3.confidence");
    expect(run.stdout + run.stderr).toContain("Report     veritest-report/report.html");
  });
});

describe.each(newest)("$name", (runner) => {
  test("in GitHub Actions a failing case is annotated at its assertion, and the job gets a summary", async () => {
    const project = createProject(runner);
    const env = await changedProject(project);
    const run = await project.run([], {
      env: { ...env, GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: join(project.folder, "summary.md") },
    });
    const line =
      project
        .read("b.test.js")
        .split("\n")
        .findIndex((text) => text.includes("b b3")) + 1;
    const commands = `${run.stdout}\n${run.stderr}`.split("\n").filter((text) => text.startsWith("::error"));
    expect(
      commands.some((text) => text.startsWith(`::error file=${join(project.folder, "b.test.js")},line=${line},`)),
    ).toBe(true);
    expect(project.read("summary.md")).toContain("claims.b3.confidence");
  });
});

describe.each(anyRunner)("$name", (runner) => {
  test("an unknown format fails the run and names the known ones; nothing else is lost", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": FILES["a.test.js"] ?? "" });
    const run = await project.run([], { env: { VERITEST_REPORT: "pdf" } });
    expect([run.exitCode, run.failures]).toStrictEqual([1, {}]);
    expect(run.summary).toContain(
      'VERITEST_REPORT contains "pdf", which isn\'t a format. Use one of these: text, json, junit, markdown, github, html.',
    );
    expect(project.baselines()).toHaveLength(2);
  });
});

/** The stage "examples" of CI merges shards of both runners (examples/ci/run.ts). */
describe.runIf(isFull).each(newest)("$name", (runner) => {
  test("three shards, merged by the command line, count what one run counts", async () => {
    const project = createProject(runner);
    const env = await changedProject(project);
    await project.run([], { env: { ...env, VERITEST_REPORT: "json", VERITEST_REPORT_DIR: "whole" } });
    for (const shard of [1, 2, 3]) {
      await project.run([`--shard=${shard}/3`], {
        env: { ...env, VERITEST_REPORT: "json", VERITEST_REPORT_DIR: `shards/${shard}` },
      });
    }
    const merged = await project.cli(["merge", "shards", "--format", "json", "--output", "merged/run.json"]);
    expect(merged).toMatchObject({ exitCode: 1, stderr: "" });
    const [whole, shards] = [reported(project, "whole"), reported(project, "merged")];
    expect([shards.summary, shards.counts, shards.cases.map(({ baseline, kind }) => [baseline, kind])]).toStrictEqual([
      whole.summary,
      whole.counts,
      whole.cases.map(({ baseline, kind }) => [baseline, kind]),
    ]);
  });
});

describe.runIf(isFull).each(sampled(majors.filter(({ kind }) => kind === "vitest")))("$name", (runner) => {
  test("blobs of three shards, merged by Vitest, report what one run reports", async () => {
    const project = createProject(runner);
    const env = await changedProject(project);
    await project.run([], { env: { ...env, VERITEST_REPORT: "json", VERITEST_REPORT_DIR: "whole" } });
    for (const shard of [1, 2, 3]) {
      await project.run(["--reporter=blob", `--outputFile.blob=blobs/blob-${shard}.json`, `--shard=${shard}/3`], {
        env,
      });
    }
    const merged = await project.run(["--merge-reports=blobs"], {
      env: { ...env, VERITEST_REPORT: "json", VERITEST_REPORT_DIR: "merged" },
    });
    expect(merged.summary).toContain("3 clean");
    const [whole, shards] = [reported(project, "whole"), reported(project, "merged")];
    expect([shards.summary, shards.counts, shards.cases]).toStrictEqual([
      whole.summary,
      whole.counts,
      whole.cases.map((one) => ({ ...one, durationMs: expect.toSatisfy(() => true) })),
    ]);
  });
});
