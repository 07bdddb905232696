import type { Pool, PoolClient } from "pg";
import { codeOf, messageOf } from "../../../kernel/error-message.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import type { CommitGroup, PreparedStep } from "./commit-groups.ts";
import type { RunStore, StoreResult } from "./contract.ts";
import { commandsJson, computedJson, number } from "./rows.ts";
import { type Dialect, type Query, checkSchema, migrate, missingSchema } from "./sql-schema.ts";
import type { CommitTiming, Driver } from "./sql-commits.ts";
import { type SqlStoreOptions, createSqlStore } from "./sql-store.ts";
import { finished, insertCommands, releaseJoin, statementsOf } from "./sql-statements.ts";
import { type StoreError, storeError } from "./store-error.ts";

/** Location of a PostgreSQL store. */
export interface PostgresLocation {
  /** `postgres://user:password@host:port/database`; the `PG…` variables supply the missing parts. */
  readonly url: string;
  /** Schema of the store's tables. Default: `veritest`. */
  readonly schema?: string;
}

/** Options for {@link openPostgresStore}. */
export interface PostgresStoreOptions extends PostgresLocation, SqlStoreOptions {
  /** Maximum number of connections. Default: 8. */
  readonly connections?: number;
  /** Use named prepared statements, which poolers in transaction mode don't support. Default: true. */
  readonly prepare?: boolean;
}

/** Opens a store in PostgreSQL. Create its tables first, with `veritest store init` or {@link initPostgresStore}. */
export async function openPostgresStore(options: PostgresStoreOptions): StoreResult<RunStore> {
  const { url, schema = "veritest", connections = 8, prepare = true, ...rest } = options;
  const connected = await connect({ url, schema }, connections);
  if (!connected.ok) return connected;
  const driver = new PostgresDriver(connected.value, dialectOf(schema), prepare);
  const checked = await attempt(async () => checkSchema(driver.query, driver.dialect));
  if (checked.ok) return ok(createSqlStore(driver, rest));
  await driver.close();
  return checked;
}

/** Creates or migrates the schema and its tables; safe to call concurrently. */
export async function initPostgresStore({ url, schema = "veritest" }: PostgresLocation): StoreResult<number> {
  const connected = await connect({ url, schema }, 1);
  if (!connected.ok) return connected;
  const driver = new PostgresDriver(connected.value, dialectOf(schema), false);
  try {
    return await attempt(async () =>
      driver.transaction(async (query) => {
        // Creating a schema twice at once fails, even with "if not exists", so callers take turns.
        await query("select pg_advisory_xact_lock(hashtext($1))", [`veritest store ${schema}`]);
        const [there] = await query("select 1 from pg_namespace where nspname = $1", [schema]);
        if (there === undefined) await query(`create schema ${schema}`);
        return migrate(query, driver.dialect);
      }),
    );
  } finally {
    await driver.close();
  }
}

async function connect({ url, schema }: Required<PostgresLocation>, max: number): Promise<Result<Pool, StoreError>> {
  if (!/^[a-z_][a-z0-9_]{0,50}$/.test(schema))
    return err(storeError("bad_url", `"${schema}" isn't a schema name. Use lower-case letters, digits and _.`));
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url))
    return err(
      storeError("bad_url", "The store's URL isn't a PostgreSQL URL such as postgres://user@host:5432/database."),
    );
  const loaded = await import("pg").catch(() => undefined);
  if (loaded === undefined)
    return err(storeError("unavailable", 'The package "pg" isn\'t installed. Install it: npm install pg'));
  const pool = new loaded.default.Pool({ connectionString: url, max });
  // The next query replaces a connection that breaks while idle, and reports it if that fails too.
  pool.on("error", () => undefined);
  const ping = await attempt(async () => ok(await pool.query("select 1")));
  if (ping.ok) return ok(pool);
  await pool.end();
  return ping;
}

async function attempt<T>(work: () => Promise<Result<T, StoreError>>): Promise<Result<T, StoreError>> {
  try {
    return await work();
  } catch (thrown) {
    return err(wordsOf(thrown) ?? storeError("store_failed", `PostgreSQL: ${messageOf(thrown)}.`, { cause: thrown }));
  }
}

