/**
 * Tracers that are installed from the registry record steps on a server in place of the models. Their exports are
 * imported as they are written.
 */
import { cpSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { REPOSITORY, must } from "./harness/install.ts";
import { runChild } from "./harness/run-child.ts";

/** Pinned by the version of their format, so that a run says the same for long. */
const PACKAGES = [
  "openai@6",
  "@anthropic-ai/sdk@0.137",
  "ai@5",
  "@ai-sdk/openai@2",
  "zod@4",
  "@langchain/core@1",
  "@langchain/openai@1",
  "@langchain/langgraph@1",
  "@opentelemetry/api@1",
  "@opentelemetry/api-logs@0.223",
  "@opentelemetry/instrumentation@0.301",
  "@opentelemetry/sdk-trace-node@2",
  "@opentelemetry/sdk-logs@3",
  "@opentelemetry/exporter-trace-otlp-http@0.301",
  "@opentelemetry/exporter-logs-otlp-http@0.301",
  "@traceloop/instrumentation-openai@0.27",
  "@arizeai/openinference-instrumentation-openai@4.2",
  "@arizeai/openinference-instrumentation-anthropic@0.2",
  "@arizeai/openinference-instrumentation-langchain@4.1",
];

const STEP = `
import { defineStep } from "veritest";
import { z } from "zod";
const text = z.object({ text: z.string() });
const stepOf = (name, code) =>
  defineStep({ name, input: text, output: text, run: async ({ text }, { adapters }) => ({ output: { text: await code(text, adapters) } }) });
`;

/** Configurations that list the steps of the direct clients, and those of frameworks. */
const CONFIGURATIONS = {
  "write-exports": `${STEP}
const steps = async () => {
  const { default: Anthropic } = await import("@anthropic-ai/sdk");
  const { default: OpenAI } = await import("openai");
  const nowhere = { apiKey: "none", baseURL: "http://127.0.0.1:1" };
  const adapters = () => ({ openai: new OpenAI(nowhere), anthropic: new Anthropic(nowhere) });
  const cases = await import("./cases.mjs");
  return Object.entries({ ...cases.OPENAI, ...cases.ANTHROPIC }).map(([name, code]) => ({
    step: stepOf(name, (text, adapters) => code(adapters, text)), adapters,
  }));
};
export default { steps };
`,
  "write-frameworks": `${STEP}
const NAMES = ["ai", "zod", "@ai-sdk/openai", "@langchain/openai", "@langchain/langgraph",
  "@langchain/langgraph/prebuilt", "@langchain/core/messages", "@langchain/core/prompts", "@langchain/core/tools"];
const steps = async () => {
  const packages = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await import(name)])));
  const { AI_SDK, LANGCHAIN } = await import("./frameworks.mjs");
  return Object.entries({ ...AI_SDK, ...LANGCHAIN }).map(([name, code]) => ({
    step: stepOf(name, (text) => code(packages, { baseURL: "http://127.0.0.1:1/v1" }, text)),
  }));
};
export default { steps };
`,
};

const root = realpathSync(mkdtempSync(join(tmpdir(), "veritest-sdk-exports-")));

beforeAll(async () => {
  writeFileSync(join(root, "package.json"), JSON.stringify({ private: true, type: "module" }));
  for (const [script, config] of Object.entries(CONFIGURATIONS)) {
    mkdirSync(join(root, script));
    for (const name of ["cases", "chat", "frameworks", script])
      cpSync(join(REPOSITORY, "fixtures/sdk-exports", `${name}.mjs`), join(root, script, `${name}.mjs`));
    writeFileSync(join(root, script, "package.json"), JSON.stringify({ type: "module" }));
    writeFileSync(join(root, script, "veritest.config.mjs"), config);
  }
  const install = ["install", "--legacy-peer-deps", "--no-audit", "--no-fund", "--prefer-offline", "--silent"];
  await must("npm", [...install, inject("tarball"), ...PACKAGES], root);
});
afterAll(async () => rm(root, { recursive: true, force: true }));

const pending = (...steps: readonly string[]): readonly string[] => steps.map((step) => `would add  ${step}`);
const OPENAI = ["plain", "turns", "image", "tools", "streamed", "responses"];

test.for<[name: string, source: string, shown: readonly string[]]>([
  ["openinference-openai", "otlp", [...pending(...OPENAI), "6 runs: 6 would be pending"]],
  [
    "openinference-anthropic",
    "otlp",
    [...pending("system", "picture", "calls", "events"), "4 runs: 4 would be pending"],
  ],
  [
    "traceloop-openai",
    "otlp",
    [
      ...pending(...OPENAI),
      // This instrumentation doesn't write the instructions.
      'request differs  responses: request 1, message 1, system, only in the current request: "You are a desk."',
      "6 runs: 6 would be pending (1 with requests that differ from the trace)",
    ],
  ],
  [
    "openinference-langchain",
    "otlp",
    [...pending("chain", "picture", "spoken", "helper", "graph"), "5 runs: 5 would be pending"],
  ],
  ["vercel-aisdk", "ai-sdk", [...pending("generated", "drawn", "looked", "flowing"), "4 runs: 4 would be pending"]],
])("what %s exports now is imported with its grades", async ([name, source, shown]) => {
  const script = /langchain|aisdk/.test(name) ? "write-frameworks" : "write-exports";
  const cwd = join(root, script);
  await must(process.execPath, [`${script}.mjs`, root, name], cwd);
  const command = ["veritest", "import", source, `${name}.jsonl`, "--dry-run"];
  const { exitCode, stdout, stderr } = await runChild("npx", command, { cwd });
  const lines = stdout
    .replaceAll(/would add {5}\S+ (\S+) → .*/g, "would add  $1")
    .replaceAll(/(?:otlp|ai-sdk)\/[0-9a-f]{32} /g, "");
  expect([...lines.trimEnd().split("\n"), stderr, exitCode]).toEqual([...shown, "", 0]);
});
