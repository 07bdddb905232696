import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ok, unwrap } from "../../../kernel/result.ts";
import {
  type Command,
  emit,
  fanout,
  invoke,
  isBlockingCommand,
  review,
  suspend,
} from "../../../kernel/step/command.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { defineWorkflow } from "../../../kernel/step/define-workflow.ts";
import { fail } from "../../../kernel/step/fail.ts";
import type { Block } from "../../../kernel/step/block.ts";
import type { CommandRow, RunStore, StepCommit } from "../../runs/store/contract.ts";
import { createMemoryStore } from "../../runs/store/memory.ts";
import { openSqliteStore } from "../../runs/store/sqlite.ts";
import { WorkflowPropertySubject, checkWorkflowProperties } from "./workflow-properties.ts";
import { type WorkflowProperty, WORKFLOW_PROPERTIES } from "./workflow-model.ts";
import type { SatisfyPropertiesOptions } from "../property-subject.ts";
import type { AnyWorkflow, SimulatedStoreContext } from "./workflow-simulation.ts";

const line = z.object({ sku: z.enum(["pen", "ink"]), amount: z.int().min(0).max(100) });

/** Two steps, effects of both, and a review where a line is large: two of a run may want one at once. */
const orders = defineWorkflow({
  name: "orders",
  version: "1.0.0",
  steps: {
    receive: defineStep({
      name: "receive",
      input: z.object({ lines: z.array(line).max(3) }),
      output: z.looseObject({}),
      run: ({ lines }) => ({
        output: { lines: lines.length },
        commands: [
          fanout(
            "check",
            lines.map((each, at) => ({ ...each, at })),
          ),
          emit("received", { lines: lines.length }),
        ],
      }),
    }),
    check: defineStep({
      name: "check",
      input: line.extend({ at: z.int() }),
      output: z.looseObject({}),
      run: ({ sku, amount, at }) => ({
        output: { [`line${at}`]: amount, last: sku },
        commands: [emit("checked", { at, sku }), ...(amount > 50 ? [review("large", { at })] : [])],
      }),
    }),
  },
});

/** Steps that wait for data, fail for good, and fail now and then. */
function claims(): AnyWorkflow {
  let asked = 0;
  const steps = {
    extract: defineStep({
      name: "extract",
      input: z.object({ text: z.string().max(5) }),
      output: z.looseObject({}),
      run: ({ text }) => {
        asked += 1;
        if (asked % 5 === 0) return fail("busy", "Not now.", { retryable: true });
        if (text.length === 4) return fail("unreadable", "No claim.");
        const wait = suspend({ reason: "a document is missing", checkpoint: { text }, resumeStep: "answer" });
        return { output: { text }, commands: [wait, emit("never", 1)] };
      },
    }),
    answer: defineStep({
      name: "answer",
      input: z.object({ checkpoint: z.object({ text: z.string() }), resumeData: z.unknown() }),
      output: z.looseObject({}),
      run: ({ checkpoint: { text }, resumeData }) => ({
        output: { resumeData },
        commands: text.length > 2 ? [review("sure?"), emit("answered", text), invoke("close", {})] : [],
      }),
    }),
    close: defineStep({
      name: "close",
      input: z.object({}),
      output: z.looseObject({}),
      run: () => ({ output: { closed: true } }),
    }),
  };
  return defineWorkflow({ name: "claims", version: "2.0.0", steps });
}

const only = (run: AnyStep["run"]): AnyWorkflow =>
  defineWorkflow({
    name: "one",
    version: "1.0.0",
    steps: { only: defineStep({ name: "only", input: z.object({}), output: z.looseObject({}), run }) },
  });

/** Methods of a store that behave otherwise than those of the store in memory. */
interface Changes extends Partial<Omit<RunStore, "blocks" | "outbox">> {
  readonly blocks?: Partial<RunStore["blocks"]>;
  readonly outbox?: Partial<RunStore["outbox"]>;
}

type Plant = (inner: RunStore, world: SimulatedStoreContext) => Changes;

