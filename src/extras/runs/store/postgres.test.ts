// @module-tag deep
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type TestPostgres, startPostgres } from "../../../../fixtures/postgres.ts";
import { type Result, unwrap } from "../../../kernel/result.ts";
import { fanout } from "../../../kernel/step/command.ts";
import { openStore } from "./open-store.ts";
import type { RunStore } from "./contract.ts";
import { initPostgresStore, openPostgresStore } from "./postgres.ts";
import { openSqliteStore } from "./sqlite.ts";
import type { StoreError } from "./store-error.ts";

const ROUNDS = process.env["VERITEST_FAULTS"] === "full" ? 50 : 8;
let server: TestPostgres;
const directory = mkdtempSync(join(tmpdir(), "veritest-store-"));

async function sql(...statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

beforeAll(async () => {
  server = await startPostgres();
  unwrap(await initPostgresStore({ url: server.url }));
  await sql("create role reader login password 'reader'", "create database empty", "create schema newer");
  await sql("create table newer.meta (schema_version integer)", "insert into newer.meta values (7)");
});
afterAll(async () => {
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
});

type Bad = readonly [string, () => Promise<Result<unknown, StoreError>>, string, RegExp];

const BAD: readonly Bad[] = [
  [
    "a URL of nothing",
    async () => openStore("mysql://x"),
    "bad_url",
    /^The URL isn't the URL of a store. Use postgres:/,
  ],
  [
    "a URL that is none",
    async () => openStore("postgres:nonsense"),
    "bad_url",
    /^The store's URL isn't a PostgreSQL URL/,
  ],
  [
    "a host that is not there",
    async () => openStore("postgres://u@no-such-host.invalid/db"),
    "bad_url",
    /^The host of the store's URL can't be found: .*no-such-host\.invalid/,
  ],
  ["a port nobody listens on", async () => openStore("postgres://u@127.0.0.1:1/db"), "unavailable", /can't be reached/],
  [
    "a database that is not there",
    async () => openStore(server.urlOf({ database: "nope" })),
    "bad_url",
    /database "nope" does not exist/,
  ],
  ["a wrong password", async () => openStore(server.urlOf({ password: "wrong" })), "no_rights", /refused the login/],
  [
    "a user without rights",
    async () => openStore(server.urlOf({ user: "reader", password: "reader" })),
    "no_rights",
    /^PostgreSQL refused the operation: permission denied/,
  ],
  [
    "a user who may not make the tables",
    async () => initPostgresStore({ url: server.urlOf({ user: "reader", password: "reader" }), schema: "other" }),
    "no_rights",
    /^PostgreSQL refused the operation: permission denied for database/,
  ],
  [
    "a database without the tables",
    async () => openStore(server.urlOf({ database: "empty" })),
    "schema_missing",
    /^The database doesn't contain veritest's tables, but version 3 is needed\. Run: npx veritest store init/,
  ],
  [
    "a newer schema",
    async () => openStore(server.url, { schema: "newer" }),
    "schema_newer",
    /^The store's schema is version 7, and this version of veritest only knows versions up to 3\. Update veritest\.$/,
  ],
  [
    "a newer schema that is to be brought up to date",
    async () => openStore(server.url, { schema: "newer", init: true }),
    "schema_newer",
    /only knows versions up to 3/,
  ],
  [
    "a schema name that is none",
    async () => openStore(server.url, { schema: "a;b" }),
    "bad_url",
    /^"a;b" isn't a schema name/,
  ],
  [
    "a SQLite file in no directory",
    async () => openSqliteStore({ path: join(directory, "no", "runs.sqlite") }),
    "no_rights",
    /^Cannot open the store .*runs\.sqlite: unable to open database file/,
  ],
  [
    "a SQLite file that is none",
    async () => {
      writeFileSync(join(directory, "text.sqlite"), "This is no database at all. ".repeat(100));
      return openSqliteStore({ path: join(directory, "text.sqlite") });
    },
    "bad_url",
    /isn't an SQLite database\. Pass a different file\.$/,
  ],
];

describe("opening a store that isn't usable", () => {
  test.each(BAD)("%s is reported by its own code and words", async (_name, open, code, message) => {
    const opened = await open();
    expect(opened).toMatchObject({ ok: false, error: { code } });
    expect(opened.ok ? "" : opened.error.message).toMatch(message);
  });
});

describe("store init", () => {
  test(`is safe if two processes start at once, ${ROUNDS} times`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const place = { url: server.url, schema: `round_${round}` };
      const made = await Promise.all([initPostgresStore(place), initPostgresStore(place)]);
      expect(made).toEqual([
        { ok: true, value: 3 },
        { ok: true, value: 3 },
      ]);
      if (round === ROUNDS - 1) await unwrap(await openPostgresStore(place)).close();
    }
  });

  test("keeps existing runs", async () => {
    const place = { url: server.url, schema: "kept" };
    unwrap(await initPostgresStore(place));
    const store = unwrap(await openPostgresStore(place));
    unwrap(await store.start({ workflowId: "w", workflowVersion: "1", runId: "r", step: "s", input: 1 }));
    unwrap(await initPostgresStore(place));
    expect(unwrap(await store.list())).toHaveLength(1);
    await store.close();
  });
});

