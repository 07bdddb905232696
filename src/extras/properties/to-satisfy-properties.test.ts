import { readdirSync } from "node:fs";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { StepContext } from "../../kernel/step/context.ts";
import { ok } from "../../kernel/result.ts";
import { emit, review } from "../../kernel/step/command.ts";
import { defineStep } from "../../kernel/step/define-step.ts";
import { defineWorkflow } from "../../kernel/step/define-workflow.ts";
import type { RunStore } from "../runs/store/contract.ts";
import { createMemoryStore } from "../runs/store/memory.ts";
import { MatcherStage } from "../../../test-support/matcher-stage.ts";
import { knownFailures, propertyRuns, propertySeed } from "./seed-and-runs.ts";
import "../../vitest-types.ts";

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);

beforeEach(() => {
  stage.begin();
  vi.unstubAllEnvs();
  vi.stubEnv("CI", "");
});

const Line = z.object({ item: z.string(), cents: z.number().int().min(0).max(9999) });
const Order = z.object({ lines: z.array(Line) });

/** The dearest line; `first` is what is dearest of nothing. */
function dearest(first?: number): ReturnType<typeof defineStep> {
  return defineStep({
    name: "dearest",
    input: Order,
    output: z.object({ cents: z.number() }),
    run: ({ lines }) => {
      const cents = lines.map((line) => line.cents);
      const start = first === undefined ? [] : [first];
      return { output: { cents: [...start, ...cents].reduce((one, other) => Math.max(one, other)) } };
    },
  });
}

test("a step that has all properties passes and stages no change", async () => {
  await expect(dearest(0)).toSatisfyProperties({ orderFree: ["lines"] });
  expect([stage.changes, stage.checks]).toStrictEqual([[], []]);
});

test("a step may read members of adapters that it doesn't call", async () => {
  interface Adapters {
    readonly db: { readonly orders: { find(n: number): Promise<number> } };
  }
  const step = defineStep({
    name: "reads",
    input: z.object({ n: z.number().int().min(0).max(3) }),
    output: z.object({ n: z.number() }),
    run: async ({ n }, { adapters: { db } }: StepContext<Adapters>) => {
      const find = db.orders.find.bind(db.orders);
      return { output: { n: n === 0 ? 0 : await find(n) } };
    },
  });
  const adapters: Adapters = { db: { orders: { find: async (n) => n } } };
  await expect(step).toSatisfyProperties({ adapters, mode: "live", runs: 20, seed: 1 });
});

test("a broken property is reported with its minimal input and what draws it again, which is pending", async () => {
  expect(await stage.message(() => expect(dearest()).toSatisfyProperties({ seed: 7 }))).toBe(
    [
      "dearest: 1 of 6 properties fails (100 runs, seed 7)",
      "",
      "  answers  the step must not throw or hang; it returns errors with fail(code, message)",
      "    found    it threw: Reduce of empty array with no initial value",
      '    input    {"lines":[]}',
      '    again    { seed: 7, path: "2:0:0" }',
      "",
      "Fix the step. The failing case is pending. If you accept it, each run checks it first: npx veritest review",
      "  ROOT/a.test.ts/dearest-breaks-answers-HASH.json",
    ].join("\n"),
  );
  expect(stage.changes).toMatchObject([
    {
      intent: "review",
      verdict: "failed",
      shown: [
        "    property_failed: answers fails (the step must not throw or hang; it returns errors with fail(code, message)): it threw: " +
          'Reduce of empty array with no initial value. Input: {"lines":[]}',
      ],
    },
  ]);
  expect(await stage.message(() => expect(dearest()).toSatisfyProperties({ seed: 7, path: "2:0:0" }))).toContain(
    '"lines":[]',
  );
});

test("an accepted counterexample is checked first: while it is broken, and no longer", async () => {
  stage.mode = "all";
  await expect(dearest()).toSatisfyProperties({ seed: 7 });
  stage.settle("new");
  expect(await stage.message(() => expect(dearest()).toSatisfyProperties({ seed: 7, runs: 1 }))).toBe(
    [
      "dearest: 1 of 6 properties fails (1 run, seed 7)",
      "",
      "  answers  the step must not throw or hang; it returns errors with fail(code, message)",
      "    found    it threw: Reduce of empty array with no initial value",
      '    input    {"lines":[]}',
      "    again    known: a stored counterexample",
      "",
      "Fix it.",
    ].join("\n"),
  );
  expect(stage.changes).toStrictEqual([]);
  await expect(dearest(0)).toSatisfyProperties({ seed: 7 });
  expect(stage.checks.map(({ verdict }) => verdict.kind)).toStrictEqual(["failed", "clean"]);
});