const opened =
  (plant: Plant) =>
  (world: SimulatedStoreContext): RunStore => {
    const inner = createMemoryStore({ clock: world.clock });
    const { blocks, outbox, ...changes } = plant(inner, world);
    return {
      start: async (start) => inner.start(start),
      load: async (workflowId, runId) => inner.load(workflowId, runId),
      commit: async (commit) => inner.commit(commit),
      recordFailure: async (failure) => inner.recordFailure(failure),
      setOverlay: async (change) => inner.setOverlay(change),
      retry: async (decision) => inner.retry(decision),
      cancel: async (decision) => inner.cancel(decision),
      remove: async (run) => inner.remove(run),
      entries: async (workflowId, runId) => inner.entries(workflowId, runId),
      events: async (workflowId, runId) => inner.events(workflowId, runId),
      commands: async (workflowId, runId) => inner.commands(workflowId, runId),
      list: async (filter) => inner.list(filter),
      close: async () => inner.close(),
      ...changes,
      blocks: { ...inner.blocks, ...blocks },
      outbox: { ...inner.outbox, ...outbox },
    };
  };

const THIEF = { owner: "nobody", limit: 1, leaseMs: 1 };
const THEFT = { code: "stolen", message: "by the test" };

/** Drops what is due next, as though it had been carried out. */
async function loseNext({ outbox }: RunStore): Promise<void> {
  const [row] = unwrap(await outbox.lease(THIEF));
  if (row === undefined) return;
  if (row.kind === "emit") unwrap(await outbox.markDispatched({ owner: THIEF.owner, keys: [row.key] }));
  else unwrap(await outbox.markFailed({ owner: THIEF.owner, key: row.key, error: THEFT }));
}

/** A store that opens a second block of a step in another list. */
function secondBlocks(inner: RunStore): Changes {
  const beside: Block[] = [];
  return {
    commit: async (commit) => {
      const committed = await inner.commit(commit);
      const wait = commit.commands.find(isBlockingCommand);
      const { workflowId, workflowVersion, runId, stepId, stepName } = commit;
      if (wait === undefined || !committed.ok) return committed;
      const blockId = `${committed.value.blockId} again`;
      const block = { blockId, workflowId, workflowVersion, runId, stepId, stepName, openedAt: 0 };
      beside.push({ ...block, kind: wait.type, reason: wait.reason });
      return committed;
    },
    blocks: { list: async (filter) => ok([...unwrap(await inner.blocks.list(filter)), ...beside]) },
  };
}

/** A store that hands a row to whoever asks, while another worker has it. */
function sharedRows(inner: RunStore): Changes {
  const held: CommandRow[] = [];
  return {
    outbox: {
      lease: async (lease) => {
        const rows = unwrap(await inner.outbox.lease(lease));
        if (rows.length > 0) held.push(...rows);
        const last = held.at(-1);
        const now = last && unwrap(await inner.outbox.get(last.key));
        return ok(rows.length > 0 || now?.status !== "leased" ? rows : [{ ...now, leaseOwner: lease.owner }]);
      },
    },
  };
}

const withCommands = (commit: StepCommit, commands: readonly Command[]): StepCommit => ({ ...commit, commands });

