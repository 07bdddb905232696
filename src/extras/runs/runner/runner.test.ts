import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { ok, unwrap } from "../../../kernel/result.ts";
import { emit, fanout, invoke, review, suspend } from "../../../kernel/step/command.ts";
import type { StepContext } from "../../../kernel/step/context.ts";
import { type AnyStep, defineStep } from "../../../kernel/step/define-step.ts";
import { type Workflow, defineWorkflow } from "../../../kernel/step/define-workflow.ts";
import { fail } from "../../../kernel/step/fail.ts";
import { run } from "../../../kernel/step/run.ts";
import type { RunStore, StoredRun } from "../store/contract.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { RunReader } from "./execute-command.ts";
import { type Queue, type QueueDelivery, jobOf } from "./queue.ts";
import { workflowStep } from "./workflow-step.ts";
import { type Runner, type RunnerEvent, type RunnerOptions, createRunner } from "./runner.ts";

const text = z.object({ text: z.string() });
const any = z.looseObject({});

const split = defineStep({
  name: "split",
  input: text,
  output: z.object({ parts: z.number() }),
  run: ({ text: whole }) => {
    const parts = whole.split(" ");
    return {
      output: { parts: parts.length },
      events: [{ type: "split" }],
      commands: [
        fanout(
          "count",
          parts.map((part) => ({ text: part })),
        ),
        emit("splitted", { parts: parts.length }),
      ],
    };
  },
});
const count = defineStep({
  name: "count",
  input: text,
  output: any,
  run: ({ text: part }) => ({ output: { [part]: part.length }, commands: [emit("counted", part)] }),
});
const words = defineWorkflow({ name: "words", version: "1.0.0", steps: { split, count } });

function world(changes: Partial<RunnerOptions> = {}): {
  store: RunStore;
  events: RunnerEvent[];
  runner: ReturnType<typeof createRunner>;
  effects: string[];
} {
  const store = changes.store ?? createMemoryStore();
  const events: RunnerEvent[] = [];
  const effects: string[] = [];
  const sinks = {
    "*": (payload: unknown, { topic }: { topic: string }) => void effects.push(`${topic} ${JSON.stringify(payload)}`),
  };
  const runner = createRunner({
    store,
    workflows: [words],
    sinks,
    retry: { attempts: 3, baseMs: 1, maxMs: 4 },
    onEvent: (event) => void events.push(event),
    ...changes,
  });
  return { store, events, runner, effects };
}

/** A store that takes a moment to commit, as a database does, and counts its calls. */
function countedStore(beforeFirst?: (inner: RunStore) => Promise<void>): {
  readonly store: RunStore;
  readonly calls: Record<"commits" | "conflicts" | "leases" | "loads", number>;
} {
  const inner = createMemoryStore();
  const calls = { commits: 0, conflicts: 0, leases: 0, loads: 0 };
  const commit: RunStore["commit"] = async (step) => {
    if (calls.commits === 0) await beforeFirst?.(inner);
    calls.commits += 1;
    await sleep(1);
    const committed = await inner.commit(step);
    if (!committed.ok) calls.conflicts += 1;
    return committed;
  };
  const load: RunStore["load"] = async (...run) => {
    calls.loads += 1;
    return inner.load(...run);
  };
  const lease: RunStore["outbox"]["lease"] = async (options) => {
    calls.leases += 1;
    return inner.outbox.lease(options);
  };
  return { store: derived(inner, { commit, load, outbox: derived(inner.outbox, { lease }) }), calls };
}

