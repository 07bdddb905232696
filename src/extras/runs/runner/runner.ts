import { setTimeout as sleep } from "node:timers/promises";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { runRecorded } from "../../../record/with-replay.ts";
import { type Workflow, stepNotFound } from "../../../kernel/step/define-workflow.ts";
import { messageOf } from "../../../kernel/error-message.ts";
import { MAX_TIMER_MS } from "../../../kernel/max-timer.ts";
import type { RetryOptions } from "../../../kernel/step/define-step.ts";
import { run } from "../../../kernel/step/run.ts";
import { parseWith } from "../../../kernel/step/schema.ts";
import type { CommandRow, RunStore, StoredRun, StoreResult } from "../store/contract.ts";
import { type StoreError, storeError } from "../store/store-error.ts";
import { tracedStore } from "../store/traced-store.ts";
import { VERITEST } from "../../../kernel/telemetry/attributes.ts";
import { addToCounter } from "../../../kernel/telemetry/metrics.ts";
import {
  type Executed,
  type ExecutionContext,
  type RunFailure,
  type Sink,
  executeCommand,
  findStep,
} from "./execute-command.ts";
import { type Rate, DEFAULT_ATTEMPTS, backoff, limitRates } from "./limits.ts";
import { type Queue, type QueueDelivery, jobOf } from "./queue.ts";
import { Turns } from "./turns.ts";
import { WorkerLeases } from "./worker-leases.ts";

/** Event that a runner reports while it works. */
export type RunnerEvent =
  | { readonly kind: "done"; readonly row: CommandRow; readonly executed: Executed }
  | { readonly kind: "retried"; readonly row: CommandRow; readonly failure: RunFailure; readonly retryMs: number }
  | { readonly kind: "failed"; readonly row: CommandRow; readonly failure: RunFailure }
  | { readonly kind: "store_error"; readonly error: StoreError };

/** Options for {@link createRunner}. */
export interface RunnerOptions {
  readonly store: RunStore;
  /** Workflows to run. Include earlier versions of a workflow if runs of them are open. */
  readonly workflows: readonly Pick<Workflow, "name" | "version" | "steps">[];
  /**
   * Versions that continue runs of earlier versions, by workflow: `{ claims: { "1.0.0": "2.0.0" } }`. Without an entry,
   * a run whose version isn't in `workflows` waits with the status `unknown_version`.
   */
  readonly migrations?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly adapters?: object;
  /** Functions that perform effects, by topic. `*` is for all other topics. */
  readonly sinks?: Readonly<Record<string, Sink>>;
  /** Sends commands to a queue, instead of executing them from the store's own outbox. */
  readonly queue?: Queue;
  /** Number of commands that run concurrently. Default: 8. */
  readonly concurrency?: number;
  /** Retries of effects, and of steps without their own `retry`. */
  readonly retry?: RetryOptions;
  /** Rate limits of adapters, by name. */
  readonly rates?: Readonly<Record<string, Rate>>;
  /**
   * Milliseconds until another worker takes over the commands of a worker that has ended. A worker renews its leases
   * while it works. Default: 300,000.
   */
  readonly leaseMs?: number;
  /** Milliseconds between polls if no command is due. Default: 200. */
  readonly pollMs?: number;
  /** Records adapter calls with each step, so that stored runs can be replayed. Default: true. */
  readonly record?: boolean;
  /** Returns the current time, in Unix milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Returns a random number from 0 to 1. Retries use it to vary their delay. Default: `Math.random`. */
  readonly random?: () => number;
  /** Name of this worker in its leases. Default: a random UUID. */
  readonly owner?: string;
  readonly onEvent?: (event: RunnerEvent) => void;
}

/** Request to start a run. */
export interface RunRequest {
  readonly workflow: string;
  readonly step: string;
  readonly input: unknown;
  /** Id of the run. An id can start only one run. Default: a random UUID. */
  readonly runId?: string;
}

