import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Pool } from "pg";
import { PgBoss } from "pg-boss";
import { z } from "zod";
import { startPostgres } from "../../fixtures/postgres.ts";
import { unwrap } from "../../src/base/result.ts";
import { recomputeBatch } from "../../src/runner/recompute-batch.ts";
import { emit } from "../../src/step/command.ts";
import { defineStep } from "../../src/step/define-step.ts";
import type { RunStore } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory.ts";
import { initPostgresStore, openPostgresStore } from "../../src/store/postgres.ts";
import { openSqliteStore } from "../../src/store/sqlite.ts";
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
async function compare(name: string, ways: Readonly<Record<string, Work>>): Promise<Row> {
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [way, work] of Object.entries(ways)) {
      const started = performance.now();
      await work(round);
      times.set(way, [...(times.get(way) ?? []), performance.now() - started]);
    }
  const rate = (way: string): number => (COUNT / median(times.get(way) ?? [])) * 1000;
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
      const committed = await store.commit({
        workflowId: "bench",
        workflowVersion: "1.0.0",
        runId: `${round}-${index}`,
        stepId: "step",
        stepName: "step",
        expectedVersion: 0,
        input: { index },
        output: { index, text: "some text" },
        events: [{ type: "done" }],
        commands: [emit("topic", { index })],
      });
      unwrap(committed);
    });
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

const TABLES = [
  "create table runs (w text, r text, v text, version integer, computed text, overlay text, c integer, u integer, primary key (w, r))",
  "create table entries (w text, r text, version integer, kind text, s text, n text, v text, at integer, i text, o text, e text, c text, a text, primary key (w, r, version))",
  "create unique index entries_step on entries (w, r, s) where kind = 'step'",
  "create table commands (seq integer primary key autoincrement, key text unique, w text, r text, v text, s text, kind text, target text, payload text, status text, settled boolean, attempts integer, at integer, owner text, until integer, error text)",
  "create index commands_due on commands (at, seq) where status = 'pending'",
  "create index commands_leased on commands (until) where status = 'leased'",
  "create index commands_run on commands (w, r, settled, status)",
];

async function sqliteRows(directory: string): Promise<readonly Row[]> {
  const store = unwrap(await openSqliteStore({ path: join(directory, "ours.sqlite") }));
  const bare = new DatabaseSync(join(directory, "bare.sqlite"));
  bare.exec(`pragma journal_mode = wal; pragma synchronous = full; ${TABLES.join(";")}`);
  const run = bare.prepare(
    "insert into runs values (?, ?, '1', 1, ?, '{}', 1, 1) on conflict do nothing returning version",
  );
  const entry = bare.prepare(
    "insert into entries values ('bench', ?, 1, 'step', 'step', 'step', '1', 1, ?, ?, '[]', '[]', '[]')",
  );
  const command = bare.prepare(
    "insert into commands (key, w, r, v, s, kind, target, payload, status, settled, attempts, at) values (?, 'bench', ?, '1', 'step', 'emit', 'topic', ?, 'pending', false, 0, 1) returning *",
  );
  const settle = bare.prepare("update commands set settled = true where key = ? and not settled");
  const bareCommits: Work = async (round) =>
    atOnce(1, async (index) => {
      bare.exec("begin immediate");
      run.all("bench", `${round}-${index}`, `{"index":${index},"text":"some text"}`);
      entry.run(`${round}-${index}`, `{"index":${index}}`, `{"index":${index},"text":"some text"}`);
      command.all(`sha256:${"0".repeat(50)}${round}-${index}`, `${round}-${index}`, `{"index":${index}}`);
      settle.run("step");
      bare.exec("commit");
    });
  const lease = bare.prepare(
    `with due as materialized (select key from commands where status = 'pending' and at <= 9 order by at, seq limit ${BATCH})
    update commands set status = 'leased', owner = 'bench', until = 9, attempts = attempts + 1 where key in (select key from due) returning *`,
  );
  const mark = bare.prepare(
    "update commands set status = 'dispatched', settled = true where key in (select value from json_each(?)) and status = 'leased' returning key",
  );
  const bareDispatch: Work = async () => {
    for (let handed = 0; handed < COUNT; ) handed += mark.all(JSON.stringify(lease.all().map(({ key }) => key))).length;
  };
  const rows = [
    await compare("sqlite, commits", { veritest: commits(store, 1), "bare driver": bareCommits }),
    await compare("sqlite, dispatched rows", { veritest: dispatch(store), "bare driver": bareDispatch }),
  ];
  await store.close();
  bare.close();
  return rows;
}

async function postgresRows(url: string): Promise<readonly Row[]> {
  unwrap(await initPostgresStore({ url }));
  unwrap(await initPostgresStore({ url, schema: "bare" }));
  const store = unwrap(await openPostgresStore({ url, connections: AT_ONCE }));
  const pool = new Pool({ connectionString: url, max: AT_ONCE });
  const boss = new PgBoss({ connectionString: url, supervise: false, schedule: false });
  await boss.start();
  await boss.createQueue("bench");
  const bareCommits: Work = async (round) =>
    atOnce(AT_ONCE, async (index) => {
      const id = `${round}-${index}`;
      const output = `{"index":${index},"text":"some text"}`;
      const values = [id, output, `{"index":${index}}`, `sha256:${"0".repeat(50)}${id}`];
      await pool.query({ name: "commit", text: BARE_COMMIT, values });
    });
  const bareDispatch: Work = async () => {
    for (let handed = 0; handed < COUNT; ) {
      const leased = await pool.query<{ key: string }>({ name: "lease", text: BARE_LEASE });
      const marked = await pool.query({ name: "mark", text: BARE_MARK, values: [leased.rows.map(({ key }) => key)] });
      handed += marked.rows.length;
    }
  };
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
    "bare driver": bareCommits,
    "pg-boss send": async () => atOnce(AT_ONCE, async (index) => boss.send("bench", { index })),
  });
  const ways = { veritest: dispatch(store), "bare driver": bareDispatch, "pg-boss": bossDispatch };
  const dispatchRow = await compare("postgres, dispatched rows", ways);
  await boss.stop({ graceful: false });
  await pool.end();
  await store.close();
  return [commitRow, dispatchRow];
}

const BARE_COMMIT = `with run as (insert into bare.runs values ('bench', $1, '1', 1, $2::jsonb, '{}', 1, 1) on conflict do nothing returning version),
  entry as (insert into bare.entries select 'bench', $1, 1, 'step', 'step', 'step', '1', 1, $3, $2, '[]', '[]', '[]' from run),
  command as (insert into bare.commands (key, workflow_id, run_id, workflow_version, step_id, kind, target, payload, status, settled, attempts, available_at)
    select $4, 'bench', $1, '1', 'step', 'emit', 'topic', $3, 'pending', false, 0, 1 from run),
  settled as (update bare.commands set settled = true where key = 'step' and not settled and exists (select 1 from run))
  select version from run`;
const BARE_LEASE = `with due as materialized (select key from bare.commands where status = 'pending' and available_at <= 9
  order by available_at, seq limit ${BATCH} for update skip locked)
  update bare.commands set status = 'leased', lease_owner = 'bench', lease_until = 9, attempts = attempts + 1
  where key in (select key from due) returning *`;
const BARE_MARK = `update bare.commands set status = 'dispatched', settled = true, lease_owner = null
  where key = any($1::text[]) and status = 'leased' returning key`;

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
