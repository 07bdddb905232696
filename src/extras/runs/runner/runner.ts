import { setTimeout as sleep } from "node:timers/promises";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { runRecorded } from "../../../record/with-replay.ts";
import { type Workflow, stepNotFound } from "../../../kernel/step/define-workflow.ts";
import { messageOf } from "../../../kernel/thrown.ts";
import { run } from "../../../kernel/step/run.ts";
import { parseWith } from "../../../kernel/step/schema.ts";
import type { CommandRow, RunStore, StoredRun, StoreResult } from "../store/contract.ts";
import { type StoreError, storeError } from "../store/store-error.ts";
import { tracedStore } from "../store/traced-store.ts";
import { VERITEST } from "../../../kernel/telemetry/attributes.ts";
import { tally } from "../../../kernel/telemetry/metrics.ts";
import { type Executed, type Execution, type RunFailure, type Sink, executeCommand } from "./execute.ts";
import { type Rate, type RetryOptions, USUAL_ATTEMPTS, backoff, limitRates } from "./limits.ts";
import type { Queue, QueueJob } from "./queue.ts";

/** What a runner tells while it works. */
export type RunnerEvent =
  | { readonly kind: "done"; readonly row: CommandRow; readonly executed: Executed }
  | { readonly kind: "retried"; readonly row: CommandRow; readonly failure: RunFailure; readonly retryAt: number }
  | { readonly kind: "failed"; readonly row: CommandRow; readonly failure: RunFailure }
  | { readonly kind: "store_error"; readonly error: StoreError };

/** What {@link createRunner} takes. */
export interface RunnerOptions {
  readonly store: RunStore;
  /** Several versions of a workflow may stand side by side, for runs that began with an older one. */
  readonly workflows: readonly Pick<Workflow, "name" | "version" | "steps">[];
  readonly adapters?: object;
  /** Who brings effects out, by topic; `*` for all other topics. */
  readonly sinks?: Readonly<Record<string, Sink>>;
  /** Hands commands to a queue instead of carrying them out from the store's own outbox. */
  readonly queue?: Queue;
  /** Commands at once. Default: 8. */
  readonly concurrency?: number;
  readonly retry?: RetryOptions;
  /** How often an adapter may be asked, by its name. */
  readonly rates?: Readonly<Record<string, Rate>>;
  /** How long a command may take before another worker may have it, in milliseconds. Default: 300,000. */
  readonly leaseMs?: number;
  /** How long to wait where there is nothing to do, in milliseconds. Default: 200. */
  readonly pollMs?: number;
  /** Keeps adapter calls with each step, so that stored runs can be replayed. Default: true. */
  readonly record?: boolean;
  /** Unix milliseconds. Default: `Date.now`. */
  readonly clock?: () => number;
  /** From 0 to 1. Default: `Math.random`. */
  readonly random?: () => number;
  /** Names this worker's leases. Default: a random UUID. */
  readonly owner?: string;
  readonly onEvent?: (event: RunnerEvent) => void;
}

/** What starts a run. */
export interface RunRequest {
  readonly workflow: string;
  readonly step: string;
  readonly input: unknown;
  /** Default: a random UUID. The same id starts once. */
  readonly runId?: string;
}

/** Carries out the commands of runs. */
export interface Runner {
  /** Checks step and input, and writes the run's first command. */
  startRun(request: RunRequest): StoreResult<{ readonly runId: string; readonly started: boolean }>;
  /** Takes commands that are due and carries them out, or hands them to the queue; answers how many. */
  dispatchOutbox(): StoreResult<number>;
  /** Works until `stop`. */
  start(): Promise<void>;
  /** Takes nothing more, and answers when what runs has ended: safe to call on SIGTERM. */
  stop(): Promise<void>;
  /** Works until a run waits for somebody or nothing of it is left to do, and answers the run. */
  runToQuiescence(workflowId: string, runId: string): StoreResult<StoredRun>;
}

/** Makes a runner. It does nothing until it is asked to. */
export function createRunner(options: RunnerOptions): Runner {
  return new StoreRunner(options);
}

/** How many are handed to a queue at once. */
const BATCH = 200;
/** What waits for something else than its own success is looked at again so often. */
const POSTPONED_MS = 2000;

