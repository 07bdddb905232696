import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as z from "zod";
import type { AdapterCall } from "../../record/adapter-call.ts";
import { tool } from "../../record/calls/tool.ts";
import { openLibrary } from "../../baseline/baseline-library.ts";
import { putBaseline } from "../../../test-support/put-baseline.ts";
import { within } from "../../kernel/diff/tolerances.ts";
import type { StepContext } from "../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../kernel/step/define-step.ts";
import { checkInputCase, checkStoredCase } from "../../../test-support/check-stored-case.ts";
import type { Check } from "../check.ts";
import { compareCalls, sendsSameRequests } from "./compare-calls.ts";
import { temporaryProject } from "../../../test-support/temporary-project.ts";

/** One call of a scripted agent: the adapter's path and its argument. */
type Use = readonly [adapter: string, argument: unknown];

interface Adapters {
  readonly llm: { plan(prompt: string): Promise<readonly Use[]> };
  readonly tools: Readonly<Record<string, (argument: unknown) => Promise<unknown>>>;
}

interface How {
  readonly prompt?: string;
  readonly says?: string;
  readonly code?: (plan: readonly Use[]) => readonly Use[];
  readonly parallel?: boolean;
  readonly config?: Partial<Pick<Parameters<typeof defineStep>[0], "calls" | "roles" | "compare">>;
}

/** An agent: it asks its model for a plan and follows it, trying again what fails with 429. */
function agentOf({
  prompt = "Help.",
  says = "done",
  code = (plan) => plan,
  parallel = false,
  config = {},
}: How = {}): AnyStep {
  return defineStep({
    name: "agent",
    input: z.object({}),
    output: z.object({ said: z.string() }),
    roles: { "tools.save": "write", "tools.delete": "write", "tools.charge": "write" },
    ...config,
    run: async (_input, { adapters }: StepContext<Adapters>) => {
      const plan = code(await adapters.llm.plan(prompt));
      const use = async ([name, argument]: Use): Promise<unknown> => {
        const called = adapters.tools[name];
        if (called === undefined) throw new Error(`no tool ${name}`);
        try {
          return await called(argument);
        } catch (error) {
          if (error instanceof Error && error.message === "429") return called(argument);
          throw error;
        }
      };
      if (parallel) await Promise.all(plan.map(use));
      else for (const one of plan) await use(one);
      return { output: { said: says } };
    },
  });
}

/** A world in which the model plans what it is told to; `busy` tools answer 429 the first time. */
function worldOf(
  plan: readonly Use[],
  { busy = [], ran = [] }: { readonly busy?: readonly string[]; readonly ran?: string[] } = {},
): Adapters {
  const waiting = new Set(busy);
  const tools = Object.fromEntries(
    ["lookup", "search", "poll", "save", "delete", "charge"].map((name) => [
      name,
      async (argument: unknown) => {
        if (waiting.delete(name)) throw new Error("429");
        ran.push(name);
        return { name, argument };
      },
    ]),
  );
  return { llm: { plan: async () => plan }, tools };
}

async function capture(step: AnyStep, adapters: Adapters) {
  const library = openLibrary(join(temporaryProject("calls"), "__baselines__"));
  // Captured as a step that may write for real: what a live check then holds is answered by what was recorded here.
  const captured = await checkInputCase(
    step,
    { input: {}, label: "case", mayCapture: true, adapters, executesWrites: true },
    library,
  );
  putBaseline(captured.path, captured.update?.propose().after ?? "");
  const [stored] = library.all("agent");
  if (stored === undefined) throw new Error(`nothing was captured: ${JSON.stringify(captured.verdict)}`);
  return { library, stored };
}

function told({ verdict }: Check): unknown {
  const changes = "changes" in verdict ? verdict.changes : [];
  const lines = changes.flatMap((change) =>
    change.part === "calls"
      ? change.diff.changes.map(
          (one) => `${one.kind} ${one.adapter}${"times" in one && one.times > 1 ? ` × ${one.times}` : ""}`,
        )
      : [change.part],
  );
  return [verdict.kind, "cause" in verdict ? verdict.cause?.kind : undefined, ...lines];
}

const LOOKUP: Use = ["lookup", { city: "Oslo" }];
const SEARCH: Use = ["search", { q: "x" }];
const SAVE: Use = ["save", { id: 1 }];
const CHARGE: Use = ["charge", { sum: 5 }];
const PLAN = [LOOKUP, SEARCH, SAVE, CHARGE];
const polls = (times: number): readonly Use[] => Array.from({ length: times }, () => ["poll", { id: 1 }] as const);

interface Row {
  readonly title: string;
  readonly before?: readonly Use[];
  readonly after?: readonly Use[];
  readonly today?: How;
  readonly first?: How;
  readonly busy?: readonly string[];
  readonly is: readonly unknown[];
}

