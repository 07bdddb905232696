import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { jestRunners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

describe.each(jestRunners)("$name", (runner) => {
  test("jest-junit on the command line writes its report, and a test captures and fails as without it", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(
        'test("price", async () => { await expect({ n: process.env.N ?? "0" }).toMatchBaseline({ name: "price" }); });',
      ),
    });
    const run = async (env: Readonly<Record<string, string>>): ReturnType<typeof project.runAs> =>
      project.runAs(["--reporters=default", "--reporters=jest-junit"], {
        env: { ...env, JEST_JUNIT_OUTPUT_FILE: "junit.xml" },
      });
    const captured = await run({});
    expect(captured.exitCode, captured.stderr).toBe(0);
    expect(project.read("junit.xml")).toContain('<testsuites name="jest tests" tests="1" failures="0" errors="0"');
    expect(project.cases()).toEqual(["__baselines__/a.test.js/price"]);
    const [baseline = ""] = project.baselines().map((path) => project.read(path));
    expect((await run({ N: "1" })).exitCode).toBe(1);
    const report = project.read("junit.xml");
    expect(report).toContain('<testsuites name="jest tests" tests="1" failures="1" errors="0"');
    expect(report).toContain("value_changed");
    expect(project.baselines().map((path) => project.read(path))).toEqual([baseline]);
  });
});
