// @module-tag deep
import { spawn } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectPaths } from "../../kernel/files/project-paths.ts";
import { readPending } from "../../updates/pending/pending-store.ts";
import { type CheckProject, checkProject } from "../../../test-support/check-project.ts";

/** A project with so many baselines of a pure step. */
async function captured(count: number): Promise<CheckProject> {
  const project = checkProject();
  project.write(
    "in.jsonl",
    Array.from({ length: count }, (_, index) => JSON.stringify({ text: `t${index}` })).join("\n"),
  );
  await project.veritest(["capture", "--step", "shout", "--input", "in.jsonl"]);
  return project;
}

const STOPPING = "veritest: Finishing the running cases. Press Ctrl-C again to stop now.\n";

test("Ctrl-C finishes what runs, reports what is known, and is 2", async () => {
  const project = await captured(30);
  project.write("steps/mood.json", '{ "ms": 300, "mark": "!" }');
  const { code, out, err } = await project.spawned(["test", "--concurrency", "2"], {
    heard: (text, end) => text.includes("value_changed") && end("SIGINT"),
  });
  expect({ code, err }).toStrictEqual({ code: 2, err: STOPPING });
  const [, checked] = /veritest {2}(\d+) baselines?, /.exec(out) ?? [];
  expect(Number(checked)).toBeGreaterThanOrEqual(1);
  expect(Number(checked)).toBeLessThan(30);
  expect(out).toMatch(
    /Problems {2}The command was interrupted\. \d+ baselines? (?:was|were) checked, and the others weren't\.\n/,
  );
});

test("Ctrl-C of a capture writes no baseline, and keeps results pending", async () => {
  const project = checkProject();
  project.write("in.jsonl", Array.from({ length: 30 }, (_, index) => JSON.stringify({ text: `t${index}` })).join("\n"));
  project.write("steps/mood.json", '{ "ms": 300, "fail": "t0" }');
  const { code, out, err } = await project.spawned(
    ["capture", "--step", "shout", "--input", "in.jsonl", "--concurrency", "2"],
    { heard: (text, end) => text.includes("failed") && end("SIGINT") },
  );
  expect({ code, err }).toStrictEqual({ code: 2, err: `${STOPPING}veritest: The capture was interrupted.\n` });
  expect(out).toMatch(/\n30 inputs: 0 written, 1 failed, receipt [0-9a-f]{12}\n\d+ changes? (?:is|are) pending: /);
  expect(project.list(".")).not.toContain("__baselines__");
});

test("fails a case whose step hangs, without keeping the process open", async () => {
  const project = await captured(5);
  project.write("steps/mood.json", '{ "hang": "t3" }');
  const { code, out } = await project.spawned(["test", "--timeout", "300ms"]);
  expect(code).toBe(1);
  expect(out).toContain("    timed_out: The case didn't finish within 0.3s. Increase --timeout.\n");
  expect(out).toContain("veritest  5 baselines, 4 clean, 1 failed in <time>\n");
});

test("what a step throws where nobody can catch it is reported as a problem of the run, and ends nothing", async () => {
  const project = await captured(5);
  project.write("steps/mood.json", '{ "stray": "t1", "ms": 20 }');
  const { code, out } = await project.spawned(["test"]);
  expect(code).toBe(2);
  expect(out).toContain("5 baselines, 5 clean in <time>\n   Problems  A step threw an uncaught error: in a timer\n");
});

test("a closed output changes neither the checks nor the exit code", async () => {
  const project = await captured(40);
  project.write("steps/mood.json", '{ "mark": "!" }');
  const cli = join(import.meta.dirname, "..", "..", "cli.ts");
  const environment = {
    PATH: process.env["PATH"],
    VERITEST_ACTOR: "human",
    VERITEST_STATE_DIR: join(project.root, "state"),
    VERITEST_NOTES_DIR: join(project.root, "notes"),
  };
  const child = spawn(process.execPath, [cli, "test"], {
    cwd: project.root,
    env: environment,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const err: string[] = [];
  child.stderr.on("data", (chunk: Buffer) => err.push(String(chunk)));
  child.stdout.destroy();
  const code = await new Promise<number | null>((resolve) => void child.on("close", resolve));
  expect({ code, err: err.join("") }).toStrictEqual({ code: 1, err: "" });
  expect(readPending(projectPaths(project.root, environment).state).changes.length).toBe(40);
});

test("without a time limit waits for a step that never ends", async () => {
  const project = await captured(3);
  project.write("steps/index.ts", project.read("steps/index.ts").replace("setInterval(() => undefined, 1000); ", ""));
  project.write("steps/mood.json", '{ "hang": "t1", "mark": "!" }');
  const started = performance.now();
  let waited = 0;
  const { code } = await project.spawned(["test", "--timeout", "0"], {
    heard: (text, end) => {
      if (!text.includes('"T0!"')) return;
      setTimeout(() => {
        waited = performance.now() - started;
        end("SIGKILL");
      }, 500);
    },
  });
  expect(code).toBe(null);
  expect(waited).toBeGreaterThan(500);
});
