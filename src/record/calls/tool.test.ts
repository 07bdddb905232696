import { describe, expect, test } from "vitest";
import { z } from "zod";
import { replayAdapters } from "../replay/replay-adapters.ts";
import { SkippedWrites } from "../interceptors/skipped-writes.ts";
import { skippingWrites } from "../interceptors/recording-scope.ts";
import { withReplay } from "../with-replay.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { run } from "../../kernel/step/run.ts";
import { createDeclaredRoles } from "./infer-role.ts";
import { recordTools } from "./record-tools.ts";
import { type Tool, tool } from "./tool.ts";

const schemas = { input: z.object({ city: z.string() }), output: z.object({ said: z.unknown() }) };

function counted(effect: "read" | "write" = "read", stub?: (input: { city: string }) => { mild: boolean }) {
  const ran: unknown[] = [];
  const lookup = tool({
    name: "lookup",
    input: z.object({ city: z.string() }),
    effect,
    ...(stub && { stub }),
    run: ({ city }) => {
      ran.push(city);
      return { mild: city === "Oslo" };
    },
  });
  return { ran, lookup };
}

// What serves a recording has the members the recorded run used; nothing says so to the compiler.
function standing(adapters: object): { tools: { lookup: Lookup } } {
  const found: unknown = adapters;
  if (typeof found === "object" && found !== null && "tools" in found)
    return Object.assign({ tools: { lookup: counted().lookup } }, adapters);
  throw new Error("no tools are served");
}

type Lookup = Tool<{ city: string }, { mild: boolean }>;

const throughAdapters = defineStep({
  name: "ask",
  ...schemas,
  run: async (input, { adapters }: StepContext<{ tools: { lookup: Lookup } }>) => ({
    output: { said: await adapters.tools.lookup(input) },
  }),
});

