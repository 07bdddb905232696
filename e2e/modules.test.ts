import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { jestRunners, vitestRunners } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

const CLAIMS_TEST = testFile(`
test("one", async () => { await expect(extractClaims).toMatchBaseline({ input: { text: "one" }, adapters: { llm } }); });
test("sweep", async () => { await expect(extractClaims).toRecomputeClean(); });
`);

describe.each(jestRunners)("$name", (runner) => {
  test("ES modules share their baselines with CommonJS", async () => {
    const project = createProject(runner);
    project.write({ "claims.test.js": CLAIMS_TEST });
    await project.capture();
    const captured = project.baselines();
    const steps = createProject({ name: "vitest-5", kind: "vitest" }).read("steps.js");
    project.write(
      {
        "claims.test.js": CLAIMS_TEST.replace('"runner"', '"@jest/globals"'),
        "steps.js": steps,
        "package.json": '{ "type": "module" }',
      },
      { asIs: true },
    );
    const ran = await project.run([], { env: { NODE_OPTIONS: "--experimental-vm-modules --no-warnings", CI: "1" } });
    expect(ran).toMatchObject({ exitCode: 0, failures: {}, fileTroubles: [], summary: "Baselines  1 clean" });
    expect(project.baselines()).toEqual(captured);
  });
});

describe.each(vitestRunners)("$name", (runner) => {
  test("tests and steps in TypeScript", async () => {
    const project = createProject(runner);
    project.write({
      "words.ts": `
import { type Step, defineStep } from "veritest";
import { z } from "zod";
export const words: Step<{ text: string }, { words: string[] }> = defineStep({
  name: "words",
  input: z.object({ text: z.string() }),
  output: z.object({ words: z.array(z.string()) }),
  run: ({ text }) => ({ output: { words: text.split(" ") } }),
});
`,
      "words.test.ts": `
import { expect, test } from "runner";
import { words } from "./words.ts";
test("two words", async (): Promise<void> => { await expect(words).toMatchBaseline({ input: { text: "a b" } }); });
`,
    });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    expect(project.baselines()).toHaveLength(1);
    expect(await project.run([], { env: { CI: "1" } })).toMatchObject({ exitCode: 0, summary: "Baselines  1 clean" });
  });
});
