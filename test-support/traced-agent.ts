import { checkProject, type CheckProject } from "./check-project.ts";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");

/** Steps of a project that traces tell of: an agent of the AI SDK with two tools, and a step that asks a client of its own. */
const STEPS = `
import { generateText, isStepCount, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { recordTools } from "${ROOT}/src/record/calls/record-tools.ts";
import { recordAiSdk } from "${ROOT}/src/ai-sdk.ts";
import { defineStep } from "${ROOT}/src/kernel/step/define-step.ts";
recordAiSdk();
const mood = () => JSON.parse(readFileSync(join(import.meta.dirname, "mood.json"), "utf8"));
const never = async () => { throw new Error("the world was reached"); };
const model = new MockLanguageModelV4({ provider: "mock", modelId: "gpt-5", doGenerate: never });
const tools = recordTools({
  lookup: tool({ description: "Looks a customer up.", inputSchema: z.object({ id: z.number() }), execute: never }),
  refund: tool({ description: "Pays money back.", inputSchema: z.object({ id: z.number(), amount: z.number() }), execute: never }),
}, { effects: { lookup: "read", refund: "write" } });
export const desk = defineStep({
  name: "desk", input: z.object({ text: z.string() }), output: z.object({ text: z.string() }),
  run: async ({ text }) => {
    const { system = "You are a desk.", shout = false } = mood();
    const answer = await generateText({ model, tools, system, prompt: text, stopWhen: isStepCount(8) });
    return { output: { text: shout ? answer.text.toUpperCase() : answer.text } };
  },
});
export const sort = defineStep({
  name: "sort", input: z.object({ letter: z.string() }), output: z.object({ topic: z.string() }),
  run: async ({ letter }, { adapters }) => {
    const { topic } = JSON.parse((await adapters.openai.chat.completions.create({
      model: "gpt-5", messages: [{ role: "system", content: "Sort." }, { role: "user", content: letter }],
    })).choices[0].message.content);
    return { output: { topic } };
  },
});
`;

/** Makes a project whose steps are told of by traces: \`desk\` of the AI SDK, and \`sort\`, which takes its client from adapters. */
export function tracedProject(config = ""): CheckProject {
  const project = checkProject();
  project.write("steps/index.ts", STEPS);
  project.write("steps/mood.json", "{}");
  project.write(
    "veritest.config.ts",
    `export default { steps: async () => { const { desk, sort } = await import("./steps/index.ts"); return [desk, sort]; }, ${config} };`,
  );
  return project;
}

/** Returns the output of an import, without the line on parts that the traces of a test leave out. */
export function comparedLines({ out, err }: { readonly out: string; readonly err: string }): string {
  return out + err.replace(/^veritest: Not compared, because the trace doesn't have them: .*\n/m, "");
}

/** What a dry run prints for one run of `desk` that replays. */
export const REPLAYABLE: RegExp =
  /^would add {5}\S+ desk → __baselines__\/desk\/trace-[0-9a-f]{8}\.json\n1 run: 1 would be pending\n$/;

/** Imports a text as the export of a source in a dry run; returns the output. */
export async function gradedExport(
  project: CheckProject,
  [source, text]: readonly [source: string, text: string],
  ...more: readonly string[]
): Promise<string> {
  project.write("export.json", text);
  return comparedLines(await project.veritest(["import", source, "export.json", "--dry-run", ...more]));
}
