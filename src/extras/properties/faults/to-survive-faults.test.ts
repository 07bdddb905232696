// @module-tag deep
import { Socket } from "node:net";
import { types } from "node:util";
import { beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { sharedValue } from "../../../kernel/shared-value.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { fail } from "../../../kernel/step/fail.ts";
import { MatcherStage } from "../../../../test-support/matcher-stage.ts";
import "../../../vitest-types.ts";

const runner: { extend(matchers: object): void } = expect;
const stage = new MatcherStage(runner);

beforeEach(() => stage.begin());

interface Adapters {
  readonly llm: { complete(prompt: string): Promise<string> };
  readonly shop: {
    pay(order: { readonly cents: number; readonly idempotencyKey?: string }): Promise<{ readonly id: string }>;
  };
}

const adapters: Adapters = {
  llm: { complete: async () => '{"cents":1200}' },
  shop: { pay: async () => ({ id: "p-1" }) },
};

const Answer = z.object({ cents: z.number() });

/** Which bugs a step has; one by one they are mended. */
interface Bugs {
  readonly crashesOn429?: boolean;
  readonly parsesAnything?: boolean;
  readonly retriesForever?: boolean;
  readonly paysTwice?: boolean;
}

/** Reads an amount out of a text, and pays it. */
function payer({ crashesOn429, parsesAnything, retriesForever, paysTwice }: Bugs): AnyStep {
  const complete = async (llm: Adapters["llm"], text: string): Promise<string | undefined> => {
    const most = retriesForever === true ? Infinity : 3;
    for (let tries = 0; tries < most; tries += 1) {
      try {
        return await Promise.race([llm.complete(text), sleep(30_000)]);
      } catch (thrown) {
        const status: unknown = Reflect.get(Object(thrown), "status");
        if (status === 429 && crashesOn429 === true) throw thrown;
        await sleep(1000 * 2 ** Math.min(tries, 6));
      }
    }
    return undefined;
  };
  return defineStep({
    name: "pay",
    input: z.object({ text: z.string() }),
    output: z.object({ paid: z.string() }),
    roles: { "shop.pay": "write", llm: "model" },
    run: async ({ text }, { adapters: { llm, shop } }: StepContext<Adapters>) => {
      const said = await complete(llm, text);
      if (said === undefined) return fail("no_model", "The model does not answer.");
      const read = parsesAnything === true ? Answer.parse(JSON.parse(said)) : readAnswer(said);
      if (read === undefined) return fail("no_amount", "The model named no amount.");
      const order = { cents: read.cents, ...(paysTwice !== true && { idempotencyKey: "order-1" }) };
      for (let tries = 0; tries < 2; tries += 1) {
        const paid = await Promise.race([shop.pay(order).catch(() => undefined), sleep(30_000)]);
        if (paid !== undefined) return { output: { paid: paid.id } };
      }
      return fail("no_shop", "The shop does not answer.");
    },
  });
}

function readAnswer(said: string): z.infer<typeof Answer> | undefined {
  try {
    return Answer.safeParse(JSON.parse(/\{[\s\S]*\}/.exec(said)?.[0] ?? "null")).data;
  } catch {
    return undefined;
  }
}

async function sleep(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms));
}

async function captured(step: AnyStep): Promise<void> {
  stage.mode = "all";
  await expect(step).toMatchBaseline({ input: { text: "Twelve euros" }, adapters, name: "one", effects: "run" });
  stage.settle("new");
}

const PATIENT = {
  empty: "no_amount",
  "error-429": "no_model",
  "error-500": "no_model",
  "error-network": "no_model",
  "malformed-cut": "no_amount",
  "malformed-extra": "same",
  "malformed-fenced": "same",
  "malformed-nulls": "no_amount",
  "malformed-prose": "same",
  "malformed-types": "no_amount",
  slow: "no_model",
  timeout: "no_model",
};
const PAYING = {
  "crash-after-effect": "same",
  "error-429": "no_shop",
  "error-500": "no_shop",
  "error-network": "no_shop",
  "malformed-extra": "same",
  "malformed-nulls": "output_validation",
  "malformed-types": "output_validation",
  slow: "no_shop",
  timeout: "no_shop",
};

