import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { REPOSITORY } from "./harness/install.ts";
import { createProject } from "./harness/project.ts";
import { newest } from "./harness/runners.ts";
import { testFile } from "./harness/test-file.ts";

/** What an agent asks for, today and when it was captured; the first name of a use is its kind. */
interface Row {
  readonly title: string;
  readonly before?: readonly Use[];
  readonly after?: readonly Use[];
  /** How the step differs today: in its code, its prompt, its words, its rules. */
  readonly today?: Readonly<Record<string, unknown>>;
  /** What it does at both times: the model streams, tools run at once, a tool is busy. */
  readonly always?: Readonly<Record<string, unknown>>;
  /** The lines of the case's failure with live adapters, and on recorded responses; `clean` where there is none. */
  readonly live: readonly string[] | "clean";
  readonly recorded: readonly string[] | "clean";
}

type Use = readonly [tool: string, input: Readonly<Record<string, unknown>>];

const LOOK: Use = ["lookup", { city: "Oslo" }];
const FIND: Use = ["find", { q: "x" }];
const SAVE: Use = ["save", { id: 1 }];
const PAY: Use = ["pay", { sum: 5 }];
const PLAN = [LOOK, FIND, SAVE, PAY];
const polls = (times: number): readonly Use[] => Array.from({ length: times }, () => ["poll", { id: 1 }] as const);

