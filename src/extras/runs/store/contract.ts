import type { Result } from "../../../kernel/result.ts";
import type { Artifact } from "../../../kernel/step/artifact.ts";
import type { Block, Decision, RunRef } from "../../../kernel/step/block.ts";
import type { Command } from "../../../kernel/step/command.ts";
import type { AuditEvent } from "../../../kernel/step/context.ts";
import type { StoreError } from "./store-error.ts";

/** What a store answers: a value, or why there is none. A store throws only for a bug of its own. */
export type StoreResult<T> = Promise<Result<T, StoreError>>;

/**
 * Where a run stands, told by its rows and never stored: `blocked` while a block is open, `running` while a command is
 * not settled, then `failed` if one failed, else `completed`.
 */
export type RunStatus = "running" | "blocked" | "completed" | "failed";

/** A run without its state, as lists show it. */
export interface RunSummary extends RunRef {
  readonly workflowVersion: string;
  /** Rises by one with each write, from 1. */
  readonly version: number;
  readonly status: RunStatus;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A run with its two layers of state. */
export interface StoredRun extends RunSummary {
  /** The shallow merge of all outputs, in the order of their commits. */
  readonly computed: Readonly<Record<string, unknown>>;
  /** What people decided; `undefined` removes a computed field from the effective state. */
  readonly overlay: Readonly<Record<string, unknown>>;
}

/** The first job of a run. */
export interface StartRun extends RunRef {
  readonly workflowVersion: string;
  readonly step: string;
  readonly input: unknown;
  /** W3C's `traceparent` of the work that asks: its commands carry it to whoever carries them out. */
  readonly traceparent?: string | undefined;
}

/** What one execution of a step leaves: output, events and commands are all written, or nothing is. */
export interface StepCommit extends RunRef {
  readonly workflowVersion: string;
  /** Names the execution within its run; a delivered command's key. The same id commits once. */
  readonly stepId: string;
  readonly stepName: string;
  /** The version the run had when the step was run; 0 for a run that is not there yet. */
  readonly expectedVersion: number;
  readonly input?: unknown;
  readonly output: object;
  readonly events: readonly AuditEvent[];
  readonly commands: readonly Command[];
  /** What a replay needs, such as recorded adapter calls. */
  readonly artifacts?: readonly Artifact[];
  /** W3C's `traceparent` of the work that asks: its commands carry it to whoever carries them out. */
  readonly traceparent?: string | undefined;
}

/** What a commit answers. */
export interface Committed {
  readonly version: number;
  /** True when the same step id had been committed before: nothing was written, `version` is that commit's. */
  readonly duplicate: boolean;
  /** The block this commit opened. */
  readonly blockId?: string;
}

/** An attempt that failed. */
export interface StepFailed extends RunRef {
  readonly workflowVersion: string;
  readonly stepId: string;
  readonly stepName: string;
  readonly error: { readonly code: string; readonly message: string; readonly retryable: boolean };
  /** From 1. */
  readonly attempt: number;
}

/** A person's decision on the state: replaces the overlay. `undefined` as a value removes a computed field. */
export interface OverlayChange extends RunRef {
  readonly expectedVersion: number;
  readonly overlay: Readonly<Record<string, unknown>>;
  readonly reason: string;
  readonly actor: string;
}

/** What one version of a run wrote. */
export type EntryKind = "start" | "step" | "failure" | "overlay" | "resolution";

/** One version of a run: the history has one for each, without gaps. */
export interface RunEntry {
  readonly version: number;
  readonly kind: EntryKind;
  readonly stepId: string;
  readonly stepName: string;
  readonly workflowVersion: string;
  /** Unix milliseconds. */
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

/** Where a command stands. */
export type CommandStatus = "pending" | "deferred" | "leased" | "dispatched" | "rejected" | "failed";

/** A command as a row: one step to run, or one effect to bring out. */
export interface CommandRow extends RunRef {
  /** `hash(workflowId, runId, stepId, command)`: the row's identity, a queue's job id, an effect's idempotency key. */
  readonly key: string;
  readonly workflowVersion: string;
  /** The execution whose commit wrote the row. */
  readonly stepId: string;
  readonly kind: "invoke" | "emit";
  /** The step or the topic. */
  readonly target: string;
  /** The step's input or the event's payload. */
  readonly payload: unknown;
  readonly status: CommandStatus;
  /** True once nothing more will come of it: its step committed, its effect is out, it was rejected or failed. */
  readonly settled: boolean;
  /** How often it was leased. */
  readonly attempts: number;
  /** Unix milliseconds; a lease before this time leaves it. */
  readonly availableAt: number;
  /** W3C's `traceparent` of the work that wrote the row; of a resumed run that of the step that had suspended. */
  readonly traceparent?: string;
  readonly leaseOwner?: string;
  readonly leaseUntil?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** How a block is to be resolved. */
export interface Resolve {
  readonly blockId: string;
  readonly decision: Decision;
  readonly reason: string;
  readonly actor: string;
}

/** Runs that wait. */
export interface BlockStore {
  get(blockId: string): StoreResult<Block | undefined>;
  /** The open ones, the oldest first, unless resolved ones are asked for too. */
  list(filter?: Partial<RunRef> & { readonly resolved?: boolean }): StoreResult<readonly Block[]>;
  /** Answers the resolved block to the first caller, `null` to every later one. */
  resolve(resolve: Resolve): StoreResult<Block | null>;
}

/** Which rows to lease, and for how long. */
export interface Lease {
  readonly owner: string;
  readonly limit: number;
  /** Milliseconds from the store's now. */
  readonly leaseMs: number;
}

/** Commands on their way out. */
export interface Outbox {
  get(key: string): StoreResult<CommandRow | undefined>;
  /** Takes pending rows that are due, the oldest first; no two callers get the same row while its lease lasts. */
  lease(lease: Lease): StoreResult<readonly CommandRow[]>;
  /**
   * Marks rows this owner leased as handed on; effects are settled by it unless a queue has them now, steps by their
   * commit. Rows that are not the owner's stay as they are and are named by `lease_mismatch`.
   */
  markDispatched(mark: {
    readonly owner: string;
    readonly keys: readonly string[];
    readonly queued?: boolean;
  }): StoreResult<{ readonly marked: number }>;
  /** Settles an effect that a queue had; one that is settled stays so. */
  settle(key: string): StoreResult<{ readonly settled: boolean }>;
  /** Puts a row back until `retryAt`, or fails it for good without one. */
  markFailed(mark: {
    readonly owner: string;
    readonly key: string;
    readonly error: { readonly code: string; readonly message: string };
    readonly retryAt?: number;
    /** The attempt does not count: nothing was tried. */
    readonly uncounted?: boolean;
  }): StoreResult<{ readonly status: CommandStatus }>;
  /** Makes rows of expired leases pending again, whoever held them. */
  reclaim(): StoreResult<{ readonly reclaimed: number }>;
}

/** Which runs to list: the newest first, `limit` at a time, from behind `after`. */
export interface RunFilter {
  readonly workflowId?: string;
  readonly runId?: string;
  readonly status?: RunStatus;
  /** Created at this time or later, Unix milliseconds. */
  readonly since?: number;
  /** The last of the page before. */
  readonly after?: RunRef & { readonly createdAt: number };
  /** Default 100. */
  readonly limit?: number;
}

/** Where runs live. Every method answers errors as values; after `close` each answers `closed`. */
export interface RunStore {
  /** Makes a run with its first job; a run that is there is left as it is. */
  start(start: StartRun): StoreResult<{ readonly version: number; readonly started: boolean }>;
  load(workflowId: string, runId: string): StoreResult<StoredRun | undefined>;
  commit(commit: StepCommit): StoreResult<Committed>;
  recordFailure(failure: StepFailed): StoreResult<{ readonly version: number }>;
  setOverlay(change: OverlayChange): StoreResult<{ readonly version: number }>;
  /** What each version wrote, from the first. */
  entries(workflowId: string, runId: string): StoreResult<readonly RunEntry[]>;
  events(workflowId: string, runId: string): StoreResult<readonly RunEvent[]>;
  /** Every command of a run, in the order in which they were written. */
  commands(workflowId: string, runId: string): StoreResult<readonly CommandRow[]>;
  list(filter?: RunFilter): StoreResult<readonly RunSummary[]>;
  readonly blocks: BlockStore;
  readonly outbox: Outbox;
  close(): Promise<void>;
}
