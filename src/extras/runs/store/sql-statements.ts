import type { RunRef } from "../../../kernel/step/block.ts";
import type { RunFilter } from "./contract.ts";
import type { Dialect } from "./sql-schema.ts";

interface RunStatements {
  readonly load: string;
  readonly versionOf: string;
  readonly lockRun: string;
  readonly stepVersion: string;
  readonly createRun: string;
  readonly writeRun: string;
  readonly bumpRun: string;
  readonly setOverlay: string;
  readonly cancelRun: string;
  readonly entry: string;
  readonly entries: string;
  readonly commands: string;
  readonly insertCommands: string;
  readonly finishStep: string;
  readonly releaseJoin: string;
  readonly remove: readonly string[];
}

interface BlockStatements {
  readonly block: string;
  readonly blockById: string;
  readonly resolveBlock: string;
  readonly releaseSiblings: string;
  readonly rejectSiblings: string;
  readonly unblock: string;
  readonly cancelBlocks: string;
}

interface OutboxStatements {
  readonly commandByKey: string;
  readonly lease: string;
  readonly markDispatched: string;
  readonly finishQueued: string;
  readonly markRetry: string;
  readonly markFailed: string;
  readonly retryFailed: string;
  readonly cancelCommands: string;
  readonly reclaim: string;
  readonly renew: string;
  readonly countDeath: string;
}

/** Statements of a store, written once for every database. A parameter's number is the same in all of them. */
export interface Statements extends RunStatements, BlockStatements, OutboxStatements {}

const RUN = "workflow_id = $1 and run_id = $2";
const NO_OVERLAY = `'{"removed":[],"values":{}}'`;

/** Writes the statements for one database. */
export function statementsOf(dialect: Dialect): Statements {
  return { ...runStatements(dialect), ...blockStatements(dialect), ...outboxStatements(dialect) };
}

/** Releases the collects that wait for steps, a list of keys, if those were the last ones of their fanouts. */
export function releaseJoin({ prefix: p, now }: Pick<Dialect, "prefix" | "now">, steps: string, at: string): string {
  return `update ${p}commands set status = 'pending', available_at = ${now(at)} where status = 'joining'
      and key in (select join_key from ${p}commands where key in (${steps}))
      and not exists (select 1 from ${p}commands m where m.join_key = ${p}commands.key and m.key not in (${steps})
        and m.join_key is not null and not (m.finished and m.status = 'dispatched'))`;
}

/** Assignments that finish the row of a committed step; the output of a fanout's step may wait for a block. */
export function finished(blockId: string): string {
  return `status = case when ${blockId} is null or join_key is null then 'dispatched' else 'blocked' end,
      finished = true, lease_owner = null, lease_until = null`;
}

/** Number of leases that a new row counts: one that a queue gets at once is never leased from the outbox. */
function leasesOf(status: string): string {
  return `case when ${status} = 'dispatched' then 1 else 0 end`;
}

/**
 * Inserts all commands of a run `$1`, `$2` of version `$3` in one statement. `rows` is the parameter with their JSON,
 * so a statement has the same number of parameters for any number of commands. `from` is a further table.
 */
export function insertCommands(
  { prefix: p, now, commandRows }: Dialect,
  { at, rows, from = "" }: Readonly<Record<"at" | "rows", string>> & { readonly from?: string },
): string {
  return `insert into ${p}commands (key, workflow_id, run_id, workflow_version, step_id, kind, target, payload,
      status, finished, attempts, available_at, traceparent, join_key)
      select c.key, $1, $2, $3, c.step_id, c.kind, c.target, c.payload, c.status, false, ${leasesOf("c.status")},
      ${now(at)} + c.delay, c.traceparent, c.join_key from ${from} ${commandRows(rows)} order by c."index"`;
}

