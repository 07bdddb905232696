import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { anyRunner, newest } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** What `veritest init` writes where no step is defined, captured and in git. */
async function scaffold(project: Project): Promise<void> {
  project.remove("steps.js");
  expect(await project.cli(["init", "--yes"])).toMatchObject({ exitCode: 0, stderr: "" });
  project.write({ ".gitignore": "node_modules\n" });
  await project.git("init", "--quiet");
  expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
  await project.git("add", "--all");
  await project.git("commit", "--quiet", "--message", "all");
}

/** Lines of the summary if a test checked all cases before the run captured them. */
const TOO_EARLY = [
  'A test checked the baselines of "extract-claims" before this run captured them.',
  "           Accept the pending changes, then run the tests again.",
].join("\n");

function breakStep(project: Project): void {
  const [step = ""] = Object.keys(project.tree()).filter((path) => /^steps\/read-order\.m?js$/.test(path));
  project.write({ [step]: project.read(step).replace(String.raw`\d+ x`, String.raw`\d x`) }, { asIs: true });
}

async function waiting(project: Project): Promise<readonly string[]> {
  const listed: readonly { readonly test: string }[] = JSON.parse((await project.cli(["pending", "--json"])).stdout);
  return listed.map(({ test: name }) => name);
}

describe.each(newest)("$name", (runner) => {
  test("a step that a run or veritest test found broken, and either finds restored, leaves no pending update", async () => {
    const project = createProject(runner);
    await scaffold(project);
    const check = async (by: "a run" | "veritest test"): Promise<number | null> =>
      (await (by === "a run" ? project.run() : project.cli(["test"]))).exitCode;

    for (const [finds, sees] of [
      ["a run", "a run"],
      ["a run", "veritest test"],
      ["veritest test", "a run"],
      ["veritest test", "veritest test"],
    ] as const) {
      breakStep(project);
      expect({ finds, exitCode: await check(finds), pending: await waiting(project) }).toEqual({
        finds,
        exitCode: 1,
        pending: [finds === "a run" ? "in a hurry" : "veritest test"],
      });
      await project.git("checkout", "--quiet", ".");
      expect({ sees, exitCode: await check(sees), pending: await waiting(project) }).toEqual({
        sees,
        exitCode: 0,
        pending: [],
      });
      expect(await project.cli(["accept", "--all"])).toMatchObject({
        exitCode: 0,
        stdout: "No change is pending.\n",
      });
    }
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
  });

  const checkAll = 'test("all", async () => { await expect(extractClaims).toRecomputeClean(); });';
  const captureOne =
    'test("one", async () => { await expect(extractClaims).toMatchBaseline({ input: { text: "a b3" }, adapters: { llm } }); });';

  test.each([
    ["before the captures", { "a.test.js": `${checkAll}\n${captureOne}` }, false],
    ["in another test file", { "a.test.js": checkAll, "b.test.js": captureOne }, true],
  ] as const)("a check of all cases %s reports that it came too early", async (_, bodies, isOther) => {
    const project = createProject(runner);
    const sources = Object.entries<string>(bodies).map(([path, body]) => [path, testFile(body)] as const);
    project.write(Object.fromEntries(sources));
    const early = await project.run();
    expect([early.exitCode, Object.keys(early.failures)]).toEqual([1, ["all"]]);
    expect(early.summary).toContain(TOO_EARLY);
    expect(await project.cli(["accept", "--all"])).toMatchObject({ exitCode: 0 });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  1 clean" });
    if (isOther) return;
    const updated = await project.run(["-u"], { env: { CHANGED: "prompt" } });
    expect([updated.exitCode, Object.keys(updated.failures)]).toEqual([1, ["all"]]);
    expect(updated.summary).toContain(TOO_EARLY);
  });
});

describe.each(anyRunner)("$name", (runner) => {
  test("a check of all cases drops the pending updates of broken code and keeps a pending live response", async () => {
    const project = createProject(runner);
    const capture =
      'for (const text of ["a b3", "c d3"]) test(text, async () => { await expect(extractClaims).toMatchBaseline({ input: { text }, adapters: { llm } }); });';
    project.write({ "capture.test.js": testFile(capture) });
    await project.capture();
    project.remove("capture.test.js");
    const sweep = (options: string): Record<string, string> => ({
      "sweep.test.js": testFile(
        `test("sweep", async () => { await expect(extractClaims).toRecomputeClean(${options}); });`,
      ),
    });
    for (const [options, env, left] of [
      ["", { CHANGED: "field" }, []],
      // Found on today's adapters, which answered as recorded: the code alone was broken.
      ['{ adapters: { llm }, mode: "live" }', { CHANGED: "field" }, []],
      ['{ adapters: { llm }, mode: "live" }', { MODEL: "new" }, ["sweep", "sweep"]],
    ] as const) {
      project.write(sweep(options));
      expect([(await project.run([], { env })).exitCode, await waiting(project)]).toEqual([1, ["sweep", "sweep"]]);
      project.write(sweep(""));
      const mended = await project.run();
      expect({ options, env, exitCode: mended.exitCode, left: await waiting(project) }).toEqual({
        options,
        env,
        exitCode: 0,
        left,
      });
      expect(mended.summary).toBe(
        left.length > 0
          ? "Baselines  2 clean"
          : "Baselines  2 clean\n           2 pending changes dropped: clean again",
      );
    }
  });
});
