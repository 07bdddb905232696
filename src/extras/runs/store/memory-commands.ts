import { type Result, err, ok } from "../../../kernel/result.ts";
import type { CommandRow, CommandStatus, Lease, Outbox } from "./contract.ts";
import type { NewRow } from "./prepare.ts";
import { commandOf } from "./rows.ts";
import { type StoreError, leaseMismatch } from "./store-error.ts";

/** Counts of a run's commands. */
export interface CountedRun {
  readonly workflow_id: string;
  readonly run_id: string;
  workflow_version: string;
  readonly rows: MemoryRow[];
  /** Number of collects that wait for the commands of their fanout. */
  joining: number;
  /** Number of commands that aren't finished. They are counted because a status is read more often than it changes. */
  unfinished: number;
  /** Commands that wait for a runner with their version of the workflow. */
  readonly otherVersion: Set<MemoryRow>;
  failed: number;
}

interface MemoryRow {
  readonly seq: number;
  readonly key: string;
  readonly run: CountedRun;
  readonly workflow_id: string;
  readonly run_id: string;
  readonly workflow_version: string;
  readonly step_id: string;
  readonly kind: CommandRow["kind"];
  readonly target: string;
  readonly payload: string;
  readonly traceparent: string | null;
  readonly join_key: string | null;
  status: CommandStatus;
  finished: boolean;
  attempts: number;
  deaths: number | null;
  available_at: number;
  lease_owner: string | null;
  lease_until: number;
  error: string | null;
}

