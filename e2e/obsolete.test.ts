import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

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

  test("tells of baselines no test uses after a complete, unfiltered, passing run; -u removes them", async () => {
    const project = createProject(runner);
    const words =
      'test("words", async () => { await expect(countWords).toMatchBaseline({ input: { text: "a b" } }); });';
    project.write({ "a.test.js": claimsTest("one", "two", "three"), "b.test.js": claimsTest("four") + words });
    await project.run();
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
                 __baselines__/extract-claims/three-7289ef17.json  obsolete: no test uses it; remove with -u, or delete it
                 __baselines__/extract-claims/two-d039f990.json  obsolete: no test uses it; remove with -u, or delete it"
    `);
    expect(project.tree()).toEqual(captured);

    const update = await project.run(["-u"]);
    expect(update.exitCode).toBe(0);
    expect(update.summary).toMatchInlineSnapshot(`
      "Baselines  3 clean, 2 obsolete, removed
                 __baselines__/extract-claims/three-7289ef17.json  removed
                 __baselines__/extract-claims/two-d039f990.json  removed"
    `);
    expect(project.cases()).toEqual([
      "__baselines__/count-words/words",
      "__baselines__/extract-claims/four",
      "__baselines__/extract-claims/one",
    ]);
  });

  test("a skipped test, a failing one and a file that does not load keep all that may be their own", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": claimsTest("one", "two", "three") });
    await project.run();
    const captured = project.baselines();
    project.write({ "a.test.js": claimsTest("one", "skipped") });
    expect(await project.run(["-u"])).toMatchObject({ exitCode: 0, summary: "Baselines  1 clean" });
    project.write({ "a.test.js": claimsTest("one", "failing") });
    expect(await project.run(["-u"])).toMatchObject({ exitCode: 1, summary: "Baselines  1 clean" });
    project.write({ "a.test.js": "throw new Error('does not load');", "b.test.js": claimsTest("one") });
    expect(await project.run(["-u"])).toMatchObject({ exitCode: 1, summary: "Baselines  1 clean" });
    expect(project.baselines()).toEqual(captured);
  });
});