class StoreRunner implements Runner {
  readonly #options: RunnerOptions;
  readonly #world: Execution;
  readonly #owner: string;
  readonly #active = new Set<Promise<void>>();
  #working: Promise<void> | undefined;
  #stopping = new AbortController();
  #reclaimed = 0;

  constructor(options: RunnerOptions) {
    const { workflows, adapters = {}, sinks = {}, record = true, rates = {}, clock = Date.now } = options;
    const store = tracedStore(options.store);
    this.#options = { ...options, store };
    this.#owner = options.owner ?? crypto.randomUUID();
    const limited = limitRates(adapters, rates, clock);
    this.#world = { store, workflows, sinks, run: record ? runRecorded : run, adapters: limited, clock };
  }

  async startRun({
    workflow: name,
    step,
    input,
    runId = crypto.randomUUID(),
  }: RunRequest): ReturnType<Runner["startRun"]> {
    // The last one that is given is the newest: new runs begin with it.
    const workflow = this.#options.workflows.findLast((known) => known.name === name);
    const known = this.#options.workflows.map((one) => `"${one.name}"`).join(", ");
    if (workflow === undefined)
      return err(storeError("orchestration_error", `No workflow "${name}" in this runner. Known: ${known || "none"}.`));
    const first = Object.hasOwn(workflow.steps, step) ? workflow.steps[step] : undefined;
    if (first === undefined) return err(storeError("orchestration_error", stepNotFound(workflow, step)));
    const parsed = await parseWith(first.inputSchema, input);
    if (!parsed.ok)
      return err(storeError("orchestration_error", `The input does not fit step "${step}": ${parsed.error.message}`));
    const ref = { workflowId: name, workflowVersion: workflow.version, runId, step, input };
    const started = await this.#options.store.start(ref);
    return started.ok ? ok({ runId, started: started.value.started }) : started;
  }