/** Commands of all runs of a memory store. */
export class MemoryCommands {
  readonly #clock: () => number;
  readonly #rows = new Map<string, MemoryRow>();
  /** Rows never leased, in the order in which they were written, which is also the order in which they are due. */
  readonly #fresh = new Map<string, MemoryRow>();
  /** Rows that became pending again: few, and unordered. */
  readonly #again = new Set<MemoryRow>();
  readonly #leased = new Set<MemoryRow>();
  /** Number of commands that each collect waits for. */
  readonly #joins = new Map<string, number>();
  #seq = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  get(key: string): MemoryRow | undefined {
    return this.#rows.get(key);
  }

  insert(run: CountedRun, { delay, joinKey, ...fresh }: NewRow, stepId: string): void {
    const { key, status } = fresh;
    this.#seq += 1;
    const row: MemoryRow = {
      seq: this.#seq,
      ...fresh,
      join_key: joinKey,
      run,
      workflow_id: run.workflow_id,
      run_id: run.run_id,
      workflow_version: run.workflow_version,
      step_id: stepId,
      finished: false,
      attempts: 0,
      deaths: null,
      available_at: this.#clock() + delay,
      lease_owner: null,
      lease_until: 0,
      error: null,
    };
    this.#rows.set(key, row);
    run.rows.push(row);
    run.unfinished += 1;
    if (joinKey !== null) this.#joins.set(joinKey, (this.#joins.get(joinKey) ?? 0) + 1);
    if (status === "joining") run.joining += 1;
    // Fresh rows are due in their order.
    if (status === "pending") {
      if (delay === 0) this.#fresh.set(key, row);
      else this.#again.add(row);
    }
  }

  lease({ owner, limit, leaseMs }: Lease): readonly CommandRow[] {
    const now = this.#clock();
    const due = [...this.#again].filter((row) => row.available_at <= now);
    let fresh = 0;
    for (const row of this.#fresh.values()) {
      if (fresh >= limit) break;
      if (row.available_at > now) continue;
      fresh += 1;
      due.push(row);
    }
    const leased = due.toSorted((a, b) => a.available_at - b.available_at || a.seq - b.seq).slice(0, limit);
    for (const row of leased) {
      this.move(row, "leased");
      row.attempts += 1;
      row.lease_owner = owner;
      row.lease_until = now + leaseMs;
    }
    return leased.map((row) => commandOf({ ...row }));
  }

  markDispatched({
    owner,
    keys,
    queued = false,
  }: Parameters<Outbox["markDispatched"]>[0]): Result<{ marked: number }, StoreError> {
    const unmarked: string[] = [];
    for (const key of keys) {
      const row = this.#rows.get(key);
      if (row?.status !== "leased" || row.lease_owner !== owner) unmarked.push(key);
      else if (row.kind === "emit" && !queued) this.finish(row, "dispatched");
      else this.move(row, "dispatched");
    }
    return unmarked.length === 0 ? ok({ marked: keys.length }) : err(leaseMismatch(owner, unmarked));
  }

  markFailed({
    owner,
    key,
    error,
    retryMs,
    uncounted = false,
  }: Parameters<Outbox["markFailed"]>[0]): Result<{ status: CommandStatus }, StoreError> {
    const row = this.#rows.get(key);
    if (row === undefined || !mayFail(row, owner)) return err(leaseMismatch(owner, [key]));
    row.error = JSON.stringify({ code: error.code, message: error.message });
    if (retryMs === undefined) this.finish(row, "failed");
    else {
      this.move(row, "pending", this.#clock() + retryMs);
      row.deaths = null;
    }
    if (uncounted) row.attempts -= 1;
    return ok({ status: row.status });
  }

  reclaim(): number {
    const now = this.#clock();
    const expired = [...this.#leased].filter((row) => row.lease_until < now);
    for (const row of expired) {
      this.move(row, "pending");
      row.attempts -= 1;
      row.deaths ??= 0;
    }
    return expired.length;
  }

  renew({ owner, keys, leaseMs }: Parameters<Outbox["renew"]>[0]): number {
    const rows = keys.flatMap((key) => this.#rows.get(key) ?? []);
    const leased = rows.filter(({ status, lease_owner }) => status === "leased" && lease_owner === owner);
    for (const row of leased) row.lease_until = this.#clock() + leaseMs;
    return leased.length;
  }

  /** Marks a failed row as pending again. */
  reopen(row: MemoryRow): void {
    row.finished = false;
    row.run.unfinished += 1;
    row.run.failed -= 1;
    row.attempts = 0;
    row.deaths = null;
    row.error = null;
    this.move(row, "pending", this.#clock());
  }

  remove(key: string): void {
    this.#rows.delete(key);
    this.#joins.delete(key);
  }

  finish(row: MemoryRow | undefined, status: CommandStatus): void {
    if (row === undefined || row.finished) return;
    this.move(row, status);
    row.finished = true;
    row.run.unfinished -= 1;
    if (status === "dispatched") this.#release(row);
    if (status === "failed") row.run.failed += 1;
  }

  /** Finishes a row whose output waits for a decision: the collect of its fanout waits, too. */
  block(row: MemoryRow | undefined): void {
    this.finish(row, (row?.join_key ?? null) === null ? "dispatched" : "blocked");
  }

  /** Ends the wait of a blocked row: its collect doesn't wait for it any longer, or is rejected with it. */
  unblock(row: MemoryRow | undefined, status: "dispatched" | "rejected"): void {
    if (row?.status !== "blocked") return;
    this.move(row, status);
    if (status === "dispatched") this.#release(row);
    else if (row.join_key !== null) {
      const collect = this.#rows.get(row.join_key);
      if (collect?.status === "joining") this.finish(collect, "rejected");
    }
  }

  /** Releases the collect that waits for a row, if that was the last one of its fanout. */
  #release({ join_key: joinKey }: MemoryRow): void {
    if (joinKey === null) return;
    const left = (this.#joins.get(joinKey) ?? 0) - 1;
    this.#joins.set(joinKey, left);
    const collect = this.#rows.get(joinKey);
    if (left === 0 && collect?.status === "joining") this.move(collect, "pending", this.#clock());
  }

  move(row: MemoryRow, status: CommandStatus, availableAt: number = row.available_at): void {
    if (row.status === "joining") row.run.joining -= 1;
    row.status = status;
    row.available_at = availableAt;
    row.lease_owner = null;
    this.#fresh.delete(row.key);
    this.#again.delete(row);
    this.#leased.delete(row);
    if (status === "pending") this.#again.add(row);
    if (status === "leased") this.#leased.add(row);
    if (needsOtherVersion(row)) row.run.otherVersion.add(row);
    else row.run.otherVersion.delete(row);
  }
}

/** True for a row that waits for a runner with its version of the workflow. */
function needsOtherVersion({ status, error }: MemoryRow): boolean {
  return status === "pending" && error?.startsWith('{"code":"unknown_version"') === true;
}

/** A row in a queue has no owner: any worker that the queue gave it to may fail it. */
function mayFail({ status, finished, lease_owner }: MemoryRow, owner: string): boolean {
  return (status === "leased" && lease_owner === owner) || (status === "dispatched" && !finished);
}
