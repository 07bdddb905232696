import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hash } from "node:crypto";
import { DatabaseSync, type SQLInputValue, StatementSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import { z } from "zod";
import { startPostgres } from "../../fixtures/postgres.ts";
import { unwrap } from "../../src/kernel/result.ts";
import { recomputeBatch } from "../../src/extras/runs/runner/recompute-batch.ts";
import { createRunner } from "../../src/extras/runs/runner/runner.ts";
import { emit, fanout } from "../../src/kernel/step/command.ts";
import { defineStep } from "../../src/kernel/step/define-step.ts";
import { defineWorkflow } from "../../src/kernel/step/define-workflow.ts";
import type { RunStore, StepCommit } from "../../src/extras/runs/store/contract.ts";
import { createMemoryStore } from "../../src/extras/runs/store/memory.ts";
import { initPostgresStore, openPostgresStore } from "../../src/extras/runs/store/postgres.ts";
import { openSqliteStore } from "../../src/extras/runs/store/sqlite.ts";
import type { BenchGroup, Row } from "../bench-group.ts";
import { median } from "../timing.ts";

const COUNT = 1500;
const ROUNDS = 5;
const AT_ONCE = 8;
const BATCH = 100;

/** Stored runs; in wall time, because a database works beside this process. */
export const runStore: BenchGroup = {
  name: "run-store",
  question: "How many commits and dispatched rows a second, beside the bare driver and pg-boss?",
  run: async () => {
    const directory = mkdtempSync(join(tmpdir(), "veritest-bench-"));
    const server = await startPostgres();
    try {
      return [
        ...(await memoryRows()),
        ...(await sqliteRows(directory)),
        ...(await postgresRows(server.url)),
        await recomputed(directory),
      ];
    } finally {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

type Work = (round: number) => Promise<void>;

/** Rates of several ways in turns; ours is the first. */
async function compare(name: string, ways: Readonly<Record<string, Work>>, count = COUNT): Promise<Row> {
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [way, work] of Object.entries(ways)) {
      const started = performance.now();
      await work(round);
      times.set(way, [...(times.get(way) ?? []), performance.now() - started]);
    }
  const rate = (way: string): number => (count / median(times.get(way) ?? [])) * 1000;
  const [ours = "", ...others] = Object.keys(ways);
  return {
    name,
    timings: [],
    metrics: [
      ...Object.keys(ways).map((way) => ({ name: `${way} per second`, value: Math.round(rate(way)), unit: "" })),
      ...others.map((way) => ({ name: `time ÷ ${way}`, value: rate(way) / rate(ours), unit: "×" })),
    ],
    notes: [],
  };
}

async function atOnce(concurrency: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < COUNT; index = next++) await work(index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

function commits(store: RunStore, concurrency: number): Work {
  return async (round) =>
    atOnce(concurrency, async (index) => {
      unwrap(await store.commit(commitOf(`${round}-${index}`, index)));
    });
}

function commitOf(runId: string, index: number): StepCommit {
  return {
    workflowId: "bench",
    workflowVersion: "1.0.0",
    runId,
    stepId: "step",
    stepName: "step",
    expectedVersion: 0,
    input: { index },
    output: { index, text: "some text" },
    events: [{ type: "done" }],
    commands: [emit("topic", { index })],
  };
}

function dispatch(store: RunStore): Work {
  return async () => {
    for (let handed = 0; handed < COUNT; ) {
      const rows = unwrap(await store.outbox.lease({ owner: "bench", limit: BATCH, leaseMs: 60_000 }));
      unwrap(await store.outbox.markDispatched({ owner: "bench", keys: rows.map(({ key }) => key) }));
      handed += rows.length;
    }
  };
}

async function memoryRows(): Promise<readonly Row[]> {
  const store = createMemoryStore();
  return [
    await compare("memory, commits", { veritest: commits(store, 1) }),
    await compare("memory, dispatched rows", { veritest: dispatch(store) }),
  ];
}

/** One statement as a store asked it of its driver. */
interface Asked {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** What stands for a run's id and for its number in what was asked, to be replaced for each commit. */
const RUN = "the-run";
const NUMBER = 7_777_777;

/** The values of a statement for another commit. Keys are hashes, which lie anywhere in an index. */
function valuesFor({ values }: Asked, id: string, index: number): unknown[] {
  const key = `sha256:${hash("sha256", id)}`;
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "string") return value;
    return value
      .replaceAll(/sha256:\w+/g, key)
      .replaceAll(RUN, id)
      .replaceAll(String(NUMBER), String(index));
  };
  return values.map(fill);
}

/** Notes what a store asks for one commit, and for one batch of rows that is leased and marked. */
async function askedBy(store: RunStore, asked: Asked[]): Promise<{ commit: Asked[]; dispatch: Asked[] }> {
  unwrap(await store.commit(commitOf(RUN, NUMBER)));
  const commit = asked.splice(0);
  const rows = unwrap(await store.outbox.lease({ owner: "bench", limit: BATCH, leaseMs: 60_000 }));
  unwrap(await store.outbox.markDispatched({ owner: "bench", keys: rows.map(({ key }) => key) }));
  return { commit, dispatch: asked.splice(0) };
}

/** Puts a method in another's place, which it may call; answers what takes it away again. */
function patch(
  prototype: object,
  name: string,
  method: (original: () => unknown, args: readonly unknown[]) => unknown,
): () => void {
  const own = Object.getOwnPropertyDescriptor(prototype, name);
  const original: unknown = Reflect.get(prototype, name);
  Object.defineProperty(prototype, name, {
    configurable: true,
    value(this: unknown, ...args: unknown[]) {
      return method(
        (): unknown => (typeof original === "function" ? Reflect.apply(original, this, args) : undefined),
        args,
      );
    },
  });
  return () => {
    if (own === undefined) Reflect.deleteProperty(prototype, name);
    else Object.defineProperty(prototype, name, own);
  };
}

function isAsked(value: unknown): value is Asked {
  return typeof value === "object" && value !== null && "text" in value && "values" in value;
}

/** Runs to complete: their number, and the steps that each fans out to. */
interface Runs {
  readonly name: string;
  readonly runs: number;
  readonly parts: number;
}

const COMPLETE: readonly Runs[] = [
  { name: "a fan-out of 1,000 in one run", runs: 1, parts: 1000 },
  { name: "50 runs of 21 steps", runs: 50, parts: 20 },
];

const split = defineStep({
  name: "split",
  input: z.object({ parts: z.number() }),
  output: z.looseObject({}),
  run: ({ parts }) => ({ output: { parts }, commands: [fanout("part", inputsOf(parts))] }),
});
const part = defineStep({
  name: "part",
  input: z.object({ index: z.number() }),
  output: z.looseObject({}),
  run: ({ index }) => ({ output: outputOf(index) }),
});
const workflow = defineWorkflow({ name: "complete", version: "1.0.0", steps: { split, part } });

function inputsOf(parts: number): { index: number }[] {
  return Array.from({ length: parts }, (_, index) => ({ index }));
}

function outputOf(index: number): { index: number; text: string } {
  return { index, text: "some text" };
}

/** Completes runs by a runner. */
function completed(store: RunStore, { runs, parts }: Runs): Work {
  return async (round) => {
    const ids = Array.from({ length: runs }, (_, index) => `${round}-${parts}-${index}`);
    const runner = createRunner({ store, workflows: [workflow], concurrency: AT_ONCE, record: false });
    for (const runId of ids)
      unwrap(await runner.startRun({ workflow: "complete", step: "split", input: { parts }, runId }));
    for (const runId of ids) {
      const { version } = unwrap(await runner.runUntilIdle("complete", runId));
      if (version !== parts + 2) throw new Error(`The run is at version ${version}, not ${parts + 2}.`);
    }
  };
}

/** Starts a run and commits its first step, both by the store: its parts can then be leased. */
async function fannedOut(store: RunStore, runId: string, parts: number): Promise<void> {
  const run = { workflowId: "complete", workflowVersion: "1.0.0", runId };
  unwrap(await store.start({ ...run, step: "split", input: { parts } }));
  const [row] = unwrap(await store.outbox.lease({ owner: "bench", limit: 1, leaseMs: 60_000 }));
  const step = { stepId: row?.key ?? "", stepName: "split", expectedVersion: 1, input: { parts }, output: { parts } };
  unwrap(await store.commit({ ...run, ...step, events: [], commands: [fanout("part", inputsOf(parts))] }));
}

/** What a store asks of its driver for a lease of parts, and for the commit of one. */
interface AskedForParts {
  readonly lease: Asked;
  readonly commit: readonly Asked[];
  /** The leased row of that commit. */
  readonly row: Leased;
}

/** A leased row, as the table has it. */
type Leased = Readonly<Record<"key" | "run_id" | "payload", string>>;

async function askedForParts(store: RunStore, asked: Asked[]): Promise<AskedForParts> {
  await fannedOut(store, RUN, 1);
  asked.length = 0;
  const [row] = unwrap(await store.outbox.lease({ owner: "bench", limit: AT_ONCE, leaseMs: 60_000 }));
  const [lease] = asked.splice(0);
  const key = row?.key ?? "";
  const step = { stepId: key, stepName: "part", expectedVersion: 2, input: { index: 0 }, output: outputOf(0) };
  const run = { workflowId: "complete", workflowVersion: "1.0.0", runId: RUN };
  unwrap(await store.commit({ ...run, ...step, events: [], commands: [] }));
  if (lease === undefined) throw new Error("The store asked for no lease.");
  return { lease, commit: asked.splice(0), row: { key, run_id: RUN, payload: '{"index":0}' } };
}

/** The values of a commit for another row, at another version of its run. */
function valuesForRow(
  { values }: Asked,
  { from, to, version }: { from: Leased; to: Leased; version: number },
): unknown[] {
  const indexOf = ({ payload }: Leased): string => payload.slice(1, -1);
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    // The commit that was asked for was at version 2, and made version 3.
    if (value === 2 || value === 3) return value + version - 2;
    if (typeof value !== "string") return value;
    return value.replaceAll(from.key, to.key).replaceAll(RUN, to.run_id).replaceAll(indexOf(from), indexOf(to));
  };
  return values.map(fill);
}

/**
 * Completes runs by the bare driver: rows are leased as a runner leases them, and runs commit one row at a time, each in
 * a transaction, or all rows of a lease in one.
 */
function completedBare(
  store: RunStore,
  { row: from, commit }: AskedForParts,
  driver: {
    readonly runs: Runs;
    readonly isGrouped?: boolean;
    readonly lease: () => Promise<readonly Leased[]>;
    /** Commits one row. */
    readonly commit: (asked: readonly Asked[]) => Promise<void>;
  },
): Work {
  const { runs, parts } = driver.runs;
  return async (round) => {
    const versions = new Map<string, number>();
    for (let index = 0; index < runs; index += 1) {
      const runId = `bare-${String(driver.isGrouped)}-${round}-${parts}-${index}`;
      await fannedOut(store, runId, parts);
      versions.set(runId, 2);
    }
    for (let done = 0; done < runs * parts; ) {
      const rows = await driver.lease();
      const commitAll = async (runId: string, ofRun: readonly Leased[]): Promise<void> => {
        for (const to of ofRun) {
          const version = versions.get(runId) ?? 0;
          const isWithin = ({ text }: Asked): boolean =>
            driver.isGrouped === true &&
            ((text === "begin immediate" && to !== ofRun[0]) || (text === "commit" && to !== ofRun.at(-1)));
          const own = commit.filter((one) => !isWithin(one));
          await driver.commit(own.map((one) => ({ text: one.text, values: valuesForRow(one, { from, to, version }) })));
          versions.set(runId, version + 1);
        }
      };
      await Promise.all([...Map.groupBy(rows, ({ run_id: runId }) => runId)].map(async (all) => commitAll(...all)));
      done += rows.length;
    }
    for (const [runId, version] of versions) {
      const run = unwrap(await store.load("complete", runId));
      if (run?.version !== version || run.status !== "completed") throw new Error(`Run ${runId} isn't completed.`);
    }
  };
}

/** Completes as many jobs by pg-boss: the first of a run inserts its others, and each stores its output. */
function completedByBoss(boss: PgBoss, { runs, parts }: Runs): Work {
  return async () => {
    const input = { parts };
    await boss.insert(
      "complete",
      Array.from({ length: runs }, () => ({ data: input })),
    );
    for (let done = 0; done < runs * (parts + 1); ) {
      const jobs = await boss.fetch<{ parts?: number; index?: number }>("complete", { batchSize: AT_ONCE });
      const complete = async ({ id, data }: (typeof jobs)[number]): Promise<void> => {
        if (data.parts !== undefined)
          await boss.insert(
            "complete",
            inputsOf(data.parts).map((each) => ({ data: each })),
          );
        await boss.complete("complete", id, outputOf(data.index ?? 0));
      };
      await Promise.all(jobs.map(complete));
      done += jobs.length;
    }
  };
}

/** The driver of SQLite, asked what the store asks, in the store's own tables. */
async function bareSqlite(path: string): Promise<{
  commits: Work;
  dispatch: Work;
  complete: (runs: Runs, isGrouped: boolean) => Work;
  close: () => Promise<void>;
}> {
  const asked: Asked[] = [];
  const unpatch = patch(DatabaseSync.prototype, "prepare", (prepare, [text]) => {
    const statement = prepare();
    if (!(statement instanceof StatementSync) || typeof text !== "string") return statement;
    const all = statement.all.bind(statement);
    Reflect.set(statement, "all", (...values: SQLInputValue[]) => {
      asked.push({ text, values });
      return all(...values);
    });
    return statement;
  });
  const store = unwrap(await openSqliteStore({ path }));
  asked.length = 0;
  const { commit, dispatch: leased } = await askedBy(store, asked);
  const parts = await askedForParts(store, asked);
  unpatch();
  const database = new DatabaseSync(path);
  database.exec("pragma journal_mode = wal; pragma synchronous = full");
  const ready = commit.map((one) => ({ one, statement: database.prepare(one.text) }));
  const [lease, mark] = leased.map((one) => ({ one, statement: database.prepare(one.text) }));
  if (lease === undefined || mark === undefined) throw new Error("The store asked for no batch.");
  const leaseParts = database.prepare(parts.lease.text);
  const statements = new Map(parts.commit.map(({ text }) => [text, database.prepare(text)]));
  const statementOf = (text: string): StatementSync => statements.get(text) ?? database.prepare(text);
  return {
    commits: async (round) =>
      atOnce(1, async (index) => {
        for (const { one, statement } of ready)
          statement.all(...valuesFor(one, `${round}-${index}`, index).map((value) => (isInput(value) ? value : null)));
      }),
    dispatch: async () => {
      for (let handed = 0; handed < COUNT; ) {
        const rows = lease.statement.all(...[Date.now(), ...lease.one.values.slice(1)].filter(isInput));
        const keys = JSON.stringify(rows.map(({ key }) => key));
        handed += mark.statement.all(...[keys, ...mark.one.values.slice(1)].filter(isInput)).length;
      }
    },
    complete: (runs, isGrouped) =>
      completedBare(store, parts, {
        runs,
        isGrouped,
        lease: async () =>
          leaseParts.all(...[Date.now(), ...parts.lease.values.slice(1)].filter(isInput)).filter(isLeased),
        commit: async (all) => {
          for (const { text, values } of all)
            statementOf(text).all(...values.map((value) => (isInput(value) ? value : null)));
        },
      }),
    close: async () => {
      database.close();
      await store.close();
    },
  };
}

function isLeased(row: object): row is Leased {
  return "key" in row && "run_id" in row && "payload" in row;
}

function isInput(value: unknown): value is string | number | null {
  return value === null || typeof value === "string" || typeof value === "number";
}

async function completeRows(
  database: string,
  waysOf: (runs: Runs) => Readonly<Record<string, Work>>,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const runs of COMPLETE)
    rows.push(await compare(`${database}, ${runs.name}`, waysOf(runs), runs.runs * (runs.parts + 1)));
  return rows;
}

async function sqliteRows(directory: string): Promise<readonly Row[]> {
  const store = unwrap(await openSqliteStore({ path: join(directory, "ours.sqlite") }));
  const bare = await bareSqlite(join(directory, "bare.sqlite"));
  const rows = [
    await compare("sqlite, commits", { veritest: commits(store, 1), "bare driver": bare.commits }),
    await compare("sqlite, dispatched rows", { veritest: dispatch(store), "bare driver": bare.dispatch }),
    ...(await completeRows("sqlite", (runs) => ({
      veritest: completed(store, runs),
      "bare driver": bare.complete(runs, false),
      ...(runs.runs === 1 && { "bare driver, a transaction per lease": bare.complete(runs, true) }),
    }))),
  ];
  await store.close();
  await bare.close();
  return rows;
}

/** The driver of PostgreSQL, asked what the store asks, in tables of its own that are the store's. */
async function barePostgres(
  url: string,
  pool: Pool,
): Promise<{ commits: Work; dispatch: Work; complete: (runs: Runs) => Work; close: () => Promise<void> }> {
  unwrap(await initPostgresStore({ url, schema: "bare" }));
  const asked: Asked[] = [];
  const unpatch = patch(Pool.prototype, "query", (query, [one]) => {
    if (isAsked(one)) asked.push({ text: one.text, values: one.values });
    return query();
  });
  const store = unwrap(await openPostgresStore({ url, schema: "bare" }));
  asked.length = 0;
  const { commit, dispatch: leased } = await askedBy(store, asked);
  const parts = await askedForParts(store, asked);
  unpatch();
  const [whole] = commit;
  const [lease, mark] = leased;
  if (whole === undefined || lease === undefined || mark === undefined) throw new Error("The store asked for nothing.");
  return {
    commits: async (round) =>
      atOnce(AT_ONCE, async (index) =>
        pool.query({ name: "commit", text: whole.text, values: valuesFor(whole, `${round}-${index}`, index) }),
      ),
    dispatch: async () => {
      for (let handed = 0; handed < COUNT; ) {
        const { rows } = await pool.query<{ key: string }>({ name: "lease", ...asValues(lease, lease.values) });
        const keys = rows.map(({ key }) => key);
        const marked = await pool.query({ name: "mark", ...asValues(mark, [keys, ...mark.values.slice(1)]) });
        handed += marked.rows.length;
      }
    },
    complete: (runs) =>
      completedBare(store, parts, {
        runs,
        lease: async () =>
          (await pool.query<Leased>({ name: "parts", ...asValues(parts.lease, parts.lease.values) })).rows,
        commit: async (all) => {
          for (const one of all) await pool.query({ name: "part", ...asValues(one, one.values) });
        },
      }),
    close: async () => store.close(),
  };
}

function asValues({ text }: Asked, values: readonly unknown[]): { text: string; values: unknown[] } {
  return { text, values: [...values] };
}

async function postgresRows(url: string): Promise<readonly Row[]> {
  unwrap(await initPostgresStore({ url }));
  const store = unwrap(await openPostgresStore({ url, connections: AT_ONCE }));
  const pool = new Pool({ connectionString: url, max: AT_ONCE });
  // The server ends connections that are idle when it stops.
  pool.on("error", () => undefined);
  const bare = await barePostgres(url, pool);
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue("bench");
  await boss.createQueue("complete");
  const bossDispatch: Work = async () => {
    for (let handed = 0; handed < COUNT; ) {
      const jobs = await boss.fetch<object>("bench", { batchSize: BATCH });
      await boss.complete(
        "bench",
        jobs.map(({ id }) => id),
      );
      handed += jobs.length;
    }
  };
  const commitRow = await compare("postgres, commits", {
    veritest: commits(store, AT_ONCE),
    "bare driver": bare.commits,
    "pg-boss send": async () => atOnce(AT_ONCE, async (index) => boss.send("bench", { index })),
  });
  const ways = { veritest: dispatch(store), "bare driver": bare.dispatch, "pg-boss": bossDispatch };
  const dispatchRow = await compare("postgres, dispatched rows", ways);
  const complete = await completeRows("postgres", (runs) => ({
    veritest: completed(store, runs),
    "bare driver": bare.complete(runs),
    "pg-boss": completedByBoss(boss, runs),
  }));
  await boss.stop({ graceful: false });
  await bare.close();
  await pool.end();
  await store.close();
  return [commitRow, dispatchRow, ...complete];
}

const RECOMPUTED = 10_000;

async function recomputed(directory: string): Promise<Row> {
  const step = defineStep({
    name: "step",
    input: z.object({ index: z.number() }),
    output: z.object({ index: z.number(), text: z.string() }),
    run: ({ index }) => ({ output: { index, text: "other text" } }),
  });
  const path = join(directory, "recomputed.sqlite");
  const store = unwrap(await openSqliteStore({ path, synchronous: "normal" }));
  for (let round = 0; round * COUNT < RECOMPUTED; round += 1) await commits(store, 1)(round);
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  const collect = (): void => {
    if (typeof gc === "function") Reflect.apply(gc, undefined, []);
  };
  const heap = (): number => {
    collect();
    return process.memoryUsage().heapUsed / 2 ** 20;
  };
  const before = heap();
  let most = before;
  let done = 0;
  const started = performance.now();
  const onItem = (): void => {
    done += 1;
    if (done % 500 === 0) most = Math.max(most, heap());
  };
  const summary = unwrap(await recomputeBatch({ store, steps: [step], onItem }));
  const seconds = (performance.now() - started) / 1000;
  await store.close();
  if (summary.changed !== done || done < RECOMPUTED) throw new Error(`Recomputed ${done}, changed ${summary.changed}.`);
  return {
    name: "recompute 10,000 stored runs",
    timings: [],
    metrics: [
      { name: "runs per second", value: Math.round(done / seconds), unit: "" },
      { name: "heap above the start", value: most - before, unit: "MB" },
    ],
    notes: [],
  };
}