describe("tool", () => {
  test("parses its input and output, and names itself in an error", async () => {
    const { lookup, ran } = counted();
    expect(await lookup({ city: "Oslo" })).toStrictEqual({ mild: true });
    expect(lookup.name).toBe("lookup");
    await expect(lookup(JSON.parse('{ "city": 7 }'))).rejects.toThrow(
      'the input of tool "lookup" doesn\'t match its schema: city: Invalid input: expected string, received number',
    );
    expect(ran).toStrictEqual(["Oslo"]);
    const wrong = tool({ name: "w", output: z.string(), run: () => JSON.parse("3") });
    await expect(wrong(null)).rejects.toThrow(
      'the output of tool "w" doesn\'t match its schema: (root): Invalid input',
    );
    expect(() => tool({ name: " ", run: () => 1 })).toThrow(
      'tool: the tool has a blank name. Name it, for example "lookup".',
    );
  });

  test("as an adapter is recorded at its path with its effect, and replayed without running", async () => {
    const { lookup, ran } = counted("write");
    const recording = await withReplay(throughAdapters, { city: "Oslo" }, { adapters: { tools: { lookup } } });
    expect(recording.calls).toMatchObject([{ adapter: "tools.lookup", request: [{ city: "Oslo" }], role: "write" }]);
    expect(ran).toHaveLength(1);
    const server = replayAdapters(JSON.parse(JSON.stringify(recording.calls)));
    const again = await run(throughAdapters, { city: "Oslo" }, { adapters: standing(server.adapters) });
    expect(again).toMatchObject({ ok: true, value: { output: { said: { mild: true } } } });
    expect(ran).toHaveLength(1);
  });

  test("imported, it is recorded separately and served without running", async () => {
    const { lookup, ran } = counted();
    const step = defineStep({
      name: "ask",
      ...schemas,
      run: async (input) => ({ output: { said: await lookup(input) } }),
    });
    const recording = await withReplay(step, { city: "Rome" });
    expect(recording.calls).toMatchObject([{ adapter: "tools.lookup", request: [{ city: "Rome" }], role: "read" }]);
    const server = replayAdapters(recording.calls);
    expect(await server.runInScope(() => run(step, { city: "Rome" }))).toMatchObject({
      ok: true,
      value: { output: { said: { mild: false } } },
    });
    const missed = await server.runInScope(() => run(step, { city: "Bonn" }));
    expect(missed).toMatchObject({ ok: false });
    expect(server.unrecorded()).toMatchObject([{ adapter: "tools.lookup", reason: "unknown_request" }]);
    expect(ran).toStrictEqual(["Rome"]);
  });

  test("a skipped write is answered as it was recorded, else by its stub, else with the three ways to answer it", async () => {
    const first = counted("write");
    const { calls } = await withReplay(
      throughAdapters,
      { city: "Oslo" },
      { adapters: { tools: { lookup: first.lookup } } },
    );
    const standing = counted("write", () => ({ mild: false }));
    const bare = counted("write");
    const held = new SkippedWrites(calls);
    const ask = (lookup: Lookup, city: string) =>
      skippingWrites(held, () => withReplay(throughAdapters, { city }, { adapters: { tools: { lookup } } }));
    expect((await ask(standing.lookup, "Oslo")).result).toMatchObject({ value: { output: { said: { mild: true } } } });
    expect((await ask(standing.lookup, "Oslo")).result).toMatchObject({ value: { output: { said: { mild: true } } } });
    expect((await ask(standing.lookup, "Bonn")).result).toMatchObject({ value: { output: { said: { mild: false } } } });
    const message =
      'Tests don\'t run the write adapter "tools.lookup", and it has no stub. Add a stub to the tool, or pass effects: "run" to run the write with live adapters.';
    expect((await ask(bare.lookup, "Bonn")).result).toMatchObject({ ok: false, error: { message } });
    expect(held.unanswered).toStrictEqual([message]);
    expect(held.proposed).toBe(4);
    expect([...standing.ran, ...bare.ran]).toStrictEqual([]);
  });

  test("a plain function that is declared a write is skipped, and reads run", async () => {
    const ran: string[] = [];
    const step = defineStep({
      name: "act",
      ...schemas,
      run: (
        input,
        { adapters }: StepContext<{ crm: { find(city: string): string; remove(city: string): string } }>,
      ) => ({
        output: { said: adapters.crm.find(input.city) + adapters.crm.remove(input.city) },
      }),
    });
    const crm = {
      find: (city: string) => `found ${ran.push(`find ${city}`)}`,
      remove: (city: string) => `removed ${ran.push(`remove ${city}`)}`,
    };
    const { calls } = await withReplay(step, { city: "Oslo" }, { adapters: { crm } });
    const held = new SkippedWrites(calls, ({ adapter }) => (adapter === "crm.remove" ? "write" : "read"));
    const { result } = await skippingWrites(held, () => withReplay(step, { city: "Oslo" }, { adapters: { crm } }));
    expect(result).toMatchObject({ value: { output: { said: "found 3removed 2" } } });
    expect(ran).toStrictEqual(["find Oslo", "remove Oslo", "find Oslo"]);
  });

  test("outside of tests runs a write once for each key, and again after a failure", async () => {
    const keys: (string | undefined)[] = [];
    let broken = true;
    const charge = tool({
      name: "charge",
      effect: "write",
      key: ({ order }: { order: string }) => `charge-${order}`,
      run: ({ order }, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (order === "bad" && broken) throw new Error("down");
        return keys.length;
      },
    });
    expect(await Promise.all([charge({ order: "a" }), charge({ order: "a" })])).toStrictEqual([1, 1]);
    expect(await charge({ order: "a" })).toBe(1);
    await expect(charge({ order: "bad" })).rejects.toThrow("down");
    broken = false;
    expect(await charge({ order: "bad" })).toBe(3);
    expect(keys).toStrictEqual(["charge-a", "charge-bad", "charge-bad"]);
  });
});

