import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { regionProjects } from "./harness/region-projects.ts";
import { majors, sampled, vitestRunners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** A test of a value, by a variable that the run sets. */
function valueTest(name: string, { call = "test" }: { readonly call?: string } = {}): string {
  return `${call}(${JSON.stringify(name)}, async () => { await expect({ n: process.env.N ?? "0" }).toMatchBaseline({ name: ${JSON.stringify(name)} }); });\n`;
}

/** A step that repeats a failed request twenty times, a second apart, and a model that counts its calls in a file. */
const ASK = `import { appendFileSync } from "node:fs";
import { defineStep } from "veritest";
import { z } from "zod";

export const model = { ask: async (prompt) => { appendFileSync("hits", "x"); return "to " + prompt; } };
export const ask = defineStep({
  name: "ask",
  input: z.object({ n: z.number() }),
  output: z.object({ text: z.string() }),
  run: async ({ n }, { adapters }) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { output: { text: await adapters.model.ask((process.env.PROMPT ?? "Answer") + " " + n) } };
      } catch (error) {
        if (attempt === 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  },
});
`;

/** Jest's own annotations, beside veritest's reporter. */
const GITHUB_REPORTERS = ["default", "github-actions", "veritest/reporter/jest"].map((name) => `--reporters=${name}`);

describe.each(majors)("$name", (runner) => {
  const failing = runner.kind === "vitest" ? "test.fails" : "test.failing";

  test("a test that must fail writes nothing, leaves nothing pending, and hides no other test's capture", async () => {
    const project = createProject(runner);
    const file = (call: string): string => testFile(valueTest("good") + valueTest("known bug", { call }));
    project.write({ "a.test.js": file("test").replace('process.env.N ?? "0"', '"0"') });
    await project.capture();
    const captured = project.tree();
    project.write({ "a.test.js": file(failing).replace('process.env.N ?? "0"', '"0"') });
    for (const args of [[], ["-u"]]) {
      const run = await project.run(args, { env: { N: "1" } });
      expect(run).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  1 clean" });
    }
    expect({ ...project.tree(), "a.test.js": "" }).toEqual({ ...captured, "a.test.js": "" });
    expect((await project.cli(["pending"])).stdout).not.toContain("known-bug");

    project.write({ "a.test.js": testFile(valueTest("known bug", { call: failing }) + valueTest("good")) });
    const { failures } = await project.run([], { env: { N: "1" } });
    // Not a reference to a failure that the runner doesn't show.
    expect(failures["good"]).toContain("good: 1 of 1 baseline changed (value)");
  });

  test("a failure doesn't refer to a test that passes on its retry", async () => {
    const project = createProject(runner);
    const isVitest = runner.kind === "vitest";
    const flaky = `let runs = 0;
${isVitest ? "" : 'import { jest } from "runner";\njest.retryTimes(1);\n'}
test("flaky", ${isVitest ? "{ retry: 1 }, " : ""}async () => {
  runs += 1;
  await expect({ n: runs === 1 ? (process.env.N ?? "0") : "0" }).toMatchBaseline({ name: "flaky" });
});
`;
    project.write({ "a.test.js": testFile(`${flaky}describe("block", () => { ${valueTest("steady")} });`) });
    await project.capture();
    const { statuses, failures } = await project.run([], { env: { N: "1" } });
    expect(statuses).toEqual({ flaky: "passed", "block steady": "failed" });
    expect(failures["block steady"]).toContain("steady: 1 of 1 baseline changed (value)");
  });
});

describe.each(sampled(majors))("$name", (runner) => {
  test("the command in a message updates its own test and no test with a longer name", async () => {
    const project = createProject(runner);
    project.write({ "a.test.js": testFile(`describe("triage", () => { ${valueTest("T1")}${valueTest("T10")} });`) });
    await project.capture();
    const ran = await project.run(["a.test", "-t", "^triage (> )?T1$", "-u"], { env: { N: "1" } });
    expect(ran.exitCode).toBe(0);
    expect(ran.summary).toMatch(/^Baselines {2}1 updated\n/);
  });

  test("--changed runs the test of a changed baseline", async () => {
    const project = createProject(runner);
    const other = testFile(valueTest("other"));
    project.write({ "a.test.js": testFile(valueTest("price")), "b.test.js": other, ".gitignore": "node_modules\n" });
    await project.git("init", "-q");
    await project.capture();
    await project.git("add", "-A");
    await project.git("commit", "-qm", "one");
    const [path = ""] = project.baselines();
    project.write({ [path]: project.read(path).replace('"n": "0"', '"n": "5"') }, { asIs: true });
    const changed = await project.run([runner.kind === "vitest" ? "--changed" : "--onlyChanged"]);
    expect(changed.statuses).toEqual({ price: "failed" });
    if (runner.kind === "vitest") return;
    expect((await project.run(["--findRelatedTests", path])).statuses).toEqual({ price: "failed" });
    const { stdout } = await project.runAs(["--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ numTotalTests: 2, numFailedTests: 1 });
  });

  test("two projects that run one file share its baseline, and are named if their values differ", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(
        'test("region", async () => { await expect({ n: ["1", globalThis.REGION ?? process.env.REGION].includes(process.env.SAME) ? 0 : globalThis.REGION ?? process.env.REGION }).toMatchBaseline({ name: "region" }); });',
      ),
      ...regionProjects(runner),
    });
    const ran = await project.run();
    expect(ran.exitCode).toBe(1);
    expect(ran.summary).toMatch(
      /different results in the projects "(?:north|south)" and "(?:north|south)"\. Give each project its own baselines with Vitest's resolveSnapshotPath or Jest's snapshotResolver\./,
    );
    expect(project.baselines()).toEqual([]);
    for (const summary of [/^Baselines {2}1 captured\n/, /^Baselines {2}1 clean$/]) {
      const same = await project.run([], { env: { SAME: "1" } });
      expect(same).toMatchObject({ exitCode: 0, failures: {} });
      expect(same.summary).toMatch(summary);
    }
    for (const SAME of ["north", "south"]) {
      const one = await project.run([], { env: { SAME, CI: "1" } });
      expect(one.exitCode).toBe(1);
      expect(one.summary).toMatch(/^Baselines {2}1 value_changed\n/);
    }
  });

  test("in GitHub Actions each failure has one annotation, with a path that GitHub resolves", async () => {
    const project = createProject(runner);
    const source = testFile(`${valueTest("one")}${valueTest("two")}`);
    project.write({ "src/a.test.js": source.replace("./steps.js", "../steps.js") });
    await project.capture();
    const env = { N: "1", CI: "true", GITHUB_ACTIONS: "true" };
    const reporters = runner.kind === "jest" ? [[], GITHUB_REPORTERS] : [[]];
    for (const args of reporters) {
      const { exitCode, stdout, stderr } = await project.runAs(args, { env });
      expect(exitCode).toBe(1);
      const errors = `${stdout}\n${stderr}`.split("\n").filter((line) => line.startsWith("::error"));
      const files = errors.map((line) => /[ ,]file=([^,]*)/.exec(line)?.[1]);
      expect(files).toEqual([1, 2].map(() => join(project.folder, "src", "a.test.js")));
      expect(new Set(errors.map((line) => /[ ,]line=(\d+)/.exec(line)?.[1])).size).toBe(2);
    }
  });

  test("a changed prompt in a retry loop fails at once, and its command records that case with the run's configuration", async () => {
    const project = createProject(runner);
    const [config, other] =
      runner.kind === "vitest" ? ["vitest.config.js", "unit.config.js"] : ["jest.config.json", "unit.json"];
    project.write({ [other]: project.read(config) }, { asIs: true });
    project.remove(config);
    const cases = ["one", "two"].map(
      (name, n) =>
        `test("${name}", async () => { await expect(ask).toMatchBaseline({ input: { n: ${n} }, adapters: { model } }); });`,
    );
    project.write({
      "ask.js": ASK,
      "a.test.js": `import { ask, model } from "./ask.js";\n${testFile(cases.join("\n"))}`,
    });
    const run = async (args: readonly string[], env?: Record<string, string>): ReturnType<typeof project.run> =>
      project.run(["--config", other, ...args], { env: env ?? {} });
    expect(await run([])).toMatchObject({ exitCode: 0, failures: {} });

    const changed = await run([], { PROMPT: "Reply" });
    expect(changed.statuses).toEqual({ one: "failed", two: "failed" });
    const [runs, byPath] = runner.kind === "vitest" ? ["npx vitest run", ""] : ["npx jest", "--runTestsByPath "];
    // The second failure of a group refers to the first one.
    expect(changed.failures["one"]).toContain(`${runs} --config ${other} ${byPath}a.test.js -t "^one$" -u`);
    expect(changed.failures["two"]).toContain("request_changed");
    expect(project.read("hits")).toBe("xx");

    const recorded = await run(["a.test.js", "-t", "^one$", "-u"], { PROMPT: "Reply" });
    expect(recorded).toMatchObject({ exitCode: 0, failures: {} });
    expect(recorded.stdout + recorded.stderr).toContain("Live       1 call, no tokens reported, ");
    const inCi = await run(["-u"], { PROMPT: "Reply", CI: "1" });
    expect(inCi.statuses).toEqual({ one: "passed", two: "failed" });
    expect(project.read("hits")).toBe("xxx");
  });

  test("a baseline belongs to its test in both Unicode forms of the file's name", async () => {
    const project = createProject(runner);
    const name = "caf\u00e9.test.js";
    project.write({ [name.normalize("NFD")]: testFile(valueTest("price")) });
    await project.capture();
    const captured = project.baselines();
    project.remove(name.normalize("NFD"));
    project.write({ [name.normalize("NFC")]: testFile(valueTest("price")) });
    expect(await project.run(["-u"])).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  1 clean" });
    expect(project.baselines()).toEqual(captured);
  });
});