// A change of the model shows live alone: on recorded responses the model says what it said.
const ROWS: readonly Row[] = [
  { title: "nothing", live: "clean", recorded: "clean" },
  {
    title: "a model that also deletes",
    after: [...PLAN, ["remove", { id: 7 }]],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.remove)",
      '+ tools.remove({"id":7})  write, new',
    ],
    recorded: "clean",
  },
  {
    title: "a model that looks up something else",
    after: [["lookup", { city: "Rome" }], FIND, SAVE, PAY],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.lookup with a different request)",
      'tools.lookup: city: "Oslo" → "Rome"',
    ],
    recorded: "clean",
  },
  {
    title: "a model that no longer looks",
    after: [FIND, SAVE, PAY],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: no longer calls tools.lookup)",
      '- tools.lookup({"city":"Oslo"})  read, gone',
    ],
    recorded: "clean",
  },
  {
    title: "a model that saves twice",
    after: [LOOK, FIND, SAVE, SAVE, PAY],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.save)",
      '+ tools.save({"id":1})  write, new',
    ],
    recorded: "clean",
  },
  {
    title: "a model that writes in another order",
    after: [LOOK, FIND, PAY, SAVE],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.save after tools.pay)",
      "tools.save moved after tools.pay",
    ],
    recorded: "clean",
  },
  { title: "a model that reads in another order", after: [FIND, LOOK, SAVE, PAY], live: "clean", recorded: "clean" },
  { title: "another model that asks for the same", today: { prompt: "Help." }, live: "clean", recorded: "clean" },
  {
    title: "a tool that answers 429 first, and is asked again",
    today: { busy: "lookup" },
    live: "clean",
    recorded: "clean",
  },
  {
    title: "a tool that failed and recovered when it was captured",
    always: { busy: "find" },
    live: "clean",
    recorded: "clean",
  },
  { title: "tools at once", always: { parallel: true }, live: "clean", recorded: "clean" },
  {
    title: "tools at once, one of them new",
    always: { parallel: true },
    after: [...PLAN, ["lookup", { city: "Bonn" }]],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.lookup)",
      '+ tools.lookup({"city":"Bonn"})  read, new',
    ],
    recorded: "clean",
  },
  {
    title: "polling 5 times for 3",
    before: polls(3),
    after: polls(5),
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.poll)",
      '+ tools.poll({"id":1}) × 2  read, new',
    ],
    recorded: "clean",
  },
  {
    title: "polling 5 times for 3 under a tolerance",
    before: polls(3),
    after: polls(5),
    today: { compare: true },
    live: "clean",
    recorded: "clean",
  },
  {
    title: "code that skips a read",
    today: { skips: "lookup" },
    live: [
      "calls_changed",
      "cause: code (with the same responses, it sends different requests: 1 fewer call to tools.lookup)",
      '- tools.lookup({"city":"Oslo"})  read, gone',
    ],
    recorded: ["calls_changed", "cause: code", '- tools.lookup({"city":"Oslo"})  read, gone'],
  },
  {
    title: "code that skips a write",
    today: { skips: "pay" },
    live: ["calls_changed", "cause: code", '- tools.pay({"sum":5})  write, gone'],
    recorded: ["calls_changed", "cause: code", '- tools.pay({"sum":5})  write, gone'],
  },
  {
    title: "code that asks a tool for something else",
    today: { city: "Bonn" },
    live: ["calls_changed", "cause: code", 'tools.lookup: city: "Oslo" → "Bonn"'],
    recorded: ["request_changed", "cause: code", 'adapter "tools.lookup"'],
  },
  {
    title: "code that deletes",
    today: { adds: ["remove", { id: 7 }] },
    live: ["calls_changed", "cause: code", '+ tools.remove({"id":7})  write, new'],
    recorded: ["request_changed", "cause: code", 'adapter "tools.remove"'],
  },
  {
    title: "code that writes backwards",
    today: { backwards: true },
    live: [
      "calls_changed",
      "cause: code (with the same responses, it writes in a different order: tools.save after tools.pay)",
      "tools.save moved after tools.pay",
    ],
    recorded: [
      "calls_changed",
      "cause: code (with the same responses, it writes in a different order: tools.save after tools.pay)",
      "tools.save moved after tools.pay",
    ],
  },
  {
    title: "a prompt that changes nothing else",
    today: { prompt: "Please help." },
    live: "clean",
    recorded: ["request_changed", "cause: prompt"],
  },
  {
    title: "a prompt that leads to another call",
    today: { prompt: "Please help." },
    after: [...PLAN, ["remove", { id: 7 }]],
    live: ["calls_changed", "cause: prompt", '+ tools.remove({"id":7})  write, new'],
    recorded: ["request_changed", "cause: prompt"],
  },
  {
    title: "other words and another call",
    today: { says: "ok" },
    after: [FIND, SAVE, PAY],
    live: ["calls_changed", "cause: mixed", 'said: "done" → "ok"', '- tools.lookup({"city":"Oslo"})  read, gone'],
    recorded: ["value_changed", "cause: code", 'said: "done" → "ok"'],
  },
  {
    title: "reads that do not count",
    today: { calls: "writes" },
    after: [FIND, SAVE, PAY],
    live: "clean",
    recorded: "clean",
  },
  {
    title: "a write that is gone where writes alone count",
    today: { calls: "writes" },
    after: [LOOK, FIND, SAVE],
    live: ["calls_changed", "cause: model", '- tools.pay({"sum":5})  write, gone'],
    recorded: "clean",
  },
  { title: "no calls that count", today: { calls: "none" }, after: [LOOK], live: "clean", recorded: "clean" },
  {
    title: "a streamed call of a tool",
    always: { streamed: true },
    after: [...PLAN, ["remove", { id: 7 }]],
    live: ["calls_changed", "cause: model (call 1 responded differently", '+ tools.remove({"id":7})  write, new'],
    recorded: "clean",
  },
  {
    title: "a tool of an MCP server",
    always: { mcp: true },
    after: [...PLAN, ["crm.drop", { id: 7 }]],
    live: ["calls_changed", "cause: model (call 1 responded differently", '+ tools.crm.drop({"id":7})  write, new'],
    recorded: "clean",
  },
  {
    title: "an agent as a tool of another",
    before: [["research", { topic: "a" }]],
    after: [["research", { topic: "b" }]],
    live: ["calls_changed", "cause: model (call 1 responded differently", 'tools.research: topic: "a" → "b"'],
    recorded: "clean",
  },
  {
    title: "a model that no longer pays",
    after: [LOOK, FIND, SAVE],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: no longer calls tools.pay)",
      '- tools.pay({"sum":5})  write, gone',
    ],
    recorded: "clean",
  },
  {
    title: "a model that saves something else",
    after: [LOOK, FIND, ["save", { id: 2 }], PAY],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.save with a different request)",
      "tools.save: id: 1 → 2",
    ],
    recorded: "clean",
  },
  {
    title: "a model that looks twice",
    after: [LOOK, LOOK, FIND, SAVE, PAY],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently: now calls tools.lookup)",
      '+ tools.lookup({"city":"Oslo"})  read, new',
    ],
    recorded: "clean",
  },
  {
    title: "a model that deletes first",
    after: [["remove", { id: 7 }], ...PLAN],
    live: ["calls_changed", "cause: model (call 1 responded differently", '+ tools.remove({"id":7})  write, new'],
    recorded: "clean",
  },
  {
    title: "a model that deletes in place of saving",
    after: [LOOK, FIND, ["remove", { id: 1 }], PAY],
    live: [
      "calls_changed",
      "cause: model (call 1 responded differently",
      '- tools.save({"id":1})  write, gone',
      '+ tools.remove({"id":1})  write, new',
    ],
    recorded: "clean",
  },
  {
    title: "a model that does nothing any more",
    after: [],
    live: ["calls_changed", "cause: model (call 1 responded differently", '- tools.save({"id":1})  write, gone'],
    recorded: "clean",
  },
  {
    title: "a model that did nothing and now pays",
    before: [],
    after: [PAY],
    live: ["calls_changed", "cause: model (call 1 responded differently", '+ tools.pay({"sum":5})  write, new'],
    recorded: "clean",
  },
  {
    title: "an argument more",
    after: [LOOK, ["find", { q: "x", all: true }], SAVE, PAY],
    live: ["calls_changed", "cause: model (call 1 responded differently", "+ tools.find: all: true"],
    recorded: "clean",
  },
  {
    title: "arguments in another order",
    before: [["save", { id: 1, as: "x" }]],
    after: [["save", { as: "x", id: 1 }]],
    live: "clean",
    recorded: "clean",
  },
  {
    title: "reads after the writes",
    after: [SAVE, PAY, FIND, LOOK],
    live: "clean",
    recorded: "clean",
  },
  {
    title: "polling 3 times for 5",
    before: polls(5),
    after: polls(3),
    live: ["calls_changed", "cause: model (call 1 responded differently", '- tools.poll({"id":1}) × 2  read, gone'],
    recorded: "clean",
  },
  {
    title: "polling 3 times for 5 under a tolerance",
    before: polls(5),
    after: polls(3),
    today: { compare: true },
    live: "clean",
    recorded: "clean",
  },
  {
    title: "polling 8 times for 5, more than a tolerance of 2",
    before: polls(5),
    after: polls(8),
    always: { compare: true },
    live: ["calls_changed", "cause: model (call 1 responded differently", "tools.poll"],
    recorded: "clean",
  },
  {
    title: "a tool of an MCP server that is not asked any more",
    always: { mcp: true },
    before: [...PLAN, ["crm.drop", { id: 7 }]],
    after: PLAN,
    live: ["calls_changed", "cause: model (call 1 responded differently", '- tools.crm.drop({"id":7})  write, gone'],
    recorded: "clean",
  },
  {
    title: "code that skips a tool of an MCP server",
    always: { mcp: true },
    before: [...PLAN, ["crm.drop", { id: 7 }]],
    today: { skips: "crm.drop" },
    live: ["calls_changed", "cause: code", '- tools.crm.drop({"id":7})  write, gone'],
    recorded: ["calls_changed", "cause: code", '- tools.crm.drop({"id":7})  write, gone'],
  },
  {
    title: "a write with no stand-in",
    after: [...PLAN, ["wipe", { id: 7 }]],
    live: ["failed", 'effect_unanswered: Tests don\'t run the write adapter "tools.wipe"'],
    recorded: "clean",
  },
];

