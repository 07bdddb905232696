import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ContractCase, storeContract } from "../../../store-contract.ts";
import { unwrap } from "../../../kernel/result.ts";
import { type TestPostgres, startPostgres } from "../../../../fixtures/postgres.ts";
import { createMemoryStore } from "./memory.ts";
import { initPostgresStore, openPostgresStore } from "./postgres.ts";
import { openSqliteStore } from "./sqlite.ts";

const directory = mkdtempSync(join(tmpdir(), "veritest-store-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("the contract has at least 120 cases with unique names", () => {
  expect(storeContract.length).toBeGreaterThanOrEqual(120);
  expect(new Set(storeContract.map(({ name }) => name)).size).toBe(storeContract.length);
});

const LARGE = /20 MB|1 MiB/;
const indexed = storeContract.map((contract, index) => ({ ...contract, index }));
const quick = indexed.filter(({ name }) => !LARGE.test(name));
const large = indexed.filter(({ name }) => LARGE.test(name));

describe("memory", () => {
  const check = async ({ run }: ContractCase) => run(async (options) => createMemoryStore(options));
  test.each(quick)("$name", check);
  test.each(large)("$name", { tags: "deep" }, check);
});

describe("sqlite", () => {
  const empty = join(directory, "empty.sqlite");
  beforeAll(async () => unwrap(await openSqliteStore({ path: empty })).close());

  const check = async ({ run, index }: (typeof indexed)[number]) => {
    const path = join(directory, `${index}.sqlite`);
    // The tables are made once: making them waits for the disk a dozen times.
    copyFileSync(empty, path);
    await run(async (options) => unwrap(await openSqliteStore({ path, synchronous: "normal", ...options })));
  };
  test.each(quick)("$name", check);
  test.each(large)("$name", { tags: "deep" }, check);
});

describe("postgres", { tags: "deep" }, () => {
  let server: TestPostgres;
  beforeAll(async () => {
    server = await startPostgres();
    unwrap(await initPostgresStore({ url: server.url }));
  });
  afterAll(async () => server?.stop());

  test.each(storeContract)("$name", async ({ run }) => {
    await emptyPostgres(server.url);
    await run(async (options) => unwrap(await openPostgresStore({ url: server.url, ...options })));
  });
});

async function emptyPostgres(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("truncate veritest.runs, veritest.entries, veritest.commands, veritest.blocks");
  await client.end();
}
