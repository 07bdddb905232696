import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createProject } from "./harness/project.ts";
import { majors, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const reportSchema = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ title: z.string(), status: z.string() })) })),
});

function priceTest(name: string): string {
  return testFile(`test("${name}", async () => { await expect({ n: 0 }).toMatchBaseline({ name: "${name}" }); });`);
}

describe.each(sampled(majors))("$name", (runner) => {
  test("the tests that are related to a baseline are those that use it", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": priceTest("chair"), "b.test.js": priceTest("lamp") });
    await project.capture();
    const path = project.baselines().find((baseline) => baseline.includes("chair")) ?? "";
    project.write({ [path]: project.read(path).replace('"n": 0', '"n": 5') }, { asIs: true });
    const { exitCode, stderr } = await (runner.kind === "vitest"
      ? project.runAs([path, "--run", "--reporter=json", "--outputFile.json=report.json"], { command: "related" })
      : project.runAs(["--findRelatedTests", path, "--json", "--outputFile=report.json"]));
    expect(exitCode, stderr).toBe(1);
    const { testResults } = reportSchema.parse(JSON.parse(project.read("report.json")));
    expect(testResults.flatMap(({ assertionResults }) => assertionResults)).toMatchObject([
      { title: "chair", status: "failed" },
    ]);
  });

  test.runIf(runner.name === "vitest-5")("--since-last-run runs the tests of a baseline that changed", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": priceTest("chair"), "b.test.js": priceTest("lamp") });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    const options = ["--since-last-run", "--reporter=json", "--outputFile.json=report.json"];
    expect((await project.runAs(options)).exitCode).toBe(0);
    const path = project.baselines().find((baseline) => baseline.includes("chair")) ?? "";
    project.write({ [path]: project.read(path).replace('"n": 0', '"n": 5') }, { asIs: true });
    const { exitCode, stderr } = await project.runAs(options);
    expect(exitCode, stderr).toBe(1);
    const { testResults } = reportSchema.parse(JSON.parse(project.read("report.json")));
    expect(testResults.flatMap(({ assertionResults }) => assertionResults)).toMatchObject([
      { title: "chair", status: "failed" },
    ]);
  });
});