/** An object with other methods in the place of some; its own ones keep their `this`. */
function derived<T extends object>(inner: T, changes: Partial<T>): T {
  return new Proxy(inner, {
    get: (target, name) => {
      const value: unknown = Reflect.get(changes, name) ?? Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

type AnyRun = (input: Readonly<Record<string, unknown>>, ctx: StepContext) => ReturnType<AnyStep["run"]>;

/** A workflow "one" of these steps. */
const workflowOf = (steps: Workflow["steps"], version = "1.0.0"): Workflow =>
  defineWorkflow({ name: "one", version, steps });

/** A step that takes and returns any object. */
const stepOf = (name: string, run: AnyRun): AnyStep => defineStep({ name, input: any, output: any, run });

const one = (run: AnyRun): Partial<RunnerOptions> => ({ workflows: [workflowOf({ only: stepOf("only", run) })] });

/** Starts the run "r" of the workflow "one" with a step. */
async function begin(runner: Runner, step = "only", input: object = {}): Promise<void> {
  unwrap(await runner.startRun({ workflow: "one", step, input, runId: "r" }));
}

/** Starts the run and executes its commands. */
async function ranOf(runner: Runner, step?: string, input?: object): Promise<StoredRun> {
  await begin(runner, step, input);
  return unwrap(await runner.runUntilIdle("one", "r"));
}

async function runOne(
  changes: Partial<RunnerOptions>,
): Promise<ReturnType<typeof world> & { status: string; codes: string[] }> {
  const made = world(changes);
  const { status } = await ranOf(made.runner);
  const rows = unwrap(await made.store.commands("one", "r"));
  return { ...made, status, codes: rows.map(({ error }) => error?.code ?? "-") };
}

describe("runUntilIdle", () => {
  test("runs steps, fan-outs and effects until no command is open", async () => {
    const { runner, store, effects } = world();
    const { runId } = unwrap(await runner.startRun({ workflow: "words", step: "split", input: { text: "a bb ccc" } }));
    const run = unwrap(await runner.runUntilIdle("words", runId));
    expect([run.status, run.computed]).toEqual(["completed", { parts: 3, a: 1, bb: 2, ccc: 3 }]);
    expect(effects.toSorted()).toEqual(['counted "a"', 'counted "bb"', 'counted "ccc"', 'splitted {"parts":3}']);
    expect(unwrap(await store.commands("words", runId)).every(({ finished }) => finished)).toBe(true);
    expect(unwrap(await store.entries("words", runId)).map(({ version }) => version)).toEqual([1, 2, 3, 4, 5]);
  });

  test("gives steps and sinks the Dates, Maps and URLs that others returned", async () => {
    const seen: unknown[] = [];
    const due = { at: new Date("2026-03-01T00:00:00.000Z"), rates: new Map([["a", Number.NaN]]) };
    const only = defineStep({
      name: "only",
      input: z.object({ url: z.instanceof(URL) }),
      output: any,
      run: () => ({ output: due, commands: [invoke("next", due), emit("due", new Set([1n]))] }),
    });
    const input = z.object({ at: z.date(), rates: z.map(z.string(), z.nan()) });
    const next = defineStep({
      name: "next",
      input,
      output: any,
      run: ({ at }) => ({ output: { year: at.getUTCFullYear() } }),
    });
    const { runner } = world({
      workflows: [workflowOf({ only, next })],
      sinks: { due: (payload) => void seen.push(payload) },
    });
    const started = { workflow: "one", step: "only", input: { url: new URL("https://a.test/b") }, runId: "r" };
    unwrap(await runner.startRun(started));
    const run = unwrap(await runner.runUntilIdle("one", "r"));
    expect([run.status, run.computed]).toEqual(["completed", { ...due, year: 2026 }]);
    expect(seen).toEqual([new Set([1n])]);
  });

  test("starts a run id once", async () => {
    const { runner, effects } = world();
    const request = { workflow: "words", step: "split", input: { text: "a" }, runId: "r" };
    expect(unwrap(await runner.startRun(request)).started).toBe(true);
    expect(unwrap(await runner.startRun(request)).started).toBe(false);
    await runner.runUntilIdle("words", "r");
    expect(effects).toHaveLength(2);
  });

  test("stops at a review, and continues once it is approved", async () => {
    const { store, runner, effects, status } = await runOne(
      one(() => ({ output: { risk: "high" }, commands: [review("risky"), emit("paid", 1)] })),
    );
    expect([status, effects]).toEqual(["blocked", []]);
    const [block] = unwrap(await store.blocks.list());
    const decision = { kind: "override", patch: { risk: "low" } } as const;
    await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "r", actor: "ann" });
    const run = unwrap(await runner.runUntilIdle("one", "r"));
    expect([run.status, run.overlay, effects]).toEqual(["completed", { risk: "low" }, ["paid 1"]]);
  });

  test("stops at a suspend, and resumes with its checkpoint and data", async () => {
    const { store, runner } = await runOne(
      one((input) =>
        "resumeData" in Object(input)
          ? { output: { got: input } }
          : { output: { asked: true }, commands: [suspend({ reason: "wait", checkpoint: { at: 1 } })] },
      ),
    );
    const [block] = unwrap(await store.blocks.list());
    const decision = { kind: "resume", data: { name: "Ann" } } as const;
    await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "r", actor: "ann" });
    const run = unwrap(await runner.runUntilIdle("one", "r"));
    expect(run.computed).toEqual({ asked: true, got: { checkpoint: { at: 1 }, resumeData: { name: "Ann" } } });
  });

  test("commits all concurrent steps of a run, and runs each once", async () => {
    let ran = 0;
    const steps = {
      all: stepOf("all", () => ({
        output: {},
        commands: [
          fanout(
            "each",
            Array.from({ length: 40 }, (_, n) => ({ n })),
          ),
        ],
      })),
      each: defineStep({
        name: "each",
        input: z.object({ n: z.number() }),
        output: any,
        run: async ({ n }) => {
          ran += 1;
          await sleep(1);
          return { output: { [`n${n}`]: n } };
        },
      }),
    };
    const { runner } = world({ workflows: [defineWorkflow({ name: "many", version: "1", steps })], concurrency: 20 });
    unwrap(await runner.startRun({ workflow: "many", step: "all", input: {}, runId: "r" }));
    const run = unwrap(await runner.runUntilIdle("many", "r"));
    expect([ran, Object.keys(run.computed).length, run.version]).toEqual([40, 40, 42]);
  });

  test("commits a run's concurrent steps in turn, and leases several commands at once", async () => {
    const { store, calls } = countedStore();
    const { runner } = world({ store });
    const text = Array.from({ length: 40 }, (_, part) => `part${part}`).join(" ");
    unwrap(await runner.startRun({ workflow: "words", step: "split", input: { text }, runId: "r" }));
    const run = unwrap(await runner.runUntilIdle("words", "r"));
    // The start, the split and 40 parts.
    expect([run.version, calls.commits, calls.conflicts]).toEqual([42, 41, 0]);
    // 82 commands with their effects: eight run at once, and half of them end before a further lease.
    expect(calls.leases).toBeLessThan(41);
  });

  test("commits after another process's commit, without a conflict or loading the run", async () => {
    let ran = 0;
    const { store, calls } = countedStore(async (inner) => {
      const of = {
        workflowId: "one",
        workflowVersion: "1.0.0",
        runId: "r",
        stepName: "only",
        events: [],
        commands: [],
      };
      for (const expectedVersion of [1, 2])
        unwrap(await inner.commit({ ...of, stepId: `theirs-${expectedVersion}`, expectedVersion, output: {} }));
    });
    const { runner } = world({ store, ...one(() => ({ output: { ran: (ran += 1) } })) });
    const { status, version } = await ranOf(runner);
    expect([status, version, ran]).toEqual(["completed", 4, 1]);
    // `runUntilIdle` loads the run once at the end.
    expect(calls).toMatchObject({ commits: 1, conflicts: 0, loads: 1 });
  });

  test("reports a run that doesn't exist", async () => {
    const run = await world().runner.runUntilIdle("words", "none");
    expect(run).toMatchObject({ ok: false, error: { code: "run_not_found" } });
  });
});

