import { type Result, err, ok } from "../../../kernel/result.ts";
import type { Block, RunRef } from "../../../kernel/step/block.ts";
import { type CommitGroup, CommitGroups, type CommitResult, type PreparedStep } from "./commit-groups.ts";
import {
  type BlockStore,
  type CommandRow,
  type Committed,
  type Outbox,
  type Resolve,
  type RunDecision,
  type RunStore,
  type StepCommit,
  type StoreResult,
  hasEnded,
} from "./contract.ts";
import { type PlainEntry, decisionEntry, failureEntry, overlayEntry, planResolve } from "./people.ts";
import { type NewRow, type StoreLimits, prepareCommit, prepareStart, resumeStepId, timeoutKey } from "./prepare.ts";
import {
  blockOf,
  commandOf,
  commandsJson,
  computedJson,
  encodeResolution,
  entryOf,
  eventsOf,
  isCancelled,
  number,
  runOf,
  summaryOf,
  text,
} from "./rows.ts";
import { sqlOutbox } from "./sql-outbox.ts";
import type { Dialect, Query } from "./sql-schema.ts";
import { type Statements, listBlocks, listRuns, statementsOf } from "./sql-statements.ts";
import {
  CLOSED,
  type StoreError,
  driverError,
  runActive,
  runCancelled,
  runNotFound,
  versionConflict,
} from "./store-error.ts";
import { tracedStore } from "./traced-store.ts";

/** A connection to a database, or a pool of them. */
export interface Driver {
  readonly dialect: Dialect;
  readonly query: Query;
  /** Runs `body` in one transaction. Commits unless it returns an error or throws. */
  transaction<T>(body: (query: Query) => Promise<Result<T, StoreError>>): Promise<Result<T, StoreError>>;
  /**
   * Writes commits of one run in one statement, if that is faster. Returns the version of the last one; undefined if it
   * wrote nothing.
   */
  commit?(query: Query, group: CommitGroup, timing: CommitTiming): Promise<number | undefined>;
  /** True if an error says that a row already exists. */
  isDuplicate(thrown: unknown): boolean;
  /** Translates an error; undefined for one it doesn't know. */
  errorOf(thrown: unknown): StoreError | undefined;
  close(): Promise<void>;
}

/** Time and status that a commit is written with. */
export interface CommitTiming {
  readonly now: number | null;
  /** Initial status of rows that aren't deferred. */
  readonly begin: "pending" | "dispatched";
}

/** Sends commands to a queue in the store's own database, in the transaction that writes them. */
export type HandOff = (rows: readonly CommandRow[], query: Query) => Promise<void>;

/** Options of a store in any database. */
export interface SqlStoreOptions extends StoreLimits {
  /**
   * Returns the current time in Unix milliseconds. Default: the database's clock, or `Date.now` if it doesn't have one.
   */
  readonly clock?: () => number;
  readonly handOff?: HandOff;
}

/** Creates a store over a database whose schema exists. */
export function createSqlStore(driver: Driver, options: SqlStoreOptions): RunStore {
  return tracedStore(new SqlStore(driver, options));
}

/** Maximum attempts at a commit that is valid at any version, alone and in a group. */
const MOST_CONFLICTS = 100;
const MOST_GROUP_CONFLICTS = 3;

class SqlStore implements RunStore {
  readonly #driver: Driver;
  readonly #options: SqlStoreOptions;
  readonly #sql: Statements;
  readonly #begin: CommitTiming["begin"];
  readonly #groups = new CommitGroups(async (group) => this.#commitAll(group));
  #closed = false;

  constructor(driver: Driver, options: SqlStoreOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#sql = statementsOf(driver.dialect);
    this.#begin = options.handOff === undefined ? "pending" : "dispatched";
  }

