import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { regionProjects } from "./harness/region-projects.ts";
import { runChild } from "./harness/run-child.ts";
import { type Runner, majors, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const UNKNOWN_PROJECTS = "1 unused baseline not judged: this run may exclude projects that use them";

function claimsTest(...tests: string[]): string {
  return testFile(
    tests
      .map((name) => {
        const call = name.startsWith("skipped") ? "test.skip" : "test";
        const fails = name.startsWith("failing") ? "expect(1).toBe(2);" : "";
        return `${call}("${name}", async () => { ${fails} await expect(extractClaims).toMatchBaseline({ input: { text: "${name}" }, adapters: { llm } }); });`;
      })
      .join("\n"),
  );
}

describe.each(majors)("$name", (runner) => {
  const filter = runner.kind === "vitest" ? "a.test" : "a.test.js";

  test("a complete, unfiltered, passing run reports obsolete baselines; -u removes them", async () => {
    const project = createProject(runner);
    const words =
      'test("words", async () => { await expect(countWords).toMatchBaseline({ input: { text: "a b" } }); });';
    project.write({ "a.test.js": claimsTest("one", "two", "three"), "b.test.js": claimsTest("four") + words });
    await project.capture();
    project.write({
      "a.test.js": claimsTest("one"),
      "b.test.js": `${claimsTest("four")}test("sweep", async () => { await expect(countWords).toRecomputeClean(); });`,
    });
    const captured = project.tree();

    expect(await project.run([filter, "-u"])).toMatchObject({ exitCode: 0, summary: "Baselines  1 clean" });
    expect(await project.run(["-t", "o", "-u"])).toMatchObject({ exitCode: 0, summary: "Baselines  2 clean" });
    expect(project.tree()).toEqual(captured);

    const whole = await project.run([], { env: { CI: "1" } });
    expect(whole).toMatchObject({ exitCode: 0, failures: {} });
    expect(whole.summary).toMatchInlineSnapshot(`
      "Baselines  3 clean, 2 obsolete
                 obsolete: no test uses it; remove with -u, or delete it
                   __baselines__/extract-claims/three-7289ef17.json
                   __baselines__/extract-claims/two-d039f990.json"
    `);
    expect(project.tree()).toEqual(captured);

    const update = await project.run(["-u"]);
    expect(update.exitCode).toBe(0);
    expect(update.summary).toMatchInlineSnapshot(`
      "Baselines  3 clean, 2 obsolete, removed
                 removed
                   __baselines__/extract-claims/three-7289ef17.json
                   __baselines__/extract-claims/two-d039f990.json"
    `);
    expect(project.cases()).toEqual([
      "__baselines__/count-words/words",
      "__baselines__/extract-claims/four",
      "__baselines__/extract-claims/one",
    ]);
  });

  test("a run of some projects, or of a shard, removes no baseline of other projects", async () => {
    const project = createProject(runner);
    project.write(filesOfRegions(runner));
    await project.capture();
    expect(project.baselines()).toHaveLength(2);
    const captured = project.tree();
    const choices =
      runner.kind === "vitest"
        ? ["--project=south", "--shard=1/2", "--shard=2/2"]
        : ["--selectProjects=south", "--ignoreProjects=north"];
    for (const choice of choices) {
      const ran = await project.run([choice, "-u"]);
      expect([choice, ran.exitCode, ran.summary]).toEqual([choice, 0, "Baselines  1 clean"]);
      expect(project.tree()).toEqual(captured);
    }
    if (runner.kind !== "jest") return;
    const ran = await project.run(["--projects", "south.config.json", "-u"]);
    expect([ran.exitCode, ran.summary]).toEqual([0, `Baselines  1 clean\n           ${UNKNOWN_PROJECTS}`]);
    expect(project.tree()).toEqual(captured);
  });
});

describe.each(sampled(majors))("$name", (runner) => {
  test("a script that chooses projects removes no baseline of other projects", async () => {
    const project = createProject(runner);
    project.write(filesOfRegions(runner));
    await project.capture();
    const captured = project.baselines();
    expect(captured).toHaveLength(2);
    const scripts =
      runner.kind === "vitest"
        ? [
            'import { startVitest } from "vitest/node";\n' +
              'await (await startVitest("test", [], { run: true, update: true, project: ["south"] })).close();',
          ]
        : [
            'require("jest").run(["--selectProjects", "south", "-u"]);',
            'require("jest").run(["--projects", "south.config.json", "-u"]);',
            'require("jest").runCLI({ selectProjects: ["south"], updateSnapshot: true, _: [], $0: "" }, [process.cwd()]);',
          ];
    for (const script of scripts) {
      const file = runner.kind === "vitest" ? "run-tests.mjs" : "run-tests.cjs";
      project.write({ [file]: script });
      const { exitCode, stdout, stderr } = await runChild(process.execPath, [file], { cwd: project.folder });
      expect([script, exitCode, project.baselines()]).toEqual([script, 0, captured]);
      const note = runner.kind === "vitest" ? "" : `             ${UNKNOWN_PROJECTS}\n`;
      expect(`${stdout}${stderr}`).toContain(`  Baselines  1 clean\n${note}`);
    }
  });

  test.runIf(runner.kind === "jest")("a run of all projects judges baselines if a project has no tests", async () => {
    const project = createProject(runner);
    const config = JSON.stringify({ preset: "veritest/jest" });
    project.write({
      "jest.config.json": JSON.stringify({
        reporters: ["default", "veritest/reporter/jest"],
        projects: ["<rootDir>/packages/*"],
        passWithNoTests: true,
      }),
      "packages/a/jest.config.json": config,
      "packages/a/a.test.js": claimsTest("one", "two").replace("./steps.js", "../../steps.js"),
      "packages/empty/jest.config.json": config,
      "packages/README.md": "Two packages.",
    });
    await project.run();
    project.write({ "packages/a/a.test.js": claimsTest("one").replace("./steps.js", "../../steps.js") });
    const { summary } = await project.run(["-u"]);
    expect(summary).toMatch(/^Baselines {2}1 clean, 1 obsolete, removed\n/);
  });

  test.runIf(runner.kind === "jest")(
    "a run counts the baselines of a project whose only test was deleted",
    async () => {
      const project = createProject(runner);
      const config = JSON.stringify({ preset: "veritest/jest" });
      const source = (name: string): string => claimsTest(name).replace("./steps.js", "../../steps.js");
      project.write({
        "jest.config.json": JSON.stringify({
          reporters: ["default", "veritest/reporter/jest"],
          projects: ["<rootDir>/packages/*"],
        }),
        "packages/a/jest.config.json": config,
        "packages/a/a.test.js": source("one"),
        "packages/b/jest.config.json": config,
        "packages/b/b.test.js": source("two"),
      });
      await project.run();
      const captured = project.baselines();
      project.remove("packages/b/b.test.js");
      const counted = "Baselines  1 clean\n           1 unused baseline not judged: their project ran no tests";
      expect(await project.run(["-u"])).toMatchObject({ exitCode: 0, summary: counted });
      expect(await project.run(["a.test.js", "-u"])).toMatchObject({ exitCode: 0, summary: "Baselines  1 clean" });
      project.write({ "run-tests.cjs": 'require("jest").run(["-u"]);' });
      const ran = await runChild(process.execPath, ["run-tests.cjs"], { cwd: project.folder });
      expect(`${ran.stdout}${ran.stderr}`).toContain(`  Baselines  1 clean\n             ${UNKNOWN_PROJECTS}\n`);
      expect(project.baselines()).toEqual(captured);
    },
  );

  test.runIf(runner.kind === "vitest")(
    "--changed for one of two projects removes no baseline of the other",
    async () => {
      const project = createProject(runner);
      project.write({
        "a.test.js":
          'import { region } from "region";\n' +
          testFile('test("region", async () => { await expect({ n: 1 }).toMatchBaseline({ name: region }); });'),
        "north.js": 'export const region = "north";\n',
        "south.js": 'export const region = "south";\n',
        "vitest.config.js": `import { veritest } from "veritest/plugin";
const alias = (name) => ({ region: new URL(name + ".js", import.meta.url).pathname });
const project = (name) => ({ extends: true, resolve: { alias: alias(name) }, test: { name } });
export default { plugins: [veritest()], test: { projects: ["north", "south"].map(project) } };
`,
      });
      await project.git("init");
      await project.run();
      await project.git("add", ".");
      await project.git("commit", "-m", "Capture");
      const captured = project.tree();
      project.write({ "north.js": 'export const region = "north";\n// Changed.\n' });
      const ran = await project.run(["--changed", "-u"]);
      expect([ran.exitCode, ran.summary]).toEqual([0, "Baselines  1 clean"]);
      expect(Object.keys(project.tree())).toEqual(Object.keys(captured));
    },
  );

  test("baselines that may belong to a skipped test, a failing one or a file that does not load aren't obsolete", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": claimsTest("one", "two", "three") });
    await project.capture();
    const captured = project.baselines();
    project.write({ "a.test.js": claimsTest("one", "skipped") });
    expect(await project.run(["-u"])).toMatchObject({
      exitCode: 0,
      summary:
        "Baselines  1 clean\n" +
        "           2 unused baselines not judged: tests that might use them were skipped or failed",
    });
    project.write({ "a.test.js": claimsTest("one", "failing") });
    expect(await project.run(["-u"])).toMatchObject({ exitCode: 1, summary: "Baselines  1 clean" });
    project.write({ "a.test.js": "throw new Error('does not load');", "b.test.js": claimsTest("one") });
    expect(await project.run(["-u"])).toMatchObject({ exitCode: 1, summary: "Baselines  1 clean" });
    expect(project.baselines()).toEqual(captured);
  });

  test("a run whose configuration excludes a test file removes none of its baselines", async () => {
    const project = createProject(runner);
    const value = 'test("value", async () => { await expect({ n: 1 }).toMatchBaseline({ name: "value" }); });';
    project.write({
      "triage.llm.js": claimsTest("one", "two") + value,
      "unit.test.js": testFile(
        'test("unit", async () => { await expect({ n: 2 }).toMatchBaseline({ name: "unit" }); });',
      ),
      ...configs(runner.kind),
    });
    expect(await project.run(configOf(runner.kind, "all"))).toMatchObject({ exitCode: 0, failures: {} });
    const captured = project.tree();
    expect(project.baselines()).toHaveLength(4);

    const unit = await project.run([...configOf(runner.kind, "unit"), "-u"]);
    expect(unit).toMatchObject({
      exitCode: 0,
      summary:
        "Baselines  1 clean\n" +
        "           3 unused baselines not judged: this run excludes test files that might use them",
    });
    const narrowed = await project.run([
      ...configOf(runner.kind, "all"),
      "-u",
      ...(runner.kind === "jest" ? ["--testPathIgnorePatterns=llm"] : ["--exclude=**/*.llm.js"]),
    ]);
    expect(narrowed).toMatchObject({ exitCode: 0, summary: unit.summary });
    expect(project.tree()).toEqual(captured);
  });
});

