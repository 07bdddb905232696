import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { anyRunner, newest } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const RECEIPTS = `import { expect, test } from "runner";

test.each([1, 2])("receipt %i", async (number) => {
  await expect({ number }).toMatchBaseline({ name: "receipt " + number });
});
`;

/** A project whose test file was captured in `old/` and went to `new/`, alone. */
async function moved(runner: Parameters<typeof createProject>[0]): Promise<Project> {
  const project = createProject(runner);
  project.write({ "old/receipts.test.js": RECEIPTS, ".gitignore": "node_modules\n" });
  await project.git("init", "-q");
  await project.capture();
  await project.git("add", "-A");
  await project.git("commit", "-qm", "all");
  project.remove("old/receipts.test.js");
  project.write({ "new/receipts.test.js": RECEIPTS });
  return project;
}

describe.each(anyRunner)("$name", (runner) => {
  const told = (make: string): string =>
    `  the test was moved, but its baselines weren't. Run: ${make}git mv -f ` +
    "old/__baselines__/receipts.test.js/*.json new/__baselines__/receipts.test.js/";

  test("CI names the command that moves the baselines of a moved test, and it works", async () => {
    const project = await moved(runner);
    const run = await project.run([], { env: { CI: "1" } });
    expect(run.exitCode).toBe(1);
    expect(run.summary).toContain(told("mkdir -p new/__baselines__/receipts.test.js && "));
    const [, command = ""] = /Run: (.*)/.exec(run.summary) ?? [];
    execFileSync("sh", ["-c", command], { cwd: project.folder });
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0 });
    expect(await project.git("status", "--porcelain")).toContain("R  old/__baselines__/receipts.test.js/receipt-1");
    expect(await project.cli(["check"])).toMatchObject({ exitCode: 0 });
  });

  test("baselines that a moved test captured again leave the old ones obsolete: they are reported and removed", async () => {
    const project = await moved(runner);
    const run = await project.run();
    expect(run.exitCode).toBe(0);
    expect(run.summary).toContain(told(""));
    const words = "the test was moved, and the same baselines are in new/__baselines__/receipts.test.js";
    const directory = "old/__baselines__/receipts.test.js";
    expect(await project.cli(["check"])).toMatchObject({
      exitCode: 1,
      stdout:
        `obsolete    ${directory}  ${words} (2 baselines). To remove obsolete baselines, run: npx veritest prune --yes.\n` +
        "4 baselines checked, 1 finding: 1 obsolete.\n",
    });
    const listed = await project.cli(["prune"]);
    expect(listed.stdout).toContain(`receipts.test.js: ${words}\n  ${directory}/receipt-1-`);
    expect(await project.cli(["prune", "--yes"])).toMatchObject({ exitCode: 0 });
    expect(project.cases()).toEqual([
      "new/__baselines__/receipts.test.js/receipt-1",
      "new/__baselines__/receipts.test.js/receipt-2",
    ]);
    expect(await project.cli(["check"])).toMatchObject({ exitCode: 0 });
  });

  test("check finds the baselines that a moved test file left beside other tests", async () => {
    const project = await moved(runner);
    project.write({ "old/stays.test.js": RECEIPTS });
    await project.run();
    const { exitCode, stdout } = await project.cli(["check"]);
    expect([exitCode, stdout.replace(/To remove.*/, "")]).toEqual([
      1,
      "obsolete    old/__baselines__/receipts.test.js  the test was moved, and the same baselines are in " +
        "new/__baselines__/receipts.test.js (2 baselines). \n6 baselines checked, 1 finding: 1 obsolete.\n",
    ]);
  });
});

describe.each(newest)("$name", (runner) => {
  test("baselines of tests with other names, or that are stored elsewhere, aren't obsolete beside equal ones", async () => {
    const project = createProject(runner);
    const source = testFile(
      'test("words", async () => { await expect(countWords).toMatchBaseline({ input: { text: "a b" } }); });',
      { steps: "../steps.js" },
    );
    project.write({ "unit/a.test.js": source, "checks/words.js": source, "away/b.test.js": source });
    project.write(awayConfig(runner));
    await project.git("init", "-q");
    expect(await project.run()).toMatchObject({ exitCode: 0 });
    expect(project.cases()).toEqual([
      "checks/__baselines__/count-words/words",
      "snaps/__baselines__/count-words/words",
      "unit/__baselines__/count-words/words",
    ]);
    await project.git("add", "-A");
    await project.git("commit", "-qm", "all");
    expect(await project.cli(["check"])).toMatchObject({ exitCode: 0, stdout: "3 baselines checked, no problems.\n" });
    expect(await project.cli(["prune", "--yes"])).toMatchObject({
      stdout: "No baselines are obsolete. A complete run can find more, and -u removes them.\n",
    });
    expect(await project.run()).toMatchObject({ exitCode: 0, summary: "Baselines  3 clean" });
  });
});

/** A configuration with tests in `checks/`, and one that stores the snapshots of `away/` in `snaps/`. */
function awayConfig({ kind }: Parameters<typeof createProject>[0]): Record<string, string> {
  const include = ["**/*.test.js", "**/checks/*.js"];
  if (kind === "vitest")
    return {
      "vitest.config.js": `import { veritest } from "veritest/plugin";
const resolveSnapshotPath = (path, extension) =>
  path.replace("/away/", "/snaps/").replace(/(unit|checks)\\/([^/]*)$/, "$1/__snapshots__/$2") + extension;
export default { plugins: [veritest()], test: { include: ${JSON.stringify(include)}, resolveSnapshotPath } };
`,
    };
  return {
    "jest.config.json": JSON.stringify({
      preset: "veritest/jest",
      testMatch: include,
      snapshotResolver: "<rootDir>/resolver.cjs",
    }),
    "resolver.cjs": `module.exports = {
  resolveSnapshotPath: (path, extension) => path.replace("/away/", "/snaps/") + extension,
  resolveTestPath: (path, extension) => path.replace("/snaps/", "/away/").slice(0, -extension.length),
  testPathForConsistencyCheck: "a/away/b.test.js",
};
`,
  };
}