const LIVE: readonly Row[] = [
  { title: "nothing changed", is: ["clean", undefined] },
  { title: "a model that now also deletes", after: [...PLAN, ["delete", { id: 7 }]], is: ["failed", "model"] },
  {
    title: "a model that looks up something else",
    after: [["lookup", { city: "Rome" }], SEARCH, SAVE, CHARGE],
    is: ["calls_changed", "model", "changed tools.lookup"],
  },
  {
    title: "a model that no longer looks",
    after: [SEARCH, SAVE, CHARGE],
    is: ["calls_changed", "model", "removed tools.lookup"],
  },
  {
    title: "a model that no longer saves",
    after: [LOOKUP, SEARCH, CHARGE],
    is: ["calls_changed", "model", "removed tools.save"],
  },
  { title: "a model that looks twice", after: [LOOKUP, ...PLAN], is: ["calls_changed", "model", "added tools.lookup"] },
  {
    title: "a model that charges twice, answered as it was recorded",
    after: [...PLAN, CHARGE],
    is: ["calls_changed", "model", "added tools.charge"],
  },
  { title: "reads in another order", after: [SEARCH, LOOKUP, SAVE, CHARGE], is: ["clean", undefined] },
  {
    title: "writes in another order",
    after: [LOOKUP, SEARCH, CHARGE, SAVE],
    is: ["calls_changed", "model", "moved tools.save"],
  },
  { title: "a tool that answers 429 first", busy: ["lookup"], is: ["clean", undefined] },
  { title: "all at once", today: { parallel: true }, first: { parallel: true }, is: ["clean", undefined] },
  {
    title: "polling 5 times for 3",
    before: polls(3),
    after: polls(5),
    is: ["calls_changed", "model", "added tools.poll × 2"],
  },
  {
    title: "polling 5 times for 3 under a tolerance",
    before: polls(3),
    after: polls(5),
    today: { config: { compare: { "calls.tools.poll": within(2) } } },
    is: ["clean", undefined],
  },
  {
    title: "code that skips a read",
    today: { code: (plan) => plan.slice(1) },
    is: ["calls_changed", "code", "removed tools.lookup"],
  },
  {
    title: "code that asks a tool for something else",
    today: { code: ([_first, ...rest]) => [["lookup", { city: "Bonn" }], ...rest] },
    is: ["calls_changed", "code", "changed tools.lookup"],
  },
  {
    title: "code that writes in another order",
    today: { code: ([a, b, c, d]) => [a, b, d, c].flatMap((one) => (one === undefined ? [] : [one])) },
    is: ["calls_changed", "code", "moved tools.save"],
  },
  { title: "a new prompt and the same plan", today: { prompt: "Please help." }, is: ["clean", "prompt"] },
  {
    title: "a new prompt and another plan",
    today: { prompt: "Please help." },
    after: [SEARCH, SAVE, CHARGE],
    is: ["calls_changed", "prompt", "removed tools.lookup"],
  },
  {
    title: "other words and other calls",
    today: { says: "ok" },
    after: [SEARCH, SAVE, CHARGE],
    is: ["calls_changed", "mixed", "output", "removed tools.lookup"],
  },
  {
    title: "writes alone count",
    today: { config: { calls: "writes" } },
    after: [SEARCH, SAVE, CHARGE],
    is: ["clean", undefined],
  },
  {
    title: "writes alone count, and one is gone",
    today: { config: { calls: "writes" } },
    after: [LOOKUP, SEARCH, SAVE],
    is: ["calls_changed", "model", "removed tools.charge"],
  },
  { title: "no calls count", today: { config: { calls: "none" } }, after: [LOOKUP, SEARCH], is: ["clean", undefined] },
];