/** Two projects with one test file, which has a baseline for each of them. */
function filesOfRegions(runner: Runner): Record<string, string> {
  return {
    "a.test.js": testFile(
      'test("region", async () => { await expect({ n: 1 }).toMatchBaseline({ name: globalThis.REGION ?? process.env.REGION }); });',
    ),
    ...regionProjects(runner),
    ...(runner.kind === "jest" && {
      "south.config.json": JSON.stringify({ preset: "veritest/jest", globals: { REGION: "south" } }),
    }),
  };
}

/** Two configurations over one folder: of unit tests alone, and of all. */
function configs(kind: "vitest" | "jest"): Record<string, string> {
  const patterns = { unit: ["**/*.test.js"], all: ["**/*.test.js", "**/*.llm.js"] };
  return Object.fromEntries(
    Object.entries(patterns).map(([name, files]) =>
      kind === "jest"
        ? [`${name}.config.json`, JSON.stringify({ preset: "veritest/jest", testMatch: files })]
        : [
            `${name}.config.js`,
            `import { veritest } from "veritest/plugin";\nexport default { plugins: [veritest()], test: { include: ${JSON.stringify(files)} } };\n`,
          ],
    ),
  );
}

function configOf(kind: "vitest" | "jest", name: "unit" | "all"): string[] {
  return [`--config=${name}.config.js${kind === "jest" ? "on" : ""}`];
}