const PLANTS: Readonly<Record<string, readonly [law: WorkflowProperty, plant: Plant]>> = {
  "marking a command drops the next one": [
    "lost",
    (inner) => ({
      outbox: {
        markDispatched: async (mark) => {
          const marked = await inner.outbox.markDispatched(mark);
          if (marked.ok) await loseNext(inner);
          return marked;
        },
      },
    }),
  ],
  "a commit drops the last command": [
    "lost",
    (inner) => ({ commit: async (commit) => inner.commit(withCommands(commit, commit.commands.slice(0, -1))) }),
  ],
  "a crash leaves half a commit": [
    "lost",
    (inner, { dying }) => ({
      commit: async (commit) => inner.commit(dying() ? withCommands(commit, []) : commit),
    }),
  ],
  "approving a review rejects what it held back": [
    "lost",
    (inner) => ({
      blocks: {
        resolve: async (resolve) =>
          inner.blocks.resolve(
            resolve.decision.kind === "approve" ? { ...resolve, decision: { kind: "reject" } } : resolve,
          ),
      },
    }),
  ],
  "a command is given to two workers": ["once", sharedRows],
  "a command that comes again has a new key": [
    "once",
    (inner) => ({
      outbox: {
        lease: async (lease) =>
          ok(
            unwrap(await inner.outbox.lease(lease)).map((row) =>
              row.attempts > 1 || row.deaths !== undefined ? { ...row, key: `${row.key}-again` } : row,
            ),
          ),
      },
    }),
  ],
  "what comes twice changes the state twice": [
    "once",
    (inner) => ({
      commit: async (commit) => {
        const committed = await inner.commit(commit);
        if (!committed.ok || !committed.value.duplicate) return committed;
        const expectedVersion = unwrap(await inner.load(commit.workflowId, commit.runId))?.version ?? 0;
        await inner.commit({ ...commit, expectedVersion, stepId: `${commit.stepId}-${expectedVersion}`, commands: [] });
        return committed;
      },
    }),
  ],
  "marking an effect does nothing": [
    "once",
    () => ({ outbox: { markDispatched: async ({ keys }) => ok({ marked: keys.length }) } }),
  ],
  "resolving a block does not close it": [
    "blocks",
    (inner) => ({
      blocks: { resolve: async ({ blockId }) => ok(unwrap(await inner.blocks.get(blockId)) ?? null) },
    }),
  ],
  "a step opens a second block next to its first": ["blocks", secondBlocks],
  "what a rejected review held back goes out": [
    "blocks",
    (inner) => ({
      blocks: {
        resolve: async (resolve) =>
          inner.blocks.resolve(
            resolve.decision.kind === "reject" ? { ...resolve, decision: { kind: "approve" } } : resolve,
          ),
      },
    }),
  ],
  "what a review holds back goes out before": [
    "blocks",
    (inner) => {
      const early: CommandRow[] = [];
      return {
        outbox: {
          lease: async (lease) => {
            const rows = unwrap(await inner.outbox.lease(lease));
            const [open] = unwrap(await inner.blocks.list());
            if (rows.length > 0 || open === undefined) return ok(rows);
            const held = unwrap(await inner.commands(open.workflowId, open.runId));
            early.push(...held.filter(({ status }) => status === "deferred"));
            return ok(early.splice(0));
          },
        },
      };
    },
  ],
  "a commit is taken for one that comes again": [
    "lost",
    (inner) => ({
      commit: async (commit) =>
        commit.stepName === "check" ? ok({ version: 1, duplicate: true }) : inner.commit(commit),
    }),
  ],
  "effects are put off for ever": [
    "lost",
    (inner) => ({
      outbox: {
        lease: async (lease) => {
          const rows = unwrap(await inner.outbox.lease(lease));
          const never = { owner: lease.owner, error: THEFT, retryMs: Number.MAX_SAFE_INTEGER, uncounted: true };
          for (const { key, kind } of rows) if (kind === "emit") await inner.outbox.markFailed({ ...never, key });
          return ok(rows.filter(({ kind }) => kind !== "emit"));
        },
      },
    }),
  ],
  "an output does not reach the state": [
    "once",
    (inner) => ({
      load: async (workflowId, runId) => {
        const run = unwrap(await inner.load(workflowId, runId));
        return ok(run && { ...run, computed: {} });
      },
    }),
  ],
  "anybody may mark a command": [
    "once",
    (inner) => ({
      outbox: {
        markDispatched: async (mark) => {
          const marked = await inner.outbox.markDispatched(mark);
          return marked.ok ? marked : ok({ marked: 1 });
        },
      },
    }),
  ],
  "a block can be resolved twice": [
    "blocks",
    (inner) => ({
      blocks: {
        resolve: async (resolve) => {
          const first = await inner.blocks.resolve(resolve);
          return first.ok ? ok(first.value ?? unwrap(await inner.blocks.get(resolve.blockId)) ?? null) : first;
        },
      },
    }),
  ],
  "who resolves a block is told that somebody was first": [
    "blocks",
    (inner) => ({
      blocks: {
        resolve: async (resolve) => {
          const first = await inner.blocks.resolve(resolve);
          return first.ok ? ok(null) : first;
        },
      },
    }),
  ],
  "a lease never ends": ["ends", () => ({ outbox: { reclaim: async () => ok({ reclaimed: 0 }) } })],
};

/** A few seeds, or with `VERITEST_FAULTS=full` as many as the goal says. */
const SEEDS = Array.from({ length: process.env["VERITEST_FAULTS"] === "full" ? 20 : 2 }, (_, index) => index + 1);

/** Runs a list of actions of `orders` once more. */
async function problemOf(
  property: WorkflowProperty,
  input: unknown,
  options: SatisfyPropertiesOptions = {},
): Promise<string | undefined> {
  return new WorkflowPropertySubject(orders, options).check(property, { input, answers: {}, order: 0 });
}

