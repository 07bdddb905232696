// @module-tag deep
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const directory = realpathSync(mkdtempSync(join(tmpdir(), "veritest-answers-")));
const grounding = join(directory, "grounding.mts");

writeFileSync(join(directory, "package.json"), '{ "type": "module" }');
symlinkSync(at("../../../../node_modules"), join(directory, "node_modules"));
writeFileSync(
  grounding,
  `export * from "${at("../../../grounding.ts")}";\nexport * from "./grounded-answer.ts";\n`.replace(
    "./grounded-answer.ts",
    at("./grounded-answer.ts"),
  ),
);
writeFileSync(
  join(directory, "vitest.config.js"),
  `export default {
  resolve: { alias: [{ find: "veritest/kernel", replacement: "${at("../../../kernel.ts")}" }, { find: /^veritest\\/grounding$/, replacement: "${grounding}" }] },
  test: { testTimeout: 600_000, include: ["*.test.ts"], setupFiles: ["${at("../../../vitest.ts")}", "${at("../../../grounding-vitest.ts")}"] },
};
`,
);

afterAll(() => rmSync(directory, { recursive: true }));

/** Whole runners are started here, on machines that do other work too. */
interface Ran {
  readonly code: number | null;
  readonly output: string;
}

function node(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Ran {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: directory,
    encoding: "utf8",
    env: { PATH, HOME, NODE_COMPILE_CACHE, NO_COLOR: "1", ...environment },
  });
  return { code: status, output: `${stdout}${stderr}` };
}

const vitest = (file: string, environment: NodeJS.ProcessEnv = {}): Ran =>
  node([at("../../../../node_modules/vitest/vitest.mjs"), "run", file], environment);
const LIVE = { VERITEST_MODE: "live" };

describe("docs/grounding/answers.md", () => {
  const page = readFileSync(at("../../../../docs/grounding/answers.md"), "utf8");
  const [script = "", tests = ""] = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);

  test("has a script that prints the page's output", () => {
    const path = join(directory, "script.mts");
    writeFileSync(
      path,
      script
        .replace('"veritest/kernel"', `"${at("../../../kernel.ts")}"`)
        .replace('"veritest/grounding"', `"${grounding}"`),
    );
    const printed = /It prints `([^`]+)`/.exec(page)?.[1];
    expect(node(["--experimental-strip-types", "--no-warnings", path])).toEqual({ code: 0, output: `${printed}\n` });
  });

  test("has a test file that passes, and names the unsupported claim like the page", () => {
    const path = join(directory, "bridge.test.ts");
    writeFileSync(path, tests);
    expect(vitest("bridge.test.ts")).toMatchObject({ code: 0, output: expect.stringMatching(/Tests {2}2 passed/) });
    writeFileSync(
      path,
      tests.replace(
        'content: "The Kestrel bridge was opened in 1932."',
        'content: "The Kestrel bridge was opened in 1933."',
      ),
    );
    const { code, output } = vitest("bridge.test.ts", LIVE);
    expect(code).toBe(1);
    const shown = /```\n(cause: model.*?)```/s.exec(page)?.[1] ?? "nothing";
    for (const line of shown.trim().split("\n")) expect(output).toContain(line);
  });
});

describe("examples/grounding", () => {
  test("passes on its stored baseline, and fails when the model drifts", () => {
    cpSync(at("../../../../examples/grounding"), directory, {
      recursive: true,
      filter: (path) => !path.includes("node_modules") && !path.endsWith("vitest.config.ts"),
    });
    expect(vitest("answer.test.ts")).toMatchObject({ code: 0, output: expect.stringMatching(/Tests {2}4 passed/) });
    const model = join(directory, "model.ts");
    writeFileSync(model, readFileSync(model, "utf8").replace("1874", "1884"));
    const { code, output } = vitest("answer.test.ts", LIVE);
    expect(code).toBe(1);
    expect(output).toContain("cause: model (same requests, different responses: llm.complete)");
    expect(output).toContain('- claims["The lighthouse on Gull Point was lit for the first time in 1874."]');
    expect(output).toContain("1 of 2 claims is below ");
  });
});