function runStatements(dialect: Dialect): RunStatements {
  const { prefix: p, now, merge, forUpdate } = dialect;
  return {
    load: `select r.*, ${statusOf(p)} as status from ${p}runs r where r.workflow_id = $1 and r.run_id = $2`,
    versionOf: `select version, cancelled_at from ${p}runs where ${RUN}`,
    lockRun: `select overlay, cancelled_at from ${p}runs where ${RUN} ${forUpdate}`,
    stepVersion: `select version, cancelled_at, (select version from ${p}entries where ${RUN} and step_id = $3
      and kind = 'step') as step_version from ${p}runs where ${RUN}`,
    createRun: `insert into ${p}runs
      (workflow_id, run_id, workflow_version, version, computed, overlay, created_at, updated_at)
      values ($1, $2, $3, 1, $4, ${NO_OVERLAY}, ${now("$5")}, ${now("$5")}) on conflict do nothing returning version`,
    // Without an expected version, a run that changes meanwhile still isn't written in PostgreSQL: other parts of the
    // statement, such as `releaseJoin`, don't see that change.
    writeRun: `update ${p}runs set version = version + $7, workflow_version = $3, computed = ${merge("computed", "$4")},
      updated_at = ${now("$5")} where ${RUN} and version = coalesce($6, (select version from ${p}runs where ${RUN}))
      and cancelled_at is null returning version`,
    bumpRun: `update ${p}runs set version = version + 1, updated_at = ${now("$3")} where ${RUN}
      returning version, workflow_version`,
    setOverlay: `update ${p}runs set version = version + 1, updated_at = ${now("$3")}, overlay = $4
      where ${RUN} and version = $5 returning version, workflow_version`,
    cancelRun: `update ${p}runs set cancelled_at = ${now("$3")} where ${RUN}`,
    remove: ["commands", "blocks", "entries", "runs"].map((table) => `delete from ${p}${table} where ${RUN}`),
    entry: `insert into ${p}entries (workflow_id, run_id, version, kind, step_id, step_name, workflow_version, at,
      input, output, events, commands, artifacts)
      values ($1, $2, $3, $4, $5, $6, $7, ${now("$8")}, $9, $10, $11, $12, $13)`,
    entries: `select * from ${p}entries where ${RUN} order by version`,
    commands: `select * from ${p}commands where ${RUN} order by seq`,
    insertCommands: insertCommands(dialect, { at: "$4", rows: "$5" }),
    releaseJoin: releaseJoin(dialect, "$1", "$2"),
    finishStep: `update ${p}commands set ${finished("cast($2 as text)")} where key = $1 and not finished`,
  };
}

function blockStatements({ prefix: p, now }: Dialect): BlockStatements {
  return {
    block: `insert into ${p}blocks (block_id, workflow_id, run_id, workflow_version, step_id, step_name, kind, detail,
      opened_at) values ($1, $2, $3, $4, $5, $6, $7, $8, ${now("$9")})`,
    blockById: `select * from ${p}blocks where block_id = $1`,
    resolveBlock: `update ${p}blocks set resolved_at = ${now("$2")}, resolution = $3
      where block_id = $1 and resolved_at is null returning *`,
    releaseSiblings: `update ${p}commands set status = $5, attempts = ${leasesOf("$5")},
      available_at = case when available_at > ${now("$4")} then available_at else ${now("$4")} end
      where ${RUN} and step_id = $3 and status = 'deferred' returning *`,
    cancelBlocks: `update ${p}blocks set resolved_at = ${now("$3")}, resolution = $4
      where ${RUN} and resolved_at is null returning block_id`,
    unblock: `update ${p}commands set status = $2 where key = $1 and status = 'blocked'`,
    rejectSiblings: `update ${p}commands set status = 'rejected', finished = true
      where ${RUN} and ((step_id = $3 and status in ('deferred', 'joining'))
        or (status = 'joining' and key = (select join_key from ${p}commands where key = $3)))`,
  };
}