test("a step that survives passes fast and offline, and the outcome of each fault is a baseline", async () => {
  const connect = vi.spyOn(Socket.prototype, "connect");
  await captured(payer({}));
  await expect(payer({})).toSurviveFaults();
  expect(connect).not.toHaveBeenCalled();
  expect(stage.changes).toMatchObject([{ intent: "write", verdict: "missing" }]);
  expect(JSON.parse(stage.stagedText())).toMatchObject({
    kind: "value",
    test: "a.test.ts",
    name: "pay under faults: one",
    value: { "llm.complete#1": PATIENT, "shop.pay#1": PAYING },
  });
  expect(setTimeout(() => undefined, 0)).toHaveProperty("hasRef");
});

const ADVICE = [
  "",
  "Fix the step: every fault should end in an error with its own code, or in a valid output.",
  "The outcomes are pending. Accept them with -u, or accept exactly these outcomes with: npx veritest review",
];
const HEAD = ["pay: 1 of 1 recorded case under faults", "", "  ROOT/pay/one-HASH.json  failed"];

test.each<[bug: Bugs, lines: readonly string[]]>([
  [{ crashesOn429: true }, ["    llm.complete#1  error-429  execution_failed: 429 Rate limit reached"]],
  [
    { retriesForever: true },
    ["error-429", "error-500", "error-network"].map((fault) => `    llm.complete#1  ${fault}  retries endlessly`),
  ],
  [
    { paysTwice: true },
    ["timeout", "slow", "crash-after-effect"].map((fault) => `    shop.pay#1  ${fault}  wrote twice: shop.pay`),
  ],
])("reports a bug with its call and fault: %j", async (bug, lines) => {
  await captured(payer(bug));
  const told = await stage.message(() => expect(payer(bug)).toSurviveFaults());
  expect(told.split("\n")).toStrictEqual([...HEAD, ...lines, ...ADVICE]);
  expect(stage.changes).toMatchObject([{ intent: "review", verdict: "failed" }]);
});

test("what an answer is that nobody parsed with care is reported with what was thrown", async () => {
  await captured(payer({ parsesAnything: true }));
  const told = await stage.message(() => expect(payer({ parsesAnything: true })).toSurviveFaults());
  expect(told).toContain(
    "malformed-prose  execution_failed: Unexpected token 'S', \"Sure! Here\"... is not valid JSON",
  );
});

test("fake timers of the test don't stop the clock of the run", async () => {
  await captured(payer({}));
  vi.useFakeTimers();
  try {
    await expect(payer({})).toSurviveFaults();
  } finally {
    vi.useRealTimers();
  }
});

test("a stream fails, waits or returns malformed text only when it is read", async () => {
  const chunks = async function* (): AsyncGenerator<string> {
    yield* ["Hel", "lo"];
  };
  const reader = defineStep({
    name: "reader",
    input: z.object({ text: z.string() }),
    output: z.object({ said: z.string() }),
    run: async (_, { adapters: { model } }: StepContext<{ readonly model: { stream(): AsyncGenerator<string> } }>) => {
      const read = async (): Promise<string> => {
        let said = "";
        for await (const text of model.stream()) said += text;
        return said;
      };
      try {
        const said = await Promise.race([read(), sleep(120_000)]);
        return said === undefined ? fail("late", "It never came.") : { output: { said } };
      } catch {
        return fail("broken_off", "It broke off.");
      }
    },
  });
  stage.mode = "all";
  const model = { stream: chunks };
  await expect(reader).toMatchBaseline({ input: { text: "a" }, adapters: { model }, name: "one" });
  stage.settle("new");
  await expect(reader).toSurviveFaults();
  const failing = Object.fromEntries(
    ["aborted", "error-429", "error-500", "error-network"].map((fault) => [fault, "broken_off"]),
  );
  const other = Object.fromEntries(
    ["duplicate", "empty", "malformed-cut", "malformed-fenced", "malformed-prose", "out-of-order"].map((fault) => [
      fault,
      "another output",
    ]),
  );
  expect(JSON.parse(stage.stagedText())).toMatchObject({
    value: { "model.stream#1": { ...failing, ...other, slow: "same", timeout: "late" } },
  });
});

