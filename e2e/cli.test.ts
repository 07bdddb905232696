import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { EXIT_CASES, type ExitCase, exitProject } from "../test-support/exit-cases.ts";
import { installDirectory } from "./harness/install.ts";
import { type ChildResult, runChild } from "./harness/run-child.ts";
import { type Runner, newest } from "./harness/runners.ts";

function builtCli({ name }: Runner): string {
  return join(installDirectory({ name, kind: "vitest" }), "node_modules", "veritest", "dist", "cli.js");
}

/** Runs the cases a few at a time, each in a process of its own; what differs from the table, by command line. */
async function differing(cases: readonly ExitCase[], cli: string): Promise<Record<string, unknown>> {
  const rest = [...cases];
  const found: Record<string, unknown> = {};
  const worker = async (): Promise<void> => {
    for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
      const { root, environment } = exitProject(one);
      const { exitCode, stdout, stderr } = await runChild(process.execPath, [cli, ...one.argv], {
        cwd: root,
        env: { ...environment, PATH: process.env["PATH"] ?? "" },
      });
      const told = {
        code: exitCode,
        out: stdout.replaceAll(realpathSync(root), "ROOT"),
        err: stderr.replaceAll(realpathSync(root), "ROOT"),
      };
      if (told.code !== one.code || !fits(told.out, one.out) || !fits(told.err, one.err))
        found[one.argv.join(" ")] = told;
      rmSync(root, { recursive: true, force: true });
    }
  };
  await Promise.all([worker(), worker(), worker()]);
  return found;
}

function fits(text: string, expected: string | RegExp = ""): boolean {
  return typeof expected === "string" ? text === expected : expected.test(text);
}

test("the built command line exits with the documented code in every case", async () => {
  expect(EXIT_CASES.length).toBeGreaterThanOrEqual(60);
  const [runner] = newest;
  expect(runner === undefined ? "no runner" : await differing(EXIT_CASES, builtCli(runner))).toStrictEqual({});
});

describe.each(newest)("$name", (runner) => {
  test("init, capture, break the step, diff, accept, CI: a new user needs nothing but the command line", async () => {
    const folder = join(installDirectory(runner), "work", randomUUID().slice(0, 8));
    mkdirSync(folder, { recursive: true });
    onTestFinished(({ task }) => {
      if (task.result?.state === "pass")
        for (const path of [folder, `${folder}-state`]) rmSync(path, { recursive: true, force: true });
    });
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({
        private: true,
        devDependencies: { [runner.kind]: "*", veritest: "*", zod: "*" },
        ...(runner.kind === "vitest" ? { type: "module" } : {}),
      }),
    );
    const env = { VERITEST_ACTOR: "human", XDG_STATE_HOME: `${folder}-state` };
    const run = async (
      script: string,
      args: readonly string[],
      more: Readonly<Record<string, string>> = {},
    ): Promise<ChildResult> =>
      runChild(process.execPath, [join(installDirectory(runner), "node_modules", script), ...args], {
        cwd: folder,
        env: { ...env, ...more },
      });
    const cli = async (...args: string[]): Promise<ChildResult> => run("veritest/dist/cli.js", args);
    const tests = async (more: Readonly<Record<string, string>> = {}): Promise<ChildResult> =>
      runner.kind === "vitest" ? run("vitest/vitest.mjs", ["run"], more) : run("jest/bin/jest.js", [], more);

    expect(await cli("init")).toMatchObject({ exitCode: 2 });
    expect(await cli("init", "--yes")).toMatchObject({ exitCode: 0, stderr: "" });
    const captured = await tests();
    expect([captured.exitCode, /Baselines {2}2 captured/.test(captured.stdout + captured.stderr)]).toStrictEqual([
      0,
      true,
    ]);

    const again = await cli("init", "--yes");
    expect([
      again.exitCode,
      again.stdout.includes("The project is already set up. No files need to change."),
    ]).toStrictEqual([0, true]);

    const step = join(folder, "steps", "read-order.js");
    writeFileSync(step, readFileSync(step, "utf8").replace(String.raw`\d+ x`, String.raw`\d x`));
    const diff = await cli("diff");
    expect([diff.exitCode, diff.stdout.includes("lines.candle.quantity: 12 → 2")]).toStrictEqual([0, true]);
    expect(await cli("test")).toMatchObject({ exitCode: 1 });
    expect(await tests({ CI: "1" })).toMatchObject({ exitCode: 1 });
    expect(await cli("accept", "--all")).toMatchObject({ exitCode: 0 });
    expect(await tests({ CI: "1" })).toMatchObject({ exitCode: 0 });
    expect(await cli("test")).toMatchObject({ exitCode: 0 });
    expect(await cli("check")).toMatchObject({ exitCode: 0 });
    expect(await cli("replay", "--check-files")).toMatchObject({ exitCode: 0 });
  });
});