describe("checkWorkflowProperties", () => {
  test("passes correct workflows on correct stores", { tags: "deep" }, async () => {
    for (const seed of SEEDS) {
      expect(await checkWorkflowProperties(orders, { seed, runs: 50 })).toBeUndefined();
      expect(await checkWorkflowProperties(claims(), { seed, runs: 50 })).toBeUndefined();
    }
    const store = async ({ clock }: SimulatedStoreContext): Promise<RunStore> =>
      unwrap(await openSqliteStore({ path: ":memory:", clock }));
    expect(await checkWorkflowProperties(orders, { seed: 1, runs: 50, store })).toBeUndefined();
    expect(await checkWorkflowProperties(claims(), { seed: 1, runs: 50, store })).toBeUndefined();
  });

  describe.each(Object.entries(PLANTS))("%s", (_name, [law, plant]) => {
    test.each(SEEDS)("is found by its property, with few actions (seed %i)", { tags: "deep" }, async (seed) => {
      const store = opened(plant);
      const found = await checkWorkflowProperties(orders, { seed, runs: 200, store });
      expect(found).toMatchObject({ property: law, seed });
      const actions = found?.draw.input;
      expect(Array.isArray(actions) ? actions.length : 99).toBeLessThanOrEqual(6);
      const again = { property: law, problem: found?.problem };
      expect(await problemOf(law, JSON.parse(JSON.stringify(actions)), { store })).toBe(again.problem);
      expect(await checkWorkflowProperties(orders, { seed, runs: 200, store, path: found?.path ?? "" })).toMatchObject(
        again,
      );
    });
  });

  test("has a store at fault for each of its properties", () => {
    expect(new Set(Object.values(PLANTS).map(([law]) => law))).toEqual(new Set(Object.keys(WORKFLOW_PROPERTIES)));
  });

  test("finds a workflow that never ends", { tags: "deep" }, async () => {
    const { property, problem, draw } =
      (await checkWorkflowProperties(
        only(() => ({ output: {}, commands: [invoke("only", {})] })),
        {
          seed: 1,
          runs: 10,
        },
      )) ?? {};
    expect({ law: property, says: problem, input: draw?.input }).toEqual({
      law: "ends",
      says: "The runs didn't finish within 2000 commands.",
      input: [{ kind: "start", input: {} }],
    });
  });

  test("finds a step that hangs", async () => {
    const hangs = only(async () => new Promise<never>(() => undefined));
    const found = await checkWorkflowProperties(hangs, { seed: 1, runs: 10, limit: 50 });
    expect(found).toMatchObject({ property: "ends", problem: "The run made no progress for 50 ms." });
    const subject = new WorkflowPropertySubject(hangs, { runs: 10, timeoutMs: 50 });
    const { failures } = await subject.search({ seed: 1 });
    expect(failures).toMatchObject([{ property: "ends", problem: "The run made no progress for 50 ms." }]);
    const [draw] = failures.map((failure) => failure.draw);
    expect(draw && (await subject.check("ends", draw))).toBe("The run made no progress for 50 ms.");
    expect(found?.draw.input).toEqual([{ kind: "start", input: {} }]);
  });

  test("finds a store that throws instead of returning an error", async () => {
    const store = opened(() => ({
      load: async () => {
        throw new Error("no connection");
      },
    }));
    expect(await checkWorkflowProperties(orders, { seed: 1, runs: 10, store })).toMatchObject({
      property: "ends",
      problem: "A store must return errors as values, but this store threw. The store failed: no connection.",
    });
  });

  test("names a run of a step by its field", async () => {
    const [, plant] = PLANTS["a lease never ends"] ?? [];
    const actions = [
      { kind: "start", input: { lines: [{ sku: "ink", amount: 1 }] } },
      { kind: "work" },
      { kind: "crash", when: "after", at: "lease" },
    ];
    const store = plant && opened(plant);
    expect(await problemOf("ends", actions, { store, runsBy: { check: "sku" } })).toBe(
      'Step "check" (sku: "ink") of run-1 stays leased to a worker that died, because the lease doesn\'t expire.',
    );
  });

  test("accepts a run that is blocked without a resolution", { tags: "deep" }, async () => {
    expect(await checkWorkflowProperties(orders, { seed: 1, runs: 50, resolve: {} })).toBeUndefined();
    expect(await checkWorkflowProperties(claims(), { seed: 1, runs: 50, resolve: { suspend: { name: "Ann" } } })).toBe(
      undefined,
    );
  });

  test("accepts a join that waits for blocks of its fanout, and blocks that time out", { tags: "deep" }, async () => {
    const any = z.looseObject({});
    const steps = {
      start: defineStep({
        name: "start",
        input: z.object({ parts: z.array(z.enum(["plain", "review", "suspend"])).max(3) }),
        output: any,
        run: ({ parts }) => ({
          output: {},
          commands: [
            fanout(
              "part",
              parts.map((kind, at) => ({ kind, at })),
              { then: "sum" },
            ),
          ],
        }),
      }),
      part: defineStep({
        name: "part",
        input: any,
        output: any,
        run: ({ kind, at, checkpoint }) => {
          const timeout = { after: 5, decision: at === 0 ? "reject" : "approve" } as const;
          if (kind === "review")
            return { output: { at }, commands: [review("sure?", at, { timeout }), emit("sure", at)] };
          const wait = { reason: "wait", checkpoint: at, timeout: { after: 5, data: 1 } };
          return kind === "suspend" ? { output: {}, commands: [suspend(wait)] } : { output: { at: at ?? checkpoint } };
        },
      }),
      sum: defineStep({
        name: "sum",
        input: z.array(z.object({ at: z.number() })),
        output: any,
        run: (all) => ({ output: { count: all.length }, commands: [emit("summed", all.length)] }),
      }),
    };
    const workflow = defineWorkflow({ name: "joined", version: "1.0.0", steps });
    for (const resolve of [undefined, {}, { review: "approve" as const, suspend: 2 }])
      expect(
        await checkWorkflowProperties(workflow, { seed: 1, runs: 100, ...(resolve && { resolve }) }),
      ).toBeUndefined();
  });

  test("calls adapters for real, begins as configured, and resolves as configured", async () => {
    const seen: unknown[] = [];
    const steps = {
      first: defineStep({ name: "first", input: z.object({}), output: z.looseObject({}), run: () => ({ output: {} }) }),
      second: defineStep({
        name: "second",
        input: z.looseObject({}),
        output: z.looseObject({}),
        run: async (input, { adapters }: StepContext<{ note: (value: unknown) => Promise<void> }>) => {
          await adapters.note(input);
          return "resumeData" in input
            ? { output: {} }
            : { output: {}, commands: [suspend({ reason: "wait", checkpoint: 1 })] };
        },
      }),
    };
    const workflow = defineWorkflow({ name: "two", version: "1.0.0", steps });
    const found = await checkWorkflowProperties(workflow, {
      seed: 1,
      runs: 3,
      start: "second",
      input: fc.constant({ given: true }),
      adapters: { note: async (value: unknown) => void seen.push(value) },
      resolve: { suspend: (checkpoint: number) => ({ data: checkpoint + 1 }) },
    });
    expect(found).toBeUndefined();
    const kinds = new Set(seen.map((value) => JSON.stringify(value)));
    expect(kinds).toEqual(new Set(['{"given":true}', '{"checkpoint":1,"resumeData":{"data":2}}']));
  });

  test.each([
    ["no steps", { name: "none", version: "1", steps: {} }, {}, 'Workflow "none" has no steps. Add one or more.'],
    [
      "a start that is no step",
      orders,
      { start: "send" },
      'Step "send" not found in workflow "orders". Known steps: "receive", "check".',
    ],
    [
      "inputs that do not fit",
      orders,
      { input: fc.constant({}) },
      'None of 20 inputs generated for step "receive" matches its schema after conversion to JSON. Pass an arbitrary of matching values as "input".',
    ],
    [
      "an answer that is none",
      orders,
      { resolve: { review: () => JSON.parse('"maybe"') } },
      'A review must get "approve", "reject" or { override: { …fields } }, got "maybe".',
    ],
  ])("refuses %s", async (_name, workflow, options, message) => {
    await expect(checkWorkflowProperties(workflow, { seed: 1, runs: 50, ...options })).rejects.toThrow(
      new TypeError(message),
    );
  });
});

describe("a stored list of actions", () => {
  test.each([
    ["a text", "start"],
    ["an unknown action", [{ kind: "stop" }]],
    ["half an action", [{ kind: "crash", at: "lease" }]],
  ])("can't be generated if it is %s", async (_name, input) => {
    expect(await new WorkflowPropertySubject(orders, {}).canGenerate({ input, answers: {}, order: 0 })).toBe(false);
  });

  test("has no problem if no property fails", async () => {
    const input = {
      lines: [
        { sku: "pen", amount: 99 },
        { sku: "ink", amount: 99 },
      ],
    };
    const actions = [{ kind: "start", input }, { kind: "work" }, { kind: "again", of: 0 }, { kind: "delayed", of: 0 }];
    for (const property of ["lost", "once", "blocks", "ends"] as const)
      expect(await problemOf(property, actions)).toBeUndefined();
  });
});
