import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { REPOSITORY } from "./harness/install.ts";
import { type Project, createProject } from "./harness/project.ts";
import { type Runner, majors, sampled } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** A provider as a project has one, whose spans leave in a batch: nothing does before somebody flushes it. */
const TELEMETRY = `
import { appendFileSync } from "node:fs";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
const exporter = {
  export(spans, done) {
    for (const { name, attributes, events, parentSpanContext: parent } of spans)
      appendFileSync("spans.jsonl", JSON.stringify({ name, attributes, events, root: parent === undefined }) + "\\n");
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: 600_000 });
class Provider extends TracerProvider {
  async forceFlush() {
    await super.forceFlush();
    if (process.env.HANGS !== undefined) await new Promise(() => {});
  }
}
trace.setGlobalTracerProvider(new Provider({ spanProcessors: [processor] }));
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
`;

const SETTINGS: Readonly<Record<Runner["kind"], Readonly<Record<string, string>>>> = {
  vitest: {
    "vitest.config.js": `import { veritest } from "veritest/plugin";
import { defineConfig } from "vitest/config";
export default defineConfig({ plugins: [veritest()], test: { setupFiles: ["./telemetry.js"] } });
`,
  },
  jest: { "jest.config.json": '{ "preset": "veritest/jest", "setupFiles": ["./telemetry.js"] }\n' },
};

const TEST = testFile(
  `test("counts", async () => { await expect(countWords).toMatchBaseline({ input: { text: "one two" } }); });`,
);

const VALUE_TEST = testFile(
  `test("says", async () => { await expect(process.env.SAYS ?? "one").toMatchBaseline({ name: "said" }); });`,
);

/** Packages come from this repository, as a project would have them in its own \`node_modules\`. */
function projectOf(runner: Runner): Project {
  const project = createProject(runner);
  const packages = join(project.folder, "node_modules");
  mkdirSync(packages);
  symlinkSync(join(REPOSITORY, "node_modules", "@opentelemetry"), join(packages, "@opentelemetry"), "junction");
  project.write({ ...SETTINGS[runner.kind], "telemetry.js": TELEMETRY, "count.test.js": TEST });
  return project;
}

const facts = z.record(z.string(), z.unknown());
const exported = z.object({
  name: z.string(),
  root: z.boolean(),
  attributes: facts,
  events: z.array(z.object({ name: z.string(), attributes: facts })),
});

/** The spans that were exported since the last look, in the order they ended. */
function takeSpans(project: Project): readonly z.infer<typeof exported>[] {
  if (!existsSync(join(project.folder, "spans.jsonl"))) return [];
  const lines = project.read("spans.jsonl").trim().split("\n");
  project.remove("spans.jsonl");
  return lines.map((line) => exported.parse(JSON.parse(line)));
}

describe.each(majors)("$name", (runner) => {
  test("each check is exported at the end of its file, with its verdict and the one run it took", async () => {
    const project = projectOf(runner);
    expect(await project.run()).toMatchObject({ exitCode: 0, statuses: { counts: "passed" } });
    expect(told(project)).toEqual(["  veritest.step count-words", "veritest.check count-words: missing"]);
    expect(await project.run()).toMatchObject({ exitCode: 0, statuses: { counts: "passed" } });
    expect(told(project)).toEqual(["  veritest.step count-words", "veritest.check count-words: clean"]);
  });
});

describe.each(sampled(majors))("$name", (runner) => {
  test("telemetry.captureContent reaches the workers; without it no value leaves", async () => {
    const project = projectOf(runner);
    await project.run();
    expect(JSON.stringify(takeSpans(project))).not.toContain("one two");
    project.write({ "veritest.config.mjs": "export default { telemetry: { captureContent: true } };\n" });
    await project.run();
    expect(takeSpans(project).map(({ attributes }) => attributes["veritest.input"])).toEqual([
      '{"text":"one two"}',
      undefined,
    ]);
  });

  test("a flush that never ends changes no exit code", async () => {
    const project = projectOf(runner);
    project.write({ "value.test.js": VALUE_TEST });
    const env = { HANGS: "1" };
    const statuses = { counts: "passed", says: "passed" };
    expect(await project.run([], { env })).toMatchObject({ exitCode: 0, statuses });
    takeSpans(project);
    const changed = await project.run([], { env: { ...env, SAYS: "two" } });
    expect(changed).toMatchObject({ exitCode: 1, statuses: { ...statuses, says: "failed" } });
    expect(told(project).toSorted()).toEqual([
      "  veritest.step count-words",
      "veritest.check count-words: clean",
      "veritest.check said: value_changed",
    ]);
  });
});

/** A line for each span, below its parent where it has one, with the label of its evaluation. */
function told(project: Project): readonly string[] {
  return takeSpans(project).map(({ name, root, events }) => {
    const labels = events.map((event) => `${event.name}: ${String(event.attributes["gen_ai.evaluation.score.label"])}`);
    return `${root ? "" : "  "}${name}${labels.join().replace("gen_ai.evaluation.result", "")}`;
  });
}
