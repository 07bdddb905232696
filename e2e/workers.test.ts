import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { installDirectory } from "./harness/install.ts";
import { type ChildResult, runChild } from "./harness/run-child.ts";
import { type Runner, runners } from "./harness/runners.ts";

/** One is enough: a sweep has no runner in it. */
const newest: readonly Runner[] = runners.filter(({ name }) => name === "vitest-5");

const STEP = `
  name: "shout", input: z.object({ text: z.string() }), output: z.object({ loud: z.string() }),
  run: async ({ text }) => {
    const { habits = {} } = JSON.parse(readFileSync("habits.json", "utf8"));
    if (habits[text] === "loop") for (;;) Math.random();
    if (habits[text] === "exit") process.exit(9);
    return { output: { loud: text.toUpperCase() + (habits[text] ?? "") } };
  },`;

const FORMS = [
  {
    form: "TypeScript",
    files: {
      "package.json": '{ "type": "module" }',
      "veritest.config.ts":
        'import type { VeritestConfig } from "veritest";\n' +
        'const config: VeritestConfig = { steps: () => import("./steps.ts") };\nexport default config;',
      "steps.ts": `import { readFileSync } from "node:fs";\nimport { defineStep } from "veritest";\nimport { z } from "zod";
export const shout = defineStep({${STEP}});`,
    },
  },
  {
    form: "CommonJS",
    files: {
      "package.json": "{}",
      "veritest.config.js": 'module.exports = { steps: () => require("./steps.js") };',
      "steps.js": `const { readFileSync } = require("node:fs");\nconst { defineStep } = require("veritest");
const { z } = require("zod");\nexports.shout = defineStep({${STEP}});`,
    },
  },
];

describe.each(newest)("$name", (runner) => {
  describe.each(FORMS)("$form", ({ files }) => {
    test("the installed command line sweeps in workers as in one thread, and ends a loop in time", {
      timeout: 120_000,
    }, async () => {
      const folder = join(installDirectory(runner), "work", randomUUID().slice(0, 8));
      mkdirSync(folder, { recursive: true });
      onTestFinished(({ task }) => {
        if (task.result?.state === "pass") rmSync(folder, { recursive: true, force: true });
      });
      const write = (more: Readonly<Record<string, string>>): void => {
        for (const [name, text] of Object.entries(more)) writeFileSync(join(folder, name), text);
      };
      const texts = Array.from({ length: 30 }, (_, index) => JSON.stringify({ text: `t${index}` }));
      write({ ...files, "in.jsonl": texts.join("\n"), "habits.json": "{}" });
      const cli = join(folder, "..", "..", "node_modules", "veritest", "dist", "cli.js");
      const veritest = async (...argv: readonly string[]): Promise<Pick<ChildResult, "exitCode" | "stdout">> => {
        const env = { PATH: process.env["PATH"] ?? "", VERITEST_ACTOR: "human", VERITEST_STATE_DIR: "state" };
        const { exitCode, stdout } = await runChild(process.execPath, [cli, ...argv], { cwd: folder, env });
        return { exitCode, stdout: stdout.replaceAll(/ in [\d.]+ m?s\b/g, " in <time>") };
      };
      expect((await veritest("capture", "--step", "shout", "--input", "in.jsonl")).exitCode).toBe(0);
      write({ "habits.json": '{ "habits": { "t3": "!", "t21": "?", "t22": "?" } }' });
      const alone = await veritest("test", "--workers", "1");
      expect(alone.stdout).toContain("30 baselines, 27 clean, 3 changed, 3 waiting for review in <time>\n");
      expect(await veritest("test", "--workers", "2")).toStrictEqual(alone);
      expect(await veritest("test", "--workers", "3")).toStrictEqual(alone);
      write({ "habits.json": '{ "habits": { "t3": "loop", "t21": "exit" } }' });
      const { exitCode, stdout } = await veritest("test", "--timeout", "700ms");
      expect(exitCode).toBe(1);
      expect(stdout).toContain("   veritest  30 baselines, 28 clean, 2 failed in <time>\n");
      expect(stdout.replaceAll(/\s+/g, " ")).toContain(
        "timed_out: It did not end within 0.7s and never gave way: the worker that ran it was ended. ",
      );
    });
  });
});