/** No connection, or it was closed: not 57P04, because a dropped database doesn't return. */
const GONE = /^(?:08...|57P0[1235]|E(?:CONN|PIPE|TIMEDOUT|HOST|NET).*)$/;

/** Conflicts of transactions, missing resources, a lock that wasn't available, and errors of the disk or the system. */
const BUSY = /^(?:40...|53...|55P03|58...)$/;

/** Translates PostgreSQL's error codes, https://www.postgresql.org/docs/current/errcodes-appendix.html. */
function wordsOf(thrown: unknown): StoreError | undefined {
  const code = codeOf(thrown) ?? "";
  const message = messageOf(thrown);
  const cause = { cause: thrown };
  if (code === "42P01" || code === "3F000") return missingSchema(0);
  if (code === "42501" || code === "25006") {
    const todo =
      code === "42501"
        ? "Grant the store's user the missing permission."
        : "The database is read-only. Connect to a server that accepts writes.";
    return storeError("no_rights", `PostgreSQL refused the operation: ${message}. ${todo}`, cause);
  }
  if (code === "28P01" || code === "28000")
    return storeError("no_rights", `PostgreSQL refused the login: ${message}. Check the user and the password.`, cause);
  if (code === "3D000")
    return storeError(
      "bad_url",
      `The database doesn't exist: ${message}. Check the URL, or create the database.`,
      cause,
    );
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return storeError("bad_url", `The host of the store's URL can't be found: ${message}. Check the URL.`, cause);
  if (BUSY.test(code))
    return storeError("unavailable", `PostgreSQL can't run the operation now: ${message}. Try again later.`, cause);
  if (GONE.test(code) || /connection terminated|connection ended|timeout exceeded/i.test(message))
    return storeError("unavailable", `PostgreSQL can't be reached: ${message || code}. Try again later.`, cause);
  return undefined;
}

function dialectOf(schema: string): Dialect {
  return {
    prefix: `${schema}.`,
    name: 'text collate "C"',
    big: "bigint",
    sequence: "bigint generated always as identity",
    fields: "jsonb",
    now: (parameter) => `coalesce(${parameter}::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint)`,
    merge: (before, after) => `${before} || ${after}::jsonb`,
    among: (column, parameter) => `${column} = any(${parameter}::text[])`,
    list: (texts) => texts,
    commandRows: (
      parameter,
    ) => `json_to_recordset(${parameter}::json) as c(key text, step_id text, kind text, target text,
      payload text, status text, delay bigint, traceparent text, join_key text, "index" integer)`,
    forUpdate: "for update",
    skipLocked: "for update skip locked",
  };
}

class PostgresDriver implements Driver {
  readonly dialect: Dialect;
  readonly #pool: Pool;
  readonly #prepare: boolean;
  readonly #names = new Map<string, string>();
  readonly #commitTexts: { readonly first: string; readonly later: string };

  constructor(pool: Pool, dialect: Dialect, prepare: boolean) {
    this.#pool = pool;
    this.dialect = dialect;
    this.#prepare = prepare;
    this.#commitTexts = commitTexts(dialect);
  }

  readonly query: Query = async (text, values = []) => this.#run(this.#pool, text, values);

  async transaction<T>(body: (query: Query) => Promise<Result<T, StoreError>>): Promise<Result<T, StoreError>> {
    const client = await this.#pool.connect();
    let broken = true;
    try {
      await client.query("begin");
      const done = await body(async (text, values = []) => this.#run(client, text, values));
      await client.query(done.ok ? "commit" : "rollback");
      broken = false;
      return done;
    } catch (thrown) {
      broken = await client.query("rollback").then(
        () => false,
        () => true,
      );
      throw thrown;
    } finally {
      client.release(broken);
    }
  }

  /** Uses one statement, so one round trip to the server. */
  async commit(query: Query, { run, steps }: CommitGroup, { now, begin }: CommitTiming): Promise<number | undefined> {
    const { workflowId, runId, workflowVersion, expectedVersion } = run;
    const fields = computedJson(steps.flatMap(({ prepared }) => prepared.fields));
    const rows = steps.map(({ commit: { stepId }, prepared }) => ({ stepId, rows: prepared.rows }));
    const head = [workflowId, runId, workflowVersion, fields, now, expectedVersion ?? null, steps.length];
    const [row] = await query(expectedVersion === 0 ? this.#commitTexts.first : this.#commitTexts.later, [
      ...head,
      commandsJson(rows, begin),
      ...Object.values(STEP_VALUES).map((valueOf) => steps.map(valueOf)),
    ]);
    return row === undefined ? undefined : number(row, "version");
  }

