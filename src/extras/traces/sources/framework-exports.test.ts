import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type CheckProject, checkProject } from "../../../../test-support/check-project.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const EXPORTS = join(ROOT, "fixtures/sdk-exports");

const STEPS = `
import { z } from "zod";
import { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";
import { AI_SDK, LANGCHAIN } from "./frameworks.mjs";
const baseURL = "http://127.0.0.1:1/v1";
const NAMES = ["ai", "zod", "@ai-sdk/openai", "@langchain/openai", "@langchain/langgraph",
  "@langchain/langgraph/prebuilt", "@langchain/core/messages", "@langchain/core/prompts", "@langchain/core/tools"];
const packages = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await import(name)])));
export const steps = Object.entries({ ...AI_SDK, ...LANGCHAIN }).map(([name, code]) => ({
  step: defineStep({
    name,
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }) => ({ output: { text: await code(packages, { baseURL }, text) } }),
  }),
}));
`;

const CASES = readFileSync(join(EXPORTS, "frameworks.mjs"), "utf8");

function projectOf(cases: string): CheckProject {
  const project = checkProject();
  project.write("veritest.config.ts", 'export default { steps: async () => (await import("./steps/all.ts")).steps };');
  project.write("steps/all.ts", STEPS);
  project.write("steps/frameworks.mjs", cases);
  return project;
}

async function imported(project: CheckProject, source: string, name: string): Promise<string> {
  project.write("export.jsonl", readFileSync(join(EXPORTS, `${name}.jsonl`), "utf8"));
  const { out, err } = await project.veritest(["import", source, "export.jsonl", "--dry-run"]);
  return (out + err)
    .replaceAll(/would add {5}\S+ (\S+) → .*/g, "would add  $1")
    .replaceAll(/[\w-]+\/[0-9a-f-]{32,36} /g, "");
}

let project: CheckProject;
beforeAll(() => {
  project = projectOf(CASES);
});

const lines = (...steps: readonly string[]): readonly string[] => steps.map((step) => `would add  ${step}`);
const LANGCHAIN = ["chain", "picture", "spoken", "helper", "graph"];
/** Langfuse stores the content of an image apart, and an export has its id. */
const MEDIA = expect.stringMatching(/^request differs {2}picture: request 1, message 1, user: .*@@@langfuseMedia:/);
const WITH_MEDIA = [...lines("chain", "picture"), MEDIA, ...lines("spoken", "helper", "graph")];

test.each<[source: string, name: string, lines: readonly string[]]>([
  ["otlp", "openinference-langchain", [...lines(...LANGCHAIN), "5 runs: 5 would be pending"]],
  [
    "otlp",
    "traceloop-langchain",
    [
      ...lines("chain", "picture", "spoken", "helper"),
      // This instrumentation doesn't write the tool calls of a response.
      "compare-only  helper: the current step doesn't send all requests of the trace: a call of a model",
      ...lines("graph"),
      "5 runs: 5 would be pending (1 without calls)",
    ],
  ],
  ["ai-sdk", "vercel-aisdk", [...lines("generated", "drawn", "looked", "flowing"), "4 runs: 4 would be pending"]],
  [
    "otlp",
    "langfuse-otel-langchain",
    [...WITH_MEDIA, "5 runs: 5 would be pending (1 with requests that differ from the trace)"],
  ],
  [
    "langfuse",
    "langfuse-langchain",
    [
      ...WITH_MEDIA,
      "5 runs: 5 would be pending (1 with requests that differ from the trace)",
      "veritest: Not compared, because the trace doesn't have them: tools (1 run)",
    ],
  ],
  ["langsmith", "langsmith-langchain", [...lines(...LANGCHAIN), "5 runs: 5 would be pending"]],
])("%s %s: runs are replayable, or differ or are compared for a true reason", { tags: "deep" }, async (...row) => {
  const [source, name, expected] = row;
  expect((await imported(project, source, name)).trimEnd().split("\n")).toEqual(expected);
});

test.each<[change: string, from: string, to: string, source: string, name: string, expected: string]>([
  ["system message", "You are a desk.", "You are a good desk.", "langsmith", "langsmith-langchain", "chain: request 1"],
  ["tool's result", "`Customer ${id}`", "`Person ${id}`", "ai-sdk", "vercel-aisdk", "looked: request 2, message 3"],
  ["node's prompt", "Check: ", "Verify: ", "otlp", "openinference-langchain", "graph: request 2, message 1, user"],
])("today's request with another %s differs", { tags: "deep" }, async (_change, ...row) => {
  const [from, to, source, name, expected] = row;
  expect(await imported(projectOf(CASES.replaceAll(from, to)), source, name)).toContain(`request differs  ${expected}`);
});
