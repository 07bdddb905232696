/** Uses every sample of an addition in a project with the built package, under both runners and on the command line. */
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createTrial, writeInto } from "../trial/create-trial.ts";
import { TRANSFORM } from "../trial/jest-transform.ts";
import { runNode } from "../trial/run-node.ts";

const STEP = `import { defineStep } from "veritest";
import { z } from "zod";

export const counter = defineStep({
  name: "counter",
  input: z.object({ events: z.number() }),
  output: z.object({ done: z.boolean() }),
  run: async ({ events }) => ({
    output: { done: true },
    events: Array.from({ length: Math.min(Math.max(0, Math.trunc(events)), 12) }, () => ({ type: "tick", payload: {} })),
  }),
});
`;

const TEST = `import OpenAI from "openai";
import { run } from "veritest/kernel";
import { createSample } from "veritest/llm";
import { counter } from "./counter.ts";

test("the sample matcher passes, and fails with its message", async () => {
  const result = await run(counter, { events: 2 });
  if (!result.ok) throw new Error(result.error.message);
  expect(result.value).toCountEvents(2);
  expect(() => expect(result.value).toCountEvents(3)).toThrow("toCountEvents: expected 3, received 2");
});

test("the sample client sends its model", async () => {
  const sent: unknown[] = [];
  const fetch = async (_url: unknown, { body }: { body: string }) => {
    sent.push(JSON.parse(body).model);
    return new Response("{}", { status: 400 });
  };
  const client = new OpenAI({ apiKey: "none", fetch: fetch as never });
  await createSample({ client }).complete({ messages: [{ role: "user", content: "a" }] });
  expect(sent).toEqual(["sample-1"]);
});

test("the sample pattern hides a key", async () => {
  const text = \`the key smpl_\${"a1B2c3D4".repeat(4)} is here\`;
  await expect({ text }).toMatchBaseline({ name: "key" });
});

test("the sample property can be switched off by its name", async () => {
  await expect(counter).toSatisfyProperties({ properties: { "few-events": false } });
});
`;

const FAILING_TEST = `import { counter } from "./counter.ts";

test("the sample property finds a step with many events", async () => {
  await expect(counter).toSatisfyProperties();
});
`;

const COMMON: readonly (readonly [string, string])[] = [
  ["counter.ts", STEP],
  [
    "veritest.config.mjs",
    'export default { report: { formats: ["csv", "json"] }, steps: () => import("./counter.ts") };\n',
  ],
  ["traces.jsonl", '{"run":{"trace":"a","step":"counter","input":{"events":1},"output":{"done":true}}}\n'],
];

const PACKAGES = ["commander", "fast-check", "fflate", "openai", "typescript", "zod"];

const VITEST_CONFIG = `import { veritest } from "veritest/plugin";

export default { plugins: [veritest()], test: { globals: true } };
`;

const JEST_CONFIG = 'module.exports = { preset: "veritest/jest", transform: { "\\\\.ts$": "./transform.cjs" } };\n';

/** Runs the test file under one runner, and returns its project. */
async function runTests(
  name: string,
  files: readonly (readonly [string, string])[],
  args: readonly string[],
): Promise<string> {
  const project = createTrial([...PACKAGES, name], new Map([...COMMON, ["samples.test.ts", TEST], ...files]));
  await expectRun(project, args, "");
  const [baseline = ""] = filesBelow(project, "__baselines__");
  requireText(`${name}: the baseline`, baseline, "«redacted:sample-key");
  requireText(`${name}: the report`, filesBelow(project, "veritest-report").join("\n"), "captured,1");
  writeInto(project, "events.test.ts", FAILING_TEST);
  await expectRun(project, [...args, "events.test.ts"], "few-events", 1);
  console.log(`pass  the samples in ${name}`);
  return project;
}

/** Runs the command line on the samples. */
async function runCommands(project: string): Promise<void> {
  const cli = "node_modules/veritest/dist/cli.js";
  await expectRun(project, [cli, "--help"], "print the project's directory");
  await expectRun(project, [cli, "where"], project);
  await expectRun(project, [cli, "import", "nested", "traces.jsonl", "--dry-run"], "1 run");
  await expectRun(project, [cli, "report", "veritest-report/run.json", "--format", "csv"], "failed,1");
  await expectRun(project, [cli, "report", "--help"], "csv");
  console.log("pass  the samples on the command line");
}

/** Arguments of Node, what the run prints, and its exit code. */
type ExpectedRun = readonly [args: readonly string[], text: string, exitCode?: number];

async function expectRun(directory: string, ...[args, text, exitCode = 0]: ExpectedRun): Promise<void> {
  const { code, output } = await runNode({ directory, args, show: false });
  if (code !== exitCode) throw new Error(`${args.join(" ")} ended with ${code}:\n${output}`);
  requireText(args.join(" "), output, text);
}

function requireText(name: string, text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`${name} doesn't contain ${JSON.stringify(part)}:\n${text}`);
}

/** Texts of the files of a directory of the project. */
function filesBelow(project: string, directory: string): readonly string[] {
  const entries = readdirSync(join(project, directory), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8"));
}

const vitest = await runTests(
  "vitest",
  [
    ["package.json", '{ "private": true, "type": "module" }\n'],
    ["vitest.config.mjs", VITEST_CONFIG],
  ],
  ["node_modules/vitest/vitest.mjs", "run"],
);
const jest = await runTests(
  "jest",
  [
    ["package.json", '{ "private": true }\n'],
    ["jest.config.cjs", JEST_CONFIG],
    ["transform.cjs", TRANSFORM],
  ],
  ["node_modules/jest/bin/jest.js"],
);
await runCommands(vitest);
for (const project of [vitest, jest]) rmSync(project, { recursive: true, force: true });
