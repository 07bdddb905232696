import { type Result, err, ok } from "../../../kernel/result.ts";
import type { RunRef } from "../../../kernel/step/block.ts";
import type { CommitGroup, StepCommitted, PreparedStep } from "./commit-groups.ts";
import type { CommandRow, Committed, StoreResult } from "./contract.ts";
import type { NewRow } from "./prepare.ts";
import { commandOf, commandsJson, computedJson, isCancelled, number } from "./rows.ts";
import type { Dialect, Query } from "./sql-schema.ts";
import { type Statements, statementsOf } from "./sql-statements.ts";
import { type StoreError, runCancelled, runNotFound, versionConflict } from "./store-error.ts";

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

/** Parts of a store that its commits use. */
export interface CommitAccess extends Pick<CommitTiming, "begin"> {
  readonly handOff: HandOff | undefined;
  readonly now: () => number | null;
  /** Returns errors of the driver as values. */
  readonly attempt: <T>(work: () => Promise<T>) => StoreResult<T>;
}

/** Maximum attempts at a commit that is valid at any version, alone and in a group. */
const MOST_CONFLICTS = 100;
const MOST_GROUP_CONFLICTS = 3;

/** Writes commits to any database. */
export class SqlCommits {
  readonly #driver: Driver;
  readonly #options: CommitAccess;
  readonly #sql: Statements;

  constructor(driver: Driver, options: CommitAccess) {
    this.#driver = driver;
    this.#options = options;
    this.#sql = statementsOf(driver.dialect);
  }

  /** Writes commits of one run together or, if that fails, each of them alone. */
  async commit({ run, steps }: CommitGroup): Promise<readonly StepCommitted[]> {
    const isGroup = steps.length > 1;
    for (let conflicts = 1; ; conflicts += 1) {
      const written = await this.#options.attempt(async () => this.write({ run, steps }));
      if (written.ok && written.value !== undefined) return committedUpTo(written.value, steps);
      if (isGroup && written.ok && conflicts < MOST_GROUP_CONFLICTS) continue;
      // One of them may be a duplicate, or another worker may wait for the same rows.
      if (isGroup) break;
      const results = written.ok ? await this.#reasons(steps) : [written];
      const isOutdated = results.some((result) => !result.ok && result.error.code === "version_conflict");
      if (run.expectedVersion !== undefined || !isOutdated || conflicts === MOST_CONFLICTS) return results;
    }
    const results: StepCommitted[] = [];
    for (const step of steps) results.push(...(await this.commit({ run, steps: [step] })));
    return results;
  }

  /** Returns the version of the last commit; undefined if the store refused one, for a reason that `#whyNot` finds. */
  async write({ run, steps }: CommitGroup): Promise<number | undefined> {
    const driver = this.#driver;
    const { handOff, now, begin } = this.#options;
    const handsOn =
      handOff !== undefined && steps.some(({ prepared }) => prepared.rows.some(({ status }) => status === "pending"));
    try {
      if (driver.commit !== undefined && !handsOn)
        return await driver.commit(driver.query, { run, steps }, { now: now(), begin });
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

  async #writeRows(query: Query, { kind, commit, prepared }: PreparedStep): Promise<number | undefined> {
    const { workflowId, runId, workflowVersion, stepId, stepName, expectedVersion } = commit;
    const now = this.#options.now();
    const head = [workflowId, runId, workflowVersion, computedJson(prepared.fields), now];
    const [run] = await (expectedVersion === 0
      ? query(this.#sql.createRun, head)
      : query(this.#sql.writeRun, [...head, expectedVersion ?? null, 1]));
    if (run === undefined) return undefined;
    const version = number(run, "version");
    const { input, output, events, commands, artifacts, block } = prepared;
    const entry = [kind, stepId, stepName, workflowVersion, now, input, output, events, commands, artifacts];
    await query(this.#sql.entry, [workflowId, runId, version, ...entry]);
    await this.insert(query, commit, prepared.rows);
    if (block !== undefined) {
      const detail = [workflowId, runId, workflowVersion, stepId, stepName, block.kind, block.detail, now];
      await query(this.#sql.block, [block.blockId, ...detail]);
    }
    await query(this.#sql.finishStep, [stepId, block?.blockId ?? null]);
    if (block === undefined) await query(this.#sql.releaseJoin, [stepId, now]);
    return version;
  }

  async #reasons(steps: readonly PreparedStep[]): Promise<readonly StepCommitted[]> {
    return Promise.all(
      steps.map(async ({ commit }) =>
        this.#options.attempt(async () => this.#whyNot(commit)).then((why) => (why.ok ? why.value : why)),
      ),
    );
  }

  /**
   * Finds the reason why a commit wrote nothing: the step is committed already (no error, but a duplicate), the run is
   * cancelled, or it has another version. Checks reasons in this order.
   */
  async #whyNot({
    workflowId,
    runId,
    stepId,
    expectedVersion,
  }: PreparedStep["commit"]): Promise<Result<Committed, StoreError>> {
    const [run] = await this.#driver.query(this.#sql.stepVersion, [workflowId, runId, stepId]);
    const step = run?.["step_version"] ?? undefined;
    if (run !== undefined && step !== undefined) return ok({ version: number(run, "step_version"), duplicate: true });
    if (run !== undefined && isCancelled(run)) return err(runCancelled(runId));
    return err(versionConflict(runId, expectedVersion, run && number(run, "version")));
  }

  /** Inserts new commands, and hands on those that are due to a queue in the same database. */
  async insert(
    query: Query,
    commit: RunRef & { readonly workflowVersion: string; readonly stepId: string },
    rows: readonly NewRow[],
  ): Promise<void> {
    const { workflowId, runId, workflowVersion, stepId } = commit;
    if (rows.length === 0) return;
    const handsOn = this.#options.handOff !== undefined;
    const text = `${this.#sql.insertCommands}${handsOn ? " returning *" : ""}`;
    const json = commandsJson([{ stepId, rows }], this.#options.begin);
    const written = await query(text, [workflowId, runId, workflowVersion, this.#options.now(), json]);
    await this.hand(query, written.filter((row) => row["status"] === "dispatched").map(commandOf));
  }

  /** Hands commands to a queue in the same database. */
  async hand(query: Query, rows: readonly CommandRow[]): Promise<void> {
    if (rows.length > 0) await this.#options.handOff?.(rows, query);
  }
}

/** Results of commits of which the last wrote this version of their run. */
function committedUpTo(last: number, steps: readonly PreparedStep[]): readonly StepCommitted[] {
  return steps.map(({ prepared: { block } }, index) => {
    const version = last - steps.length + 1 + index;
    return ok({ version, duplicate: false, ...(block && { blockId: block.blockId }) });
  });
}
