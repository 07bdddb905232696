import { type Result, err, ok } from "../../../kernel/result.ts";
import type { Block, RunRef } from "../../../kernel/step/block.ts";
import { CommitGroups } from "./commit-groups.ts";
import {
  type BlockStore,
  type Committed,
  type Outbox,
  type Resolve,
  type RunDecision,
  type RunStore,
  type StepCommit,
  type StoreResult,
  hasEnded,
} from "./contract.ts";
import { type PlainEntry, decisionEntry, failureEntry, overlayEntry, planResolve } from "./decisions.ts";
import { type StoreLimits, prepareCommit, prepareStart, resumeStepId, timeoutKey } from "./prepare.ts";
import {
  blockOf,
  commandOf,
  encodeResolution,
  entryOf,
  eventsOf,
  isCancelled,
  number,
  runOf,
  summaryOf,
  text,
} from "./rows.ts";
import { type CommitTiming, type Driver, type HandOff, SqlCommits } from "./sql-commits.ts";
import { sqlOutbox } from "./sql-outbox.ts";
import type { Query } from "./sql-schema.ts";
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

class SqlStore implements RunStore {
  readonly #driver: Driver;
  readonly #options: SqlStoreOptions;
  readonly #sql: Statements;
  readonly #begin: CommitTiming["begin"];
  readonly #commits: SqlCommits;
  readonly #groups = new CommitGroups(async (group) => this.#commits.commit(group));
  #closed = false;

  constructor(driver: Driver, options: SqlStoreOptions) {
    this.#driver = driver;
    this.#options = options;
    this.#sql = statementsOf(driver.dialect);
    this.#begin = options.handOff === undefined ? "pending" : "dispatched";
    this.#commits = new SqlCommits(driver, {
      begin: this.#begin,
      handOff: options.handOff,
      now: () => this.#now(),
      attempt: async (work) => this.#attempt(work),
    });
  }

  async start(start: Parameters<RunStore["start"]>[0]): ReturnType<RunStore["start"]> {
    const row = prepareStart(start, this.#options);
    if (!row.ok) return row;
    const output = { input: row.value.payload, output: null, events: "[]", commands: "[]", artifacts: "[]" };
    const prepared = { ...output, fields: [], rows: [row.value], block: undefined };
    const commit = { ...start, stepId: "start", stepName: start.step, expectedVersion: 0 };
    const steps = [{ kind: "start", commit, prepared }] as const;
    const written = await this.#attempt(async () => this.#commits.write({ run: commit, steps }));
    if (!written.ok) return written;
    if (written.value !== undefined) return ok({ version: written.value, started: true });
    const ref = [start.workflowId, start.runId];
    return this.#read(this.#sql.versionOf, ref, ([run]) => ({
      version: run === undefined ? 0 : number(run, "version"),
      started: false,
    }));
  }

  async load(workflowId: string, runId: string): ReturnType<RunStore["load"]> {
    return this.#read(this.#sql.load, [workflowId, runId], ([row]) => (row === undefined ? undefined : runOf(row)));
  }

  async commit(commit: StepCommit): StoreResult<Committed> {
    const prepared = prepareCommit(commit, this.#options);
    if (!prepared.ok) return prepared;
    const step = { kind: "step", commit, prepared: prepared.value } as const;
    if (commit.expectedVersion === undefined) return this.#groups.add(step);
    const [committed = err(CLOSED)] = await this.#commits.commit({ run: commit, steps: [step] });
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
      if (this.#begin === "dispatched") await this.#commits.hand(query, failed.map(commandOf));
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
      await this.#commits.hand(query, released.map(commandOf));
    }
    if (row !== undefined) {
      const [suspended = {}] = await query(this.#sql.commandByKey, [block.stepId]);
      const of = { traceparent: text(suspended, "traceparent") || null, joinKey: text(suspended, "join_key") || null };
      await this.#commits.insert(query, { ...block, stepId: resumeStepId(block.blockId) }, [{ ...row, ...of }]);
    }
    await query(this.#sql.unblock, [block.stepId, siblings === "rejected" ? "rejected" : "dispatched"]);
    await query(this.#sql.releaseJoin, [block.stepId, this.#now()]);
    return ok(blockOf(resolved));
  }
}
