// @module-tag deep
import { setTimeout as sleep } from "node:timers/promises";
import { PgBoss } from "pg-boss";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { type TestPostgres, startPostgres } from "../../../../fixtures/postgres.ts";
import { COMMANDS_OF_A_RUN, killed } from "../../../../fixtures/store-workflow.ts";
import { unwrap } from "../../../kernel/result.ts";
import { invoke, review } from "../../../kernel/step/command.ts";
import { defineStep } from "../../../kernel/step/define-step.ts";
import { defineWorkflow } from "../../../kernel/step/define-workflow.ts";
import { fail } from "../../../kernel/step/fail.ts";
import type { RunStatus, RunStore } from "../store/contract.ts";
import { createMemoryStore } from "../store/memory.ts";
import { initPostgresStore, openPostgresStore } from "../store/postgres.ts";
import { type PgBossQueue, createPgBossQueue } from "./pg-boss.ts";
import { jobOf } from "./queue.ts";
import { createRunner } from "./runner.ts";

let server: TestPostgres;
beforeAll(async () => {
  server = await startPostgres();
  unwrap(await initPostgresStore({ url: server.url }));
});
afterAll(async () => server?.stop());

let tried = 0;
const flaky = defineStep({
  name: "flaky",
  input: z.looseObject({}),
  output: z.looseObject({}),
  run: (input) => {
    tried += 1;
    if ("never" in input) return fail("never", "It never works.");
    return tried === 1
      ? fail("busy", "Not now.", { retryable: true })
      : { output: { tried }, commands: [review("look")] };
  },
});
const retried = defineWorkflow({ name: "retried", version: "1.0.0", steps: { flaky } });

async function until(store: RunStore, workflowId: string, status: RunStatus): Promise<void> {
  for (let waited = 0; waited < 600; waited += 1) {
    const runs = unwrap(await store.list({ workflowId, limit: 1000 }));
    if (runs.length > 0 && runs.every((run) => run.status === status)) return;
    await sleep(50);
  }
  throw new Error(`Runs of ${workflowId} are not ${status} after half a minute.`);
}

function runnerOf(store: RunStore, queue: PgBossQueue, effects: string[] = []): ReturnType<typeof createRunner> {
  const sinks = {
    "*": (_payload: unknown, { idempotencyKey }: { idempotencyKey: string }) => void effects.push(idempotencyKey),
  };
  return createRunner({
    store,
    queue,
    sinks,
    workflows: [killed, retried],
    concurrency: 20,
    pollMs: 50,
    record: false,
  });
}

test("writes jobs in the commit's own transaction, without a dispatch", async () => {
  const queue = createPgBossQueue({ url: server.url, name: "own" });
  const store = unwrap(await openPostgresStore({ url: server.url, handOff: queue.handOff }));
  const effects: string[] = [];
  const runner = runnerOf(store, queue, effects);
  for (let run = 0; run < 4; run += 1)
    unwrap(await runner.startRun({ workflow: "killed", step: "split", input: { run }, runId: `own-${run}` }));
  expect(unwrap(await runner.dispatchOutbox())).toBe(0);
  await runner.start();
  await until(store, "killed", "completed");
  await runner.stop();
  const rows = unwrap(await store.commands("killed", "own-0"));
  expect([rows.length, rows.every(({ finished }) => finished)]).toEqual([COMMANDS_OF_A_RUN, true]);
  expect([effects.length, new Set(effects).size]).toEqual([80, 80]);
  await store.close();
});

test("the queue retries a failure, and a block stays open until it is resolved", async () => {
  const queue = createPgBossQueue({ url: server.url, name: "retries" });
  const store = unwrap(await openPostgresStore({ url: server.url, handOff: queue.handOff }));
  const runner = runnerOf(store, queue);
  unwrap(await runner.startRun({ workflow: "retried", step: "flaky", input: {}, runId: "r" }));
  await runner.start();
  await until(store, "retried", "blocked");
  const [block] = unwrap(await store.blocks.list());
  const decision = { kind: "approve" } as const;
  unwrap(await store.blocks.resolve({ blockId: block?.blockId ?? "", decision, reason: "r", actor: "a" }));
  await until(store, "retried", "completed");
  expect(unwrap(await store.load("retried", "r"))?.computed).toEqual({ tried: 2 });
  unwrap(await runner.startRun({ workflow: "retried", step: "flaky", input: { never: 1 }, runId: "s" }));
  while (unwrap(await store.load("retried", "s"))?.status === "running") await sleep(50);
  const [row] = unwrap(await store.commands("retried", "s"));
  expect([row?.status, row?.error]).toEqual(["failed", { code: "never", message: "It never works." }]);
  await runner.stop();
  await store.close();
});