function outboxStatements({ prefix: p, now, among, skipLocked }: Dialect): OutboxStatements {
  const mayFail = "((status = 'leased' and lease_owner = $2) or (status = 'dispatched' and not finished))";
  return {
    commandByKey: `select * from ${p}commands where key = $1`,
    lease: `with due as materialized (select key from ${p}commands
      where status = 'pending' and available_at <= ${now("$1")} order by available_at, seq limit $2 ${skipLocked})
      update ${p}commands set status = 'leased', lease_owner = $3, lease_until = ${now("$1")} + $4,
      attempts = attempts + 1 where key in (select key from due) returning *`,
    markDispatched: `update ${p}commands set status = 'dispatched', finished = (finished or (kind = 'emit' and $3 = 0)),
      lease_owner = null, lease_until = null
      where ${among("key", "$1")} and status = 'leased' and lease_owner = $2 returning key`,
    finishQueued: `update ${p}commands set finished = true
      where key = $1 and status = 'dispatched' and finished = false returning key`,
    markRetry: `update ${p}commands set status = 'pending', error = $3, available_at = ${now("$6")} + $4,
      attempts = attempts - $5, deaths = null, lease_owner = null,
      lease_until = null where key = $1 and ${mayFail} returning status`,
    markFailed: `update ${p}commands set status = 'failed', error = $3, finished = true, lease_owner = null,
      lease_until = null where key = $1 and ${mayFail} returning status`,
    retryFailed: `update ${p}commands set status = $4, finished = false, attempts = ${leasesOf("$4")}, deaths = null,
      error = null, available_at = ${now("$3")} where ${RUN} and status = 'failed' returning *`,
    cancelCommands: `update ${p}commands set status = 'cancelled', finished = true, lease_owner = null,
      lease_until = null where ${RUN} and not finished returning key`,
    reclaim: `update ${p}commands set status = 'pending', attempts = attempts - 1, deaths = coalesce(deaths, 0),
      lease_owner = null, lease_until = null
      where status = 'leased' and lease_until < ${now("$1")} returning key`,
    renew: `update ${p}commands set lease_until = ${now("$1")} + $4
      where ${among("key", "$2")} and status = 'leased' and lease_owner = $3 returning key`,
    countDeath: `update ${p}commands set deaths = coalesce(deaths, 0) + 1
      where key = $1 and not finished returning deaths`,
  };
}

/** Text with which the error begins of a row that waits for its version of the workflow. */
const UNKNOWN_VERSION_ERROR = '{"code":"unknown_version"%';

/** Derives a run's status from its rows. */
function statusOf(p: string): string {
  const own = "c.workflow_id = r.workflow_id and c.run_id = r.run_id";
  return `case when r.cancelled_at is not null then 'cancelled'
    when exists (select 1 from ${p}blocks c where ${own} and c.resolved_at is null) then 'blocked'
    when exists (select 1 from ${p}commands c where ${own} and c.status = 'pending' and c.error is not null
      and c.error like '${UNKNOWN_VERSION_ERROR}') then 'unknown_version'
    when exists (select 1 from ${p}commands c where ${own} and c.finished = false and c.status <> 'joining')
      then 'running'
    when exists (select 1 from ${p}commands c where ${own} and c.finished = true and c.status = 'failed') then 'failed'
    else 'completed' end`;
}

/** A statement with its parameters. */
export interface Bound {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Selects the runs that match a filter. */
export function listRuns({ limit = 100, after, ...filter }: RunFilter, { prefix: p }: Dialect): Bound {
  const { values, bind } = binder();
  const where = [
    ...(filter.workflowId === undefined ? [] : [`r.workflow_id = ${bind(filter.workflowId)}`]),
    ...(filter.runId === undefined ? [] : [`r.run_id = ${bind(filter.runId)}`]),
    ...(filter.since === undefined ? [] : [`r.created_at >= ${bind(filter.since)}`]),
    ...(filter.status === undefined ? [] : [`${statusOf(p)} = ${bind(filter.status)}`]),
  ];
  if (after !== undefined) {
    const [at, workflow, run] = [bind(after.createdAt), bind(after.workflowId), bind(after.runId)];
    where.push(
      `(r.created_at < ${at} or (r.created_at = ${at} and (r.workflow_id, r.run_id) > (${workflow}, ${run})))`,
    );
  }
  const text = `select r.workflow_id, r.run_id, r.workflow_version, r.version, r.created_at, r.updated_at,
    ${statusOf(p)} as status from ${p}runs r ${whereOf(where)}
    order by r.created_at desc, r.workflow_id, r.run_id limit ${bind(limit)}`;
  return { text, values };
}

/** Selects the blocks that match a filter. */
export function listBlocks(filter: Partial<RunRef> & { readonly resolved?: boolean }, { prefix: p }: Dialect): Bound {
  const { values, bind } = binder();
  const where = [
    ...(filter.workflowId === undefined ? [] : [`workflow_id = ${bind(filter.workflowId)}`]),
    ...(filter.runId === undefined ? [] : [`run_id = ${bind(filter.runId)}`]),
    ...(filter.resolved === true ? [] : ["resolved_at is null"]),
  ];
  return {
    text: `select * from ${p}blocks ${whereOf(where)} order by opened_at, workflow_id, run_id, block_id`,
    values,
  };
}

function whereOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
}

function binder(): { readonly values: unknown[]; readonly bind: (value: unknown) => string } {
  const values: unknown[] = [];
  return { values, bind: (value) => `$${values.push(value)}` };
}