const AGENT = `
import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { defineStep, recordTools, tool, within } from "veritest";
import { recordTransport } from "veritest/mcp";
import { z } from "zod";

const did = (what) => appendFileSync(join(process.cwd(), "did.log"), what + "\\n");
const busy = new Set();
const read = (name) => tool({ name, effect: "read", run: async (input) => {
  if (busy.delete(name)) throw new Error("429");
  did("read " + name);
  return { name, ...input };
} });
const write = (name, stub) => tool({ name, effect: "write", stub, run: async () => { did("write " + name); return { name }; } });
const own = {
  lookup: read("lookup"), find: read("find"), poll: read("poll"),
  save: write("save", () => ({ name: "save" })), pay: write("pay", () => ({ name: "pay" })),
  remove: write("remove", () => ({ name: "remove" })), wipe: write("wipe"),
};
// An agent that is a tool of another one: what it asks is its own affair.
const { research } = recordTools({ research: async ({ topic }) => { did("read research"); return "about " + topic; } }, { effects: { "*": "read" } });

/** A server of MCP in this process, and a client that speaks no more of the protocol than it needs. */
function crm() {
  const inner = {
    start: async () => undefined,
    close: async () => undefined,
    send: async ({ id, method, params }) => {
      const tools = [{ name: "drop", annotations: { destructiveHint: true } }];
      if (method === "tools/call") did("write crm." + params.name);
      inner.onmessage({ jsonrpc: "2.0", id, result: method === "tools/list" ? { tools } : { content: [] } });
    },
  };
  const transport = recordTransport(inner, { name: "crm", stubs: { drop: () => ({ content: [] }) } });
  let asked = 0;
  const waiting = new Map();
  transport.onmessage = (message) => waiting.get(message.id)?.(message);
  return (method, params) => new Promise((resolve, reject) => {
    asked += 1;
    waiting.set(asked, ({ result, error }) => (error === undefined ? resolve(result) : reject(new Error(error.message))));
    void transport.send({ jsonrpc: "2.0", id: asked, method, params });
  });
}

/** An agent that follows the plan of its model, and asks again what answers 429. */
export function agentOf(title, { prompt = "Help.", says = "done", skips, city, adds, backwards, parallel, streamed, mcp, calls, compare } = {}) {
  return defineStep({
    name: title.replaceAll(" ", "-"),
    input: z.object({}),
    output: z.object({ said: z.string() }),
    ...(calls !== undefined && { calls }),
    ...(compare && { compare: { "calls.tools.poll": within(2) } }),
    run: async (_, { adapters: { llm } }) => {
      let plan = [];
      if (streamed) for await (const use of llm.stream(prompt)) plan.push(use);
      else plan = await llm.plan(prompt);
      plan = plan.filter(([name]) => name !== skips).map(([name, input]) => [name, name === "lookup" && city ? { city } : input]);
      if (adds) plan = [...plan, adds];
      if (backwards) plan = [...plan].reverse();
      const ask = mcp ? crm() : undefined;
      const use = async ([name, input]) => {
        if (name.startsWith("crm.")) return ask("tools/call", { name: name.slice(4), arguments: input });
        const called = name === "research" ? research : own[name];
        try { return await called(input); }
        catch (error) { if (error.message === "429") return called(input); throw error; }
      };
      if (parallel) await Promise.all(plan.map(use));
      else for (const one of plan) await use(one);
      return { output: { said: says } };
    },
  });
}

export function worldOf(plan, { busy: name } = {}) {
  busy.clear();
  if (name) busy.add(name);
  return { llm: { plan: async () => plan, stream: async function* () { yield* plan; } } };
}
`;