describe("failures", () => {
  test("retries a retryable failure with the same idempotency key", async () => {
    const keys: (string | undefined)[] = [];
    const { status, store } = await runOne(
      one((_input, ctx: StepContext) => {
        keys.push(ctx.idempotencyKey);
        return keys.length < 3 ? fail("busy", "Not now.", { retryable: true }) : { output: { done: true } };
      }),
    );
    expect([status, keys.length, new Set(keys).size]).toEqual(["completed", 3, 1]);
    expect(keys[0]).toMatch(/^sha256:/);
    const failures = unwrap(await store.events("one", "r")).filter(({ type }) => type === "step.failed");
    expect(failures.map(({ payload }) => payload)).toEqual(
      [1, 2].map((attempt) => ({ stepName: "only", code: "busy", message: "Not now.", retryable: true, attempt })),
    );
  });

  test("delays a retry by the clock of the store, which may be behind that of the worker", async () => {
    const store = createMemoryStore({ clock: () => Date.now() - 3_600_000 });
    let ran = 0;
    const { status } = await runOne({
      ...one(() => (ran++ === 0 ? fail("busy", "Not now.", { retryable: true }) : { output: {} })),
      store,
    });
    expect([status, ran]).toEqual(["completed", 2]);
  }, 2_000);

  test("fails at once after a failure that isn't retryable, and emits an event", async () => {
    const { status, codes, events } = await runOne(one(() => fail("no_claims", "Nothing to do.")));
    expect([status, codes]).toEqual(["failed", ["no_claims"]]);
    expect(events.map(({ kind }) => kind)).toEqual(["failed"]);
  });

  test("gives up a step that always fails after its attempts", async () => {
    let ran = 0;
    const { status } = await runOne(one(() => (ran++, fail("busy", "Not now.", { retryable: true }))));
    expect([status, ran]).toEqual(["failed", 3]);
  });

  test("retries a sink that throws", async () => {
    let asked = 0;
    const sinks = {
      paid: () => {
        if (asked++ < 2) throw new Error("down");
      },
    };
    const { status } = await runOne({ ...one(() => ({ output: {}, commands: [emit("paid", 1)] })), sinks });
    expect([status, asked]).toEqual(["completed", 3]);
  });

  test("gives up a command whose workers all died", async () => {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    unwrap(await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId: "r", step: "only", input: {} }));
    for (let died = 0; died < 3; died += 1) {
      const [row] = unwrap(await store.outbox.lease({ owner: `dead-${died}`, limit: 1, leaseMs: 10 }));
      if (died > 0) unwrap(await store.outbox.countDeath(row?.key ?? ""));
      now += 11;
      unwrap(await store.outbox.reclaim());
    }
    const { runner } = world({ ...one(() => ({ output: {} })), store, clock: () => now });
    expect(unwrap(await runner.runUntilIdle("one", "r")).status).toBe("failed");
    const [row] = unwrap(await store.commands("one", "r"));
    expect(row?.error).toEqual({
      code: "poison",
      message:
        "The worker ended 3 times while it ran this command. Fix the step, then run: npx veritest runs retry <run>",
    });
  });

  const bad: readonly [string, Partial<RunnerOptions>, string, RegExp][] = [
    [
      "a topic without a sink",
      { ...one(() => ({ output: {}, commands: [emit("paid", 1)] })), sinks: {} },
      "unknown_topic",
      /^No sink is configured for topic "paid"/,
    ],
    [
      "an unknown step in a command",
      one(() => ({ output: {}, commands: [invoke("nope", 1)] })),
      "orchestration_error",
      /Step "nope" not found in workflow "one"\. Known steps: "only"/,
    ],
    [
      "two blocking commands",
      one(() => ({ output: {}, commands: [review("a"), review("b")] })),
      "orchestration_error",
      /at most one blocking command/,
    ],
    [
      "two equal commands",
      one(() => ({ output: {}, commands: [emit("a", 1), emit("a", 1)] })),
      "duplicate_command",
      /commands\[1\] equals commands\[0\]/,
    ],
    [
      "an output that is too large",
      { ...one(() => ({ output: { a: "x".repeat(2000) } })), store: createMemoryStore({ maxBytes: 1000 }) },
      "payload_too_large",
      /more than maxBytes \(1000\)/,
    ],
    [
      "a checkpoint with a function",
      { ...one(() => ({ output: {}, commands: [suspend({ reason: "r", checkpoint: { at: () => 1 } })] })) },
      "not_json",
      /a function at "commands\[0\]\.checkpoint\.at"/,
    ],
  ];
  test.each(bad)("%s fails the command with an error", async (_name, changes, code, message) => {
    const { status, store } = await runOne(changes);
    const failed = unwrap(await store.commands("one", "r")).find((row) => row.status === "failed");
    expect([status, failed?.error?.code]).toEqual(["failed", code]);
    expect(failed?.error?.message).toMatch(message);
  });

  test("fails the command of a step that the workflow no longer has", async () => {
    const store = createMemoryStore();
    unwrap(await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId: "r", step: "gone", input: {} }));
    const { runner } = world({ ...one(() => ({ output: {} })), store });
    unwrap(await runner.runUntilIdle("one", "r"));
    const [row] = unwrap(await store.commands("one", "r"));
    expect(row?.error).toEqual({
      code: "unknown_step",
      message: 'Step "gone" not found in workflow "one". Known steps: "only".',
    });
  });

  test("keeps a run of another version pending until that version is back", async () => {
    const store = createMemoryStore();
    unwrap(await store.start({ workflowId: "one", workflowVersion: "0.9.0", runId: "r", step: "only", input: {} }));
    const { runner, events } = world({ ...one(() => ({ output: {} })), store });
    expect(unwrap(await runner.runUntilIdle("one", "r")).status).toBe("unknown_version");
    expect(events.map(({ kind }) => kind)).toEqual(["retried"]);
    const [row] = unwrap(await store.commands("one", "r"));
    expect(row).toMatchObject({
      status: "pending",
      attempts: 0,
      error: {
        code: "unknown_version",
        message:
          'This runner has version 1.0.0 of workflow "one", but the run needs 0.9.0, so it waits. Add that version to ' +
          'workflows, or map it to a version that can continue it: migrations: { "one": { "0.9.0": "…" } }.',
      },
    });
    expect(unwrap(await store.entries("one", "r"))).toHaveLength(1);
  });

  test("refuses to start an unknown workflow or step, or an invalid input", async () => {
    const { runner, store } = world();
    const messages = [
      await runner.startRun({ workflow: "nope", step: "split", input: {} }),
      await runner.startRun({ workflow: "words", step: "nope", input: {} }),
      await runner.startRun({ workflow: "words", step: "split", input: { text: 1 } }),
    ].map((result) => (result.ok ? "started" : result.error.message));
    expect(messages).toEqual([
      'This runner doesn\'t have a workflow "nope". It has these workflows: "words".',
      'Step "nope" not found in workflow "words". Known steps: "split", "count".',
      `The input doesn't match the schema of step "split": text: Invalid input: expected string, received number`,
    ]);
    expect(unwrap(await store.list())).toEqual([]);
  });
});