/** Executes the commands of runs. */
export interface Runner {
  /** Starts a run: checks its first step and input, and stores the first command. */
  startRun(request: RunRequest): StoreResult<{ readonly runId: string; readonly started: boolean }>;
  /** Executes the commands that are due, or sends them to the queue. Returns their number. */
  dispatchOutbox(): StoreResult<number>;
  /** Executes commands until you call `stop`. */
  start(): Promise<void>;
  /** Stops taking commands, and resolves when the running ones have ended. Safe to call on SIGTERM. */
  stop(): Promise<void>;
  /** Executes commands until a run has none left or is blocked, and returns the run. */
  runUntilIdle(workflowId: string, runId: string): StoreResult<StoredRun>;
}

/** Creates a runner. It doesn't execute commands until you call a method, such as `start`. */
export function createRunner(options: RunnerOptions): Runner {
  return new StoreRunner(options);
}

/** Number of commands sent to a queue at once. */
const BATCH = 200;
/** Maximum milliseconds that a free place waits for others. */
const GATHER_MS = 20;
/** Milliseconds until a postponed command is tried again. */
const POSTPONED_MS = 2000;
/** Errors of a run that takes no results any longer. */
const GONE: ReadonlySet<string> = new Set(["run_cancelled", "run_not_found"]);

class StoreRunner implements Runner {
  readonly #options: RunnerOptions;
  readonly #context: ExecutionContext;
  readonly #owner: string;
  readonly #active = new Map<string, Promise<unknown>>();
  readonly #turns = new Turns();
  #working: Promise<void> | undefined;
  #stopping = new AbortController();
  readonly #leases: WorkerLeases;

  constructor(options: RunnerOptions) {
    const { workflows, adapters = {}, sinks = {}, record = true, rates = {}, clock = Date.now } = options;
    const { migrations = {}, retry = {} } = options;
    const store = tracedStore(options.store);
    this.#options = { ...options, store };
    this.#owner = options.owner ?? crypto.randomUUID();
    this.#leases = new WorkerLeases(store.outbox, { owner: this.#owner, leaseMs: options.leaseMs, clock });
    const limited = limitRates(adapters, rates, clock);
    const common = { store, workflows, migrations, retry, sinks, clock };
    this.#context = { ...common, run: record ? runRecorded : run, adapters: limited };
  }

  async startRun({
    workflow: name,
    step,
    input,
    runId = crypto.randomUUID(),
  }: RunRequest): ReturnType<Runner["startRun"]> {
    // The last version in the list is the newest: new runs begin with it.
    const workflow = this.#options.workflows.findLast((known) => known.name === name);
    const known = this.#options.workflows.map((workflow) => `"${workflow.name}"`).join(", ");
    if (workflow === undefined)
      return err(
        storeError(
          "orchestration_error",
          `This runner doesn't have a workflow "${name}". It has these workflows: ${known || "none"}.`,
        ),
      );
    const first = Object.hasOwn(workflow.steps, step) ? workflow.steps[step] : undefined;
    if (first === undefined) return err(storeError("orchestration_error", stepNotFound(workflow, step)));
    const parsed = await parseWith(first.inputSchema, input);
    if (!parsed.ok)
      return err(
        storeError(
          "orchestration_error",
          `The input doesn't match the schema of step "${step}": ${parsed.error.message}`,
        ),
      );
    const ref = { workflowId: name, workflowVersion: workflow.version, runId, step, input };
    const started = await this.#options.store.start(ref);
    return started.ok ? ok({ runId, started: started.value.started }) : started;
  }

