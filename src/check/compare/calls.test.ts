import { join } from "node:path";
import * as fc from "fast-check";
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
import { compareCalls, firstUnrecordedRequest, sendsSameRequests } from "./compare-calls.ts";
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

test("calls aren't compared with a recording without calls if the run called a model", async () => {
  const call: AdapterCall = { adapter: "llm.ask", request: ["?"], occurrence: 0, returns: "promise", response: "a" };
  const save = { ...call, adapter: "db.save" };
  const rules = { step: { roles: { "llm.*": "model", "db.*": "write" } as const }, context: {} };
  expect(await compareCalls([], [save, call], rules)).toBe(undefined);
  expect((await compareCalls([], [save, call], { ...rules, lacksCalls: false }))?.equal).toBe(false);
  expect((await compareCalls([], [save], rules))?.equal).toBe(false);
});

test("finds the first request that isn't recorded only if requests must match", () => {
  const recorded: AdapterCall = { adapter: "api", request: [1], occurrence: 0, returns: "promise", response: "a" };
  const live = [recorded, { ...recorded, request: [2] }];
  expect(firstUnrecordedRequest([recorded], live, { strictRequests: true })).toMatchObject({ request: [2] });
  expect(firstUnrecordedRequest([recorded], [recorded], { strictRequests: true })).toBe(undefined);
  expect(firstUnrecordedRequest([recorded], live, { strictRequests: false })).toBe(undefined);
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

/** A call of a run: what it does, and if it fails. */
interface Attempt {
  readonly request: string;
  readonly fails: boolean;
}

/** Roads by which a service reports a failure: an error of an adapter, a status, and a result of an MCP server. */
const FAILURES = {
  adapter: { error: { $t: "error", v: { name: "Error", message: "busy" } } },
  fetch: { response: { status: 409, type: "basic", headers: {} } },
  MCP: { response: { content: [], isError: true } },
} as const;

const RESPONSES = {
  adapter: { response: "done" },
  fetch: { response: { status: 200, type: "basic", headers: {} } },
  MCP: { response: { content: [] } },
} as const;

function callsOf(run: readonly Attempt[], road: keyof typeof FAILURES): readonly AdapterCall[] {
  const requestOf = (request: string): object =>
    road === "fetch"
      ? { method: request.startsWith("write") ? "POST" : "GET", origin: "http://a.test", path: `/${request.at(-1)}` }
      : { id: request.at(-1) };
  return run.map(({ request, fails }, index) => ({
    adapter: road === "fetch" ? "fetch" : `tools.${request.split(" ")[0]}`,
    occurrence: run.slice(0, index).filter((earlier) => earlier.request === request).length,
    returns: "promise",
    request: [requestOf(request)],
    ...(fails ? FAILURES : RESPONSES)[road],
  }));
}

/** The calls that count, by the rule: all but failed ones whose next call is the same. */
function counted(run: readonly Attempt[]): { readonly reads: readonly string[]; readonly writes: readonly string[] } {
  const requests = run
    .filter(({ request, fails }, index) => !fails || run[index + 1]?.request !== request)
    .map(({ request }) => request);
  const isWrite = (request: string): boolean => request.startsWith("write");
  return { reads: requests.filter((request) => !isWrite(request)).toSorted(), writes: requests.filter(isWrite) };
}

/** Attempts of each call that counts, by request, and whether the last one succeeded. */
function groupsOf(run: readonly Attempt[]): ReadonlyMap<string, readonly { attempts: number; succeeds: boolean }[]> {
  const groups: { request: string; attempts: number; succeeds: boolean }[] = [];
  let attempts = 0;
  for (const [index, { request, fails }] of run.entries()) {
    attempts += 1;
    if (fails && run[index + 1]?.request === request) continue;
    groups.push({ request, attempts, succeeds: !fails });
    attempts = 0;
  }
  return Map.groupBy(groups, ({ request }) => request);
}

/** Returns true if a call succeeded by a retry that the other run doesn't make. */
function dropsRetry(before: readonly Attempt[], after: readonly Attempt[]): boolean {
  const now = groupsOf(after);
  return [...groupsOf(before)].some(([request, groups]) =>
    groups.some(({ attempts, succeeds }, index) => {
      const group = now.get(request)?.[index];
      const isMore = (now.get(request)?.length ?? 0) > groups.length;
      return succeeds && group?.succeeds === false && group.attempts < attempts && !isMore;
    }),
  );
}

const RETRY_RULES = { step: { roles: { "tools.write": "write", "tools.read": "read" } as const }, context: {} };

const randomRun = fc.array(
  fc.record({ request: fc.constantFrom("read a", "read b", "write a", "write b"), fails: fc.boolean() }),
  { maxLength: 6 },
);

/** A second run: another random one, or the same requests with other failures. */
const randomPair = fc
  .tuple(randomRun, randomRun, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), fc.boolean())
  .map(([before, other, fails, isOther]) => ({
    before,
    after: isOther ? other : before.map(({ request }, index) => ({ request, fails: fails[index] === true })),
  }));

test.each([
  "adapter",
  "fetch",
  "MCP",
] as const)("the calls of two random runs are equal exactly if those that count are: %s", async (road) => {
  await fc.assert(
    fc.asyncProperty(randomPair, async ({ before, after }) => {
      const diff = await compareCalls(callsOf(before, road), callsOf(after, road), RETRY_RULES);
      const [was, is] = [counted(before), counted(after)];
      expect(diff?.equal).toBe(JSON.stringify(was) === JSON.stringify(is) && !dropsRetry(before, after));
      const gained = is.reads.length + is.writes.length - was.reads.length - was.writes.length;
      const times = (kind: string): number =>
        (diff?.changes ?? []).reduce(
          (sum, change) => sum + (change.kind === kind && "times" in change ? change.times : 0),
          0,
        );
      expect(times("added") - times("removed")).toBeLessThanOrEqual(gained);
      // A dropped retry is a removed call, too.
      const isComplete = [...groupsOf(after).values()].flat().every(({ succeeds }) => succeeds);
      if (isComplete) expect(times("added") - times("removed")).toBe(gained);
    }),
  );
});

test.each([
  "adapter",
  "fetch",
  "MCP",
] as const)("a second success isn't a retry, although the baseline has as many requests: %s", async (road) => {
  const pay = (...fails: readonly boolean[]): readonly AdapterCall[] =>
    callsOf(
      fails.map((each) => ({ request: "write a", fails: each })),
      road,
    );
  const changesOf = async (before: readonly AdapterCall[], after: readonly AdapterCall[]): Promise<unknown> =>
    (await compareCalls(before, after, RETRY_RULES))?.changes.map((change) => [
      change.kind,
      "times" in change ? change.times : 0,
    ]);
  expect(await changesOf(pay(true, false), pay(false, false))).toStrictEqual([["added", 1]]);
  expect(await changesOf(pay(true, true, false), pay(false, true, false))).toStrictEqual([["added", 1]]);
  expect(await changesOf(pay(false, false), pay(true, false))).toStrictEqual([["removed", 1]]);
  expect(await changesOf(pay(true, false), pay(false))).toStrictEqual([]);
  expect(await changesOf(pay(true, true, false), pay(true))).toStrictEqual([["removed", 2]]);
  expect(await changesOf(pay(true, false), pay(true, true))).toStrictEqual([]);
  // Sent in parallel, the second isn't a retry of the first either.
  const parallel = pay(true, false).map((call, index) => (index === 1 ? { ...call, parallel: 1 } : call));
  expect(await changesOf(pay(true, false), parallel)).toStrictEqual([["added", 1]]);
});

test("the order of overlapping retries doesn't matter", async () => {
  const [a, b] = ["read a", "read b"];
  const runOf = (...requests: readonly string[]): readonly AdapterCall[] =>
    callsOf(
      requests.map((request, index) => ({ request, fails: index < 2 })),
      "adapter",
    ).map((call, index) => (index === 0 ? call : { ...call, parallel: 1 }));
  const diff = await compareCalls(runOf(a, b, a, b), runOf(a, b, b, a), RETRY_RULES);
  expect(diff?.changes).toStrictEqual([]);
});
