import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { unwrap } from "../../../kernel/result.ts";
import { commandKey, emit, fanout, invoke, review, suspend } from "../../../kernel/step/command.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { fail } from "../../../kernel/step/fail.ts";
import { run } from "../../../kernel/step/run.ts";
import { createMemoryStore } from "../store/memory.ts";
import { type BatchOptions, runBatch } from "./batch.ts";
import { definePipeline } from "./pipeline.ts";
import { recomputeBatch } from "./recompute-batch.ts";
import { createRunner } from "./runner.ts";

type Model = { rate(text: string): Promise<string> };
const rate = defineStep({
  name: "rate",
  input: z.object({ text: z.string() }),
  output: z.object({ risk: z.string() }),
  run: async ({ text }, ctx: StepContext<{ model: Model }>) => {
    if (text === "bad") return fail("unreadable", "Cannot read it.");
    const risk = await ctx.adapters.model.rate(text);
    return { output: { risk }, commands: text === "ask" ? [review("look")] : [] };
  },
});
const old: Model = { rate: async (text) => (text.length > 3 ? "high" : "low") };
const items = ["a", "long one", "bad", "ask"].map((text, index) => ({ key: `k${index}`, input: { text } }));

async function batch(changes: Partial<BatchOptions> = {}): ReturnType<typeof runBatch> {
  return runBatch({
    step: rate,
    items,
    store: createMemoryStore(),
    batchId: "b1",
    adapters: { model: old },
    ...changes,
  });
}

describe("runBatch", () => {
  test("starts a run for each item, and names the failed ones", async () => {
    const store = createMemoryStore();
    const summary = unwrap(await batch({ store }));
    expect(summary).toEqual({
      completed: 2,
      blocked: 1,
      failed: 1,
      skipped: 0,
      failures: [
        {
          key: "k2",
          runId: "b1:k2",
          status: "failed",
          failure: { code: "unreadable", message: "Cannot read it.", retryable: false },
        },
      ],
    });
    expect(unwrap(await store.load("rate", "b1:k1"))?.computed).toEqual({ risk: "high" });
  });

  test("a second start runs only the missing items", async () => {
    const store = createMemoryStore();
    let asked = 0;
    const model: Model = { rate: async (text) => (asked++, old.rate(text)) };
    unwrap(await batch({ store, items: items.slice(0, 2), adapters: { model } }));
    const again = unwrap(await batch({ store, adapters: { model } }));
    expect([again.completed, again.skipped, again.blocked, again.failed, asked]).toEqual([2, 2, 1, 1, 3]);
  });

  test("gives each item its own idempotency key, and the same one again", async () => {
    const keys: (readonly [unknown, string | undefined])[] = [];
    const keyed = defineStep({
      name: "keyed",
      input: z.object({ text: z.string() }),
      output: z.object({}),
      run: ({ text }, ctx) => {
        keys.push([text, ctx.idempotencyKey]);
        return { output: {} };
      },
    });
    const store = createMemoryStore();
    unwrap(await batch({ step: keyed, store, items, concurrency: 1 }));
    unwrap(await batch({ step: keyed, items, concurrency: 1, record: false }));
    expect(new Set(keys.map(([, key]) => key)).size).toBe(items.length);
    expect(keys.slice(items.length)).toEqual(keys.slice(0, items.length));
    const command = invoke("keyed", { text: "a" });
    expect(keys[0]).toEqual(["a", commandKey({ workflowId: "keyed", runId: "b1:k0", stepName: "start", command })]);
    expect(unwrap(await store.entries("keyed", "b1:k0")).map(({ stepId }) => stepId)).toEqual(["item"]);
  });

  test("names an item whose input isn't JSON as failed, without running it", async () => {
    const anything = defineStep({
      name: "anything",
      input: z.any(),
      output: z.object({}),
      run: () => expect.unreachable("it isn't storable"),
    });
    const summary = unwrap(await batch({ step: anything, items: [{ key: "k", input: () => 1 }] }));
    expect(summary.failures[0]?.failure.code).toBe("not_json");
  });

  test("refuses two items with the same key, and names both positions", async () => {
    const twice = [...items.slice(0, 2), { key: "k0", input: { text: "x" } }];
    expect(await batch({ items: twice })).toEqual({
      ok: false,
      error: {
        code: "duplicate_key",
        message: 'Items 0 and 2 have the same key "k0". Each item needs its own key.',
        retryable: false,
      },
    });
  });

  test("reads ahead no more items than it works on", async () => {
    let given = 0;
    let working = 0;
    let ahead = 0;
    async function* source(): AsyncGenerator<{ key: string; input: unknown }> {
      for (; given < 50; given += 1) {
        ahead = Math.max(ahead, given - working);
        yield { key: `${given}`, input: { text: "a" } };
      }
    }
    const onItem = (): void => void (working += 1);
    expect(unwrap(await batch({ items: source(), concurrency: 4, onItem })).completed).toBe(50);
    expect(ahead).toBeLessThanOrEqual(5);
  });

  test("reports its progress, a line for a thousand where nobody watches", async () => {
    const lines: string[] = [];
    const many = Array.from({ length: 2100 }, (_, n) => ({ key: `${n}`, input: { text: "a" } }));
    const progress = { write: (line: string) => lines.push(line) };
    unwrap(await batch({ items: many, record: false, progress, total: many.length }));
    expect(lines.map((line) => line.replace(/[\d.]+\/s, \d+ s/, "N/s, N s"))).toEqual([
      "1000 of 2100 done, 0 failed, N/s, N s left\n",
      "2000 of 2100 done, 0 failed, N/s, N s left\n",
    ]);
  });
});