test("what waits of a property is the last that broke it; another one than an accepted one has a file of its own", async () => {
  const negative = (isMended: boolean): ReturnType<typeof defineStep> =>
    defineStep({
      name: "negative",
      input: z.object({ n: z.number().int().min(-9).max(9), of: z.number().int().min(0).max(9) }),
      output: z.object({}),
      run: ({ n, of }) => {
        if (n < 0 && !isMended) throw new Error("below");
        if (of > 5) throw new Error("above");
        return { output: {} };
      },
    });
  for (const seed of [1, 2, 3]) await stage.message(() => expect(negative(false)).toSatisfyProperties({ seed }));
  expect(new Set(stage.changes.map(({ update }) => update.path)).size).toBe(1);
  stage.mode = "all";
  await expect(negative(false)).toSatisfyProperties({ given: { of: fc.constant(0) } });
  stage.settle("new");
  const told = await stage.message(() => expect(negative(true)).toSatisfyProperties());
  expect(told.split("\n").at(-1)).toBe("  ROOT/a.test.ts/negative-breaks-answers-2-HASH.json");
});

test("-u removes a counterexample that isn't a valid input any longer, and no test fails", async () => {
  stage.mode = "all";
  await expect(dearest()).toSatisfyProperties({ seed: 7 });
  stage.settle("new");
  const stricter = defineStep({
    name: "dearest",
    input: z.object({ lines: z.array(Line).min(1) }),
    output: z.object({ cents: z.number() }),
    run: ({ lines }) => ({ output: { cents: Math.max(...lines.map((line) => line.cents)) } }),
  });
  await expect(stricter).toSatisfyProperties();
  expect([stage.changes, stage.checks]).toStrictEqual([[], []]);
  stage.mode = "all";
  await expect(stricter).toSatisfyProperties();
  expect(stage.changes).toMatchObject([{ update: { kind: "remove", after: undefined }, verdict: "obsolete" }]);
});

test("two properties that are broken have a counterexample each, and a property that is switched off has none", async () => {
  const both = defineStep({
    name: "both",
    input: Order,
    output: z.object({ lines: z.array(Line), mean: z.number() }),
    keyBy: { lines: "item" },
    run: ({ lines }) => ({
      output: { lines, mean: lines.reduce((sum, { cents }) => sum + cents, 0) / lines.length },
    }),
  });
  const told = await stage.message(() => expect(both).toSatisfyProperties({ seed: 3 }));
  expect(told.split("\n")).toStrictEqual(
    expect.arrayContaining([
      "both: 2 of 6 properties fail (100 runs, seed 3)",
      "    found    mean: Invalid input: expected number, received NaN",
      '    found    duplicate key "" in lines',
      '    input    {"lines":[{"item":"","cents":0},{"item":"","cents":0}]}',
    ]),
  );
  await expect(both).toSatisfyProperties({ properties: { keyed: false, fits: false } });
});

describe("properties of one's own", () => {
  const total = defineStep({
    name: "total",
    input: Order,
    output: z.object({ cents: z.number() }),
    run: ({ lines }) => ({ output: { cents: lines.reduce((sum, { cents }) => sum + cents, lines.length) } }),
  });

  test("compare two runs of the step", async () => {
    const told = await stage.message(() =>
      expect(total).toSatisfyProperties({
        seed: 1,
        properties: {
          "a line that costs nothing changes no total": async (
            { lines }: z.infer<typeof Order>,
            { cents }: { readonly cents: number },
            rerun: (input: object) => Promise<{ readonly cents: number }>,
          ) => (await rerun({ lines: [...lines, { item: "gift", cents: 0 }] })).cents === cents,
        },
      }),
    );
    expect(told.split("\n").slice(0, 5)).toStrictEqual([
      "total: 1 of 7 properties fails (100 runs, seed 1)",
      "",
      "  a line that costs nothing changes no total",
      "    found    it fails",
      '    input    {"lines":[]}',
    ]);
  });

  test("can have their own inputs, and report failures of expect", async () => {
    const given = fc.constant({ lines: [{ item: "a", cents: 5 }] });
    const check = (_: object, output: { readonly cents: number }): boolean => {
      expect(output.cents).toBe(5);
      return true;
    };
    const told = await stage.message(() =>
      expect(total).toSatisfyProperties({ properties: { "one line": { given, check } } }),
    );
    expect(told).toContain("found    expected 6 to be 5");
  });

  test("are refused if their name or type is wrong", async () => {
    expect(await stage.message(() => expect(total).toSatisfyProperties({ properties: { orderfree: false } }))).toBe(
      'toSatisfyProperties: "orderfree" isn\'t a property of every step. Use one of answers, fits, pure, repeats, keyed, merges, ' +
        "order-free, or pass a function to define your own.",
    );
    expect(await stage.message(() => expect(total).toSatisfyProperties({ properties: { keyed: () => true } }))).toBe(
      'toSatisfyProperties: "keyed" is a built-in property. Set it to true or false, or choose a different name for your own property.',
    );
  });
});