test("the runner sends the jobs of a store that writes none, each once", async () => {
  const queue = createPgBossQueue({ url: server.url, name: "sent" });
  const store = unwrap(await openPostgresStore({ url: server.url }));
  const effects: string[] = [];
  const runner = runnerOf(store, queue, effects);
  unwrap(await runner.startRun({ workflow: "killed", step: "split", input: { run: 9 }, runId: "sent-9" }));
  const [first] = unwrap(await store.commands("killed", "sent-9"));
  const job = jobOf({ key: first?.key ?? "", availableAt: first?.availableAt ?? 0 });
  await queue.send([job]);
  await queue.send([job, job]);
  await runner.start();
  await until(store, "killed", "completed");
  await runner.stop();
  expect([effects.length, new Set(effects).size]).toEqual([20, 20]);
  await store.close();
});

test.each(["new", "existing"])("a step may take a day in a queue that is %s, not only 15 minutes", async (state) => {
  const boss = new PgBoss({ connectionString: server.url });
  await boss.start();
  const name = `${state}-queue`;
  if (state === "existing") await boss.createQueue(name);
  const queue = createPgBossQueue({ url: server.url, name });
  await queue.send([jobOf({ key: `sha256:${"a1".repeat(32)}`, availableAt: 0 })]);
  expect((await boss.getQueue(name))?.expireInSeconds).toBe(24 * 60 * 60);
  const jobs = await boss.fetch(name, { includeMetadata: true });
  expect(jobs.map(({ expireInSeconds }) => expireInSeconds)).toEqual([24 * 60 * 60]);
  await queue.stop();
  await boss.stop({ graceful: true, timeout: 2000 });
});

test("the queue delivers a delayed command once it's due", async () => {
  const begun: number[] = [];
  const remind = defineStep({
    name: "remind",
    input: z.looseObject({}),
    output: z.looseObject({}),
    run: (input) => {
      begun.push(Date.now());
      return { output: {}, commands: "late" in input ? [] : [invoke("remind", { late: true }, { after: 1500 })] };
    },
  });
  const workflows = [defineWorkflow({ name: "delayed", version: "1.0.0", steps: { remind } })];
  const queue = createPgBossQueue({ url: server.url, name: "delayed" });
  const store = unwrap(await openPostgresStore({ url: server.url, handOff: queue.handOff }));
  const runner = createRunner({ store, queue, workflows, pollMs: 50 });
  unwrap(await runner.startRun({ workflow: "delayed", step: "remind", input: {}, runId: "r" }));
  await runner.start();
  await until(store, "delayed", "completed");
  await runner.stop();
  await store.close();
  const [first = 0, second = 0] = begun;
  expect([begun.length, second - first >= 1500]).toEqual([2, true]);
});

test("a worker that stops keeps the job of a step that takes longer than half a minute", {
  timeout: 120_000,
}, async () => {
  const begun: number[] = [];
  const slow = defineStep({
    name: "slow",
    input: z.looseObject({}),
    output: z.looseObject({}),
    run: async () => {
      begun.push(Date.now());
      await sleep(36_000);
      return { output: {} };
    },
  });
  const workflows = [defineWorkflow({ name: "slow", version: "1.0.0", steps: { slow } })];
  const workerOf = async (): Promise<{ store: RunStore; runner: ReturnType<typeof createRunner> }> => {
    const queue = createPgBossQueue({ url: server.url, name: "stopped" });
    const store = unwrap(await openPostgresStore({ url: server.url, handOff: queue.handOff }));
    return { store, runner: createRunner({ store, queue, workflows, pollMs: 50 }) };
  };
  const [first, second] = [await workerOf(), await workerOf()];
  unwrap(await first.runner.startRun({ workflow: "slow", step: "slow", input: {}, runId: "r" }));
  await first.runner.start();
  while (begun.length === 0) await sleep(20);
  await second.runner.start();
  await first.runner.stop();
  await second.runner.stop();
  expect([begun.length, unwrap(await second.store.load("slow", "r"))?.status]).toEqual([1, "completed"]);
  for (const { store } of [first, second]) await store.close();
});

test("a schedule of pg-boss starts one run for each of its jobs", async () => {
  const boss = new PgBoss({ connectionString: server.url, schema: "schedules" });
  await boss.start();
  await boss.createQueue("nightly");
  await boss.schedule("nightly", "0 3 * * *");
  expect((await boss.getSchedules()).map(({ name, cron }) => [name, cron])).toEqual([["nightly", "0 3 * * *"]]);
  const store = createMemoryStore();
  const runner = createRunner({ store, workflows: [killed], sinks: { "*": () => undefined } });
  const id = await boss.send("nightly", {});
  const started: boolean[] = [];
  await boss.work("nightly", { pollingIntervalSeconds: 0.5 }, async ([job]) => {
    for (const _delivery of [1, 2]) {
      const request = { workflow: "killed", step: "split", input: { run: 1 }, runId: `nightly-${job?.id}` };
      started.push(unwrap(await runner.startRun(request)).started);
    }
  });
  while (started.length < 2) await sleep(20);
  await boss.stop({ graceful: true, timeout: 2000 });
  expect(started).toEqual([true, false]);
  expect(unwrap(await store.list()).map(({ runId }) => runId)).toEqual([`nightly-${id}`]);
});
