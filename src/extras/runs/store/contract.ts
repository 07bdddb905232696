import type { Result } from "../../../kernel/result.ts";
import type { Artifact } from "../../../kernel/step/artifact.ts";
import type { Block, Decision, RunRef } from "../../../kernel/step/block.ts";
import type { Command } from "../../../kernel/step/command.ts";
import type { AuditEvent } from "../../../kernel/step/context.ts";
import type { StoreError } from "./store-error.ts";

/** Result of a store's method: a value or an error. A store throws only if it has a bug. */
export type StoreResult<T> = Promise<Result<T, StoreError>>;

/**
 * Status of a run, the first that applies: `cancelled`; `blocked`: a block is open; `unknown_version`: a command waits
 * for a runner with its version of the workflow; `running`: a command isn't finished; `failed`: a command failed;
 * `completed`.
 */
export type RunStatus = (typeof RUN_STATUSES)[number];

/** Every status of a run. */
export const RUN_STATUSES = ["running", "blocked", "unknown_version", "completed", "failed", "cancelled"] as const;

/** True for the status of a run that no command changes any longer, unless it's retried. */
export function hasEnded(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** A run without its state, as lists show it. */
export interface RunSummary extends RunRef {
  readonly workflowVersion: string;
  /** Starts at 1 and rises by one with each write. */
  readonly version: number;
  readonly status: RunStatus;
  /** Time in Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A run with its two layers of state. */
export interface StoredRun extends RunSummary {
  /** Shallow merge of all outputs, in the order of their commits. */
  readonly computed: Readonly<Record<string, unknown>>;
  /** Values that people set. `undefined` removes a computed field from the effective state. */
  readonly overlay: Readonly<Record<string, unknown>>;
}

/** Options of a new run: its first step and input. */
export interface StartRun extends RunRef {
  readonly workflowVersion: string;
  readonly step: string;
  readonly input: unknown;
  /** W3C `traceparent` of the caller. The run's commands pass it on to the worker that executes them. */
  readonly traceparent?: string | undefined;
}

/** Result of one execution of a step. Output, events and commands are written together or not at all. */
export interface StepCommit extends RunRef {
  readonly workflowVersion: string;
  /**
   * Id of the execution within its run: for a delivered command, the command's key. An id can be committed only once.
   */
  readonly stepId: string;
  readonly stepName: string;
  /**
   * Version of the run when the step ran; 0 if the run doesn't exist yet. Omit it if the result is valid at any
   * version: the run must exist, and the store can write several such commits together.
   */
  readonly expectedVersion?: number | undefined;
  readonly input?: unknown;
  readonly output: object;
  readonly events: readonly AuditEvent[];
  readonly commands: readonly Command[];
  /** Data for a replay, such as recorded adapter calls. */
  readonly artifacts?: readonly Artifact[];
  /** W3C `traceparent` of the caller. The run's commands pass it on to the worker that executes them. */
  readonly traceparent?: string | undefined;
}

/** Result of a commit. */
export interface Committed {
  readonly version: number;
  /** True if this step id was committed before: this commit wrote nothing, and `version` is the earlier commit's. */
  readonly duplicate: boolean;
  /** Block that this commit opened. */
  readonly blockId?: string;
}

/** Failed attempt at a step, as it's stored. */
export interface StepFailed extends RunRef {
  readonly workflowVersion: string;
  readonly stepId: string;
  readonly stepName: string;
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean };
  /** Number of the attempt, starting at 1. */
  readonly attempt: number;
}

/**
 * Arguments of `setOverlay`: values that a person sets over the computed state. The new overlay replaces the previous
 * one. To remove a computed field, set it to `undefined`.
 */
export interface OverlayChange extends RunDecision {
  readonly expectedVersion: number;
  readonly overlay: Readonly<Record<string, unknown>>;
}

/** A person's decision about a run. */
export interface RunDecision extends RunRef {
  readonly reason: string;
  readonly actor: string;
}

/** Kind of change that created a version of a run, such as a commit or an overlay. */
export type EntryKind = "start" | "step" | "failure" | "overlay" | "resolution" | "retry" | "cancel";

/** Entry of a run's history. Each version of the run has one entry. */
export interface RunEntry {
  readonly version: number;
  readonly kind: EntryKind;
  readonly stepId: string;
  readonly stepName: string;
  readonly workflowVersion: string;
  /** Time in Unix milliseconds. */
  readonly at: number;
  readonly input?: unknown;
  readonly output?: Readonly<Record<string, unknown>>;
  readonly events: readonly AuditEvent[];
  readonly commands: readonly Command[];
  readonly artifacts: readonly Artifact[];
}

/** An audit event with the version that wrote it. */
export interface RunEvent extends AuditEvent {
  readonly version: number;
  readonly stepId: string;
}

/** Status of a stored command, such as `pending` or `failed`. */
export type CommandStatus =
  /**
   * `joining`: a collect waits for the commands of its fanout. `blocked`: one of these has committed, and its output
   * waits for a person's decision.
   */
  "pending" | "deferred" | "joining" | "blocked" | "leased" | "dispatched" | "rejected" | "failed" | "cancelled";

/** Stored command: one step to run, or one effect to perform. */
export interface CommandRow extends RunRef {
  /**
   * `hash(workflowId, runId, stepId, command)`: identity of the row, job id in a queue, idempotency key of an effect.
   */
  readonly key: string;
  readonly workflowVersion: string;
  /** ID of the step execution that wrote the row. */
  readonly stepId: string;
  /**
   * `collect`: a step that gets the outputs of a fanout; its payload has the keys of those commands. `timeout`: the
   * decision on a block that is still open when the row is due; its payload has the block's id.
   */
  readonly kind: "invoke" | "emit" | "collect" | "timeout";
  /** Name of the step to run, or of the topic to send to. */
  readonly target: string;
  /** Input of the step, or payload of the event. */
  readonly payload: unknown;
  readonly status: CommandStatus;
  /** True if the command is done: its step committed, its effect was performed, or it was rejected or failed. */
  readonly finished: boolean;
  /** Number of leases, without those whose worker ended. */
  readonly attempts: number;
  /** Number of times that a worker ended while it ran only this command. Absent if no worker has ended. */
  readonly deaths?: number;
  /** Time, in Unix milliseconds, before which the row can't be leased. */
  readonly availableAt: number;
  /** W3C `traceparent` of the step that created the command. For a resumed run: of the step that suspended it. */
  readonly traceparent?: string;
  readonly leaseOwner?: string;
  readonly leaseUntil?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** Resolution of a block. */
export interface Resolve {
  readonly blockId: string;
  readonly decision: Decision;
  readonly reason: string;
  readonly actor: string;
}

/** Blocks of runs. */
export interface BlockStore {
  get(blockId: string): StoreResult<Block | undefined>;
  /** Lists open blocks, oldest first, or resolved ones if requested. */
  list(filter?: Partial<RunRef> & { readonly resolved?: boolean }): StoreResult<readonly Block[]>;
  /** Resolves a block. Returns the resolved block to the first caller, and `null` to later ones. */
  resolve(resolve: Resolve): StoreResult<Block | null>;
}

/** Options of a lease: its owner, the maximum number of rows, and its duration. */
export interface Lease {
  readonly owner: string;
  readonly limit: number;
  /** Duration of the lease in milliseconds, from the store's current time. */
  readonly leaseMs: number;
}

/** Commands to execute, with their state. */
export interface Outbox {
  get(key: string): StoreResult<CommandRow | undefined>;
  /** Leases pending rows that are due, oldest first. A row has only one lease at a time. */
  lease(lease: Lease): StoreResult<readonly CommandRow[]>;
  /**
   * Marks rows that this owner leased as dispatched. An effect is then finished, unless it was queued. A step is
   * finished by its commit. Rows of other owners don't change, and the error `lease_mismatch` names them.
   */
  markDispatched(mark: {
    readonly owner: string;
    readonly keys: readonly string[];
    readonly queued?: boolean;
  }): StoreResult<{ readonly marked: number }>;
  /** Extends the leases of this owner. Doesn't change rows that the owner doesn't lease. */
  renew(lease: {
    readonly owner: string;
    readonly keys: readonly string[];
    readonly leaseMs: number;
  }): StoreResult<{ readonly renewed: number }>;
  /**
   * Counts a crash before the command runs. A command that crashes its worker each time then fails after some attempts.
   * Call it before you run such a command on its own. `markFailed` resets the count. Returns undefined if the command
   * has finished.
   */
  countDeath(key: string): StoreResult<{ readonly deaths: number } | undefined>;
  /** Marks a queued effect as finished. Doesn't change a finished one. */
  finish(key: string): StoreResult<{ readonly finished: boolean }>;
  /** Records a failed attempt. With a delay, the command is tried again; without one, it has failed. */
  markFailed(mark: {
    readonly owner: string;
    readonly key: string;
    readonly error: { readonly code: string; readonly message: string };
    /** Delay in milliseconds from the store's current time, because the clocks of machines differ. */
    readonly retryMs?: number;
    /** True if the attempt doesn't count because the command wasn't tried. */
    readonly uncounted?: boolean;
  }): StoreResult<{ readonly status: CommandStatus }>;
  /** Makes rows with expired leases of any owner pending again, because their workers have ended. */
  reclaim(): StoreResult<{ readonly reclaimed: number }>;
}

/**
 * Filter for listed runs. Runs are sorted newest first. The list starts after the run `after`, and has at most `limit`
 * runs.
 */
export interface RunFilter {
  readonly workflowId?: string;
  readonly runId?: string;
  readonly status?: RunStatus;
  /** Only runs that were created at this time or later, in Unix milliseconds. */
  readonly since?: number;
  /** Cursor for the next page: the last run of the previous page. */
  readonly after?: RunRef & { readonly createdAt: number };
  /** Maximum number of runs to return. Default: 100. */
  readonly limit?: number;
}

/**
 * Database with the runs of workflows. Methods return errors as values; after `close`, each returns the error `closed`.
 */
export interface RunStore {
  /** Creates a run with its first command. Doesn't change an existing run. */
  start(start: StartRun): StoreResult<{ readonly version: number; readonly started: boolean }>;
  load(workflowId: string, runId: string): StoreResult<StoredRun | undefined>;
  commit(commit: StepCommit): StoreResult<Committed>;
  recordFailure(failure: StepFailed): StoreResult<{ readonly version: number }>;
  setOverlay(change: OverlayChange): StoreResult<{ readonly version: number }>;
  /** Makes the failed commands of a run pending again, with all their attempts. */
  retry(decision: RunDecision): StoreResult<{ readonly retried: number }>;
  /**
   * Cancels a run. Drops its open commands and blocks, and refuses later commits. Doesn't change a run that has
   * already ended.
   */
  cancel(decision: RunDecision): StoreResult<{ readonly cancelled: boolean }>;
  /** Deletes a run with its history. A run that hasn't ended is refused: cancel it first. */
  remove(run: RunRef): StoreResult<{ readonly removed: boolean }>;
  /** Lists the versions of a run, from the first. */
  entries(workflowId: string, runId: string): StoreResult<readonly RunEntry[]>;
  events(workflowId: string, runId: string): StoreResult<readonly RunEvent[]>;
  /** Lists the commands of a run in the order in which they were written. */
  commands(workflowId: string, runId: string): StoreResult<readonly CommandRow[]>;
  list(filter?: RunFilter): StoreResult<readonly RunSummary[]>;
  readonly blocks: BlockStore;
  readonly outbox: Outbox;
  close(): Promise<void>;
}