  async dispatchOutbox(): StoreResult<number> {
    const { queue, concurrency = 8 } = this.#options;
    for (const maintained of await this.#leases.maintain([...this.#active.keys()])) this.#report(maintained);
    const limit = queue === undefined ? concurrency - this.#active.size : BATCH;
    if (limit <= 0) return ok(0);
    const leased = await this.#leases.lease(limit);
    if (!leased.ok) return this.#report(leased);
    if (queue === undefined) for (const row of leased.value) this.#begin(row);
    else if (leased.value.length > 0) {
      const handed = await this.#hand(queue, leased.value);
      if (!handed.ok) return this.#report(handed);
    }
    return ok(leased.value.length);
  }

  async start(): Promise<void> {
    if (this.#working !== undefined) return;
    this.#stopping = new AbortController();
    const { queue, concurrency = 8 } = this.#options;
    await queue?.start();
    await queue?.work(async (job) => this.#deliver(job), concurrency);
    this.#working = this.#work();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#working;
    this.#working = undefined;
    await this.#options.queue?.stop();
    while (this.#active.size > 0) {
      await this.#pause(Number.POSITIVE_INFINITY);
      this.#report(await this.#leases.renew([...this.#active.keys()]));
    }
  }

  async runUntilIdle(workflowId: string, runId: string): StoreResult<StoredRun> {
    const { store, pollMs = 200 } = this.#options;
    for (;;) {
      const dispatched = await this.dispatchOutbox();
      if (!dispatched.ok) return dispatched;
      if (this.#active.size > 0) await this.#pause(Number.POSITIVE_INFINITY);
      if (dispatched.value > 0 || this.#active.size > 0) continue;
      const run = await store.load(workflowId, runId);
      if (!run.ok) return run;
      if (run.value === undefined)
        return err(storeError("run_not_found", `Run "${runId}" doesn't exist. Start it first.`));
      if (run.value.status !== "running") return ok(run.value);
      await sleep(Math.min(pollMs, 20));
    }
  }

  async #work(): Promise<void> {
    const { pollMs = 200 } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const dispatched = await this.dispatchOutbox();
      if (dispatched.ok && dispatched.value > 0) continue;
      await this.#pause(pollMs, signal);
    }
  }

  /** Waits until a command ends, the time is up, or leases have to be renewed. */
  async #pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const wait = new AbortController();
    const either = signal === undefined ? wait.signal : AbortSignal.any([signal, wait.signal]);
    const options = { signal: either, ref: Number.isFinite(milliseconds) };
    const pause = sleep(Math.min(milliseconds, this.#leases.renewalMs, MAX_TIMER_MS), undefined, options).catch(
      () => undefined,
    );
    await Promise.race([pause, ...this.#active.values()]);
    wait.abort();
    await this.#gather();
  }

  /**
   * Waits a moment while most commands still run: a lease is a write, and commands that end shortly after each other
   * can share one.
   */
  async #gather(): Promise<void> {
    const { concurrency = 8 } = this.#options;
    const end = new AbortController();
    const ended = new Promise((resolve) => end.signal.addEventListener("abort", resolve));
    const timer = setTimeout(() => end.abort(), GATHER_MS);
    while (!end.signal.aborted && this.#active.size > concurrency / 2)
      await Promise.race([ended, ...this.#active.values()]);
    clearTimeout(timer);
  }

  #begin(row: CommandRow): void {
    // A worker that was suspended longer than its lease may lease again what it is still working on.
    if (this.#active.has(row.key)) return;
    const done = this.#carryOut(row, row.deaths !== undefined).finally(() => this.#active.delete(row.key));
    this.#active.set(row.key, done);
  }

  /**
   * Carries a command out; never rejects. A worker's end doesn't show which of its commands caused it. So each of them
   * runs alone from then on, and a further end counts for one command only.
   */
  async #carryOut(row: CommandRow, suspect: boolean): Promise<Result<unknown, StoreError>> {
    if (!suspect) return this.#turns.shared(async () => this.#perform(row));
    return this.#turns.alone(async () => {
      const counted = this.#report(await this.#context.store.outbox.countDeath(row.key));
      if (!counted.ok || counted.value === undefined) return counted;
      // The first end isn't counted, because other commands ran at the same time.
      const ends = counted.value.deaths;
      if (ends < (this.#retryOf(row).attempts ?? DEFAULT_ATTEMPTS)) return this.#perform(row);
      const fix = "Fix the step, then run: npx veritest runs retry <run>";
      const message = `The worker ended ${ends} times while it ran this command. ${fix}`;
      return this.#fail(row, { code: "poison", message, retryable: false });
    });
  }

  async #perform(row: CommandRow): Promise<Result<unknown, StoreError>> {
    const { outbox } = this.#context.store;
    const executed = await executeCommand(row, this.#context);
    if (!executed.ok) return this.#fail(row, executed.error);
    let stored: Result<unknown, StoreError> = ok(undefined);
    if (executed.value.kind === "emitted")
      stored = await (this.#options.queue === undefined
        ? outbox.markDispatched({ owner: this.#owner, keys: [row.key] })
        : outbox.finish(row.key));
    this.#options.onEvent?.({ kind: "done", row, executed: executed.value });
    return this.#report(stored);
  }

  #retryOf(row: CommandRow): RetryOptions {
    const { retry = {} } = this.#options;
    const match = row.kind === "emit" ? undefined : findStep(row, this.#context);
    return match?.ok === true ? { ...retry, ...match.value.step.retry } : retry;
  }

  async #fail(row: CommandRow, failure: RunFailure): Promise<Result<unknown, StoreError>> {
    const { store } = this.#context;
    const { random = Math.random, onEvent } = this.#options;
    const retry = this.#retryOf(row);
    const { key, attempts: attempt } = row;
    const { postponed = false } = failure;
    const again = failure.retryable && (postponed || attempt < (retry.attempts ?? DEFAULT_ATTEMPTS));
    const dropped = (): Result<unknown, StoreError> => {
      onEvent?.({ kind: "failed", row, failure });
      return ok(undefined);
    };
    // A cancelled run's commands are finished, and a deleted run has none.
    if (GONE.has(failure.code)) return dropped();
    if (!postponed) {
      const recorded = await store.recordFailure({
        ...row,
        stepId: key,
        stepName: row.target,
        error: failure,
        attempt,
      });
      if (!recorded.ok && GONE.has(recorded.error.code)) return dropped();
      this.#report(recorded);
    }
    const retryMs = postponed ? POSTPONED_MS : backoff(attempt, retry, random);
    const later = again ? { retryMs, uncounted: postponed } : {};
    const marked = this.#report(await store.outbox.markFailed({ owner: this.#owner, key, error: failure, ...later }));
    if (again) countRetry(row);
    onEvent?.(again ? { kind: "retried", row, failure, retryMs } : { kind: "failed", row, failure });
    return marked;
  }

  async #hand(queue: Queue, rows: readonly CommandRow[]): Promise<Result<void, StoreError>> {
    const { outbox } = this.#context.store;
    const { pollMs = 200 } = this.#options;
    const keys = rows.map(({ key }) => key);
    try {
      await queue.send(rows.map(jobOf));
    } catch (thrown) {
      const error = storeError("unavailable", `The queue refused a job: ${messageOf(thrown)}`);
      // Releases the rows at once, because other workers can't take them before their leases end.
      for (const key of keys)
        this.#report(await outbox.markFailed({ owner: this.#owner, key, error, retryMs: pollMs, uncounted: true }));
      return err(error);
    }
    // After a crash before this line the keys are sent again, and the queue ignores known ids.
    const marked = await outbox.markDispatched({ owner: this.#owner, keys, queued: true });
    // A row with another owner was taken over because its job arrived first.
    if (!marked.ok && marked.error.code !== "lease_mismatch") this.#report(marked);
    return ok(undefined);
  }

  /** Handles one delivery; the queue delivers it again if this throws. */
  async #deliver({ id, key, attempt }: QueueDelivery): Promise<void> {
    const { outbox } = this.#context.store;
    const match = await outbox.get(key);
    if (!match.ok) throw new Error(match.error.message);
    const row = match.value;
    // The delivery is a duplicate: the command is done or has failed, or a later job is for its next attempt.
    if (row === undefined || row.finished || jobOf(row).id !== id) return;
    // A job may arrive before its dispatcher has marked it as sent, and its result must be written after that mark.
    // If the mark came after the end, the run would wait forever.
    if (row.status === "pending") throw new Error("not dispatched yet");
    if (row.leaseOwner !== undefined) await outbox.markDispatched({ owner: row.leaseOwner, keys: [key], queued: true });
    const stored = await this.#carryOut(row, attempt > 1 || row.deaths !== undefined);
    // A mismatch means that another delivery wrote the result first.
    if (!stored.ok && stored.error.code !== "lease_mismatch") throw new Error(stored.error.message);
  }

  #report<T>(result: Result<T, StoreError>): Result<T, StoreError> {
    if (!result.ok) this.#options.onEvent?.({ kind: "store_error", error: result.error });
    return result;
  }
}

function countRetry({ workflowId, kind }: CommandRow): void {
  addToCounter("retries", 1, { [VERITEST.workflowName]: workflowId, [VERITEST.commandKind]: kind });
}
