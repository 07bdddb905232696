import { setTimeout as sleep } from "node:timers/promises";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { codeOf, messageOf } from "../../../kernel/error-message.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import type { RunStore, StoreResult } from "./contract.ts";
import { type Dialect, type Query, migrate } from "./sql-schema.ts";
import type { Driver } from "./sql-commits.ts";
import { type SqlStoreOptions, createSqlStore } from "./sql-store.ts";
import { type StoreError, storeError } from "./store-error.ts";

/** Options for {@link openSqliteStore}. */
export interface SqliteStoreOptions extends Omit<SqlStoreOptions, "handOff"> {
  /** Path of the file. It's created if it doesn't exist. `:memory:` doesn't use a file. */
  readonly path: string;
  /**
   * Durability of commits. `full` keeps every commit after a power failure. `normal` is faster, but can lose the last
   * commits.
   */
  readonly synchronous?: "full" | "normal";
}

const DIALECT: Dialect = {
  prefix: "veritest_",
  name: "text",
  big: "integer",
  sequence: "integer primary key autoincrement",
  fields: "text",
  now: (parameter) => parameter,
  // Keys and values are quoted as texts, so that a null of a patch doesn't remove a field.
  merge: (before, after) => `json_patch(${before}, ${after})`,
  among: (column, parameter) => `${column} in (select value from json_each(${parameter}))`,
  list: (texts) => JSON.stringify(texts),
  commandRows: (parameter) => `(select value ->> 'key' as key,
    value ->> 'step_id' as step_id, value ->> 'kind' as kind, value ->> 'target' as target,
    value ->> 'payload' as payload, value ->> 'status' as status, value ->> 'delay' as delay,
    value ->> 'traceparent' as traceparent, value ->> 'join_key' as join_key, json_each.key as "index"
    from json_each(${parameter})) c`,
  forUpdate: "",
  skipLocked: "",
};

/**
 * Opens a store in a SQLite file, and creates or updates its tables. Several processes on one machine can share the
 * file. Requires `node:sqlite` (Node 22.13 or newer).
 */
export async function openSqliteStore({
  path,
  synchronous = "full",
  clock = Date.now,
  ...limits
}: SqliteStoreOptions): StoreResult<RunStore> {
  const sqlite = process.getBuiltinModule("node:sqlite");
  if (sqlite === undefined)
    return err(
      storeError(
        "unavailable",
        "This version of Node doesn't have node:sqlite. Use Node 22.13 or newer, or a different store.",
      ),
    );
  if (path.trim() === "") {
    const problem = "The path of the SQLite store is empty, so its data would end with the process.";
    return err(storeError("bad_url", `${problem} Pass the path of a file, e.g. runs.sqlite.`));
  }
  for (const deadline = performance.now() + LOCK_TIMEOUT_MS; ; await sleep(RETRY_MS)) {
    const driver = await openDriver(sqlite, { path, synchronous });
    if (driver.ok) return ok(createSqlStore(driver.value, { ...limits, clock }));
    // If two processes open a new file at once, SQLite refuses one of them without waiting.
    if (!isLocked(driver.error.cause) || performance.now() > deadline) return driver;
  }
}

/** Milliseconds to wait for another process that has locked the file. */
const LOCK_TIMEOUT_MS = 10_000;
/** Milliseconds between attempts to open a file. */
const RETRY_MS = 10;

async function openDriver(
  sqlite: { readonly DatabaseSync: typeof DatabaseSync },
  { path, synchronous }: Required<Pick<SqliteStoreOptions, "path" | "synchronous">>,
): Promise<Result<SqliteDriver, StoreError>> {
  let database: DatabaseSync | undefined;
  try {
    database = new sqlite.DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
    const line = lineOf(database);
    await line.last;
    database.exec(`pragma journal_mode = wal; pragma synchronous = ${synchronous};`);
    const driver = new SqliteDriver(database, line);
    const migrated = await driver.transaction(async (query) => migrate(query, DIALECT));
    if (migrated.ok) return ok(driver);
    database.close();
    return migrated;
  } catch (thrown) {
    database?.close();
    return err(driverWords(thrown, path));
  }
}