  async start(start: Parameters<RunStore["start"]>[0]): ReturnType<RunStore["start"]> {
    const row = prepareStart(start, this.#options);
    if (!row.ok) return row;
    const { workflowId, runId, workflowVersion, step } = start;
    return this.#transact<{ version: number; started: boolean }>(async (query) => {
      const [created] = await query(this.#sql.createRun, [workflowId, runId, workflowVersion, "{}", this.#now()]);
      if (created === undefined) {
        const [there] = await query(this.#sql.versionOf, [workflowId, runId]);
        return ok({ version: there === undefined ? 0 : number(there, "version"), started: false });
      }
      const names = ["start", "start", step, workflowVersion, this.#now(), row.value.payload, null];
      await query(this.#sql.entry, [workflowId, runId, 1, ...names, "[]", "[]", "[]"]);
      await this.#insert(query, { ...start, stepId: "start" }, [row.value]);
      return ok({ version: 1, started: true });
    });
  }

  async load(workflowId: string, runId: string): ReturnType<RunStore["load"]> {
    return this.#read(this.#sql.load, [workflowId, runId], ([row]) => (row === undefined ? undefined : runOf(row)));
  }

  async commit(commit: StepCommit): StoreResult<Committed> {
    const prepared = prepareCommit(commit, this.#options);
    if (!prepared.ok) return prepared;
    const step = { commit, prepared: prepared.value };
    if (commit.expectedVersion === undefined) return this.#groups.add(step);
    const [committed = err(CLOSED)] = await this.#commitAll({ run: commit, steps: [step] });
    return committed;
  }

  async recordFailure(failure: Parameters<RunStore["recordFailure"]>[0]): ReturnType<RunStore["recordFailure"]> {
    const entry = failureEntry(failure, this.#options);
    if (!entry.ok) return entry;
    return this.#transact(async (query) => {
      const [locked] = await query(this.#sql.lockRun, [failure.workflowId, failure.runId]);
      if (locked !== undefined && isCancelled(locked)) return err(runCancelled(failure.runId));
      const [run] = await query(this.#sql.bumpRun, [failure.workflowId, failure.runId, this.#now()]);
      if (run === undefined) return err(versionConflict(failure.runId, 0, undefined));
      return ok({ version: await this.#enter(query, failure, { entry: entry.value, run }) });
    });
  }

  async setOverlay(change: Parameters<RunStore["setOverlay"]>[0]): ReturnType<RunStore["setOverlay"]> {
    const planned = overlayEntry(change, this.#options);
    if (!planned.ok) return planned;
    const { workflowId, runId, expectedVersion } = change;
    return this.#transact(async (query) => {
      const values = [workflowId, runId, this.#now(), planned.value.overlay, expectedVersion];
      const [run] = await query(this.#sql.setOverlay, values);
      if (run === undefined) {
        const [there] = await query(this.#sql.versionOf, [workflowId, runId]);
        return err(versionConflict(runId, expectedVersion, there && number(there, "version")));
      }
      return ok({ version: await this.#enter(query, change, { entry: planned.value.entry, run }) });
    });
  }

  async retry(decision: RunDecision): ReturnType<RunStore["retry"]> {
    return this.#decide("retry", decision, async (query, ref) => {
      const failed = await query(this.#sql.retryFailed, [...ref, this.#now(), this.#begin]);
      if (this.#begin === "dispatched") await this.#hand(query, failed.map(commandOf));
      return failed.length;
    }).then((done) => (done.ok ? ok({ retried: done.value }) : done));
  }

  async cancel(decision: RunDecision): ReturnType<RunStore["cancel"]> {
    const { actor, reason } = decision;
    const resolution = encodeResolution({ decision: { kind: "cancel" }, actor, reason });
    return this.#decide("cancel", decision, async (query, ref) => {
      const [run] = await query(this.#sql.load, ref);
      // A failed run may still have a command that waits for its fanout.
      if (run === undefined || hasEnded(summaryOf(run).status)) return 0;
      const commands = await query(this.#sql.cancelCommands, ref);
      const blocks = await query(this.#sql.cancelBlocks, [...ref, this.#now(), resolution]);
      if (commands.length + blocks.length > 0) await query(this.#sql.cancelRun, [...ref, this.#now()]);
      return commands.length + blocks.length;
    }).then((done) => (done.ok ? ok({ cancelled: done.value > 0 }) : done));
  }

  async remove({ workflowId, runId }: RunRef): ReturnType<RunStore["remove"]> {
    const ref = [workflowId, runId];
    return this.#transact<{ removed: boolean }>(async (query) => {
      await query(this.#sql.lockRun, ref);
      const [row] = await query(this.#sql.load, ref);
      if (row === undefined) return ok({ removed: false });
      const { status } = summaryOf(row);
      if (!hasEnded(status)) return err(runActive(runId, status));
      for (const statement of this.#sql.remove) await query(statement, ref);
      return ok({ removed: true });
    });
  }

  async entries(workflowId: string, runId: string): ReturnType<RunStore["entries"]> {
    return this.#read(this.#sql.entries, [workflowId, runId], (rows) => rows.map(entryOf));
  }

  async events(workflowId: string, runId: string): ReturnType<RunStore["events"]> {
    return this.#read(this.#sql.entries, [workflowId, runId], (rows) => eventsOf(rows.map(entryOf)));
  }

  async commands(workflowId: string, runId: string): ReturnType<RunStore["commands"]> {
    return this.#read(this.#sql.commands, [workflowId, runId], (rows) => rows.map(commandOf));
  }

  async list(filter: Parameters<RunStore["list"]>[0] = {}): ReturnType<RunStore["list"]> {
    const { text: statement, values } = listRuns(filter, this.#driver.dialect);
    return this.#read(statement, values, (rows) => rows.map(summaryOf));
  }

  readonly blocks: BlockStore = {
    get: async (blockId) =>
      this.#read(this.#sql.blockById, [blockId], ([row]) => (row === undefined ? undefined : blockOf(row))),
    list: async (filter = {}) => {
      const { text: statement, values } = listBlocks(filter, this.#driver.dialect);
      return this.#read(statement, values, (rows) => rows.map(blockOf));
    },
    resolve: async (resolve) => this.#transact(async (query) => this.#resolve(query, resolve)),
  };

  readonly outbox: Outbox = sqlOutbox({
    read: async (statement, values, read) => this.#read(statement, values, read),
    statements: () => this.#sql,
    now: () => this.#now(),
    list: (texts) => this.#driver.dialect.list(texts),
  });

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#driver.close();
  }

  #now(): number | null {
    return this.#options.clock?.() ?? null;
  }

  async #attempt<T>(work: () => Promise<T>): Promise<Result<T, StoreError>> {
    if (this.#closed) return err(CLOSED);
    try {
      return ok(await work());
    } catch (thrown) {
      return err(this.#driver.errorOf(thrown) ?? driverError(thrown));
    }
  }

  async #read<T>(
    statement: string,
    values: readonly unknown[],
    read: (rows: Awaited<ReturnType<Query>>) => T,
  ): Promise<Result<T, StoreError>> {
    return this.#attempt(async () => read(await this.#driver.query(statement, values)));
  }

  async #transact<T>(body: (query: Query) => Promise<Result<T, StoreError>>): Promise<Result<T, StoreError>> {
    const done = await this.#attempt(async () => this.#driver.transaction(body));
    return done.ok ? done.value : done;
  }

  /** Writes commits of one run together or, if that fails, each of them alone. */
  async #commitAll({ run, steps }: CommitGroup): Promise<readonly CommitResult[]> {
    const isGroup = steps.length > 1;
    for (let conflicts = 1; ; conflicts += 1) {
      const written = await this.#attempt(async () => this.#write({ run, steps }));
      if (written.ok && written.value !== undefined) return committedUpTo(written.value, steps);
      if (isGroup && written.ok && conflicts < MOST_GROUP_CONFLICTS) continue;
      if (isGroup) break;
      const results = written.ok ? await this.#whyNone(steps) : [written];
      const isOutdated = results.some((result) => !result.ok && result.error.code === "version_conflict");
      if (run.expectedVersion !== undefined || !isOutdated || conflicts === MOST_CONFLICTS) return results;
    }
    const results: CommitResult[] = [];
    for (const step of steps) results.push(...(await this.#commitAll({ run, steps: [step] })));
    return results;
  }

  /** Returns the version after the last commit; undefined if the store refused one, for a reason that `#whyNot` finds. */
  async #write({ run, steps }: CommitGroup): Promise<number | undefined> {
    const driver = this.#driver;
    const handsOn =
      this.#options.handOff !== undefined &&
      steps.some(({ prepared }) => prepared.rows.some(({ status }) => status === "pending"));
    try {
      if (driver.commit !== undefined && !handsOn)
        return await driver.commit(driver.query, { run, steps }, { now: this.#now(), begin: this.#begin });
      const written = await driver.transaction(async (query) => {
        let version = 0;
        for (const step of steps) {
          const row = await this.#writeRows(query, step);
          if (row === undefined) return err(runNotFound(run.runId));
          version = row;
        }
        return ok(version);
      });
      return written.ok ? written.value : undefined;
    } catch (thrown) {
      if (driver.isDuplicate(thrown)) return undefined;
      throw thrown;
    }
  }

  async #writeRows(query: Query, { commit, prepared }: PreparedStep): Promise<number | undefined> {
    const { workflowId, runId, workflowVersion, stepId, stepName, expectedVersion } = commit;
    const now = this.#now();
    const head = [workflowId, runId, workflowVersion, computedJson(prepared.fields), now];
    const [run] = await (expectedVersion === 0
      ? query(this.#sql.createRun, head)
      : query(this.#sql.writeRun, [...head, expectedVersion ?? null, 1]));
    if (run === undefined) return undefined;
    const version = number(run, "version");
    const { input, output, events, commands, artifacts, block } = prepared;
    const entry = ["step", stepId, stepName, workflowVersion, now, input, output, events, commands, artifacts];
    await query(this.#sql.entry, [workflowId, runId, version, ...entry]);
    await this.#insert(query, commit, prepared.rows);
    if (block !== undefined) {
      const detail = [workflowId, runId, workflowVersion, stepId, stepName, block.kind, block.detail, now];
      await query(this.#sql.block, [block.blockId, ...detail]);
    }
    await query(this.#sql.finishStep, [stepId, block?.blockId ?? null]);
    if (block === undefined) await query(this.#sql.releaseJoin, [stepId, now]);
    return version;
  }

  async #whyNone(steps: readonly PreparedStep[]): Promise<readonly CommitResult[]> {
    return Promise.all(
      steps.map(async ({ commit }) =>
        this.#attempt(async () => this.#whyNot(commit)).then((why) => (why.ok ? why.value : why)),
      ),
    );
  }

  /**
   * Finds the reason why a commit wrote nothing: the step is committed already (no error, but a duplicate), the run is
   * cancelled, or it has another version. Checks reasons in this order.
   */
  async #whyNot({ workflowId, runId, stepId, expectedVersion }: StepCommit): Promise<Result<Committed, StoreError>> {
    const [run] = await this.#driver.query(this.#sql.stepVersion, [workflowId, runId, stepId]);
    const step = run?.["step_version"] ?? undefined;
    if (run !== undefined && step !== undefined) return ok({ version: number(run, "step_version"), duplicate: true });
    if (run !== undefined && isCancelled(run)) return err(runCancelled(runId));
    return err(versionConflict(runId, expectedVersion, run && number(run, "version")));
  }

  async #insert(
    query: Query,
    commit: RunRef & { readonly workflowVersion: string; readonly stepId: string },
    rows: readonly NewRow[],
  ): Promise<void> {
    const { workflowId, runId, workflowVersion, stepId } = commit;
    if (rows.length === 0) return;
    const handsOn = this.#options.handOff !== undefined;
    const text = `${this.#sql.insertCommands}${handsOn ? " returning *" : ""}`;
    const json = commandsJson([{ stepId, rows }], this.#begin);
    const written = await query(text, [workflowId, runId, workflowVersion, this.#now(), json]);
    await this.#hand(query, written.filter((row) => row["status"] === "dispatched").map(commandOf));
  }

  async #hand(query: Query, rows: readonly CommandRow[]): Promise<void> {
    if (rows.length > 0) await this.#options.handOff?.(rows, query);
  }

  /** Writes a person's decision about a run and, if it changes something, the entry of it. */
  async #decide(
    kind: "retry" | "cancel",
    decision: RunDecision,
    change: (query: Query, ref: readonly string[]) => Promise<number>,
  ): Promise<Result<number, StoreError>> {
    const entry = decisionEntry(kind, decision, this.#options);
    if (!entry.ok) return entry;
    const ref = [decision.workflowId, decision.runId];
    return this.#transact(async (query) => {
      const [locked] = await query(this.#sql.lockRun, ref);
      if (locked === undefined) return err(runNotFound(decision.runId));
      const changed = isCancelled(locked) ? 0 : await change(query, ref);
      if (changed === 0) return ok(0);
      const [run] = await query(this.#sql.bumpRun, [...ref, this.#now()]);
      if (run !== undefined) await this.#enter(query, decision, { entry: entry.value, run });
      return ok(changed);
    });
  }

  async #enter(
    query: Query,
    { workflowId, runId }: RunRef,
    { entry, run }: { readonly entry: PlainEntry; readonly run: Readonly<Record<string, unknown>> },
  ): Promise<number> {
    const version = number(run, "version");
    const { kind, step_id, step_name, events } = entry;
    const head = [workflowId, runId, version, kind, step_id, step_name, text(run, "workflow_version"), this.#now()];
    await query(this.#sql.entry, [...head, null, null, events, "[]", "[]"]);
    return version;
  }

  async #resolve(query: Query, resolve: Resolve): Promise<Result<Block | null, StoreError>> {
    const find = async (): Promise<Block | undefined> => {
      const [row] = await query(this.#sql.blockById, [resolve.blockId]);
      return row === undefined ? undefined : blockOf(row);
    };
    const seen = await find();
    const ref = [seen?.workflowId ?? "", seen?.runId ?? ""];
    const [run] = await query(this.#sql.lockRun, ref);
    // Read again under the lock: another caller may have resolved it first.
    const block = await find();
    const limits = this.#options;
    const planned = planResolve(block, run === undefined ? "" : text(run, "overlay"), { resolve, limits });
    if (!planned.ok || planned.value === null || block === undefined) return planned.ok ? ok(null) : planned;
    const { resolution, overlay, entry, siblings, row } = planned.value;
    const [resolved] = await query(this.#sql.resolveBlock, [block.blockId, this.#now(), resolution]);
    const [there] = await query(this.#sql.versionOf, ref);
    const version = there === undefined ? 0 : number(there, "version");
    const [after] = await query(this.#sql.setOverlay, [...ref, this.#now(), overlay, version]);
    if (resolved === undefined || after === undefined) return ok(null);
    await this.#enter(query, block, { entry, run: after });
    await query(this.#sql.finishStep, [timeoutKey(block), null]);
    if (siblings === "rejected") await query(this.#sql.rejectSiblings, [...ref, block.stepId]);
    else {
      const released = await query(this.#sql.releaseSiblings, [...ref, block.stepId, this.#now(), this.#begin]);
      await this.#hand(query, released.map(commandOf));
    }
    if (row !== undefined) {
      const [suspended = {}] = await query(this.#sql.commandByKey, [block.stepId]);
      const of = { traceparent: text(suspended, "traceparent") || null, joinKey: text(suspended, "join_key") || null };
      await this.#insert(query, { ...block, stepId: resumeStepId(block.blockId) }, [{ ...row, ...of }]);
    }
    await query(this.#sql.unblock, [block.stepId, siblings === "rejected" ? "rejected" : "dispatched"]);
    await query(this.#sql.releaseJoin, [block.stepId, this.#now()]);
    return ok(blockOf(resolved));
  }
}

/** Results of commits of which the last wrote this version of their run. */
function committedUpTo(last: number, steps: readonly PreparedStep[]): readonly CommitResult[] {
  return steps.map(({ prepared: { block } }, index) => {
    const version = last - steps.length + 1 + index;
    return ok({ version, duplicate: false, ...(block && { blockId: block.blockId }) });
  });
}
