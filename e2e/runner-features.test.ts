import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors, vitestRunners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** A test of a value, by a variable that the run sets. */
function valueTest(name: string, { call = "test" }: { readonly call?: string } = {}): string {
  return `${call}(${JSON.stringify(name)}, async () => { await expect({ n: process.env.N ?? "0" }).toMatchBaseline({ name: ${JSON.stringify(name)} }); });\n`;
}

describe.each(majors)("$name", (runner) => {
  const failing = runner.kind === "vitest" ? "test.fails" : "test.failing";

  test("a test that must fail writes nothing, leaves nothing pending, and hides no other test's capture", async () => {
    const project = createProject(runner);
    const file = (call: string): string => testFile(valueTest("good") + valueTest("known bug", { call }));
    project.write({ "a.test.js": file("test").replace('process.env.N ?? "0"', '"0"') });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    const captured = project.tree();
    project.write({ "a.test.js": file(failing).replace('process.env.N ?? "0"', '"0"') });
    for (const args of [[], ["-u"]]) {
      const run = await project.run(args, { env: { N: "1" } });
      expect(run).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  1 clean" });
    }
    expect({ ...project.tree(), "a.test.js": "" }).toEqual({ ...captured, "a.test.js": "" });
    expect((await project.cli(["pending"])).stdout).not.toContain("known-bug");
  });

  test("the command in a message updates its own test and no test with a longer name", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": testFile(`describe("triage", () => { ${valueTest("T1")}${valueTest("T10")} });`) });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    const ran = await project.run(["a.test", "-t", "^triage (> )?T1$", "-u"], { env: { N: "1" } });
    expect(ran.exitCode).toBe(0);
    expect(ran.summary).toMatch(/^Baselines {2}1 updated\n/);
  });

  test("--changed runs the test of a changed baseline", async () => {
    const project = createProject(runner);
    const other = testFile(valueTest("other"));
    project.write({ "a.test.js": testFile(valueTest("price")), "b.test.js": other, ".gitignore": "node_modules\n" });
    await project.git("init", "-q");
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    await project.git("add", "-A");
    await project.git("commit", "-qm", "one");
    const [path = ""] = project.baselines();
    project.write({ [path]: project.read(path).replace('"n": "0"', '"n": "5"') }, { asIs: true });
    const changed = await project.run([runner.kind === "vitest" ? "--changed" : "--onlyChanged"]);
    expect(changed.statuses).toEqual({ price: "failed" });
  });
});

describe.each(vitestRunners)("$name", (runner) => {
  test("expect.poll: the last attempt counts, and a green run leaves nothing pending", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(`
test("a job", async () => {
  let seen = process.env.READY === "1" ? 3 : 0;
  await expect.poll(() => ({ done: Math.min(++seen, 4) }), { timeout: 5000, interval: 10 }).toMatchBaseline({ name: "job" });
});`),
    });
    expect(await project.run([], { env: { READY: "1" } })).toMatchObject({ exitCode: 0 });
    const captured = project.tree();
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  1 clean" });
    await project.cli(["accept", "--all"]);
    expect(project.tree()).toEqual(captured);
  });

  test.each([
    "json",
    "junit",
    "tap",
  ])("standard output is the %s document alone, and the summary is on standard error", async (name) => {
    const project = createProject(runner);
    project.write({ "a.test.js": testFile(valueTest("one")) });
    const { stdout, stderr } = await project.runAs([`--reporter=${name}`]);
    expect([stdout.includes("Baselines"), stderr.includes("Baselines  1 captured")]).toEqual([false, true]);
  });

  test("two projects with two values for one baseline are named", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(valueTest("region")),
      "vitest.config.js": `import { veritest } from "veritest/plugin";
const project = (name) => ({ extends: true, test: { name, env: { N: name } } });
export default { plugins: [veritest()], test: { projects: [project("north"), project("south")] } };
`,
    });
    const ran = await project.run();
    expect(ran.exitCode).toBe(1);
    expect(ran.summary).toMatch(
      /has different results in the projects "(?:north|south)" and "(?:north|south)"\. Give each project its own baselines with resolveSnapshotPath\./,
    );
  });
});