describe("versions", () => {
  test("keeps a person's decision with the run until the version of its step is back", async () => {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    const waiting = one((input) =>
      "resumeData" in Object(input)
        ? { output: { resumed: input } }
        : { output: {}, commands: [suspend({ reason: "wait", checkpoint: 1 })] },
    );
    await world({ ...waiting, store, clock: () => now }).runner.startRun({
      workflow: "one",
      step: "only",
      input: {},
      runId: "r",
    });
    await world({ ...waiting, store, clock: () => now }).runner.runUntilIdle("one", "r");
    const [block] = unwrap(await store.blocks.list());
    const decision = { kind: "resume", data: "yes" } as const;
    unwrap(await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "r", actor: "ann" }));
    const next = (waiting.workflows ?? []).map((workflow) => ({ ...workflow, version: "2.0.0" }));
    for (let deploys = 0; deploys < 10; deploys += 1) {
      const { runner } = world({ workflows: next, store, clock: () => now });
      expect(unwrap(await runner.runUntilIdle("one", "r")).status).toBe("unknown_version");
      now += 2000;
    }
    const migrations = { one: { "1.0.0": "2.0.0" } };
    const { runner } = world({ workflows: next, store, migrations, clock: () => now });
    expect(unwrap(await runner.runUntilIdle("one", "r"))).toMatchObject({
      status: "completed",
      workflowVersion: "2.0.0",
      computed: { resumed: { checkpoint: 1, resumeData: "yes" } },
    });
  });

  test("continues a run when its version is back", async () => {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    unwrap(await store.start({ workflowId: "one", workflowVersion: "0.9.0", runId: "r", step: "only", input: {} }));
    const only = stepOf("only", () => ({ output: { done: true } }));
    const runnerOf = (version: string): Runner =>
      world({ store, workflows: [workflowOf({ only }, version)], clock: () => now }).runner;
    expect(unwrap(await runnerOf("1.0.0").runUntilIdle("one", "r")).status).toBe("unknown_version");
    now += 2000;
    expect(unwrap(await runnerOf("0.9.0").runUntilIdle("one", "r"))).toMatchObject({
      status: "completed",
      workflowVersion: "0.9.0",
      computed: { done: true },
    });
  });

  test("keeps a run of a workflow that this runner doesn't have pending, too", async () => {
    const store = createMemoryStore();
    unwrap(await store.start({ workflowId: "two", workflowVersion: "1.0.0", runId: "r", step: "only", input: {} }));
    const { runner } = world({ ...one(() => ({ output: {} })), store });
    expect(unwrap(await runner.runUntilIdle("two", "r")).status).toBe("unknown_version");
  });
});

describe("leases and deaths", () => {
  /** A store whose time advances by less than a lease after each renewal: 200 ms in all, of leases of 120 ms. */
  function renewedLeases(): { readonly store: RunStore; readonly clock: () => number; pass(): Promise<void> } {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    const renew = vi.spyOn(store.outbox, "renew");
    const pass = async (): Promise<void> => {
      for (let round = 0; round < 5; round += 1) {
        const renewals = renew.mock.calls.length;
        now += 40;
        while (renew.mock.calls.length === renewals) await sleep(1);
      }
    };
    return { store, clock: () => now, pass };
  }

  test("runs a step once that takes longer than the lease", async () => {
    let ran = 0;
    const { store, clock, pass } = renewedLeases();
    const slow = one(async () => {
      ran += 1;
      await pass();
      return { output: {}, commands: [emit("paid", ran)] };
    });
    const { runner, effects } = world({ ...slow, store, clock, leaseMs: 120, pollMs: 5 });
    const { runner: other } = world({ ...slow, store, clock, leaseMs: 120, pollMs: 5 });
    await begin(runner);
    await runner.start();
    await other.start();
    while (unwrap(await store.load("one", "r"))?.status === "running") await sleep(5);
    await Promise.all([runner.stop(), other.stop()]);
    expect([ran, unwrap(await store.commands("one", "r"))[0]?.attempts]).toEqual([1, 1]);
    expect(effects.length).toBeLessThanOrEqual(1);
  });

  test("renews a lease while a worker stops", async () => {
    let ran = 0;
    const { store, clock, pass } = renewedLeases();
    const passed = Promise.withResolvers<void>();
    const slow = one(async () => {
      ran += 1;
      await passed.promise;
      return { output: {} };
    });
    const { runner } = world({ ...slow, store, clock, leaseMs: 120 });
    await begin(runner);
    unwrap(await runner.dispatchOutbox());
    const stopped = runner.stop();
    await pass();
    expect(unwrap(await store.outbox.reclaim()).reclaimed).toBe(0);
    passed.resolve();
    await stopped;
    expect([unwrap(await store.load("one", "r"))?.status, ran]).toEqual(["completed", 1]);
  });

  test("doesn't run a command a second time that it leases again while it runs", async () => {
    let now = 0;
    let ran = 0;
    const store = createMemoryStore({ clock: () => now });
    const passed = Promise.withResolvers<void>();
    const slow = one(async () => {
      ran += 1;
      await passed.promise;
      return { output: {}, commands: [emit("paid", ran)] };
    });
    const { runner, effects } = world({ ...slow, store, clock: () => now, leaseMs: 120 });
    await begin(runner);
    unwrap(await runner.dispatchOutbox());
    // The worker was suspended longer than its lease, and another worker reclaimed the command.
    now += 121;
    expect(unwrap(await store.outbox.reclaim()).reclaimed).toBe(1);
    expect(unwrap(await runner.dispatchOutbox())).toBe(1);
    await sleep(20);
    expect(ran).toBe(1);
    passed.resolve();
    const run = unwrap(await runner.runUntilIdle("one", "r"));
    expect([run.status, ran, effects]).toEqual(["completed", 1, ["paid 1"]]);
  });

  test("gives up two commands that end each worker, the first and the last of a batch, and no other", async () => {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    const names = ["poison-1", "a", "b", "poison-2"];
    for (const runId of names)
      unwrap(await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId, step: "only", input: { runId } }));
    const step = one(async (input) => {
      // Its process is gone: the step never ends.
      if (z.object({ runId: z.string() }).parse(input).runId.startsWith("poison")) return new Promise(() => undefined);
      return { output: {} };
    });
    unwrap(await store.outbox.lease({ owner: "dead", limit: 4, leaseMs: 10 }));
    for (let worker = 0; worker < 6; worker += 1) {
      now += 11;
      const { runner } = world({ ...step, store, clock: () => now, leaseMs: 10, retry: { attempts: 3 } });
      unwrap(await runner.dispatchOutbox());
      await sleep(20);
    }
    const rows = await Promise.all(names.map(async (runId) => unwrap(await store.commands("one", runId))[0]));
    expect(rows.map((row) => row?.error?.code ?? row?.status)).toEqual([
      "poison",
      "dispatched",
      "dispatched",
      "poison",
    ]);
  });

  test("retries commands of an ended worker alone, so one that ends each worker takes no other with it", async () => {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    const begun: string[] = [];
    const done: string[] = [];
    let most = 0;
    for (const runId of ["a", "poison", "b"])
      unwrap(await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId, step: "only", input: { runId } }));
    const step = one(async (input) => {
      const { runId } = z.object({ runId: z.string() }).parse(input);
      begun.push(runId);
      most = Math.max(most, begun.length - done.length);
      // Its process is gone: the step never ends.
      if (runId === "poison") return new Promise(() => undefined);
      await sleep(5);
      done.push(runId);
      return { output: {} };
    });
    // Three commands at once, all of whose workers end.
    unwrap(await store.outbox.lease({ owner: "dead", limit: 3, leaseMs: 10 }));
    for (let worker = 0; worker < 4; worker += 1) {
      now += 11;
      begun.length = 0;
      done.length = 0;
      const { runner } = world({ ...step, store, clock: () => now, leaseMs: 10, retry: { attempts: 3 } });
      unwrap(await runner.dispatchOutbox());
      await sleep(30);
    }
    expect(most).toBe(1);
    const rows = await Promise.all(["a", "poison", "b"].map(async (runId) => store.commands("one", runId)));
    expect(rows.map((row) => unwrap(row)[0]?.status)).toEqual(["dispatched", "failed", "dispatched"]);
    expect(unwrap(rows[1] ?? rows[0] ?? ok([]))[0]?.error?.code).toBe("poison");
  });
});