describe("answers", () => {
  interface Models {
    readonly llm: { complete(prompt: string): Promise<string> };
  }
  const classify = defineStep({
    name: "classify",
    input: z.object({ text: z.string().max(10) }),
    output: z.object({ label: z.string() }),
    run: async ({ text }, { adapters }: StepContext<Models>) => {
      const said: unknown = JSON.parse(await adapters.llm.complete(`Classify: ${text}`));
      return { output: { label: String(Reflect.get(Object(said), "label")).trim() } };
    },
  });

  test("are generated from the given arbitraries and reported", async () => {
    const responses = { "llm.complete": fc.constantFrom('{"label":"spam"}', "Sure!") };
    const told = await stage.message(() => expect(classify).toSatisfyProperties({ seed: 1, responses }));
    expect(told.split("\n").slice(2, 6)).toStrictEqual([
      "  answers  the step must not throw or hang; it returns errors with fail(code, message)",
      "    found    it threw: Unexpected token 'S', \"Sure!\" is not valid JSON",
      '    input    {"text":""}',
      '    answers  {"llm.complete":["Sure!"]}',
    ]);
  });

  test("default to the nearest stored case, whose input is generated too", async () => {
    stage.mode = "all";
    const llm = {
      complete: async (prompt: string) => JSON.stringify({ label: prompt.includes("win") ? "spam" : "ham" }),
    };
    await expect(classify).toMatchBaseline({ input: { text: "you win" }, adapters: { llm } });
    stage.settle("new");
    const seen: string[] = [];
    const properties = {
      "every label is spam": ({ text }: { text: string }, { label }: { label: string }) => (
        seen.push(text), label === "spam"
      ),
    };
    await expect(classify).toSatisfyProperties({ properties });
    expect(seen).toContain("you win");
  });

  describe("of adapters", () => {
    let calls = 0;
    const adapters = { llm: { complete: async () => ((calls += 1), '{"label":"x"}') } };

    beforeEach(() => {
      calls = 0;
      stage.projectMode = undefined;
    });

    afterEach(() => {
      stage.projectMode = "live";
      stage.isCi = false;
    });

    test.each([true, false])("are live with mode live (in CI: %s)", async (isCi) => {
      stage.isCi = isCi;
      await expect(classify).toSatisfyProperties({ adapters, mode: "live", runs: 10 });
      expect(calls).toBe(10);
    });

    test.each(["new", "all", "none"] as const)("are refused without a live mode (updates: %s)", async (mode) => {
      stage.mode = mode;
      stage.isCi = mode === "none";
      const problem =
        "toSatisfyProperties: this run doesn't call live adapters, and generated inputs don't have recorded responses. If the " +
        'adapters are stubs, or you want to call them for each input, pass mode: "live".';
      expect(await stage.message(() => expect(classify).toSatisfyProperties({ adapters }))).toBe(problem);
      const replay = { adapters, mode: "replay" } as const;
      expect(await stage.message(() => expect(classify).toSatisfyProperties(replay))).toBe(problem);
      expect(calls).toBe(0);
    });

    test("come from the stored case without a live mode", async () => {
      await expect(classify).toMatchBaseline({ input: { text: "you win" }, adapters });
      stage.settle("all");
      await expect(classify).toSatisfyProperties({ adapters, runs: 10 });
      expect(calls).toBe(1);
    });
  });

  test("are there for a run on another input, also where the first called nothing", async () => {
    const labels = defineStep({
      name: "labels",
      input: z.object({ texts: z.array(z.string()) }),
      output: z.object({ labels: z.array(z.string()) }),
      run: async ({ texts }, { adapters }: StepContext<Models>) => ({
        output: { labels: await Promise.all(texts.map(async (text) => adapters.llm.complete(text))) },
      }),
    });
    const properties = {
      "each text has a label": async (
        { texts }: { readonly texts: readonly string[] },
        _: object,
        rerun: (input: object) => Promise<{ readonly labels: readonly string[] }>,
      ) => (await rerun({ texts: [...texts, "more"] })).labels.length === texts.length + 1,
    };
    await expect(labels).toSatisfyProperties({ properties, responses: { "llm.complete": z.enum(["spam", "ham"]) } });
  });

  test("that nobody gave are reported", async () => {
    expect(await stage.message(() => expect(classify).toSatisfyProperties({ seed: 1 }))).toContain(
      "it threw: Cannot read properties of undefined (reading 'complete')",
    );
    expect(
      await stage.message(() => expect(classify).toSatisfyProperties({ responses: { "llm.complete": "spam" } })),
    ).toBe("toSatisfyProperties: llm.complete is neither a schema nor a fast-check arbitrary.");
  });
});