test("of the calls of one adapter the first ten go wrong, or all where that is requested", async () => {
  const asker = defineStep({
    name: "asker",
    input: z.object({ text: z.string() }),
    output: z.object({ said: z.string() }),
    run: async ({ text }, { adapters: { llm } }: StepContext<Adapters>) => {
      const said: string[] = [];
      for (let turn = 0; turn < 12; turn += 1) said.push(await llm.complete(`${text} ${turn}`).catch(() => "nothing"));
      return { output: { said: said.join() } };
    },
  });
  await captured(asker);
  await expect(asker).toSurviveFaults({ faults: ["error-429"] });
  const rows = (): number => Object.keys(JSON.parse(stage.stagedText()).value).length;
  expect(rows()).toBe(10);
  stage.begin(stage.root.replace(/__baselines__$/, "full"));
  await captured(asker);
  await expect(asker).toSurviveFaults({ faults: ["error-429"], full: true });
  expect(rows()).toBe(12);
});

test("a step that never looks at the clock hangs where its adapter does, and that is reported", async () => {
  const patient = defineStep({
    name: "patient",
    input: z.object({ text: z.string() }),
    output: z.object({ said: z.string() }),
    run: async ({ text }, { adapters: { llm } }: StepContext<Adapters>) => ({
      output: { said: await llm.complete(text).catch(() => "nothing") },
    }),
  });
  await captured(patient);
  const told = await stage.message(() => expect(patient).toSurviveFaults({ faults: ["timeout", "error-429"] }));
  expect(told).toContain("    llm.complete#1  timeout  hangs");
  expect(told).not.toContain("error-429");
  // Of two runs that are still active, a later request from outside of them could belong to either.
  expect(sharedValue("active-runs", types.isSet, () => new Set())().size).toBe(0);
});

test("another outcome than the accepted one is one changed line; one that is accepted stays reported", async () => {
  await captured(payer({}));
  await expect(payer({})).toSurviveFaults();
  stage.settle("new");
  await expect(payer({})).toSurviveFaults();
  expect(stage.notes.at(-1)).toStrictEqual([]);
  const told = await stage.message(() => expect(payer({ crashesOn429: true })).toSurviveFaults());
  expect(told.split("\n").slice(2, 4)).toStrictEqual([
    "  ROOT/pay/one-HASH.json  value_changed",
    "    llm.complete#1  error-429  no_model → execution_failed: 429 Rate limit reached",
  ]);
  stage.mode = "all";
  await expect(payer({ crashesOn429: true })).toSurviveFaults();
  expect(stage.changes.at(-1)).toMatchObject({ intent: "write", verdict: "value_changed" });
  stage.settle("new");
  await expect(payer({ crashesOn429: true })).toSurviveFaults();
  expect(stage.notes.at(-1)).toStrictEqual(["the step doesn't survive 1 fault, as accepted"]);
});

