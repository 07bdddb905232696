import { describe, expect, test } from "vitest";
import { type Project, createProject } from "./harness/project.ts";
import { majors, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/**
 * A step whose own loop repeats a failed request after ten minutes, longer than any test here may take, and a model
 * that counts its calls in the file `hits`.
 */
function askFile(prompt: string): string {
  return `import { appendFileSync } from "node:fs";
import { defineStep } from "veritest";
import { z } from "zod";

export const model = { ask: async (prompt) => { appendFileSync("hits", "x"); return "to " + prompt; } };
export const ask = defineStep({
  name: "ask",
  input: z.object({ n: z.number() }),
  output: z.object({ text: z.string() }),
  run: async ({ n }, { adapters }) => {
    const keepAlive = setInterval(() => {}, 1000);
    for (let attempt = 1; ; attempt += 1) {
      try {
        const text = await adapters.model.ask("${prompt} " + n);
        clearInterval(keepAlive);
        return { output: { text } };
      } catch (error) {
        if (attempt === 20) throw error;
        await new Promise((resolve) => setTimeout(resolve, 600_000));
      }
    }
  },
});
`;
}

function askTest(n: number): string {
  return testFile(`import { ask, model } from "./ask.js";
test("ask ${n}", async () => { await expect(ask).toMatchBaseline({ input: { n: ${n} }, adapters: { model } }); }, 60_000);`);
}

/** A project with two test files whose cases are recorded. */
async function recordedProject(project: Project): Promise<void> {
  project.write({ "ask.js": askFile("Answer"), "a.test.js": askTest(1), "b.test.js": askTest(2) });
  await project.capture();
  expect(project.read("hits")).toBe("xx");
}

describe.each(majors)("$name", (runner) => {
  // Jest ends a worker after half a second, in which a busy machine may not get to its exit.
  test("a step that would go on trying holds neither its test, nor the worker, nor the runner", {
    retry: 2,
  }, async () => {
    const project = createProject(runner);
    await recordedProject(project);
    project.write({ "ask.js": askFile("Reply") });
    // A busy machine needs more than Vitest's ten seconds.
    const flags = runner.kind === "vitest" ? ["--teardownTimeout=60000"] : [];
    // Jest runs one file in its own process, and two in workers if there are several.
    for (const files of [runner.kind === "jest" ? ["--maxWorkers=2"] : [], ["a.test"]]) {
      const run = await project.run([...files, ...flags]);
      expect(run.exitCode).toBe(1);
      expect(run.failures["ask 1"]).toContain("request_changed");
      expect(run.stdout + run.stderr).not.toMatch(
        /Timeout terminating|did not exit|failed to exit gracefully|force exited|hanging-process|Exceeded timeout|timed out/i,
      );
    }
    expect(project.read("hits")).toBe("xx");
  });

  test("a test that times out reports the step that it was waiting for, not a missing await", async () => {
    const project = createProject(runner);
    project.write({
      "slow.js": `import { defineStep } from "veritest";
import { z } from "zod";
export const slow = defineStep({
  name: "slow",
  input: z.object({}),
  output: z.object({}),
  run: () => new Promise((resolve) => setTimeout(() => resolve({ output: {} }), 120_000).unref()),
});
`,
      "a.test.js": `import { slow } from "./slow.js";
${testFile('test("waits", async () => { await expect(slow).toMatchBaseline({ input: {}, adapters: {} }); }, 300);')}`,
    });
    const run = await project.run();
    expect(run.exitCode).toBe(1);
    expect(run.stdout + run.stderr).toMatch(/(?:Test timed out in|Exceeded timeout of) 300 ?ms/);
    expect(run.failures["waits"]).toContain(
      'The test "waits" ended before toMatchBaseline finished. It was waiting for "slow". If it timed out, raise its timeout: ',
    );
    expect(run.stdout + run.stderr).not.toContain("Await it");
    expect(project.baselines()).toEqual([]);
  });
});

describe.each(sampled(majors))("$name", (runner) => {
  test("in watch mode a save replays, a changed request fails, and its fix passes, all without a call", async () => {
    const project = createProject(runner);
    await recordedProject(project);
    const captured = project.baselines().map((path) => project.read(path));
    const watch = project.watch();
    expect(await watch.nextRun()).toContain("Baselines  2 clean\n");
    project.write({ "ask.js": `${askFile("Answer")}// saved\n` });
    expect(await watch.nextRun()).toContain("Baselines  2 clean\n");
    project.write({ "ask.js": askFile("Reply") });
    const changed = await watch.nextRun();
    expect(changed).toContain("Baselines  2 request_changed\n");
    project.write({ "ask.js": askFile("Answer") });
    expect(await watch.nextRun()).toContain("Baselines  2 clean\n");
    expect(project.read("hits")).toBe("xx");
    expect(project.baselines().map((path) => project.read(path))).toEqual(captured);
  });

  test("a mocked client counts the same calls locally and in CI", async () => {
    const project = createProject(runner);
    const mocks = runner.kind === "vitest" ? "vi" : "jest";
    project.write({
      "ask.js": askFile("Answer"),
      "a.test.js": `import { ${mocks} } from "runner";
import { ask } from "./ask.js";
${testFile(`test("mocked", async () => {
  const model = { ask: ${mocks}.fn(async (prompt) => "to " + prompt) };
  const mode = process.env.LIVE === "1" ? { mode: "live" } : {};
  await expect(ask).toMatchBaseline({ input: { n: 1 }, adapters: { model }, ...mode });
  expect(model.ask).toHaveBeenCalledTimes(Number(process.env.CALLS));
});`)}`,
    });
    expect(await project.run([], { env: { CALLS: "1" } })).toMatchObject({ exitCode: 0, failures: {} });
    const ways = [{ CALLS: "0" }, { CALLS: "0", CI: "1" }, { CALLS: "1", LIVE: "1" }];
    for (const env of ways) expect(await project.run([], { env })).toMatchObject({ exitCode: 0, failures: {} });
  });

  test("after a live run, a run names its pending results, which pass once they are accepted, without a call", async () => {
    const project = createProject(runner);
    await recordedProject(project);
    project.write({ "ask.js": askFile("Reply") });
    expect((await project.run([], { env: { VERITEST_MODE: "live" } })).summary).toContain("2 changes are pending: npx");
    const replay = await project.run();
    expect(replay.failures["ask 1"]).toMatch(
      /\n\nThe new responses are pending from an earlier run\. Review and accept them without another call: npx veritest review$/,
    );
    expect(replay.summary).toMatch(
      /^Baselines {2}2 request_changed\n.*\n +2 baselines of ask {2}its new responses are pending: npx veritest review$/,
    );
    expect(await project.cli(["accept", "--all"])).toMatchObject({ exitCode: 0 });
    expect((await project.run()).summary).toBe("Baselines  2 clean");
    expect(project.read("hits")).toBe("xxxx");
  });
});