test("reconnects after a restart of the server", async () => {
  const store = unwrap(await openPostgresStore({ url: server.url, connections: 2 }));
  const start = { workflowId: "w", workflowVersion: "1", step: "s", input: 1 };
  unwrap(await store.start({ ...start, runId: "before" }));
  await server.restart();
  unwrap(await store.start({ ...start, runId: "after" }));
  expect(
    unwrap(await store.list())
      .map(({ runId }) => runId)
      .toSorted(),
  ).toEqual(["after", "before"]);
  await store.close();
});

test("two workers that commit the last commands of a fanout at the same time release its collect", async () => {
  const stores = [
    unwrap(await openPostgresStore({ url: server.url })),
    unwrap(await openPostgresStore({ url: server.url })),
  ] as const;
  const run = { workflowId: "joined", workflowVersion: "1", runId: "r" };
  const step = { ...run, stepName: "s", output: {}, events: [] };
  const commands = [fanout("part", [1, 2], { then: "sum" })];
  unwrap(await stores[0].commit({ ...step, stepId: "split", expectedVersion: 0, commands }));
  const [first, second, sum] = unwrap(await stores[0].commands("joined", "r"));
  const locker = new Client({ connectionString: server.url });
  await locker.connect();
  await locker.query("begin");
  await locker.query("select 1 from veritest.runs where workflow_id = 'joined' for update");
  const commits = [first, second].map((row, index) =>
    stores[index === 0 ? 0 : 1].commit({ ...step, stepId: row?.key ?? "", commands: [] }),
  );
  // Both statements have begun, so neither sees the rows of the other.
  const waiting = "select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock'";
  while ((await locker.query<{ count: number }>(waiting)).rows[0]?.count !== 2) await sleep(10);
  await locker.query("commit");
  await locker.end();
  const versions = (await Promise.all(commits)).map((committed) => unwrap(committed).version);
  expect(new Set(versions)).toEqual(new Set([2, 3]));
  expect(unwrap(await stores[0].outbox.get(sum?.key ?? ""))).toMatchObject({ kind: "collect", status: "pending" });
  for (const store of stores) await store.close();
});

describe("an error of the server", () => {
  let store: RunStore;
  beforeAll(async () => {
    unwrap(await initPostgresStore({ url: server.url, schema: "failing" }));
    store = unwrap(await openStore(server.url, { schema: "failing" }));
  });
  afterAll(async () => store?.close());

  test.each([
    ["08006", "unavailable", "PostgreSQL can't be reached: no luck. Try again later."],
    ["40001", "unavailable", "PostgreSQL can't run the operation now: no luck. Try again later."],
    ["40P01", "unavailable", "PostgreSQL can't run the operation now: no luck. Try again later."],
    ["53100", "unavailable", "PostgreSQL can't run the operation now: no luck. Try again later."],
    ["55P03", "unavailable", "PostgreSQL can't run the operation now: no luck. Try again later."],
    ["57P01", "unavailable", "PostgreSQL can't be reached: no luck. Try again later."],
    ["57P03", "unavailable", "PostgreSQL can't be reached: no luck. Try again later."],
    ["57P04", "store_failed", "The store failed: no luck."],
    ["58030", "unavailable", "PostgreSQL can't run the operation now: no luck. Try again later."],
    ["22012", "store_failed", "The store failed: no luck."],
  ])("of SQLSTATE %s has the code %s", async (state, code, message) => {
    await sql(
      `create or replace function failing.fail() returns trigger language plpgsql as
        $$ begin raise exception 'no luck' using errcode = '${state}'; end $$`,
      "create or replace trigger fails before insert on failing.runs execute function failing.fail()",
    );
    const started = await store.start({ workflowId: "w", workflowVersion: "1", runId: "r", step: "s", input: {} });
    const retryable = code === "unavailable";
    expect(started).toMatchObject({ ok: false, error: { code, message, retryable } });
  });
});