  isDuplicate(thrown: unknown): boolean {
    return codeOf(thrown) === "23505";
  }

  errorOf(thrown: unknown): StoreError | undefined {
    return wordsOf(thrown);
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #run(client: Pool | PoolClient, text: string, values: readonly unknown[]): ReturnType<Query> {
    const { rows } = await client.query<Record<string, unknown>>({
      text,
      values: [...values],
      ...(this.#prepare && values.length > 0 ? { name: this.#nameOf(text) } : {}),
    });
    return rows;
  }

  /** Names a statement, so that it's planned once per connection. */
  #nameOf(text: string): string {
    const name = this.#names.get(text) ?? `veritest_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

/** Columns of a group's steps, each of which is one parameter. */
const STEP_VALUES = {
  kind: ({ kind }) => kind,
  step_id: ({ commit }) => commit.stepId,
  step_name: ({ commit }) => commit.stepName,
  input: ({ prepared }) => prepared.input,
  output: ({ prepared }) => prepared.output,
  events: ({ prepared }) => prepared.events,
  commands: ({ prepared }) => prepared.commands,
  artifacts: ({ prepared }) => prepared.artifacts,
  block_id: ({ prepared }) => prepared.block?.blockId ?? null,
  block_kind: ({ prepared }) => prepared.block?.kind ?? null,
  detail: ({ prepared }) => prepared.block?.detail ?? null,
} satisfies Readonly<Record<string, (step: PreparedStep) => string | null>>;

/** Returns a group of commits as one statement: each part writes only if the run took its new version. */
function commitTexts(dialect: Dialect): { readonly first: string; readonly later: string } {
  const { prefix: p, now } = dialect;
  const { createRun, writeRun } = statementsOf(dialect);
  const first = 9;
  const columns = Object.keys(STEP_VALUES);
  // Behind a select, a parameter doesn't change the estimated cost. Otherwise PostgreSQL would plan each commit again.
  const arrays = columns.map((_column, index) => `(select $${first + index}::text[])`);
  const keys = `${arrays[columns.indexOf("step_id")]}::text[]`;
  const steps = `with steps as materialized (select * from unnest(${arrays.join(", ")}) with ordinality
    as s(${columns.join(", ")}, ordinal))`;
  const rest = `, entry as (insert into ${p}entries (workflow_id, run_id, version, kind, step_id, step_name,
      workflow_version, at, input, output, events, commands, artifacts)
      select $1, $2, run.version - $7 + s.ordinal, s.kind, s.step_id, s.step_name, $3, ${now("$5")}, s.input, s.output,
      s.events, s.commands, s.artifacts from run, steps s),
    written as (${insertCommands(dialect, { at: "$5", rows: "$8", from: "run," })}),
    opened as (insert into ${p}blocks (block_id, workflow_id, run_id, workflow_version, step_id, step_name, kind,
      detail, opened_at)
      select s.block_id, $1, $2, $3, s.step_id, s.step_name, s.block_kind, s.detail, ${now("$5")} from run, steps s
      where s.block_id is not null),
    finished as (update ${p}commands
      set ${finished(`(select s.block_id from steps s where s.step_id = ${p}commands.key)`)}
      where key = any(${keys}) and coalesce($6, $7) >= 0 and not finished and exists (select 1 from run)),
    joined as (${releaseJoin(dialect, "select s.step_id from steps s where s.block_id is null", "$5")}
      and exists (select 1 from run))
    select version from run`;
  // Both texts use every parameter, so that both take the same list.
  return { first: `${steps}, run as (${createRun})${rest}`, later: `${steps}, run as (${writeRun})${rest}` };
}