describe("retries", () => {
  test("retries a thrown network error by default, and no other thrown error", async () => {
    const errors = [
      Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error("x"), { code: "ECONNRESET" }) }),
      Object.assign(new Error("busy"), { status: 529 }),
    ];
    const { status } = await runOne(
      one(() => {
        const next = errors.shift();
        if (next !== undefined) throw next;
        return { output: {} };
      }),
    );
    expect([status, errors.length]).toEqual(["completed", 0]);
    let ran = 0;
    const broken = await runOne(
      one(() => {
        ran += 1;
        throw new Error("x is not a function");
      }),
    );
    expect([broken.status, broken.codes, ran]).toEqual(["failed", ["execution_failed"], 1]);
  });

  test("retries a request that its client aborted, and ends a step that aborted it with its own reason", async () => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
    const outcomeOf = async (abort: (controller: AbortController) => void): Promise<readonly unknown[]> => {
      let ran = 0;
      const { status } = await runOne(
        one(async () => {
          ran += 1;
          if (ran > 1) return { output: {} };
          const controller = new AbortController();
          setTimeout(() => abort(controller), 10);
          await fetch(url, { signal: controller.signal });
          return { output: {} };
        }),
      );
      return [status, ran];
    };
    const outcomes = [
      await outcomeOf((controller) => controller.abort()),
      await outcomeOf((controller) => controller.abort(new DOMException("Too slow.", "TimeoutError"))),
      await outcomeOf((controller) => controller.abort(new Error("The customer left."))),
    ];
    server.closeAllConnections();
    server.close();
    expect(outcomes).toEqual([
      ["completed", 2],
      ["completed", 2],
      ["failed", 1],
    ]);
  });

  test("applies a step's own policy: attempts, and the timeout of each", async () => {
    let ran = 0;
    const aborted: string[] = [];
    const slow = defineStep({
      name: "slow",
      input: any,
      output: any,
      retry: { attempts: 2, baseMs: 1, timeoutMs: 10 },
      run: async (_input, { signal }) => {
        ran += 1;
        signal?.addEventListener("abort", () => aborted.push(String(signal.reason)));
        await sleep(1000, undefined, { ref: false });
        return { output: {} };
      },
    });
    const workflows = [workflowOf({ slow })];
    const { runner, store } = world({ workflows, retry: { attempts: 9 } });
    expect((await ranOf(runner, "slow")).status).toBe("failed");
    const timeout = "TimeoutError: The step exceeded its timeout of 10 ms.";
    expect([ran, aborted]).toEqual([2, [timeout, timeout]]);
    expect(unwrap(await store.commands("one", "r"))[0]?.error).toEqual({
      code: "execution_failed",
      message: "The step exceeded its timeout of 10 ms.",
    });
  });

  test("applies a step's own policy: the wait before each attempt, up to its maximum", async () => {
    const flaky = defineStep({
      name: "flaky",
      input: any,
      output: any,
      retry: { baseMs: 8, maxMs: 12 },
      run: () => fail("busy", "Not now.", { retryable: true }),
    });
    const workflows = [workflowOf({ flaky })];
    const { runner, events } = world({ workflows, random: () => 1, retry: { attempts: 4, baseMs: 1, maxMs: 1 } });
    expect((await ranOf(runner, "flaky")).status).toBe("failed");
    expect(events.map((event) => (event.kind === "retried" ? event.retryMs : event.kind))).toEqual([
      8,
      12,
      12,
      "failed",
    ]);
  });

  test("a timeout and a lease longer than Node's timers aren't over at once", async () => {
    const renewals: unknown[] = [];
    const store = createMemoryStore();
    const renew = vi.spyOn(store.outbox, "renew");
    const slow = defineStep({
      name: "slow",
      input: any,
      output: any,
      retry: { attempts: 1, timeoutMs: Number.POSITIVE_INFINITY },
      run: async () => {
        await sleep(30);
        renewals.push(...renew.mock.calls);
        return { output: {} };
      },
    });
    const workflows = [workflowOf({ slow })];
    const { runner } = world({ workflows, store, leaseMs: 2 ** 40 });
    expect((await ranOf(runner, "slow")).status).toBe("completed");
    expect(renewals).toEqual([]);
  });

  test("continues a failed run after a retry", async () => {
    let works = false;
    const { store, runner } = await runOne(one(() => (works ? { output: { done: 1 } } : fail("broken", "Not yet."))));
    works = true;
    unwrap(await store.retry({ workflowId: "one", runId: "r", reason: "fixed", actor: "ann" }));
    expect(unwrap(await runner.runUntilIdle("one", "r"))).toMatchObject({ status: "completed", computed: { done: 1 } });
  });

  test("discards the result of a step of a cancelled run, without a store error", async () => {
    const { runner, store, events } = world(
      one(async () => {
        await store.cancel({ workflowId: "one", runId: "r", reason: "a mistake", actor: "ann" });
        return { output: { late: true }, commands: [emit("paid", 1)] };
      }),
    );
    const run = await ranOf(runner);
    expect([run.status, run.computed, events.map(({ kind }) => kind)]).toEqual(["cancelled", {}, ["failed"]]);
  });

  test.each([
    ["returns", false],
    ["throws", true],
  ])("doesn't recreate a run that is cancelled and deleted while its step %s", async (_what, throws) => {
    const store = createMemoryStore();
    const ref = { workflowId: "one", runId: "r" };
    const { runner, events } = world({
      store,
      ...one(async () => {
        await store.cancel({ ...ref, reason: "a mistake", actor: "ann" });
        await store.remove(ref);
        if (throws) throw new Error("The service is closed.");
        return { output: { late: true } };
      }),
    });
    await begin(runner);
    expect(await runner.runUntilIdle("one", "r")).toMatchObject({ ok: false, error: { code: "run_not_found" } });
    expect([unwrap(await store.list()), events.map(({ kind }) => kind)]).toEqual([[], ["failed"]]);
  });
});