describe("a workflow", () => {
  const entry = defineStep({
    name: "receive",
    input: z.object({ amount: z.number().int().min(0).max(9) }),
    output: z.object({}),
    run: ({ amount }) => ({ output: {}, commands: [review("Pay it?"), emit("paid", { amount })] }),
  });
  const payments = defineWorkflow({ name: "payments", version: "1", steps: { receive: entry } });
  /** A store whose leases never end: what a dead worker held nobody else gets. */
  const forgetful = ({ clock }: { readonly clock: () => number }): RunStore => {
    const store = createMemoryStore({ clock });
    const outbox = withMethod(store.outbox, "reclaim", async () => ok({ reclaimed: 0 }));
    return withMethod(store, "outbox", outbox);
  };
  const withMethod = <T extends object>(owner: T, name: string, value: unknown): T =>
    new Proxy(owner, {
      get: (target, key): unknown => {
        const found: unknown = key === name ? value : Reflect.get(target, key);
        return typeof found === "function" ? found.bind(target) : found;
      },
    });

  test("passes with the store in memory", async () => {
    await expect(payments).toSatisfyProperties({ runs: 50 });
    expect(stage.changes).toStrictEqual([]);
  });

  test("is pending as the least list of actions that breaks one, which is checked first from then on", async () => {
    const told = await stage.message(() => expect(payments).toSatisfyProperties({ seed: 1, store: forgetful }));
    expect(told.split("\n").slice(0, 3)).toStrictEqual([
      "payments: 1 of 4 properties fails (100 runs, seed 1)",
      "",
      "  ends  Every run reaches an end state after its blocks are resolved.",
    ]);
    stage.mode = "all";
    await expect(payments).toSatisfyProperties({ seed: 1, store: forgetful });
    stage.settle("new");
    expect(await stage.message(() => expect(payments).toSatisfyProperties({ seed: 1, store: forgetful }))).toContain(
      "again    known",
    );
    await expect(payments).toSatisfyProperties({ seed: 1 });
  });
});

test("what is checked against properties is a step", async () => {
  expect(await stage.message(() => expect<unknown>(3).toSatisfyProperties())).toBe(
    "toSatisfyProperties expects a step or a workflow, got number.",
  );
});

test("redacts a secret of a counterexample in the report and the file", async () => {
  const secret = `sk-proj-${"a1B2".repeat(12)}`;
  const leaks = defineStep({
    name: "leaks",
    input: z.object({ key: z.string() }),
    output: z.object({}),
    run: () => {
      throw new Error("refused");
    },
  });
  const told = await stage.message(() => expect(leaks).toSatisfyProperties({ given: { key: fc.constant(secret) } }));
  expect(told).toContain("input    ");
  expect(told + JSON.stringify(stage.changes)).not.toContain(secret);
  expect(readdirSync(join(stage.root, "..")).length).toBeLessThanOrEqual(1);
});

test("what veritest properties asks for: more runs, and other properties than it knows to be broken", async () => {
  expect([
    propertyRuns(7, {}),
    propertyRuns(undefined, {}),
    propertyRuns(7, { VERITEST_PROPERTIES_RUNS: "2000" }),
  ]).toStrictEqual([7, 100, 2000]);
  const environment = { VERITEST_PROPERTIES_FAILED: '[["dearest","answers"],["other","keyed"]]' };
  expect([knownFailures("dearest", environment), knownFailures("dearest", {})]).toStrictEqual([["answers"], []]);
  vi.stubEnv("VERITEST_PROPERTIES_FAILED", '[["dearest","answers"]]');
  await expect(dearest()).toSatisfyProperties();
});

test("the seed is the option, then VERITEST_SEED, then fixed in CI and new elsewhere", () => {
  expect(propertySeed(5, { VERITEST_SEED: "6", CI: "1" })).toBe(5);
  expect(propertySeed(undefined, { VERITEST_SEED: "6", CI: "1" })).toBe(6);
  expect([propertySeed(undefined, { CI: "true" }), propertySeed(undefined, { CI: "1" })]).toStrictEqual([1, 1]);
  const drawn = new Set([1, 2, 3].map(() => propertySeed(undefined, { CI: "1", VERITEST_SEED: "random" })));
  expect(drawn.size).toBe(3);
  expect(new Set([1, 2, 3].map(() => propertySeed(undefined, { CI: "false" }))).size).toBe(3);
  expect(() => propertySeed(undefined, { VERITEST_SEED: "often" })).toThrow(
    new TypeError('VERITEST_SEED must be an integer or "random", got "often".'),
  );
});
