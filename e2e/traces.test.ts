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

/** An agent that works on files, with a client of Anthropic or OpenAI and the tools of a coding agent. */
const CODER = `
import { defineStep } from "veritest";
import { z } from "zod";
const step = (name, run) => defineStep({ name, input: z.object({ text: z.string() }), output: z.object({ text: z.string() }), run });
const use = (tools, name, args) => tools[process.env.CHANGED === "tool" && name === "Edit" ? "Write" : name](args);
export const claude = step("claude", async ({ text }, { adapters }) => {
  const messages = [{ role: "user", content: text }];
  for (;;) {
    const { content } = await adapters.anthropic.messages.create({ model: "claude-sonnet-4-5", max_tokens: 1000, messages });
    const calls = content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) return { output: { text: content[0].text } };
    const results = [];
    for (const { id, name, input } of calls)
      results.push({ type: "tool_result", tool_use_id: id, content: await use(adapters.tools, name, input) });
    messages.push({ role: "assistant", content }, { role: "user", content: results });
  }
});
export const codex = step("codex", async ({ text }, { adapters }) => {
  const messages = [{ role: "user", content: text }];
  for (;;) {
    const { message } = (await adapters.openai.chat.completions.create({ model: "gpt-5-codex", messages })).choices[0];
    if (message.tool_calls === undefined) return { output: { text: message.content } };
    messages.push(message);
    for (const { id, function: { name, arguments: args } } of message.tool_calls)
      messages.push({ role: "tool", tool_call_id: id, content: await use(adapters.tools, name, JSON.parse(args)) });
  }
});
`;

const CALLS = [
  { id: "call_1", name: "Read", args: { file_path: "/app/total.ts" }, result: "export const total = (a, b) => a - b;" },
  {
    id: "call_2",
    name: "Edit",
    args: { file_path: "/app/total.ts", old_string: "a - b", new_string: "a + b" },
    result: "The file was updated.",
  },
  { id: "call_3", name: "Bash", args: { command: "npm test" }, result: "1 passed" },
];
const TASK = "The total is wrong.";
const DONE = "The total adds up now.";
const AT = "2025-11-24T16:00:00.000Z";

/** A session of Claude Code, as it writes one to ~/.claude/projects. */
function claudeSession(): string {
  const line = (type: string, uuid: string, message: object): object => ({
    parentUuid: null,
    isSidechain: false,
    userType: "external",
    cwd: "/app",
    sessionId: "4bf92f35",
    version: "2.0.50",
    type,
    uuid,
    timestamp: AT,
    message,
  });
  const response = (id: string, ...content: readonly object[]): object =>
    line("assistant", `a-${id}`, { id, type: "message", role: "assistant", model: "claude-sonnet-4-5", content });
  return [
    { type: "summary", summary: "A wrong total", leafUuid: "a-m4" },
    line("user", "u-0", { role: "user", content: TASK }),
    ...CALLS.flatMap(({ id, name, args, result }, at) => [
      response(`m${at}`, { type: "tool_use", id, name, input: args }),
      line("user", `u-${id}`, { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: result }] }),
    ]),
    response("m3", { type: "text", text: DONE }),
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");
}

/** A session of Codex, as it writes one to ~/.codex/sessions. */
function codexSession(): string {
  const line = (type: string, payload: object): object => ({ timestamp: AT, type, payload });
  const said = (role: string, type: string, text: string): object =>
    line("response_item", { type: "message", role, content: [{ type, text }] });
  return [
    line("session_meta", { id: "4bf92f35", cwd: "/app", originator: "codex_cli_rs", cli_version: "0.65.0" }),
    said("user", "input_text", "<environment_context>\n  <cwd>/app</cwd>\n</environment_context>"),
    said("user", "input_text", TASK),
    line("turn_context", { cwd: "/app", model: "gpt-5-codex" }),
    ...CALLS.flatMap(({ id, name, args, result }) => [
      line("response_item", { type: "function_call", name, arguments: JSON.stringify(args), call_id: id }),
      line("response_item", { type: "function_call_output", call_id: id, output: result }),
    ]),
    said("assistant", "output_text", DONE),
  ]
    .map((record) => `${JSON.stringify(record)}\n`)
    .join("");
}

const TRAJECTORY_TEST = `
import { expect, test } from "runner";
import { claude, codex } from "./coder.js";
const input = { text: ${JSON.stringify(TASK)} };
const calls = [
  "tools.Read",
  { call: "tools.Edit", request: { file_path: "/app/total.ts", old_string: "a - b", new_string: "a + b" } },
  { call: "tools.Bash", request: { command: "npm test" } },
];
test("replays claude", async () => { await expect(claude).toReplay(); });
test("replays codex", async () => { await expect(codex).toReplay(); });
test("claude", async () => { await expect(claude).toFollowTrajectory(calls, { input }); });
test("codex", async () => { await expect(codex).toFollowTrajectory(calls, { input }); });
test("another trajectory", async () => {
  await expect(claude).toFollowTrajectory(["tools.Read", { call: "tools.Bash", request: { command: "npm run lint" } }], { input });
});
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

  test("imported sessions of Claude Code and Codex are trajectories that today's agent has to follow", async () => {
    const project = createProject(runner);
    project.write({
      "coder.js": CODER,
      "coder.test.js": TRAJECTORY_TEST,
      "veritest.config.mjs": 'export default { steps: () => import("./coder.js") };\n',
    });
    project.write({ "claude.jsonl": claudeSession(), "codex.jsonl": codexSession() }, { asIs: true });
    for (const [source, step, pending] of [
      ["claude-code", "claude", "1 change is pending"],
      ["codex", "codex", "1 change is pending (2 with earlier runs)"],
    ] as const)
      expect(await project.cli(["import", source, `${step}.jsonl`, "--step", step])).toEqual({
        exitCode: 0,
        stdout: `1 run: 1 pending\n${pending}: npx veritest review, or accept --all, reject --all\n`,
        // A session has no requests of its own.
        stderr: "veritest: Not compared, because the trace doesn't have them: messages (1 run)\n",
      });
    expect((await project.cli(["accept", "--all"])).exitCode).toBe(0);

    expect((await project.run()).failures).toEqual({
      "another trajectory": `toFollowTrajectory (strict): the calls differ

  expected                                found
  tools.Read(…)                           tools.Read({"file_path":"/app/total.ts"})
- tools.Bash({"command":"npm run lint"})
+                                         tools.Edit({"file_path":"/app/total.ts","new_string":"a…
+                                         tools.Bash({"command":"npm test"})`,
    });
    const changed = await project.run([], { env: { CHANGED: "tool" } });
    const [claude = "", codex = ""] = ["claude", "codex"].map(
      (step) =>
        `toFollowTrajectory: unrecorded_request: Step "${step}" now makes a call of adapter "tools.Write" that wasn't ` +
        `recorded (recorded calls of that adapter: 0). It was replayed from __baselines__/${step}/trace-a7f6afd8.json. ` +
        "Record that case again with -u in the test that captures it.",
    );
    expect(changed.failures).toMatchObject({ claude, codex });
    expect(changed.summary).toContain("Baselines  2 request_changed\n");
  });
});
