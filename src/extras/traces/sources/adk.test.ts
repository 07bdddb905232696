import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type CheckProject, checkProject } from "../../../../test-support/check-project.ts";
import { textOfTurns } from "../turns.ts";
import { adkSource } from "./adk.ts";

const ROOT = join(import.meta.dirname, "../../../..");
const EXPORTS = join(ROOT, "fixtures/sdk-exports");
const CASES = readFileSync(join(EXPORTS, "gemini.mjs"), "utf8");

const STEPS = `
import { z } from "zod";
import { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";
import { GEMINI, answer } from "./gemini.mjs";
export const steps = Object.keys(GEMINI).map((name) => ({
  step: defineStep({
    name,
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, { adapters }) => ({ output: { text: await answer(adapters.gemini, name, text) } }),
  }),
  adapters: () => ({ gemini: { models: { generateContent: () => { throw new Error("called"); } } } }),
}));
`;

function projectOf(cases: string): CheckProject {
  const project = checkProject();
  project.write("veritest.config.ts", 'export default { steps: async () => (await import("./steps/all.ts")).steps };');
  project.write("steps/all.ts", STEPS);
  project.write("steps/gemini.mjs", cases);
  return project;
}

async function imported(project: CheckProject, source: string, text: string, ...more: string[]): Promise<string[]> {
  project.write("export.json", text);
  const { out, err } = await project.veritest(["import", source, "export.json", "--dry-run", ...more]);
  return (out + err)
    .replaceAll(/would add {5}\S+ (\S+) → .*/g, "would add  $1")
    .replaceAll(/(?:otlp|adk)\/\S+ /g, "")
    .trimEnd()
    .split("\n");
}

let project: CheckProject;
beforeAll(() => {
  project = projectOf(CASES);
});

const SPANS = readFileSync(join(EXPORTS, "adk.jsonl"), "utf8");
const SESSIONS = readFileSync(join(EXPORTS, "adk-session.json"), "utf8");

test("spans of agents are replayable, and differ by an image, which the spans don't have", {
  tags: "deep",
}, async () => {
  expect(await imported(project, "otlp", SPANS)).toEqual([
    "would add  plain_agent",
    "would add  tool_agent",
    "would add  picture_agent",
    expect.stringMatching(/^request differs {2}picture_agent: request 1, message 2, user: .*\[image or file iVBOR/),
    "3 runs: 3 would be pending (1 with requests that differ from the trace)",
  ]);
});

test.each([
  [
    "an instruction",
    "You are a desk. Look",
    "You are a good desk. Look",
    "tool_agent: request 1 (and 1 more), message 1",
  ],
  ["a parameter", "temperature: 0.2", "temperature: 0.7", 'plain_agent: request 1, temperature: "0.2" → "0.7"'],
  ["a tool's description", 'customer up.",', 'client up.",', "tool_agent: request 1 (and 1 more), description of tool"],
  ["a tool's result", "`Customer ${id}`", "`Person ${id}`", "tool_agent: request 2, message 4, tool"],
  [
    "the model",
    "gemini-2.5-flash",
    "gemini-2.5-pro",
    'plain_agent: request 1, model: "gemini-2.5-flash" → "gemini-2.5-pro"',
  ],
])("a request with another value of %s differs", async (_what, from, to, expected) => {
  const lines = await imported(projectOf(CASES.replaceAll(from, to)), "otlp", SPANS);
  expect(lines.join("\n")).toContain(`request differs  ${expected}`);
});

test.each([
  ["the SDK for JavaScript", (text: string) => text],
  [
    "the SDK for Python",
    (text: string) =>
      text
        .replaceAll(/"(invocationId|functionCall|functionResponse|finishReason|usageMetadata)"/g, (name) =>
          name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        )
        .replaceAll(/"timestamp":(\d+)(\d{3})/g, '"timestamp":$1.$2'),
  ],
])("sessions of %s are replayable", async (_what, written) => {
  for (const [index, step] of ["plain_agent", "tool_agent", "picture_agent"].entries()) {
    const session = JSON.stringify(JSON.parse(written(SESSIONS))[index]);
    const tools = step === "tool_agent" ? ", tools (1 run)" : "";
    expect(await imported(project, "adk", session, "--step", step)).toEqual([
      `would add  ${step}`,
      "1 run: 1 would be pending",
      `veritest: Not compared, because the trace doesn't have them: instructions (1 run)${tools}`,
    ]);
  }
});

test("a session's messages and results are compared with the current requests", async () => {
  const changed = projectOf(CASES.replaceAll("`Customer ${id}`", "`Person ${id}`").replaceAll("AAABCAYA", "AAABCAYB"));
  const [, tool, picture]: readonly unknown[] = JSON.parse(SESSIONS);
  expect((await imported(changed, "adk", JSON.stringify(tool), "--step", "tool_agent")).join("\n")).toContain(
    "request differs  tool_agent: request 2, message 3, tool:",
  );
  expect((await imported(changed, "adk", JSON.stringify(picture), "--step", "picture_agent")).join("\n")).toContain(
    "request differs  picture_agent: request 1, message 1, user:",
  );
});

test("a later request of a session has the earlier messages, and those of another session don't count", () => {
  const said = (invocationId: string, role: string, text: string): object => ({
    id: `${invocationId} ${role}`,
    invocationId,
    author: role,
    content: { role, parts: [{ text }] },
  });
  const session = {
    events: [said("i1", "user", "Hi"), said("i1", "model", "What is it?"), said("i2", "user", "A bill")],
  };
  const observe = adkSource.observer("");
  const requests = [session, { events: [...session.events, said("i2", "model", "Paid.")] }]
    .flatMap(observe)
    .flatMap(({ trace, call }) =>
      call?.kind === "model" ? [[trace, call.turns.map((turn) => textOfTurns([turn]))]] : [],
    );
  expect(requests).toEqual([
    ["i1", ["Hi"]],
    ["i1", ["Hi"]],
    ["i2", ["Hi", "What is it?", "A bill"]],
  ]);
});

test("a chunk of a stream isn't a response, and an event without content no observation", () => {
  const event = { id: "e1", invocationId: "i1", author: "desk", timestamp: 1_764_000_000.5 };
  const content = { role: "model", parts: [{ text: "Good" }] };
  expect(adkSource.observer("")({ ...event, content, partial: true })).toEqual([]);
  expect(adkSource.observer("")(event)).toEqual([]);
  expect(adkSource.observer("")({ ...event, content, modelVersion: "gemini-2.5-flash" })).toMatchObject([
    {
      trace: "i1",
      start: 1_764_000_000_500,
      call: { kind: "model", model: "gemini-2.5-flash", answer: { text: "Good" } },
    },
  ]);
});