/** Translates the words and numbers of a SQLite error. */
function driverWords(thrown: unknown, path: string): StoreError {
  const message = messageOf(thrown);
  if (/readonly|unable to open/i.test(message)) {
    const advice = "Pass a file in an existing directory that you can write to.";
    return storeError("no_rights", `Cannot open the store ${path}: ${message}. ${advice}`, { cause: thrown });
  }
  if (/not a database/i.test(message))
    return storeError("bad_url", `${path} isn't an SQLite database. Pass a different file.`, { cause: thrown });
  return knownWords(thrown) ?? storeError("store_failed", `The store ${path} failed: ${message}.`, { cause: thrown });
}

function knownWords(thrown: unknown): StoreError | undefined {
  const message = messageOf(thrown);
  if (codeOf(thrown) !== "ERR_SQLITE_ERROR") return undefined;
  if (isLocked(thrown))
    return storeError("unavailable", "Another process locked the store for too long. Try again.", {
      cause: thrown,
    });
  if (/is full|disk i\/o/i.test(message)) {
    const advice = "Check the disk and its free space, then try again.";
    return storeError("unavailable", `veritest can't write to the run store: ${message}. ${advice}`, { cause: thrown });
  }
  if (/readonly/i.test(message))
    return storeError("no_rights", `veritest can't write to the run store: ${message}.`, { cause: thrown });
  if (/no such table/i.test(message))
    return storeError("schema_missing", `${message}. Run: npx veritest store init --store …`, { cause: thrown });
  return undefined;
}

function isLocked(thrown: unknown): boolean {
  return codeOf(thrown) === "ERR_SQLITE_ERROR" && /locked|busy/i.test(messageOf(thrown));
}

/** The transactions of one file in this process, in turn. */
interface Line {
  last: Promise<unknown>;
}

const lines = new Map<string, WeakRef<Line>>();

/**
 * Returns the line of a file. SQLite waits for a locked file without giving way to the rest of the process, so two
 * connections of one process would wait for each other until one gives up.
 */
function lineOf(database: DatabaseSync): Line {
  // The path without links; empty if there is no file.
  const file = database.prepare("pragma database_list").get()?.["file"];
  const isFile = typeof file === "string" && file !== "";
  const known = isFile ? lines.get(file)?.deref() : undefined;
  const line = known ?? { last: Promise.resolve() };
  if (isFile && known === undefined) lines.set(file, new WeakRef(line));
  return line;
}

class SqliteDriver implements Driver {
  readonly dialect: Dialect = DIALECT;
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #line: Line;

  constructor(database: DatabaseSync, line: Line) {
    this.#database = database;
    this.#line = line;
  }

  readonly query: Query = async (text, values = []) => {
    await this.#line.last;
    return this.#run(text, values);
  };

  async transaction<T>(body: (query: Query) => Promise<Result<T, StoreError>>): Promise<Result<T, StoreError>> {
    const mine = this.#line.last.then(async () => this.#transact(body));
    this.#line.last = mine.catch(() => undefined);
    return mine;
  }

  async #transact<T>(body: (query: Query) => Promise<Result<T, StoreError>>): Promise<Result<T, StoreError>> {
    // Immediate, because a transaction that began with a read couldn't wait for another writer.
    this.#run("begin immediate", []);
    try {
      const done = await body(async (text, values = []) => this.#run(text, values));
      if (done.ok) this.#run("commit", []);
      else this.#rollBack();
      return done;
    } catch (thrown) {
      this.#rollBack();
      throw thrown;
    }
  }

  /** Ends a transaction without its changes. SQLite may have done so itself, e.g. if the disk is full. */
  #rollBack(): void {
    // Undefined before Node 22.16.
    const isOpen: unknown = this.#database.isTransaction;
    if (isOpen === false) return;
    try {
      this.#run("rollback", []);
    } catch {
      // The error that made the rollback necessary is the one to report.
    }
  }

  isDuplicate(thrown: unknown): boolean {
    return codeOf(thrown) === "ERR_SQLITE_ERROR" && /unique constraint/i.test(messageOf(thrown));
  }

  errorOf(thrown: unknown): StoreError | undefined {
    return knownWords(thrown);
  }

  async close(): Promise<void> {
    await this.#line.last;
    this.#database.close();
  }

  #run(text: string, values: readonly unknown[]): ReturnType<StatementSync["all"]> {
    return this.#prepare(text).all(
      ...values.map((value) => (typeof value === "string" || typeof value === "number" ? value : null)),
    );
  }

  #prepare(text: string): StatementSync {
    const prepared = this.#statements.get(text) ?? this.#database.prepare(text.replaceAll(/\$(\d+)/g, "?$1"));
    this.#statements.set(text, prepared);
    return prepared;
  }
}