describe("parallel reviews", () => {
  test("two parallel steps that request a review run once each and are blocked together", async () => {
    let ran = 0;
    const start = stepOf("start", () => ({ output: {}, commands: [fanout("ask", [{ n: 1 }, { n: 2 }])] }));
    const ask = defineStep({
      name: "ask",
      input: z.object({ n: z.number() }),
      output: any,
      run: ({ n }) => {
        ran += 1;
        return { output: { [`n${n}`]: n }, commands: [review(`Is ${n} right?`), emit("right", n)] };
      },
    });
    const workflows = [workflowOf({ start, ask })];
    const { runner, store, effects } = world({ workflows });
    expect((await ranOf(runner, "start")).status).toBe("blocked");
    const blocks = unwrap(await store.blocks.list()).toSorted((a, b) => (a.reason < b.reason ? -1 : 1));
    expect(blocks.map(({ reason }) => reason)).toEqual(["Is 1 right?", "Is 2 right?"]);
    for (const { blockId } of blocks.toReversed()) {
      const decision = { kind: "approve" } as const;
      unwrap(await store.blocks.resolve({ blockId, decision, reason: "r", actor: "ann" }));
      await runner.runUntilIdle("one", "r");
    }
    expect([ran, effects]).toEqual([2, ["right 2", "right 1"]]);
    expect(unwrap(await store.load("one", "r"))?.status).toBe("completed");
  });
});

describe("fan-out and join", () => {
  const partOf = z.object({ n: z.number() });
  const start = stepOf("start", () => ({
    output: {},
    commands: [fanout("double", [{ n: 3 }, { n: 1 }, { n: 2 }], { then: "sum" })],
  }));
  const double = defineStep({
    name: "double",
    input: partOf,
    output: partOf,
    run: async ({ n }) => {
      await sleep(10 - 3 * n);
      return { output: { n: 2 * n } };
    },
  });
  const sum = defineStep({
    name: "sum",
    input: z.array(partOf),
    output: any,
    run: (parts) => ({ output: { parts: parts.map(({ n }) => n), total: parts.reduce((all, { n }) => all + n, 0) } }),
  });

  test("runs the joined step once, with all outputs in the order of the inputs", async () => {
    const workflows = [workflowOf({ start, double, sum })];
    const { runner, store } = world({ workflows });
    const run = await ranOf(runner, "start");
    expect([run.status, run.computed]).toMatchObject(["completed", { parts: [6, 2, 4], total: 12 }]);
    const entries = unwrap(await store.entries("one", "r")).filter(({ stepName }) => stepName === "sum");
    expect(entries.map(({ input }) => input)).toEqual([[{ n: 6 }, { n: 2 }, { n: 4 }]]);
  });

  test("joins the outputs after suspended steps were resumed, even twice, and with the fields of reviews", async () => {
    const asking = defineStep({
      name: "double",
      input: z.object({ n: z.number() }).or(z.object({ checkpoint: z.number(), resumeData: z.number() })),
      output: any,
      run: (input) => {
        const { n, more } = "n" in input ? { n: input.n, more: 0 } : { n: input.checkpoint, more: input.resumeData };
        const again = (n === 3 && more < 2) || (n === 1 && more === 0);
        if (again) return { output: { n: -1 }, commands: [suspend({ reason: `${n} ${more}`, checkpoint: n })] };
        return { output: { n: 2 * n + more }, commands: n === 2 ? [review("is 2 right?")] : [] };
      },
    });
    const steps = { start, double: asking, sum };
    const { runner, store } = world({ workflows: [workflowOf(steps)] });
    await begin(runner, "start");
    for (const decisions of [1, 2]) {
      expect(unwrap(await runner.runUntilIdle("one", "r")).status).toBe("blocked");
      for (const { blockId, kind } of unwrap(await store.blocks.list())) {
        const decision =
          kind === "review"
            ? ({ kind: "override", patch: { n: 100 } } as const)
            : ({ kind: "resume", data: decisions } as const);
        unwrap(await store.blocks.resolve({ blockId, decision, reason: "r", actor: "ann" }));
      }
    }
    const run = unwrap(await runner.runUntilIdle("one", "r"));
    expect([run.status, run.computed]).toMatchObject(["completed", { parts: [8, 3, 100], total: 111 }]);
    const sums = unwrap(await store.entries("one", "r")).filter(({ stepName }) => stepName === "sum");
    expect(sums).toHaveLength(1);
  });

  test("continues a fan-out of which a deploy removed the version, with the version that is declared for it", async () => {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    const steps = { start, double, sum };
    const before = workflowOf(steps);
    const after = workflowOf(steps, "2.0.0");
    const first = world({ store, workflows: [before], clock: () => now, concurrency: 1 }).runner;
    await begin(first, "start");
    for (let commands = 0; commands < 2; commands += 1) {
      unwrap(await first.dispatchOutbox());
      await first.stop();
    }
    const deployed = world({ store, workflows: [after], clock: () => now }).runner;
    expect(unwrap(await deployed.runUntilIdle("one", "r"))).toMatchObject({ status: "unknown_version", version: 3 });
    now += 2000;
    const migrations = { one: { "1.0.0": "2.0.0" } };
    const migrating = world({ store, workflows: [after], migrations, clock: () => now }).runner;
    const run = unwrap(await migrating.runUntilIdle("one", "r"));
    expect([run.status, run.computed]).toMatchObject(["completed", { parts: [6, 2, 4], total: 12 }]);
  });

  test("fails the command of a join whose step the workflow doesn't have", async () => {
    const steps = { start, double };
    const { runner, store } = world({ workflows: [workflowOf(steps)] });
    expect((await ranOf(runner, "start")).status).toBe("failed");
    expect(unwrap(await store.commands("one", "r"))[0]?.error?.message).toBe(
      'Step "start" returned commands that can\'t be executed: commands[0]: ' +
        'Step "sum" not found in workflow "one". Known steps: "start", "double".',
    );
  });
});

