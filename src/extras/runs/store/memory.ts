import { type Result, err, ok } from "../../../kernel/result.ts";
import type { Block } from "../../../kernel/step/block.ts";
import {
  type BlockStore,
  type CommandRow,
  type Outbox,
  type OverlayChange,
  type Resolve,
  type RunDecision,
  type RunEntry,
  type RunFilter,
  type RunStore,
  type RunSummary,
  type StartRun,
  type StepCommit,
  type StepFailed,
  type StoredRun,
  type StoreResult,
  hasEnded,
} from "./contract.ts";
import { MemoryCommands } from "./memory-commands.ts";
import { type MemoryBlock, type MemoryRun, newestFirst, oldestFirst, memoryStatusOf } from "./memory-runs.ts";
import { type StoreLimits, prepareCommit, prepareStart, resumeStepId, timeoutKey } from "./prepare.ts";
import { type Resolution, decisionEntry, failureEntry, overlayEntry, planResolve } from "./decisions.ts";
import {
  blockOf,
  commandOf,
  computedJson,
  encodeResolution,
  entryOf,
  eventsOf,
  parse,
  runOf,
  summaryOf,
} from "./rows.ts";
import { tracedStore } from "./traced-store.ts";
import { CLOSED, type StoreError, runActive, runCancelled, runNotFound, versionConflict } from "./store-error.ts";