describe("recordTools", () => {
  const step = (work: () => unknown) =>
    defineStep({ name: "ask", ...schemas, run: async () => ({ output: { said: await work() } }) });

  test("records an SDK tool by the model's request, and replays it without running", async () => {
    let ran = 0;
    const weather = {
      description: "the weather",
      inputSchema: schemas.input,
      execute: (input: { city: string }, _options: object) => ({ sunny: input.city, ran: (ran += 1) }),
    };
    const tools = recordTools({ weather, search: { type: "provider" as const } }, { effects: { weather: "write" } });
    expect(tools.weather.description).toBe("the weather");
    expect(tools.search).toStrictEqual({ type: "provider" });
    const agent = step(() => tools.weather.execute({ city: "Oslo" }, { toolCallId: "1" }));
    const { calls, result } = await withReplay(agent, { city: "" });
    expect(calls).toMatchObject([
      { adapter: "tools.weather", request: [{ city: "Oslo" }], returns: "value", role: "write" },
    ]);
    expect(result).toMatchObject({ value: { output: { said: { sunny: "Oslo", ran: 1 } } } });
    const served = await replayAdapters(calls).runInScope(() => run(agent, { city: "" }));
    expect(served).toMatchObject({ value: { output: { said: { sunny: "Oslo", ran: 1 } } } });
    expect(ran).toBe(1);
    expect(weather.execute({ city: "x" }, {})).toStrictEqual({ sunny: "x", ran: 2 });
  });

  test("accepts lists of named tools, and plain functions", async () => {
    const list = recordTools([
      { type: "function", name: "add", invoke: async (_context: unknown, input: string) => `sum of ${input}` },
    ]);
    const functions = recordTools({ double: (n: number) => n * 2 });
    const agent = step(async () => [await list[0]?.invoke({}, '{"a":1}'), functions.double(4)]);
    const { calls } = await withReplay(agent, { city: "" });
    expect(calls).toMatchObject([
      { adapter: "tools.add", request: [{ a: 1 }], returns: "promise", response: 'sum of {"a":1}' },
      { adapter: "tools.double", request: [4], returns: "value", response: 8 },
    ]);
    expect(functions.double(5)).toBe(10);
  });

  test("an effect of an unknown tool is an error", () => {
    expect(() => recordTools({ a: () => 1, b: () => 2 }, { effects: { c: "write" } })).toThrow(
      'recordTools: there is no tool "c". Available: a, b.',
    );
  });

  test.each([
    [{ effects: { a: "writes" } }, 'recordTools: effects["a"] is "writes". Did you mean "write"?'],
    [{ effects: { "*": "reads" } }, 'recordTools: effects["*"] is "reads". Did you mean "read"?'],
    [{ effect: { a: "write" } }, 'recordTools: unknown option "effect". Did you mean "effects"?'],
  ])("options %j are an error", (options, message) => {
    const wrap: (tools: object, options: object) => object = recordTools;
    expect(() => wrap({ a: () => 1 }, options)).toThrow(new TypeError(message));
  });

  test.each([
    [{}, "write"],
    [{ effects: { page: "read" } }, "read"],
    [{ effects: { "*": "read" } }, "read"],
    [{ effects: { "*": "read", page: "write" } }, "write"],
  ] as const)("with %j a tool is a %s", async (options, role) => {
    const ran: string[] = [];
    const page = async (reason: string): Promise<boolean> => ran.push(reason) > 0;
    const tools = recordTools({ page }, options);
    const step = defineStep({
      name: "pages",
      input: z.object({}),
      output: z.object({ paged: z.boolean() }),
      run: async () => ({ output: { paged: await tools.page("late").catch(() => false) } }),
    });
    const skipped = new SkippedWrites([]);
    const { calls } = await skippingWrites(skipped, async () => withReplay(step, {}, { adapters: {} }));
    expect([calls[0]?.role, ran]).toStrictEqual([role, role === "read" ? ["late"] : []]);
    expect(skipped.unanswered.length).toBe(role === "read" ? 0 : 1);
  });

  test("reports a tool without an effect, with the two ways to declare it", async () => {
    const page = tool({ name: "page", run: (reason: string) => reason });
    const step = defineStep({
      name: "pages",
      input: z.object({}),
      output: z.object({ paged: z.string() }),
      roles: { llm: "model" },
      run: async () => ({ output: { paged: await page("late") } }),
    });
    const skipped = new SkippedWrites([], createDeclaredRoles(step.roles ?? {}));
    const { result } = await skippingWrites(skipped, async () => withReplay(step, {}, { adapters: {} }));
    expect(result.ok).toBe(false);
    expect(skipped.unanswered).toStrictEqual([
      'Tests don\'t run the write adapter "tools.page", and it has no stub. No effect is declared ' +
        'for adapter "tools.page", so it counts as a write. If it only reads, declare the effect "read". Add a ' +
        'stub to the tool, or pass effects: "run" to run the write with live adapters.',
    ]);
  });
});

test("the stub of an async tool answers by a promise, as the tool does", async () => {
  const tools = recordTools(
    { save: async (n: number) => n, count: (n: number) => n },
    { effects: { save: "write", count: "write" }, stubs: { save: () => 0, count: () => 0 } },
  );
  const step = defineStep({
    name: "saves",
    input: z.object({}),
    output: z.object({ saved: z.number(), counted: z.number() }),
    run: async () => ({ output: { saved: await tools.save(7).catch(() => 9), counted: tools.count(7) + 1 } }),
  });
  const { result } = await skippingWrites(new SkippedWrites([]), async () => withReplay(step, {}, { adapters: {} }));
  expect(result).toMatchObject({ ok: true, value: { output: { saved: 0, counted: 1 } } });
});