describe("recomputeBatch", () => {
  test("reports what a new model changes, in groups, and writes nothing", async () => {
    const store = createMemoryStore();
    unwrap(await batch({ store }));
    const before = unwrap(await store.list());
    const model: Model = { rate: async () => "high" };
    const seen: string[] = [];
    const summary = unwrap(
      await recomputeBatch({
        store,
        steps: [rate],
        adapters: { model },
        onItem: ({ run: { runId }, status }) => void seen.push(`${runId} ${status}`),
      }),
    );
    expect(seen.toSorted()).toEqual(["b1:k0 value_changed", "b1:k1 clean", "b1:k3 value_changed"]);
    expect(summary).toMatchObject({ runs: 3, clean: 1, changed: 2, failed: 0, unknown: 0 });
    expect(summary.groups.map(({ step, paths, count }) => [step, paths, count])).toEqual([["rate", ["risk"], 2]]);
    expect(unwrap(await store.list())).toEqual(before);
  });

  test("orders groups and their examples independently of which step finishes first", async () => {
    const groupsWhen = async (slow: string): Promise<unknown> => {
      const store = createMemoryStore();
      const pair = defineStep({
        name: "pair",
        input: z.object({ text: z.string() }),
        output: z.object({ a: z.string(), b: z.string() }),
        run: async ({ text }, ctx: StepContext<{ model: Model }>) => {
          const said = await ctx.adapters.model.rate(text);
          return { output: { a: text.startsWith("a") ? said : "", b: text.startsWith("b") ? said : "" } };
        },
      });
      const texts = ["a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"].map((text) => ({ key: text, input: { text } }));
      unwrap(
        await runBatch({
          store,
          step: pair,
          items: texts,
          batchId: "b1",
          adapters: { model: { rate: async () => "old" } },
        }),
      );
      const rate = async (text: string): Promise<string> => {
        if (text.startsWith(slow)) await sleep(20);
        return "new";
      };
      const { groups } = unwrap(await recomputeBatch({ store, steps: [pair], adapters: { model: { rate } } }));
      const stored = unwrap(await store.list()).map(({ runId }) => runId);
      const firstThree = (text: string): string[] => stored.filter((id) => id.startsWith(`b1:${text}`)).slice(0, 3);
      expect(groups.map(({ examples }) => examples.map(({ runId }) => runId))).toEqual([
        firstThree("a"),
        firstThree("b"),
      ]);
      return groups.map(({ paths, count }) => [paths, count]);
    };
    const expected = [
      [["a"], 4],
      [["b"], 4],
    ];
    expect(await groupsWhen("a")).toEqual(expected);
    expect(await groupsWhen("b")).toEqual(expected);
    expect(await groupsWhen("b1")).toEqual(expected);
  });

  test("counts steps it does not know, and samples as configured", async () => {
    const store = createMemoryStore();
    const many = Array.from({ length: 30 }, (_, n) => ({ key: `${n}`, input: { text: "a" } }));
    unwrap(await batch({ store, items: many }));
    expect(unwrap(await recomputeBatch({ store, steps: [] }))).toMatchObject({ runs: 30, unknown: 30, clean: 0 });
    const runs = { sample: 5, seed: 7 };
    const chosen = async (): Promise<string[]> => {
      const names: string[] = [];
      const options = { store, steps: [rate], adapters: { model: old }, runs };
      unwrap(await recomputeBatch({ ...options, onItem: (item) => void names.push(item.run.runId) }));
      return names.toSorted();
    };
    const first = await chosen();
    expect(first).toHaveLength(5);
    expect(await chosen()).toEqual(first);
  });
});

