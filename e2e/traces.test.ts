import { describe, expect, test } from "vitest";
import { otlpStyle, recordsOf, exportedRun } from "../test-support/trace-exports.ts";
import { createProject } from "./harness/project.ts";
import { newest } from "./harness/runners.ts";

/** An agent with a loop of its own, over a client of OpenAI and two tools among its adapters. */
const DESK = `
import { defineStep } from "veritest";
import { z } from "zod";
export const desk = defineStep({
  name: "desk",
  input: z.object({ text: z.string() }),
  output: z.object({ text: z.string() }),
  run: async ({ text }, { adapters }) => {
    const system = process.env.CHANGED === "prompt" ? "You are a dragon." : "You are a desk.";
    const messages = [{ role: "system", content: system }, { role: "user", content: text }];
    for (;;) {
      const { message } = (await adapters.openai.chat.completions.create({ model: "gpt-5", messages })).choices[0];
      if (message.tool_calls === undefined) return { output: { text: message.content } };
      messages.push(message);
      for (const { id, function: { name, arguments: args } } of message.tool_calls)
        messages.push({ role: "tool", tool_call_id: id, content: JSON.stringify(await adapters.tools[name](JSON.parse(args))) });
    }
  },
});
`;

const TEST = `
import { expect, test } from "runner";
import { desk } from "./desk.js";
test("replays", async () => { await expect(desk).toReplay(); });
`;

const OTHER_TEST = `
import { expect, test } from "runner";
import { countWords } from "./steps.js";
test("counts", async () => { await expect(countWords).toMatchBaseline({ input: { text: "a b" } }); });
`;

describe.each(newest)("$name", (runner) => {
  test("an accepted run of six calls that was imported from a trace is replayed", async () => {
    const project = createProject(runner);
    const records = recordsOf(exportedRun("4bf92f35"), otlpStyle);
    project.write({
      "desk.js": DESK,
      "count.test.js": OTHER_TEST,
      "veritest.config.mjs": 'export default { steps: () => import("./desk.js") };\n',
    });
    project.write({ "traces.jsonl": otlpStyle.file(records.map(({ record }) => record)) }, { asIs: true });

    const imported = await project.cli(["import", "otlp", "traces.jsonl"]);
    expect({ exitCode: imported.exitCode, said: imported.stdout + imported.stderr }).toEqual({
      exitCode: 0,
      said: "1 run: 1 pending\n1 change is pending: npx veritest review, or accept --all, reject --all\n",
    });

    // What a run accepts with -u is its own.
    await project.run(["-u"]);
    expect(project.cases()).toEqual(["__baselines__/count-words/counts"]);

    expect((await project.cli(["accept", "--all"])).exitCode).toBe(0);
    expect(project.cases()).toEqual(["__baselines__/count-words/counts", "__baselines__/desk/trace"]);
    const [stored = ""] = project.baselines().filter((path) => path.includes("/desk/"));
    const { calls, meta }: { calls: { adapter: string }[]; meta: unknown } = JSON.parse(project.read(stored));
    expect({ calls: calls.map(({ adapter }) => adapter), meta }).toEqual({
      calls: [
        "openai.chat.completions.create",
        "tools.lookup",
        "openai.chat.completions.create",
        "tools.refund",
        "tools.refund",
        "openai.chat.completions.create",
      ],
      meta: { grade: "replayable", trace: "otlp/4bf92f35" },
    });

    project.write({ "desk.test.js": TEST });
    expect(await project.run()).toMatchObject({ exitCode: 0, failures: {} });
    const broken = await project.run([], { env: { CHANGED: "prompt" } });
    expect(broken).toMatchObject({ exitCode: 1 });
    expect(broken.failures["replays"]).toContain("You are a dragon.");
  });
});