const TESTS = testFile(`
import { agentOf, worldOf } from "./agent.js";
const ROWS = ${JSON.stringify(ROWS.map(({ live: _live, recorded: _recorded, ...row }) => row))};
const PLAN = ${JSON.stringify(PLAN)};
const isToday = process.env.TODAY === "1";
for (const { title, before = PLAN, after = before, today = {}, always = {} } of ROWS) {
  test(title, async () => {
    const how = { ...always, ...(isToday ? today : {}) };
    const adapters = worldOf(isToday ? after : before, how);
    const effects = isToday ? undefined : "run";
    await expect(agentOf(title, how)).toMatchBaseline({ input: {}, adapters, effects });
  });
}
`);

const MODES = [
  { mode: "live", of: ({ live }: Row) => live, writes: /^write/ },
  { mode: "replay", of: ({ recorded }: Row) => recorded, writes: /./ },
] as const;

describe.each(newest)("$name", (runner) => {
  test(`${ROWS.length} ways in which an agent changes what it does, live and on recorded responses`, async () => {
    const project = createProject(runner);
    project.write({ "agent.js": AGENT, "agent.test.js": TESTS });
    await project.capture();
    const log = project.read("did.log").trim().split("\n");
    expect(log.filter((line) => line.startsWith("write")).length).toBeGreaterThan(20);
    // What was captured is clean at once, live and recorded.
    for (const { mode } of MODES)
      expect(await project.run([], { env: { VERITEST_MODE: mode, CI: "1" } })).toMatchObject({ exitCode: 0 });
    for (const { mode, of, writes } of MODES) {
      project.write({ "did.log": "" });
      const ran = await project.run([], { env: { TODAY: "1", VERITEST_MODE: mode, CI: "1" } });
      const expected = ROWS.filter((row) => of(row) !== "clean").map(({ title }) => title);
      expect(Object.keys(ran.failures).toSorted()).toEqual(expected.toSorted());
      expect(ran.exitCode).toBe(1);
      const missed = ROWS.flatMap((row) => {
        const lines = of(row);
        const message = ran.failures[row.title] ?? "";
        return lines === "clean" || lines.every((line) => message.includes(line)) ? [] : [{ mode, lines, message }];
      });
      expect(missed).toEqual([]);
      // No write runs where steps are tested; on recorded responses nothing does.
      expect(
        project
          .read("did.log")
          .split("\n")
          .filter((line) => writes.test(line)),
      ).toEqual([]);
    }
    const clean = ROWS.filter(({ live }) => live === "clean").map(({ title }) => `^${title}$`);
    const only = await project.run(["-t", `(${clean.join("|")})`], {
      env: { TODAY: "1", VERITEST_MODE: "live", CI: "1" },
    });
    expect(only).toMatchObject({ exitCode: 0, failures: {} });
  });

  test("a live check runs read tools once and write tools never; a replay runs none", async () => {
    const project = createProject(runner);
    project.write({
      "agent.js": AGENT,
      "capture.test.js": testFile(`
import { agentOf, worldOf } from "./agent.js";
test("captured", async () => {
  const adapters = worldOf(${JSON.stringify(PLAN)});
  await expect(agentOf("agent")).toMatchBaseline({ input: {}, adapters });
});
`),
      "sweep.test.js": testFile(`
import { agentOf } from "./agent.js";
test("replayed", async () => { await expect(agentOf("agent")).toReplay(); });
test("recomputed", async () => { await expect(agentOf("agent")).toRecomputeClean(); });
test("scripted", async () => { await expect(agentOf("agent", { prompt: "Please." })).toRecomputeClean({ mode: "scripted" }); });
test("changed, with its cause", async () => { await expect(agentOf("agent", { skips: "pay" })).toRecomputeClean(); });
`),
    });
    const captured = await project.run(["capture"]);
    expect(captured).toMatchObject({ exitCode: 0 });
    expect(captured.summary).toContain(
      "veritest skipped 2 calls that write data. The step got recorded results, or results of stubs",
    );
    expect(project.read("did.log")).toBe("read lookup\nread find\n");
    const swept = await project.run(["sweep"], { env: { CI: "1" } });
    expect(Object.keys(swept.failures)).toEqual(["changed, with its cause"]);
    expect(project.read("did.log")).toBe("read lookup\nread find\n");
  });

  test("a baseline that was made before calls had roles passes unchanged, and -u leaves it as it is", async () => {
    const project = createProject(runner);
    const before = readFileSync(join(REPOSITORY, "fixtures", "baselines", "before-roles.json"), "utf8");
    project.write({
      "agent.test.js": testFile(`
import { defineStep } from "veritest";
import { z } from "zod";
const agent = defineStep({
  name: "old-agent",
  input: z.object({}),
  output: z.object({ said: z.string() }),
  ...(process.env.ROLES && { roles: { "tools.save": "write" } }),
  run: async (_, { adapters: { llm, tools } }) => {
    for (const [name, input] of await llm.plan("Help.")) await tools[name](input);
    return { output: { said: "done" } };
  },
});
const adapters = {
  llm: { plan: async () => [["lookup", { city: "Oslo" }], ["save", { id: 1 }]] },
  tools: { lookup: async () => 4, save: async () => "saved" },
};
test("agent", async () => { await expect(agent).toMatchBaseline({ input: {}, adapters, name: "one" }); });
test("replay", async () => { await expect(agent).toReplay(); });
`),
    });
    await project.run();
    const [path = ""] = project.baselines();
    // Only the format's number of what is written has changed.
    expect(project.read(path)).toBe(before.replace('"version": 1', '"version": 2'));
    project.write({ [path]: before }, { asIs: true });
    for (const args of [[], ["-u"]]) {
      for (const VERITEST_MODE of ["live", "replay"]) {
        const again = await project.run(args, { env: { VERITEST_MODE, ROLES: "1" } });
        expect([again.exitCode, again.failures]).toEqual([0, {}]);
      }
    }
    expect(project.read(path)).toBe(before);
  });
});