const step = (name: string, run: AnyStep["run"]): AnyStep =>
  defineStep({ name, input: z.looseObject({}), output: z.looseObject({}), run: async (input, ctx) => run(input, ctx) });
const number = (input: unknown, name: string): number => Number(Reflect.get(Object(input), name));

const read = step("read", (input) => ({ output: { n: number(input, "n") + 1 }, events: [{ type: "read" }] }));
const enrich = step("enrich", (input) =>
  number(input, "n") > 5 ? fail("no_data", "Nothing known.") : { output: { more: true } },
);
const finish = step("finish", (input) => ({
  output: { total: number(input, "n") * 2 },
  commands: [emit("done", input)],
}));

describe("definePipeline", () => {
  const pipeline = definePipeline({
    name: "intake",
    version: "1.0.0",
    stages: [{ step: read }, { step: enrich, onError: "continue" }, { step: finish, wire: ({ output }) => output }],
  });

  test("is one step for a matcher", async () => {
    const result = unwrap(await run(pipeline, { n: 1 }));
    expect(result.output).toEqual({ n: 2, more: true, total: 4 });
    expect(result.commands).toEqual([emit("done", { n: 2, more: true })]);
    expect(result.artifacts.map(({ content }) => content)).toEqual([
      { stage: "read", status: "completed", output: { n: 2 } },
      { stage: "enrich", status: "completed", output: { more: true } },
      { stage: "finish", status: "completed", output: { total: 4 } },
    ]);
  });

  test("is a workflow for a runner, and each stage commits separately", async () => {
    const store = createMemoryStore();
    const runner = createRunner({ store, workflows: [pipeline], sinks: { done: () => undefined } });
    unwrap(await runner.startRun({ workflow: "intake", step: pipeline.first, input: { n: 1 }, runId: "r" }));
    const stored = unwrap(await runner.runUntilIdle("intake", "r"));
    expect([stored.status, stored.computed]).toEqual(["completed", { n: 2, more: true, total: 4 }]);
    expect(unwrap(await store.entries("intake", "r")).map(({ stepName }) => stepName)).toEqual([
      "read",
      "read",
      "enrich",
      "finish",
    ]);
  });

  test("continues after an optional stage fails, and records the error as an event", async () => {
    const result = unwrap(await run(pipeline, { n: 6 }));
    expect(result.output).toEqual({ n: 7, total: 14 });
    expect(result.events).toEqual([
      { type: "read" },
      { type: "pipeline.stage_error", payload: { stepName: "enrich", code: "no_data", message: "Nothing known." } },
    ]);
    const store = createMemoryStore();
    const runner = createRunner({ store, workflows: [pipeline], sinks: { "*": () => undefined } });
    unwrap(await runner.startRun({ workflow: "intake", step: "read", input: { n: 6 }, runId: "r" }));
    expect(unwrap(await runner.runUntilIdle("intake", "r")).computed).toEqual({ n: 7, total: 14 });
    expect(unwrap(await store.events("intake", "r")).map(({ type }) => type)).toEqual(["read", "pipeline.stage_error"]);
  });

  test("fails if a required stage fails", async () => {
    const strict = definePipeline({ name: "p", version: "1", stages: [{ step: enrich }, { step: finish }] });
    expect(await run(strict, { n: 9 })).toMatchObject({
      ok: false,
      error: { code: "no_data", message: "Nothing known." },
    });
  });

  test("refuses a stage that schedules steps", async () => {
    const scheduling = step("scheduling", () => ({ output: {}, commands: [fanout("read", [{ n: 1 }])] }));
    const p = definePipeline({ name: "p", version: "1", stages: [{ step: scheduling }] });
    expect(await run(p, {})).toMatchObject({
      ok: false,
      error: {
        code: "orchestration_error",
        message: 'Stage "scheduling" returned fanout "read", which a pipeline can\'t execute. Use a workflow instead.',
      },
    });
  });

  test("a suspended stage resumes with its checkpoint and the state so far", async () => {
    const ask = step("ask", (input) =>
      "resumeData" in Object(input)
        ? { output: { answer: Reflect.get(Object(input), "resumeData") } }
        : { output: {}, commands: [suspend({ reason: "ask", checkpoint: { n: number(input, "n") } })] },
    );
    const p = definePipeline({ name: "p", version: "1", stages: [{ step: read }, { step: ask }, { step: finish }] });
    const store = createMemoryStore();
    const runner = createRunner({ store, workflows: [p], sinks: { "*": () => undefined } });
    unwrap(await runner.startRun({ workflow: "p", step: "read", input: { n: 1 }, runId: "r" }));
    expect(unwrap(await runner.runUntilIdle("p", "r")).status).toBe("blocked");
    const [block] = unwrap(await store.blocks.list());
    const decision = { kind: "resume", data: "yes" } as const;
    unwrap(await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "r", actor: "a" }));
    const stored = unwrap(await runner.runUntilIdle("p", "r"));
    expect([stored.status, stored.computed]).toEqual(["completed", { n: 2, answer: "yes", total: 4 }]);
  });

  test("runs the stages after a review once it is resolved", async () => {
    const look = step("look", () => ({ output: { looked: true }, commands: [review("look at it")] }));
    const p = definePipeline({
      name: "p",
      version: "1",
      stages: [{ step: look }, { step: finish, wire: () => ({ n: 4 }) }],
    });
    const store = createMemoryStore();
    const runner = createRunner({ store, workflows: [p], sinks: { "*": () => undefined } });
    unwrap(await runner.startRun({ workflow: "p", step: "look", input: {}, runId: "r" }));
    expect(unwrap(await runner.runUntilIdle("p", "r")).computed).toEqual({ looked: true });
    const [block] = unwrap(await store.blocks.list());
    const decision = { kind: "approve" } as const;
    unwrap(await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "r", actor: "a" }));
    expect(unwrap(await runner.runUntilIdle("p", "r")).computed).toEqual({ looked: true, total: 8 });
  });

  test("refuses an empty pipeline and two stages with the same name", () => {
    expect(() => definePipeline({ name: "p", version: "1", stages: [] })).toThrow('definePipeline: "p" has no stages.');
    expect(() => definePipeline({ name: "p", version: "1", stages: [{ step: read }, { step: read }] })).toThrow(
      'definePipeline: two stages of "p" are named "read".',
    );
  });
});
