import { describe, expect, test } from "vitest";
import { createProject } from "./harness/project.ts";
import { majors } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** A step in a page, whose model counts its calls in the file `hits`. */
const TITLE = `import { appendFileSync } from "node:fs";
import { defineStep } from "veritest";
import { z } from "zod";

export const model = { ask: async (prompt) => { appendFileSync("hits", "x"); return "<h1>" + prompt + "</h1>"; } };
export const title = defineStep({
  name: "title",
  input: z.object({ topic: z.string() }),
  output: z.object({ title: z.string() }),
  run: async ({ topic }, { adapters }) => {
    document.body.innerHTML = await adapters.model.ask(topic);
    return { output: { title: document.querySelector("h1").textContent } };
  },
});
`;

describe.each(majors)("$name", (runner) => {
  test("tests run in jsdom if node_modules is above the project's root", async () => {
    const project = createProject(runner);
    project.write({
      "title.js": TITLE,
      "a.test.js": `import { model, title } from "./title.js";
${testFile('test("a page", async () => { await expect(title).toMatchBaseline({ input: { topic: "Chairs" }, adapters: { model } }); });')}`,
    });
    const environment = runner.kind === "vitest" ? "--environment=jsdom" : "--env=jsdom";
    const captured = await project.run([environment]);
    expect(captured).toMatchObject({ exitCode: 0, failures: {}, fileTroubles: [] });
    expect(captured.summary).toMatch(/^Baselines {2}1 captured\n/);
    project.write({ "title.js": TITLE.replace("textContent", "outerHTML") });
    const changed = await project.run([environment]);
    expect(changed.failures["a page"]).toContain('title: "Chairs" → "<h1>Chairs</h1>"');
    expect(project.read("hits")).toBe("x");
  });
});
