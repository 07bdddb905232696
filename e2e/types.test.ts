import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "./harness/install.ts";
import { createProject } from "./harness/project.ts";
import { runChild } from "./harness/run-child.ts";
import { newest, versions } from "./harness/runners.ts";

const TSC = join(REPOSITORY, "node_modules", "typescript", "bin", "tsc");

/** The same cases as in e2e/types, which compile against the sources: right uses, and wrong ones marked as errors. */
const CASES = readFileSync(join(REPOSITORY, "e2e", "types", "cases.ts"), "utf8").replace('"#expect"', '"./expect"');

/** Functions whose result types TypeScript infers, and has to name in a declaration file. */
const RESULTS = `
import { defineStep, diff } from "veritest";
import { type Snapshot, recompute, replay } from "veritest/kernel";
import { z } from "zod";

const total = z.object({ total: z.number() });
const step = defineStep({ name: "total", input: total, output: total, run: (input) => ({ output: input }) });
export const differences = () => diff(1, 2);
export const replayed = (snapshot: Snapshot) => replay(snapshot, step);
export async function calls(snapshot: Snapshot) {
  const recomputed = await recompute(snapshot, step);
  return recomputed.ok ? recomputed.value.callsDiff : undefined;
}
export const rows = async (snapshot: Snapshot) => (await calls(snapshot))?.rows;
export const changes = async (snapshot: Snapshot) => (await calls(snapshot))?.changes;
`;

const TSCONFIG = {
  compilerOptions: {
    strict: true,
    target: "ES2023",
    module: "ESNext",
    moduleResolution: "Bundler",
    types: [],
    noEmit: true,
    skipLibCheck: true,
  },
  files: ["cases.ts"],
};

describe.each(versions)("$name", (runner) => {
  test("right uses of the matchers compile against the installed package, wrong ones do not", async () => {
    const project = createProject(runner);
    const [entry, module] =
      runner.kind === "vitest" ? ["veritest/vitest", "vitest"] : ["veritest/jest", "@jest/globals"];
    const expectFile = `import "${entry}";\nexport { expect } from "${module}";\n`;
    project.write(
      { "cases.ts": CASES, "expect.ts": expectFile, "tsconfig.json": JSON.stringify(TSCONFIG) },
      { asIs: true },
    );
    const right = await runChild(process.execPath, [TSC, "-p", project.folder], { cwd: project.folder });
    expect(right.stdout).toBe("");
    project.write({ "expect.ts": `export { expect } from "${module}";\n` }, { asIs: true });
    const without = await runChild(process.execPath, [TSC, "-p", project.folder], { cwd: project.folder });
    expect(without.stdout).toContain("Property 'toRecomputeClean' does not exist on type");
  });
});

describe.each(newest)("$name", (runner) => {
  test("declaration files can name what the functions return", async () => {
    const project = createProject(runner);
    const files = ["results.ts"];
    const compilerOptions = { ...TSCONFIG.compilerOptions, noEmit: false, declaration: true, outDir: "out" };
    project.write(
      { "results.ts": RESULTS, "tsconfig.json": JSON.stringify({ compilerOptions, files }) },
      { asIs: true },
    );
    const compiled = await runChild(process.execPath, [TSC, "-p", project.folder], { cwd: project.folder });
    expect(compiled.stdout).toBe("");
  });
});