test("two calls that fail together have a cell for each pair of faults", async () => {
  interface Sources {
    readonly one: { get(text: string): Promise<string> };
    readonly two: { get(text: string): Promise<string> };
  }
  const caught = async (call: Promise<string>): Promise<unknown> => call.then(() => undefined).catch(statusOf);
  const step = defineStep({
    name: "both",
    input: z.object({ text: z.string() }),
    output: z.object({ text: z.string() }),
    run: async ({ text }, { adapters: { one, two } }: StepContext<Sources>) => {
      const failures = [await caught(one.get(text)), await caught(two.get(text))];
      if (failures.every((status) => status === 429)) await new Promise(() => undefined);
      return failures.includes(undefined) ? { output: { text } } : fail("both_down", "Both are down.");
    },
  });
  stage.mode = "all";
  const sources = { one: { get: async () => "1" }, two: { get: async () => "2" } };
  await expect(step).toMatchBaseline({ input: { text: "a" }, adapters: sources, name: "one" });
  stage.settle("all");
  await expect(step).toSurviveFaults({ faults: ["error-429", "error-500"] });
  expect(JSON.parse(stage.stagedText())).toMatchObject({
    value: {
      "one.get#1 + two.get#1": {
        "error-429 + error-429": "hangs",
        "error-429 + error-500": "both_down",
        "error-500 + error-429": "both_down",
        "error-500 + error-500": "both_down",
      },
    },
  });
});

function statusOf(thrown: unknown): unknown {
  return Reflect.get(Object(thrown), "status");
}

test.each([
  ["Retries must be idempotent", "wrote twice: shop.createTicket"],
  ['A body {"Idempotency-Key": "t-1"}', "same"],
  ['Pairs [["Idempotency-Key","t-1"]]', "same"],
  ["https://shop.test/?idempotency_key=t-1", "same"],
])("the name of a field is an idempotency key, other text isn't: %s", async (text, outcome) => {
  interface Shop {
    readonly shop: { createTicket(ticket: { readonly text: string }): Promise<string> };
  }
  const step = defineStep({
    name: "ticket",
    input: z.object({ text: z.string() }),
    output: z.object({ id: z.string() }),
    roles: { "shop.createTicket": "write" },
    run: async (ticket, { adapters: { shop } }: StepContext<Shop>) => {
      const create = async (): Promise<string | undefined> => shop.createTicket(ticket).catch(() => undefined);
      const id = (await create()) ?? (await create());
      return id === undefined ? fail("down", "The shop is down.") : { output: { id } };
    },
  });
  stage.mode = "all";
  const shop = { createTicket: async () => "1" };
  await expect(step).toMatchBaseline({ input: { text }, adapters: { shop }, name: "one", effects: "run" });
  stage.settle("all");
  await expect(step).toSurviveFaults({ faults: ["crash-after-effect"] });
  expect(JSON.parse(stage.stagedText())).toMatchObject({
    value: { "shop.createTicket#1": { "crash-after-effect": outcome } },
  });
});

test("a check of some faults keeps the accepted outcomes of the others", async () => {
  await captured(payer({}));
  await expect(payer({})).toSurviveFaults();
  stage.settle("new");
  await expect(payer({})).toSurviveFaults({ faults: ["slow"] });
  expect(stage.changes).toStrictEqual([]);
});

test("reports why a step can't be checked", async () => {
  expect(await stage.message(() => expect(payer({})).toSurviveFaults())).toContain("pay: no baseline in ROOT/pay/");
  expect(await stage.message(() => expect(payer({})).toSurviveFaults({ faults: ["rain"] }))).toContain(
    'toSurviveFaults: there is no fault "rain". Use one of these: error-429, error-500,',
  );
  expect(await stage.message(() => expect<unknown>(3).toSurviveFaults())).toBe(
    "toSurviveFaults expects a step, got number.",
  );
  await captured(payer({}));
  const other = defineStep({
    name: "pay",
    input: z.object({ text: z.string() }),
    output: z.object({ paid: z.string() }),
    run: () => ({ output: { paid: "nobody" } }),
  });
  expect(await stage.message(() => expect(other).toSurviveFaults())).toContain(
    'The case can\'t be tested with faults: even without a fault, its recording ends in "another output" (see toReplay).',
  );
});