describe("a block with a timeout", () => {
  const ask = stepOf("ask", ({ kind }) => {
    const timeout = { after: 30, decision: kind === "approve" ? "approve" : "reject" } as const;
    if (kind !== "suspend") return { output: {}, commands: [review("ok?", 1, { timeout }), emit("paid", {})] };
    const data = "nobody answered";
    return {
      output: {},
      commands: [suspend({ reason: "who?", checkpoint: 1, resumeStep: "end", timeout: { after: 30, data } })],
    };
  });
  const end = stepOf("end", ({ resumeData }) => ({ output: { resumeData } }));
  const workflow = workflowOf({ ask, end });

  async function resolved(kind: string, decide?: (store: RunStore, blockId: string) => Promise<void>) {
    const effects: string[] = [];
    let now = 0;
    const clock = (): number => now;
    const timed = { store: createMemoryStore({ clock }), clock };
    const { runner, store } = world({
      ...timed,
      workflows: [workflow],
      sinks: { paid: () => void effects.push("paid") },
    });
    expect((await ranOf(runner, "ask", { kind })).status).toBe("blocked");
    const [block] = unwrap(await store.blocks.list());
    await decide?.(store, block?.blockId ?? "");
    now += 40;
    unwrap(await runner.dispatchOutbox());
    const run = unwrap(await runner.runUntilIdle("one", "r"));
    const after = unwrap(await store.blocks.get(block?.blockId ?? ""));
    return { run, effects, resolution: after?.resolution };
  }
  const by = { reason: "No decision within 30 ms", actor: "veritest" };

  test("is rejected when its time is up", async () => {
    const { run, effects, resolution } = await resolved("reject");
    expect([run.status, effects, resolution]).toEqual(["completed", [], { decision: { kind: "reject" }, ...by }]);
  });

  test("is approved when its time is up", async () => {
    const { run, effects, resolution } = await resolved("approve");
    expect([run.status, effects, resolution]).toEqual([
      "completed",
      ["paid"],
      { decision: { kind: "approve" }, ...by },
    ]);
  });

  test("resumes with the data of its timeout", async () => {
    const { run, resolution } = await resolved("suspend");
    expect([run.status, run.computed]).toEqual(["completed", { resumeData: "nobody answered" }]);
    expect(resolution).toEqual({ decision: { kind: "resume", data: "nobody answered" }, ...by });
  });

  test("keeps the decision of a person who was in time", async () => {
    const { run, effects, resolution } = await resolved("reject", async (store, blockId) => {
      unwrap(await store.blocks.resolve({ blockId, decision: { kind: "approve" }, reason: "fine", actor: "ann" }));
    });
    const decision = { decision: { kind: "approve" }, reason: "fine", actor: "ann" };
    expect([run.status, effects, resolution]).toEqual(["completed", ["paid"], decision]);
  });

  test("ends in a test of the complete workflow, too", async () => {
    const result = unwrap(await run(workflowStep(workflow), { kind: "suspend" }));
    expect(result.output).toEqual({
      steps: { ask: { 1: {} }, end: { 1: { resumeData: "nobody answered" } } },
      decisions: {
        ask: { 1: { suspend: "who?", checkpoint: 1, resumeStep: "end", answer: { resume: "nobody answered" } } },
      },
    });
  });
});

describe("a step that reads its run", () => {
  test("gets the effective state, which is recorded with the step", async () => {
    const first = stepOf("first", () => ({
      output: { risk: "high", amount: 9 },
      commands: [invoke("second", {}, { after: 1 })],
    }));
    const second = defineStep({
      name: "second",
      input: any,
      output: any,
      run: async (_input, { adapters }: StepContext<{ run: RunReader }>) => {
        const { risk, amount } = await adapters.run.state();
        return { output: { summary: `${String(risk)} ${String(amount)}` } };
      },
    });
    const workflows = [workflowOf({ first, second })];
    const { runner, store } = world({ workflows });
    await begin(runner, "first");
    unwrap(await runner.dispatchOutbox());
    await sleep(5);
    const overlay = { risk: "low" };
    unwrap(
      await store.setOverlay({ workflowId: "one", runId: "r", expectedVersion: 2, overlay, reason: "r", actor: "a" }),
    );
    const run = unwrap(await runner.runUntilIdle("one", "r"));
    expect(run.computed["summary"]).toBe("low 9");
    const entry = unwrap(await store.entries("one", "r")).at(-1);
    expect(JSON.stringify(entry?.artifacts)).toContain('"run.state"');
  });
});