/** Options of a memory store. */
export interface MemoryStoreOptions extends StoreLimits {
  /** Returns the current time, in Unix milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
}

/**
 * Creates a store in memory, for tests and scripts; its data ends with the process. It returns the same results as
 * the other stores, and each call ends before the next one begins.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): RunStore {
  return tracedStore(new MemoryStore(options));
}

class MemoryStore implements RunStore {
  readonly #limits: StoreLimits;
  readonly #clock: () => number;
  readonly #runs = new Map<string, MemoryRun>();
  readonly #commands: MemoryCommands;
  readonly #blocks = new Map<string, MemoryBlock>();
  #closed = false;

  constructor({ clock = Date.now, ...limits }: MemoryStoreOptions) {
    this.#clock = clock;
    this.#limits = limits;
    this.#commands = new MemoryCommands(clock);
  }

  async start(start: StartRun): StoreResult<{ version: number; started: boolean }> {
    if (this.#closed) return err(CLOSED);
    const row = prepareStart(start, this.#limits);
    if (!row.ok) return row;
    const there = this.#find(start);
    if (there !== undefined) return ok({ version: there.version, started: false });
    const run = this.#create(start);
    this.#write(run, { kind: "start", step_id: "start", step_name: start.step, input: row.value.payload });
    this.#commands.insert(run, row.value, "start");
    return ok({ version: run.version, started: true });
  }

  async load(workflowId: string, runId: string): StoreResult<StoredRun | undefined> {
    if (this.#closed) return err(CLOSED);
    const run = this.#find({ workflowId, runId });
    return ok(run === undefined ? undefined : runOf({ ...run, status: memoryStatusOf(run) }));
  }

  async commit(commit: StepCommit): ReturnType<RunStore["commit"]> {
    if (this.#closed) return err(CLOSED);
    const prepared = prepareCommit(commit, this.#limits);
    if (!prepared.ok) return prepared;
    const { rows, block, fields } = prepared.value;
    const existing = this.#find(commit);
    const before = existing?.steps.get(commit.stepId);
    if (before !== undefined) return ok({ version: before, duplicate: true });
    if (existing?.cancelled === true) return err(runCancelled(commit.runId));
    const { runId, expectedVersion } = commit;
    const fits = expectedVersion === undefined ? existing !== undefined : (existing?.version ?? 0) === expectedVersion;
    if (!fits) return err(versionConflict(runId, expectedVersion, existing?.version));
    const run = existing ?? this.#create(commit);
    run.workflow_version = commit.workflowVersion;
    Object.assign(run.computed, parse<Record<string, string>>(computedJson(fields)));
    const { input, output, events, commands, artifacts } = prepared.value;
    const written = { kind: "step", step_id: commit.stepId, step_name: commit.stepName, input, output };
    run.steps.set(commit.stepId, this.#write(run, { ...written, events, commands, artifacts }));
    for (const row of rows) this.#commands.insert(run, row, commit.stepId);
    const own = this.#commands.get(commit.stepId);
    if (block === undefined) this.#commands.finish(own, "dispatched");
    else {
      this.#open(run, commit, block);
      this.#commands.block(own);
    }
    return ok({
      version: run.version,
      duplicate: false,
      ...(block === undefined ? {} : { blockId: block.blockId }),
    });
  }

  async recordFailure(failure: StepFailed): StoreResult<{ version: number }> {
    if (this.#closed) return err(CLOSED);
    const run = this.#find(failure);
    if (run === undefined) return err(versionConflict(failure.runId, 0, undefined));
    if (run.cancelled) return err(runCancelled(failure.runId));
    const entry = failureEntry(failure, this.#limits);
    return entry.ok ? ok({ version: this.#write(run, { ...entry.value }) }) : entry;
  }

  async setOverlay(change: OverlayChange): StoreResult<{ version: number }> {
    if (this.#closed) return err(CLOSED);
    const planned = overlayEntry(change, this.#limits);
    if (!planned.ok) return planned;
    const run = this.#find(change);
    if (run === undefined || run.version !== change.expectedVersion)
      return err(versionConflict(change.runId, change.expectedVersion, run?.version));
    run.overlay = planned.value.overlay;
    return ok({ version: this.#write(run, { ...planned.value.entry }) });
  }

  async entries(workflowId: string, runId: string): StoreResult<readonly RunEntry[]> {
    if (this.#closed) return err(CLOSED);
    return ok((this.#find({ workflowId, runId })?.entries ?? []).map(entryOf));
  }

  async events(workflowId: string, runId: string): ReturnType<RunStore["events"]> {
    const entries = await this.entries(workflowId, runId);
    return entries.ok ? ok(eventsOf(entries.value)) : entries;
  }

  async commands(workflowId: string, runId: string): StoreResult<readonly CommandRow[]> {
    if (this.#closed) return err(CLOSED);
    return ok((this.#find({ workflowId, runId })?.rows ?? []).map((row) => commandOf({ ...row })));
  }

  async list({ limit = 100, after, ...filter }: RunFilter = {}): StoreResult<readonly RunSummary[]> {
    if (this.#closed) return err(CLOSED);
    const summaries = [...this.#runs.values()]
      .map((run) => summaryOf({ ...run, status: memoryStatusOf(run) }))
      .filter(
        (run) =>
          (filter.workflowId === undefined || run.workflowId === filter.workflowId) &&
          (filter.runId === undefined || run.runId === filter.runId) &&
          (filter.status === undefined || run.status === filter.status) &&
          (filter.since === undefined || run.createdAt >= filter.since),
      )
      .toSorted(newestFirst);
    const from = after === undefined ? 0 : summaries.findIndex((run) => newestFirst(run, after) > 0);
    return ok(from === -1 ? [] : summaries.slice(from, from + limit));
  }

  readonly blocks: BlockStore = {
    get: async (blockId) => {
      if (this.#closed) return err(CLOSED);
      const block = this.#blocks.get(blockId);
      return ok(block === undefined ? undefined : blockOf({ ...block }));
    },
    list: async ({ workflowId, runId, resolved = false } = {}) => {
      if (this.#closed) return err(CLOSED);
      const blocks = [...this.#blocks.values()].filter(
        (block) =>
          (resolved || block.resolved_at === null) &&
          (workflowId === undefined || block.workflow_id === workflowId) &&
          (runId === undefined || block.run_id === runId),
      );
      return ok(blocks.toSorted(oldestFirst).map((block) => blockOf({ ...block })));
    },
    resolve: async (resolve) => (this.#closed ? err(CLOSED) : this.#resolve(resolve)),
  };

  readonly outbox: Outbox = {
    get: async (key) => {
      const row = this.#commands.get(key);
      return this.#closed ? err(CLOSED) : ok(row && commandOf({ ...row }));
    },
    lease: async (lease) => (this.#closed ? err(CLOSED) : ok(this.#commands.lease(lease))),
    markDispatched: async (mark) => (this.#closed ? err(CLOSED) : this.#commands.markDispatched(mark)),
    renew: async (lease) => (this.#closed ? err(CLOSED) : ok({ renewed: this.#commands.renew(lease) })),
    countDeath: async (key) => {
      if (this.#closed) return err(CLOSED);
      const row = this.#commands.get(key);
      if (row === undefined || row.finished) return ok(undefined);
      row.deaths = (row.deaths ?? 0) + 1;
      return ok({ deaths: row.deaths });
    },
    finish: async (key) => {
      if (this.#closed) return err(CLOSED);
      const row = this.#commands.get(key);
      const isOpen = row?.status === "dispatched" && !row.finished;
      if (isOpen) this.#commands.finish(row, "dispatched");
      return ok({ finished: isOpen });
    },
    markFailed: async (mark) => (this.#closed ? err(CLOSED) : this.#commands.markFailed(mark)),
    reclaim: async () => (this.#closed ? err(CLOSED) : ok({ reclaimed: this.#commands.reclaim() })),
  };

  async retry(decision: RunDecision): ReturnType<RunStore["retry"]> {
    const retried = this.#decide("retry", decision, ({ rows }) => {
      const failed = rows.filter(({ status }) => status === "failed");
      for (const row of failed) this.#commands.reopen(row);
      return failed.length;
    });
    return retried.ok ? ok({ retried: retried.value }) : retried;
  }

  async cancel(decision: RunDecision): ReturnType<RunStore["cancel"]> {
    const { actor, reason } = decision;
    const cancelled = this.#decide("cancel", decision, (run) => {
      // A failed run may still have a command that waits for its fanout.
      if (hasEnded(memoryStatusOf(run))) return 0;
      const open = run.rows.filter(({ finished }) => !finished);
      const changed = open.length + run.open.size;
      for (const row of open) this.#commands.finish(row, "cancelled");
      for (const block of run.open) {
        block.resolved_at = this.#clock();
        block.resolution = encodeResolution({ decision: { kind: "cancel" }, actor, reason });
      }
      run.open.clear();
      run.cancelled = changed > 0;
      return changed;
    });
    return cancelled.ok ? ok({ cancelled: cancelled.value > 0 }) : cancelled;
  }

  async remove(ref: Pick<RunSummary, "workflowId" | "runId">): ReturnType<RunStore["remove"]> {
    if (this.#closed) return err(CLOSED);
    const run = this.#find(ref);
    if (run === undefined) return ok({ removed: false });
    if (!hasEnded(memoryStatusOf(run))) return err(runActive(ref.runId, memoryStatusOf(run)));
    for (const { key } of run.rows) this.#commands.remove(key);
    for (const [id, block] of this.#blocks)
      if (block.workflow_id === ref.workflowId && block.run_id === ref.runId) this.#blocks.delete(id);
    this.#runs.delete(JSON.stringify([ref.workflowId, ref.runId]));
    return ok({ removed: true });
  }

  /** Writes a person's decision about a run and, if it changes something, the entry of it. */
  #decide(
    kind: "retry" | "cancel",
    decision: RunDecision,
    change: (run: MemoryRun) => number,
  ): Result<number, StoreError> {
    if (this.#closed) return err(CLOSED);
    const entry = decisionEntry(kind, decision, this.#limits);
    if (!entry.ok) return entry;
    const run = this.#find(decision);
    if (run === undefined) return err(runNotFound(decision.runId));
    const changed = run.cancelled ? 0 : change(run);
    if (changed > 0) this.#write(run, { ...entry.value });
    return ok(changed);
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  #find({ workflowId, runId }: { readonly workflowId: string; readonly runId: string }): MemoryRun | undefined {
    return this.#runs.get(JSON.stringify([workflowId, runId]));
  }

  #create({
    workflowId,
    runId,
    workflowVersion,
  }: Pick<StartRun, "workflowId" | "runId" | "workflowVersion">): MemoryRun {
    const now = this.#clock();
    const run: MemoryRun = {
      workflow_id: workflowId,
      run_id: runId,
      workflow_version: workflowVersion,
      version: 0,
      computed: {},
      overlay: '{"removed":[],"values":{}}',
      created_at: now,
      updated_at: now,
      entries: [],
      steps: new Map(),
      otherVersion: new Set(),
      rows: [],
      unfinished: 0,
      joining: 0,
      failed: 0,
      open: new Set(),
      cancelled: false,
    };
    this.#runs.set(JSON.stringify([workflowId, runId]), run);
    return run;
  }

  /** Writes one more version, as one more entry. */
  #write(run: MemoryRun, entry: Readonly<Record<string, unknown>>): number {
    run.version += 1;
    run.updated_at = this.#clock();
    const { version, workflow_version, updated_at: at } = run;
    run.entries.push({ events: "[]", commands: "[]", artifacts: "[]", workflow_version, ...entry, version, at });
    return version;
  }

  #open(
    run: MemoryRun,
    commit: StepCommit,
    { blockId, kind, detail }: { blockId: string; kind: Block["kind"]; detail: string },
  ): void {
    const block: MemoryBlock = {
      block_id: blockId,
      workflow_id: run.workflow_id,
      workflow_version: run.workflow_version,
      run_id: run.run_id,
      step_id: commit.stepId,
      step_name: commit.stepName,
      kind,
      detail,
      opened_at: this.#clock(),
      resolved_at: null,
      resolution: null,
    };
    this.#blocks.set(blockId, block);
    run.open.add(block);
  }

  #resolve(resolve: Resolve): Result<Block | null, StoreError> {
    const block = this.#blocks.get(resolve.blockId);
    const run = block === undefined ? undefined : this.#find({ workflowId: block.workflow_id, runId: block.run_id });
    const planned = planResolve(block === undefined ? undefined : blockOf({ ...block }), run?.overlay ?? "", {
      resolve,
      limits: this.#limits,
    });
    if (!planned.ok) return planned;
    if (planned.value === null || block === undefined || run === undefined) return ok(null);
    return ok(this.#apply(planned.value, block, run));
  }

  #apply({ resolution, overlay, entry, siblings, row }: Resolution, block: MemoryBlock, run: MemoryRun): Block {
    block.resolved_at = this.#clock();
    block.resolution = resolution;
    run.open.delete(block);
    run.overlay = overlay;
    this.#write(run, { ...entry });
    for (const sibling of run.rows.filter(({ step_id }) => step_id === block.step_id)) {
      const isDeferred = sibling.status === "deferred";
      if (siblings === "rejected" && (isDeferred || sibling.status === "joining"))
        this.#commands.finish(sibling, "rejected");
      else if (isDeferred) this.#commands.move(sibling, "pending", Math.max(sibling.available_at, this.#clock()));
    }
    this.#commands.finish(this.#commands.get(timeoutKey(blockOf({ ...block }))), "dispatched");
    const own = this.#commands.get(block.step_id);
    if (row !== undefined) {
      const resumed = { ...row, traceparent: own?.traceparent ?? null, joinKey: own?.join_key ?? null };
      this.#commands.insert(run, resumed, resumeStepId(block.block_id));
    }
    this.#commands.unblock(own, siblings === "rejected" ? "rejected" : "dispatched");
    return blockOf({ ...block });
  }
}
