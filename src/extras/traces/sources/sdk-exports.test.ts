import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type CheckProject, checkProject } from "../../../../test-support/check-project.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const EXPORTS = join(ROOT, "fixtures/sdk-exports");

const STEPS = `
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { z } from "zod";
import { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";
import { ANTHROPIC, OPENAI } from "./cases.mjs";
const nowhere = { apiKey: "none", baseURL: "http://127.0.0.1:1" };
export const steps = Object.entries({ ...OPENAI, ...ANTHROPIC }).map(([name, code]) => ({
  step: defineStep({
    name,
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, { adapters }) => ({ output: { text: await code(adapters, text) } }),
  }),
  adapters: () => ({ openai: new OpenAI(nowhere), anthropic: new Anthropic(nowhere) }),
}));
`;

const CASES = readFileSync(join(EXPORTS, "cases.mjs"), "utf8");

function projectOf(cases: string): CheckProject {
  const project = checkProject();
  project.write("veritest.config.ts", 'export default { steps: async () => (await import("./steps/all.ts")).steps };');
  project.write("steps/all.ts", STEPS);
  project.write("steps/cases.mjs", cases);
  return project;
}

async function imported(project: CheckProject, name: string): Promise<string> {
  project.write("export.jsonl", readFileSync(join(EXPORTS, `${name}.jsonl`), "utf8"));
  const { out, err } = await project.veritest(["import", "otlp", "export.jsonl", "--dry-run"]);
  return (out + err).replaceAll(/would add {5}\S+ (\S+) → .*/g, "would add  $1").replaceAll(/otlp\/[0-9a-f]{32} /g, "");
}

const lines = (...all: readonly string[]): string => `${all.join("\n")}\n`;
const pending = (...steps: readonly string[]): readonly string[] => steps.map((step) => `would add  ${step}`);

const OPENAI_STEPS = ["plain", "turns", "image", "tools", "streamed", "responses"];
const ANTHROPIC_STEPS = ["system", "picture", "calls", "events"];
const NO_CONTENT =
  "the trace doesn't have its input. Fix: let the instrumentation write content: " +
  "OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and " +
  "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=span_and_event (true for instrumentations that write events only).";

/** These instrumentations don't write the tools of a request. */
const NO_TOOLS = "veritest: Not compared, because the trace doesn't have them: tools (1 run)";

let project: CheckProject;
beforeAll(() => {
  project = projectOf(CASES);
});