describe("start and stop", () => {
  test("stop waits for active commands and takes no new ones", async () => {
    let ended = 0;
    const { runner, store } = world({
      ...one(async () => {
        await sleep(40);
        ended += 1;
        return { output: {}, commands: [emit("after", 1)] };
      }),
      pollMs: 5,
    });
    await begin(runner);
    await runner.start();
    await sleep(20);
    await runner.stop();
    expect(ended).toBe(1);
    expect(unwrap(await store.commands("one", "r")).map(({ status }) => status)).toEqual(["dispatched", "pending"]);
  });

  test("two runners share the work and run each command once", async () => {
    const store = createMemoryStore();
    const done: string[] = [];
    const workflows = one((input) => (done.push(JSON.stringify(input)), { output: {} })).workflows ?? [];
    const runners = [1, 2].map(() => createRunner({ store, workflows, pollMs: 2, concurrency: 3 }));
    for (let n = 0; n < 50; n += 1)
      unwrap(
        await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId: `r${n}`, step: "only", input: { n } }),
      );
    await Promise.all(runners.map((runner) => runner.start()));
    while (done.length < 50) await sleep(2);
    await Promise.all(runners.map((runner) => runner.stop()));
    expect(new Set(done).size).toBe(50);
    expect(unwrap(await store.list({ status: "completed" }))).toHaveLength(50);
  });

  test("respects the rate limit of an adapter", async () => {
    const asked: number[] = [];
    const ask = async (): Promise<number> => asked.push(performance.now());
    const llm = { chat: { ask } };
    const { runner } = world({
      ...one(async (_input, { adapters }) => {
        if ("llm" in adapters) for (let n = 0; n < 5; n += 1) await Reflect.get(Object(adapters.llm), "chat").ask();
        return { output: {} };
      }),
      adapters: { llm },
      rates: { llm: { perSecond: 50, burst: 1 } },
    });
    expect((await ranOf(runner)).status).toBe("completed");
    expect((asked.at(-1) ?? 0) - (asked[0] ?? 0)).toBeGreaterThanOrEqual(70);
  });
});

describe("a queue that delivers before the runner notes the job", () => {
  /** Delivers each job within `send`: before the runner can note that it was handed on. */
  function hastyQueue(fails = 0): Queue & { readonly sent: string[] } {
    const sent: string[] = [];
    const ids: string[] = [];
    let failing = fails;
    let handle: (job: QueueDelivery) => Promise<void> = async () => undefined;
    return {
      sent,
      send: async (jobs) => {
        failing -= 1;
        if (failing >= 0) throw new Error("the queue is down");
        for (const { id, key } of jobs.filter((job) => !ids.includes(job.id))) {
          ids.push(id);
          sent.push(key);
          await handle({ id, key, attempt: 1 });
        }
      },
      work: async (handler) => void (handle = handler),
      start: async () => undefined,
      stop: async () => undefined,
    };
  }

  async function ended(store: RunStore): Promise<string | undefined> {
    for (let waited = 0; waited < 200; waited += 1) {
      const status = unwrap(await store.load("words", "r"))?.status;
      if (status !== "running") return status;
      await sleep(10);
    }
    return "running";
  }

  const request = { workflow: "words", step: "split", input: { text: "a bb" }, runId: "r" };

  test("leaves no command open", async () => {
    const queue = hastyQueue();
    const { runner, store, effects, events } = world({ queue, pollMs: 5 });
    unwrap(await runner.startRun(request));
    await runner.start();
    expect(await ended(store)).toBe("completed");
    await runner.stop();
    expect(effects.toSorted()).toEqual(['counted "a"', 'counted "bb"', 'splitted {"parts":2}']);
    expect(events.filter(({ kind }) => kind === "store_error")).toEqual([]);
  });

  test("fails a command for good if its job fails that early", async () => {
    const queue = hastyQueue();
    const { runner, store } = world({ queue, pollMs: 5, sinks: {} });
    unwrap(await runner.startRun(request));
    await runner.start();
    expect(await ended(store)).toBe("failed");
    await runner.stop();
  });

  test("gives up a command whose workers ended each time, and no other command", async () => {
    let now = 0;
    const store = createMemoryStore({ clock: () => now });
    let ran = 0;
    // Its worker is gone: the step never ends.
    const dying = one(async () => {
      ran += 1;
      return new Promise(() => undefined);
    });
    unwrap(await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId: "r", step: "only", input: {} }));
    const [row] = unwrap(await store.outbox.lease({ owner: "d", limit: 1, leaseMs: 1000 }));
    const { key = "", availableAt = 0 } = row ?? {};
    unwrap(await store.outbox.markDispatched({ owner: "d", keys: [key], queued: true }));
    const { id } = jobOf({ key, availableAt });
    for (let attempt = 1; attempt <= 4; attempt += 1) {
      let deliver: (job: QueueDelivery) => Promise<void> = async () => undefined;
      const queue = { ...hastyQueue(), work: async (handler: typeof deliver) => void (deliver = handler) };
      const { runner } = world({ ...dying, store, queue, clock: () => now });
      await runner.start();
      await Promise.race([deliver({ id, key, attempt }), sleep(10)]);
      void runner.stop();
      now += 1;
    }
    expect(ran).toBe(3);
    expect(unwrap(await store.outbox.get(key))).toMatchObject({
      status: "failed",
      error: {
        code: "poison",
        message:
          "The worker ended 3 times while it ran this command. Fix the step, then run: npx veritest runs retry <run>",
      },
    });
  });

  test("ignores a delivery of an earlier attempt, and of a command that isn't handed off", async () => {
    let ran = 0;
    const store = createMemoryStore();
    const step = one(() => ((ran += 1), { output: {} }));
    unwrap(await store.start({ workflowId: "one", workflowVersion: "1.0.0", runId: "r", step: "only", input: {} }));
    const [row] = unwrap(await store.commands("one", "r"));
    const { key = "", availableAt = 0 } = row ?? {};
    let deliver: (job: QueueDelivery) => Promise<void> = async () => undefined;
    const queue = { ...hastyQueue(), work: async (handler: typeof deliver) => void (deliver = handler) };
    const { runner } = world({ ...step, store, queue: { ...queue, send: async () => undefined }, pollMs: 60_000 });
    await runner.start();
    await deliver({ id: jobOf({ key, availableAt: availableAt - 1 }).id, key, attempt: 1 });
    expect(ran).toBe(0);
    await runner.stop();
  });

  test("is called again when it takes no jobs, and the runner says so", async () => {
    const queue = hastyQueue(2);
    const { runner, store, events } = world({ queue, pollMs: 5 });
    unwrap(await runner.startRun(request));
    await runner.start();
    expect(await ended(store)).toBe("completed");
    await runner.stop();
    expect(events.flatMap((event) => (event.kind === "store_error" ? [event.error.message] : []))).toEqual([
      "The queue refused a job: the queue is down",
      "The queue refused a job: the queue is down",
    ]);
    expect(unwrap(await store.outbox.get(queue.sent[0] ?? ""))?.attempts).toBe(1);
  });
});