describe("live", () => {
  test.each(LIVE)("$title", async ({ before = PLAN, after = before, today = {}, first = {}, busy = [], is }) => {
    const { library, stored } = await capture(agentOf(first), worldOf(before));
    const ran: string[] = [];
    const check = await checkStoredCase(agentOf(today), stored, {
      root: library.root,
      adapters: worldOf(after, { busy, ran }),
    });
    expect(told(check)).toStrictEqual(is);
    // No write ran, whatever was asked for.
    expect(ran.filter((name) => ["save", "delete", "charge"].includes(name))).toStrictEqual([]);
  });

  test("a write without a response fails the case, and the message names three ways to add one", async () => {
    const { library, stored } = await capture(agentOf(), worldOf(PLAN));
    const adapters = worldOf([...PLAN, ["delete", { id: 7 }]]);
    const { verdict } = await checkStoredCase(agentOf(), stored, { root: library.root, adapters });
    expect(verdict).toMatchObject({
      kind: "failed",
      error: {
        code: "effect_unanswered",
        message:
          'Tests don\'t run the write adapter "tools.delete", and it has no stub. Add a stub to the tool, or pass effects: "run" to run the write with live adapters.',
      },
    });
  });

  test("a tool with a stub: the new write is one line, and does not run", async () => {
    const { library, stored } = await capture(agentOf(), worldOf(PLAN));
    let ran = 0;
    const remove = tool({ name: "delete", effect: "write", stub: () => true, run: () => ((ran += 1), true) });
    const world = worldOf([...PLAN, ["delete", { id: 7 }]]);
    const check = await checkStoredCase(agentOf(), stored, {
      root: library.root,
      adapters: { ...world, tools: { ...world.tools, delete: remove } },
    });
    expect(told(check)).toStrictEqual(["calls_changed", "model", "added tools.delete"]);
    expect(check).toMatchObject({ findings: { skippedWrites: 3 } });
    expect(ran).toBe(0);
  });

  test("changes of a live run are clean once accepted, live and recorded", async () => {
    const { library, stored } = await capture(agentOf(), worldOf(PLAN));
    const today = worldOf([SEARCH, CHARGE, SAVE]);
    const check = await checkStoredCase(agentOf(), stored, { root: library.root, adapters: today });
    putBaseline(check.path, check.update?.propose().after ?? "");
    const [accepted] = library.all("agent");
    if (accepted === undefined) throw new Error("nothing is stored");
    expect(told(await checkStoredCase(agentOf(), accepted, { root: library.root }))).toStrictEqual([
      "clean",
      undefined,
    ]);
    expect(told(await checkStoredCase(agentOf(), accepted, { root: library.root, adapters: today }))).toStrictEqual([
      "clean",
      undefined,
    ]);
  });
});

const RECORDED: readonly Row[] = [
  { title: "nothing changed", is: ["clean", undefined] },
  {
    title: "code that no longer saves",
    today: { code: (plan) => plan.filter((one) => one !== plan[2]) },
    is: ["calls_changed", "code", "removed tools.save"],
  },
  {
    title: "code that no longer looks",
    today: { code: (plan) => plan.slice(1) },
    is: ["calls_changed", "code", "removed tools.lookup"],
  },
  {
    title: "code that writes in another order",
    today: { code: ([a, b, c, d]) => [a, b, d, c].flatMap((one) => (one === undefined ? [] : [one])) },
    is: ["calls_changed", "code", "moved tools.save"],
  },
  {
    title: "code that reads in another order",
    today: { code: ([a, b, ...rest]) => [b, a, ...rest].flatMap((one) => (one === undefined ? [] : [one])) },
    is: ["clean", undefined],
  },
  {
    title: "code that asks for more than is recorded",
    today: { code: (plan) => [...plan, ["delete", { id: 7 }]] },
    is: ["request_changed", "code"],
  },
  {
    title: "code that asks a tool for something else",
    today: { code: ([_first, ...rest]) => [["lookup", { city: "Bonn" }], ...rest] },
    is: ["request_changed", "code"],
  },
  { title: "a new prompt", today: { prompt: "Please help." }, is: ["request_changed", "prompt"] },
];

describe("recorded", () => {
  test.each(RECORDED)("$title", async ({ before = PLAN, today = {}, is }) => {
    const { library, stored } = await capture(agentOf(), worldOf(before));
    const check = await checkStoredCase(agentOf(today), stored, { root: library.root });
    expect(told(check)).toStrictEqual(is);
  });
});

test("a live run is compared without the classes of arguments if its recording has none of the adapter", async () => {
  const call = (request: unknown): AdapterCall => ({
    adapter: "api.send",
    request: [request],
    occurrence: 0,
    returns: "promise",
    role: "write",
    response: "done",
  });
  const rules = { step: {}, context: {} };
  const [get, del] = ["GetCommand", "DeleteCommand"].map((name) => call({ $instanceOf: name, id: 1 }));
  const earlier = [call({ id: 1 })];
  if (get === undefined || del === undefined) throw new TypeError("no calls");
  expect(sendsSameRequests(earlier, [del])).toBe(true);
  expect((await compareCalls(earlier, [del], rules))?.entries).toStrictEqual([]);
  expect(sendsSameRequests([get], [del])).toBe(false);
  expect((await compareCalls([get], [del], rules))?.entries).toStrictEqual([
    { path: ["api.send", "$instanceOf"], before: "GetCommand", after: "DeleteCommand" },
  ]);
});

test.each([
  ["tools.charge", undefined],
  ["tools.charges", ['order "tools.charges"']],
])("an order for %s has the unmatched names %j", async (name, unmatched) => {
  const { library, stored } = await capture(agentOf(), worldOf(PLAN));
  const step = { ...agentOf(), order: { [name]: { after: ["tools.lookup"] } } };
  const check = await checkStoredCase(step, stored, { root: library.root });
  expect(check.findings.unmatchedRules).toStrictEqual(unmatched);
});