  async dispatchOutbox(): StoreResult<number> {
    const { store, queue, concurrency = 8, leaseMs = 300_000 } = this.#options;
    await this.#reclaim(leaseMs);
    const limit = queue === undefined ? concurrency - this.#active.size : BATCH;
    if (limit <= 0) return ok(0);
    const leased = await store.outbox.lease({ owner: this.#owner, limit, leaseMs });
    if (!leased.ok) return this.#told(leased);
    if (queue === undefined) for (const row of leased.value) this.#begin(row);
    else if (leased.value.length > 0) {
      const handed = await this.#hand(queue, leased.value);
      if (!handed.ok) return this.#told(handed);
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
    await Promise.all(this.#active);
  }

  async runToQuiescence(workflowId: string, runId: string): StoreResult<StoredRun> {
    const { store, pollMs = 200 } = this.#options;
    for (;;) {
      const dispatched = await this.dispatchOutbox();
      if (!dispatched.ok) return dispatched;
      if (this.#active.size > 0) await Promise.race(this.#active);
      if (dispatched.value > 0 || this.#active.size > 0) continue;
      const run = await store.load(workflowId, runId);
      if (!run.ok) return run;
      if (run.value === undefined)
        return err(storeError("run_not_found", `Run "${runId}" is not there. Start it first.`));
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
      // A place that gets free is as good a reason to look again as time.
      const wait = new AbortController();
      const pause = sleep(pollMs, undefined, { signal: AbortSignal.any([signal, wait.signal]) }).catch(() => undefined);
      await Promise.race([pause, ...this.#active]);
      wait.abort();
    }
  }

  #begin(row: CommandRow): void {
    const done = this.#carryOut(row).finally(() => this.#active.delete(done));
    this.#active.add(done);
  }

  /** Never rejects: what goes wrong is in the row, or told. */
  async #carryOut(row: CommandRow): Promise<void> {
    const { attempts = USUAL_ATTEMPTS } = this.#options.retry ?? {};
    if (row.attempts > attempts) {
      const message = `Leased ${row.attempts} times and never finished: its worker ended each time.`;
      return this.#fail(row, { code: "poison", message, retryable: false }, row.attempts);
    }
    const executed = await executeCommand(row, this.#world);
    if (!executed.ok) return this.#fail(row, executed.error, row.attempts);
    if (executed.value.kind === "emitted")
      this.#told(await this.#world.store.outbox.markDispatched({ owner: this.#owner, keys: [row.key] }));
    this.#options.onEvent?.({ kind: "done", row, executed: executed.value });
  }

  async #fail(row: CommandRow, failure: RunFailure, attempt: number): Promise<void> {
    const { store } = this.#world;
    const { retry = {}, clock = Date.now, random = Math.random } = this.#options;
    const { attempts = USUAL_ATTEMPTS } = retry;
    const { key, workflowId, workflowVersion, runId, target: stepName } = row;
    const again = failure.retryable && (failure.postponed === true || attempt < attempts);
    if (failure.postponed !== true)
      this.#told(
        await store.recordFailure({
          workflowId,
          workflowVersion,
          runId,
          stepId: key,
          stepName,
          error: failure,
          attempt,
        }),
      );
    const wait = failure.postponed === true ? POSTPONED_MS : backoff(attempt, retry, random);
    const retryAt = clock() + wait;
    const later = again ? { retryAt, uncounted: failure.postponed === true } : {};
    this.#told(await store.outbox.markFailed({ owner: this.#owner, key, error: failure, ...later }));
    if (again) countRetry(row);
    this.#options.onEvent?.(again ? { kind: "retried", row, failure, retryAt } : { kind: "failed", row, failure });
  }

  /** Leases of dead workers are looked for a few times in the time that one lasts. */
  async #reclaim(leaseMs: number): Promise<void> {
    const { clock = Date.now, store } = this.#options;
    if (clock() - this.#reclaimed < leaseMs / 4) return;
    this.#reclaimed = clock();
    this.#told(await store.outbox.reclaim());
  }

  async #hand(queue: Queue, rows: readonly CommandRow[]): Promise<Result<void, StoreError>> {
    const { outbox } = this.#world.store;
    const { clock = Date.now, pollMs = 200 } = this.#options;
    const keys = rows.map(({ key }) => key);
    try {
      await queue.send(keys);
    } catch (thrown) {
      const error = storeError("unavailable", `The queue takes no jobs: ${messageOf(thrown)}`);
      const retryAt = clock() + pollMs;
      // Put back at once: nobody else would take them before their leases end.
      for (const key of keys)
        this.#told(await outbox.markFailed({ owner: this.#owner, key, error, retryAt, uncounted: true }));
      return err(error);
    }
    // A crash before this line sends them again, under ids the queue has already.
    const marked = await outbox.markDispatched({ owner: this.#owner, keys, queued: true });
    // Rows that are not ours any more were taken over where their jobs arrived first.
    if (!marked.ok && marked.error.code !== "lease_mismatch") this.#told(marked);
    return ok(undefined);
  }

  /** One delivery by a queue, which tries again what throws. */
  async #deliver({ key, attempt, last }: QueueJob): Promise<void> {
    const { store } = this.#world;
    const found = await store.outbox.get(key);
    if (!found.ok) throw new Error(found.error.message);
    const row = found.value;
    // Delivered twice: what it does is done, or was given up.
    if (row === undefined || row.settled) return;
    // A job may arrive before its dispatcher has noted that it was handed on, and what comes of it must find it so:
    // else the note would come after its end, and the run would wait for it forever.
    if (row.status === "pending" && !last) throw new Error("not handed on yet");
    if (row.leaseOwner !== undefined)
      await store.outbox.markDispatched({ owner: row.leaseOwner, keys: [key], queued: true });
    const executed = await executeCommand(row, this.#world);
    if (executed.ok && executed.value.kind === "emitted") this.#told(await store.outbox.settle(key));
    if (executed.ok) return this.#options.onEvent?.({ kind: "done", row, executed: executed.value });
    const failure = executed.error;
    const { clock = Date.now } = this.#options;
    if (last || !failure.retryable) return this.#fail(row, { ...failure, retryable: false }, attempt);
    countRetry(row);
    this.#options.onEvent?.({ kind: "retried", row, failure, retryAt: clock() });
    throw new Error(`${failure.code}: ${failure.message}`);
  }

  #told<T>(result: Result<T, StoreError>): Result<T, StoreError> {
    if (!result.ok) this.#options.onEvent?.({ kind: "store_error", error: result.error });
    return result;
  }
}

function countRetry({ workflowId, kind }: CommandRow): void {
  tally("retries", 1, { [VERITEST.workflowName]: workflowId, [VERITEST.commandKind]: kind });
}