describe.each(vitestRunners)("$name", (runner) => {
  test("-u before a test file updates only that file, or nothing if Vitest reads the file as a value of -u", async () => {
    const project = createProject(runner);
    const source = (name: string): string => testFile(valueTest(name));
    project.write({ "a.test.js": source("one"), "b.test.js": source("two") });
    await project.capture();
    const captured = project.tree();
    const env = { N: "1" };
    const wrong = await project.runAs(["-u", "a.test.js"], { env });
    if (runner.name === "vitest-4" || runner.name === "vitest-5") {
      const watch = await project.runAs(["-u", "a.test.js"], { env, command: "watch" });
      expect([watch.exitCode, watch.stderr]).toStrictEqual([1, expect.stringContaining("Put -u last:")]);
      expect(wrong.exitCode).toBe(1);
      expect(wrong.stderr).toContain(
        'Vitest read "a.test.js" as the value of -u, and not as a test file. Put -u last:\n\n' +
          "  npx vitest run a.test.js -u\n",
      );
      expect(wrong.stdout).not.toContain("Baselines");
      expect(project.tree()).toEqual(captured);
    } else {
      expect(wrong.exitCode).toBe(0);
      expect(wrong.stdout).toContain("Baselines  1 updated\n");
    }
    const right = await project.runAs(["b.test.js", "-u"], { env });
    expect(right.exitCode).toBe(0);
    expect(right.stdout).toContain("Baselines  1 updated\n");
  });

  test("expect.poll and vi.waitFor: the last attempt counts, and a green run leaves nothing pending", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(`
test("a job", async () => {
  let seen = process.env.READY === "1" ? 3 : 0;
  await expect.poll(() => ({ done: Math.min(++seen, 4) }), { timeout: 5000, interval: 10 }).toMatchBaseline({ name: "job" });
});
import { vi } from "runner";
test("another job", async () => {
  let seen = process.env.READY === "1" ? 3 : 0;
  await vi.waitFor(() => expect({ done: Math.min(++seen, 4) }).toMatchBaseline({ name: "waited" }), { timeout: 5000, interval: 10 });
});`),
    });
    expect(await project.run([], { env: { READY: "1" } })).toMatchObject({ exitCode: 0 });
    const captured = project.tree();
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {}, summary: "Baselines  2 clean" });
    await project.cli(["accept", "--all"]);
    expect(project.tree()).toEqual(captured);
  });

  test("tests run in happy-dom if node_modules is above the root of Vite", async () => {
    const project = createProject(runner);
    project.write({
      "a.test.js": testFile(`test("a page", async () => {
  document.body.innerHTML = "<h1>Chairs</h1>";
  await expect({ title: document.querySelector("h1").textContent }).toMatchBaseline({ name: "page" });
});`),
    });
    for (const summary of [/^Baselines {2}1 captured\n/, /^Baselines {2}1 clean$/]) {
      const ran = await project.run(["--environment=happy-dom"]);
      expect(ran).toMatchObject({ exitCode: 0, failures: {}, fileTroubles: [] });
      expect(ran.summary).toMatch(summary);
    }
  });
});

/** Vitest 5 writes these reports to files. */
const PRINTING = vitestRunners.filter(({ name }) => name === "vitest-3" || name === "vitest-4");

describe.each(PRINTING)("$name", (runner) => {
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
});