const EXPORTED: readonly (readonly [name: string, lines: readonly string[]])[] = [
  ["openinference-openai", [...pending(...OPENAI_STEPS), "6 runs: 6 would be pending"]],
  ["openinference-anthropic", [...pending(...ANTHROPIC_STEPS), "4 runs: 4 would be pending"]],
  [
    "traceloop-openai",
    [
      ...pending(...OPENAI_STEPS),
      // This instrumentation doesn't write the instructions.
      'request differs  responses: request 1, message 1, system, only in the current request: "You are a desk."',
      "6 runs: 6 would be pending (1 with requests that differ from the trace)",
    ],
  ],
  ["traceloop-anthropic", [...pending(...ANTHROPIC_STEPS), "4 runs: 4 would be pending", NO_TOOLS]],
  [
    "otel-openai",
    [
      ...pending("plain", "turns", "image"),
      // Its events have only the texts of a message.
      expect.stringMatching(/^request differs {2}image: request 1, message 1, user: .*\[image or file sha256:/),
      ...pending("tools", "streamed", "responses"),
      "6 runs: 6 would be pending (1 with requests that differ from the trace)",
      NO_TOOLS,
    ],
  ],
  [
    "otel-openai-without-content",
    [...OPENAI_STEPS.map((step) => `refused       ${step}: ${NO_CONTENT}`), "6 runs: 0 would be pending, 6 refused"],
  ],
];

test.each(EXPORTED)("%s: runs are replayable, or differ or are refused for a true reason", async (name, expected) => {
  expect((await imported(project, name)).trimEnd().split("\n")).toEqual(expected);
});

/** Exports by the name of their row on docs/traces.md. */
const DOCUMENTED: Readonly<Record<string, RegExp>> = {
  "OpenInference for OpenAI and Anthropic": /^openinference-/,
  "OpenLLMetry for OpenAI and Anthropic": /^traceloop-/,
  "OpenTelemetry for OpenAI": /^otel-openai$/,
  "OpenTelemetry for OpenAI, content off": /^otel-openai-without-content$/,
};

/** Numbers of runs: all, replayable, with other requests, and refused. */
type Grades = readonly [runs: number, replayable: number, differing: number, refused: number];

function gradesOf(exports: RegExp): Grades {
  const summaries = EXPORTED.filter(([name]) => exports.test(name)).map(([, shown]) => shown.join("\n"));
  const sum = (count: RegExp): number =>
    summaries.reduce((all, summary) => all + Number(count.exec(summary)?.[1] ?? 0), 0);
  const differing = sum(/\((\d+) with requests that differ/);
  return [sum(/(\d+) runs:/), sum(/(\d+) would be pending/) - differing, differing, sum(/, (\d+) refused/)];
}

test("docs/traces.md shows these grades, and nine of ten runs of all exports replay or are refused", () => {
  const [direct = "", frameworks = ""] = readFileSync(join(ROOT, "docs/traces.md"), "utf8").split("| tracer |");
  const rowsOf = (table: string): readonly (readonly [string, Grades])[] =>
    [...table.matchAll(/^\| ([^|]+) \| (\d+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
      ([, name = "", ...cells]) => {
        const [runs = 0, replayable = 0, differing = 0, last = 0] = cells.map((cell) => Number.parseInt(cell, 10) || 0);
        return [name, [runs, replayable, differing, last]];
      },
    );
  const rows = rowsOf(direct);
  for (const [name, exports] of Object.entries(DOCUMENTED))
    expect([name, Object.fromEntries(rows)[name]]).toEqual([name, gradesOf(exports)]);
  // The last column of the other table has the runs that can only be compared.
  const others = rowsOf(frameworks).map(([, [runs, replayable]]): Grades => [runs, replayable, 0, 0]);
  const all = [...rows.map(([, grades]) => grades), ...others];
  const total = all.reduce((sum, [runs]) => sum + runs, 0);
  const usable = all.reduce((sum, [, replayable, , refused]) => sum + replayable + refused, 0);
  expect(total).toBeGreaterThan(60);
  expect(usable / total).toBeGreaterThanOrEqual(0.9);
});

test.each<[change: string, from: string, to: string, name: string, expected: string]>([
  [
    "a system message",
    'system: "You are a desk."',
    'system: "You are a good desk."',
    "openinference-anthropic",
    'request differs  system: request 1, message 1, system: "You are a desk." → "You are a good desk."',
  ],
  [
    "an earlier turn",
    "Hi, what is it?",
    "Yes?",
    "traceloop-openai",
    'request differs  turns: request 1, message 3, assistant: "Hi, what is it?" → "Yes?"',
  ],
  [
    "a parameter",
    "temperature: 0.2",
    "temperature: 0.7",
    "otel-openai",
    'request differs  turns: request 1, temperature: "0.2" → "0.7"',
  ],
  [
    "a tool's description",
    "Looks a customer up.",
    "Finds a customer.",
    "openinference-openai",
    'request differs  tools: request 1 (and 1 more), description of tool "lookup": ' +
      '"Looks a customer up." → "Finds a customer."',
  ],
  [
    "a tool's result",
    "name: `Customer ${id}`",
    "name: `Person ${id}`",
    "traceloop-anthropic",
    '→ "{\\"name\\":\\"Person 1\\"}\\n{\\"name\\":\\"Person 2\\"}"',
  ],
  [
    "the model",
    "claude-sonnet-4-5",
    "claude-opus-4-5",
    "openinference-anthropic",
    'request differs  events: request 1, model: "claude-sonnet-4-5" → "claude-opus-4-5"',
  ],
])("today's request with another %s differs", async (_change, from, to, name, expected) => {
  expect(await imported(projectOf(CASES.replaceAll(from, to)), name)).toContain(expected);
});

test("the words of an image show that it isn't the traced one", async () => {
  const words = await imported(projectOf(CASES.replace("iVBORw0KGgoAAAANS", "iVBORw0KGgoAAAANT")), "traceloop-openai");
  expect(words).toMatch(/request differs {2}image: request 1, message 1, user: .*sha256:.* → .*sha256:/);
  expect(words).toContain(lines("6 runs: 6 would be pending (2 with requests that differ from the trace)"));
});
