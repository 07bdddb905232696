import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { majors, vitestRunners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const CAPTURE = 'test("captures", async () => { await expect({ n: 1 }).toMatchBaseline({ name: "captured" }); });';

/** Two test files at a time in processes of their own, so that one's end is not the other's. */
const PROCESSES = { vitest: ["--pool=forks"], jest: ["-w", "2"] } as const;

const FAILED: readonly string[] = ['1 test file failed: bad.test.js (transaction.scope is "run").'];

/** How a test file, beside one that passes, brings down its worker or its run, and why the run is held then. */
const ENDS = [
  {
    end: "a worker that exits",
    source: testFile(`${CAPTURE}\ntest("exits", () => { process.exit(3); });`),
    args: [],
    because: FAILED,
  },
  {
    end: "a worker that is killed",
    source: testFile(
      `${CAPTURE}\ntest("is killed", async () => { process.kill(process.pid, "SIGKILL"); await new Promise((resolve) => setTimeout(resolve, 1_000)); });`,
    ),
    args: [],
    because: {
      vitest: [
        "1 error was not handled.",
        "bad.test.js has pending updates, but its worker crashed before it finished. Run the tests again.",
      ],
      jest: FAILED,
    },
  },
  { end: "a file that does not load", source: 'throw new Error("does not load");\n', args: [], because: FAILED },
  {
    end: "a failure under --bail",
    source: testFile(
      `${CAPTURE}\ntest("fails", () => { expect(1).toBe(2); });\ntest("is left out", async () => { await expect({ n: 1 }).toMatchBaseline({ name: "left out" }); });`,
    ),
    args: ["--bail=1"],
    because: FAILED,
  },
] as const;

/** What waits for review, by target. */
async function targets(project: Project): Promise<string[]> {
  const { stdout } = await project.cli(["pending", "--json"]);
  return JSON.parse(stdout).map(({ target }: { target: string }) => target.replace(/-[0-9a-f]{8}\.json$/, ""));
}

const GOOD = "__baselines__/good.test.js/good";

describe.each(majors)("$name", (runner) => {
  test.each(ENDS)("$end: nothing is written, the run fails, its updates stay pending", async ({
    end,
    source,
    args,
    because,
  }) => {
    const project = createProject(runner);
    project.write({
      "good.test.js": testFile(
        'test("good", async () => { await expect({ n: 1 }).toMatchBaseline({ name: "good" }); });',
      ),
    });
    const before = project.tree();
    project.write({ "bad.test.js": source });
    const ran = await project.run([...PROCESSES[runner.kind], ...args], { mayDie: true });
    expect(ran.exitCode).toBe(1);
    const { "bad.test.js": _bad, ...after } = project.tree();
    expect(after).toEqual(before);
    // Vitest 3 dies with its worker, so that only the next run or command can tell.
    const dies = runner.name === "vitest-3" && end === "a worker that is killed";
    const reasons = "jest" in because ? because[runner.kind] : because;
    expect(ran.summary.split("\n").filter((line) => line.startsWith("           pending: "))).toEqual(
      dies ? [] : reasons.map((reason) => `           pending: ${reason}`),
    );
    // Under --bail it may not have been its turn, nor where Vitest 3 died too early.
    if (args.length === 0 && !dies) expect(await targets(project)).toContain(GOOD);

    project.remove("bad.test.js");
    const next = await project.run();
    expect(next).toMatchObject({ exitCode: 0, failures: {} });
    if (dies) expect(next.summary).toMatch(/A run was interrupted: its (?:1 change is|2 changes are) pending\./);
    expect(project.cases()).toEqual([GOOD]);
    expect(await targets(project)).not.toContain(GOOD);
  });

  test("Ctrl-C: nothing is written, the exit code says so, and the next run or command reports the pending updates", async () => {
    const project = createProject(runner);
    const hanging = join(project.folder, "hanging");
    project.write({
      "a.test.js": testFile(`
import { writeFileSync } from "node:fs";
${CAPTURE}
test("hangs", async () => { if (process.env.HANG === undefined) return; writeFileSync("hanging", ""); await new Promise((resolve) => setTimeout(resolve, 90_000)); }, 100_000);
`),
    });
    const before = project.tree();
    const ran = await project.run([], { env: { HANG: "1" }, interrupt: { signal: "SIGINT", when: hanging } });
    expect(ran.exitCode).not.toBe(0);
    rmSync(hanging);
    expect(project.tree()).toEqual(before);
    const next = await project.run(["-t", "hangs"]);
    expect(next).toMatchObject({ exitCode: 0, failures: {} });
    expect({ cut: ran.summary, next: next.summary }).toMatchInlineSnapshot(`
      {
        "cut": "",
        "next": "Baselines  none checked
                 A run was interrupted: its 1 change is pending.",
      }
    `);
    expect(await targets(project)).toEqual(["__baselines__/a.test.js/captured"]);
    expect(await project.cli(["accept", "--all"])).toMatchObject({ exitCode: 0 });
    expect(project.cases()).toEqual(["__baselines__/a.test.js/captured"]);
  });
});

describe.each(vitestRunners)("$name", (runner) => {
  test("an unhandled rejection keeps the updates pending although every test passed", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(
        `${CAPTURE}\ntest("rejects", async () => { void Promise.reject(new Error("nobody waits")); await new Promise((resolve) => setTimeout(resolve, 50)); });`,
      ),
    });
    const before = project.tree();
    const ran = await project.run();
    expect(ran).toMatchObject({ exitCode: 1, failures: {}, statuses: { captures: "passed", rejects: "passed" } });
    expect(ran.summary).toMatchInlineSnapshot(`
      "Baselines  1 pending
                 g-9b9560  1 × a.test.js/cap…-4dc6a05f.json  missing
                 pending: 1 error was not handled.
                 1 change is pending: npx veritest review
                 To see the changes as a page, run again with VERITEST_REPORT=html"
    `);
    expect(project.tree()).toEqual(before);
  });
});
