import { type Result, err, ok } from "../../../kernel/result.ts";
import { type Fields, number } from "./rows.ts";
import { type StoreError, storeError } from "./store-error.ts";

/** Runs one statement; parameters are `$1`, `$2`, … */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Fields[]>;

/** Parameter of a statement; a list of texts is one parameter. */
export type SqlValue = string | readonly string[];

/** Differences between databases. */
export interface Dialect {
  /** Prefix of each table's name. */
  readonly prefix: string;
  /** Type of a name, compared by its bytes. */
  readonly name: string;
  readonly big: string;
  /** Type of a column that increments automatically, which then isn't the primary key. */
  readonly sequence: string;
  /** Type of the merged outputs. */
  readonly fields: string;
  /** The store's time, used if the parameter is null. */
  readonly now: (parameter: string) => string;
  /** The shallow merge of two states. */
  readonly merge: (before: string, after: string) => string;
  /** Tests if a column is one of the parameter's texts; also converts that parameter. */
  readonly among: (column: string, parameter: string) => string;
  readonly list: (texts: readonly string[]) => SqlValue;
  /** Reads the JSON of new commands (`commandsJson` of rows.ts) as the table `c`. */
  readonly commandRows: (parameter: string) => string;
  /** Ends a `select` that locks its rows until the transaction ends. */
  readonly forUpdate: string;
  /** Ends a `select` that locks its rows until the transaction ends, and skips rows that are already locked. */
  readonly skipLocked: string;
}

/** Newest schema that this version of veritest knows. */
export const SCHEMA_VERSION = 3;

/** Statements that each schema version adds to the one before. A released version never changes. */
function migrations({ prefix: p, name, big, sequence, fields }: Dialect): readonly (readonly string[])[] {
  return [
    [
      `create table ${p}runs (workflow_id ${name} not null, run_id ${name} not null, workflow_version text not null,
        version integer not null, computed ${fields} not null, overlay text not null, created_at ${big} not null,
        updated_at ${big} not null, primary key (workflow_id, run_id))`,
      `create index ${index(p, "runs_newest")} on ${p}runs (created_at desc, workflow_id, run_id)`,
      `create table ${p}entries (workflow_id ${name} not null, run_id ${name} not null, version integer not null,
        kind text not null, step_id ${name} not null, step_name text not null, workflow_version text not null,
        at ${big} not null, input text, output text, events text not null, commands text not null,
        artifacts text not null, primary key (workflow_id, run_id, version))`,
      `create unique index ${index(p, "entries_step")} on ${p}entries (workflow_id, run_id, step_id)
        where kind = 'step'`,
      `create table ${p}commands (seq ${sequence}, key ${name} not null unique, workflow_id ${name} not null,
        run_id ${name} not null, workflow_version text not null, step_id ${name} not null, kind text not null,
        target text not null, payload text not null, status text not null, finished boolean not null,
        attempts integer not null, available_at ${big} not null, lease_owner text, lease_until ${big}, error text)`,
      `create index ${index(p, "commands_due")} on ${p}commands (available_at, seq) where status = 'pending'`,
      `create index ${index(p, "commands_leased")} on ${p}commands (lease_until) where status = 'leased'`,
      `create index ${index(p, "commands_run")} on ${p}commands (workflow_id, run_id, finished, status)`,
      `create table ${p}blocks (block_id ${name} primary key, workflow_id ${name} not null, run_id ${name} not null,
        workflow_version text not null, step_id ${name} not null, step_name text not null, kind text not null,
        detail text not null, opened_at ${big} not null, resolved_at ${big}, resolution text)`,
      `create unique index ${index(p, "blocks_open")} on ${p}blocks (workflow_id, run_id) where resolved_at is null`,
      `create index ${index(p, "blocks_oldest")} on ${p}blocks (opened_at) where resolved_at is null`,
    ],
    [`alter table ${p}commands add column traceparent text`],
    [
      `alter table ${p}commands add column deaths integer`,
      `alter table ${p}commands add column join_key ${name}`,
      `create index ${index(p, "commands_join")} on ${p}commands (join_key)
        where join_key is not null and not (finished and status = 'dispatched')`,
      `create index ${index(p, "commands_waiting")} on ${p}commands (workflow_id, run_id)
        where status = 'pending' and error is not null`,
      `alter table ${p}runs add column cancelled_at ${big}`,
      // Blocks of several steps may be open at the same time.
      `drop index ${p}blocks_open`,
      `create index ${index(p, "blocks_open")} on ${p}blocks (workflow_id, run_id) where resolved_at is null`,
    ],
  ];
}

/** Name of an index. It's in the schema of its table; if tables have a prefix instead, so does the index. */
function index(prefix: string, name: string): string {
  return prefix.endsWith(".") ? name : `${prefix}${name}`;
}

/** Migrates the schema to this version, in the given transaction. Refuses a newer one. */
export async function migrate(query: Query, dialect: Dialect): Promise<Result<number, StoreError>> {
  await query(`create table if not exists ${dialect.prefix}meta (schema_version integer not null)`);
  const [row] = await query(`select max(schema_version) as version from ${dialect.prefix}meta`);
  const actual = versionOf(row);
  if (actual > SCHEMA_VERSION) return err(newerSchema(actual));
  for (const [before, statements] of migrations(dialect).entries()) {
    if (before < actual) continue;
    for (const statement of statements) await query(statement);
    await query(`insert into ${dialect.prefix}meta (schema_version) values ($1)`, [before + 1]);
  }
  return ok(SCHEMA_VERSION);
}

/** Refuses a schema of any other version. */
export async function checkSchema(query: Query, dialect: Dialect): Promise<Result<true, StoreError>> {
  const [row] = await query(`select max(schema_version) as version from ${dialect.prefix}meta`);
  const actual = versionOf(row);
  if (actual > SCHEMA_VERSION) return err(newerSchema(actual));
  return actual === SCHEMA_VERSION ? ok(true) : err(missingSchema(actual));
}

/** Error for a database without the tables, or with those of an older version. */
export function missingSchema(actual: number): StoreError {
  const problem =
    actual === 0 ? "The database doesn't contain veritest's tables" : `The store's schema is version ${actual}`;
  return storeError(
    "schema_missing",
    `${problem}, but version ${SCHEMA_VERSION} is needed. Run: npx veritest store init --store …`,
  );
}

function newerSchema(actual: number): StoreError {
  const message =
    `The store's schema is version ${actual}, and this version of veritest only knows versions up to ` +
    `${SCHEMA_VERSION}. Update veritest.`;
  return storeError("schema_newer", message);
}

/** Recorded schema version; 0 if none is recorded, which SQL returns as null. */
function versionOf(row: Fields | undefined): number {
  return row === undefined || row["version"] === null ? 0 : number(row, "version");
}
