import { isPlainObject } from "../../../kernel/json/plain-data.ts";
import { escapeJson, quote } from "../../../kernel/text.ts";
import { type ExecutionContext, executeCommand } from "../../runs/runner/execute-command.ts";
import { type RunnerOptions, createRunner } from "../../runs/runner/runner.ts";
import type { BlockResolutions, ReviewResolution, WorkflowStepOptions } from "../../../kernel/step/whole-run.ts";
import { type Workflow, stepNotFound } from "../../../kernel/step/define-workflow.ts";
import { run } from "../../../kernel/step/run.ts";
import type { Block, Decision } from "../../../kernel/step/block.ts";
import type { CommandRow, RunStore, StoreResult } from "../../runs/store/contract.ts";
import { createMemoryStore } from "../../runs/store/memory.ts";
import { type CrashPoint, Life, safely, workerStore } from "./simulated-worker.ts";
import { type FailedWorkflowProperty, type FinishedRun, WorkflowModel, type Wording } from "./workflow-model.ts";

/** A workflow of any steps. */
export type AnyWorkflow = Pick<Workflow, "name" | "version" | "steps">;

/** Clock and faults of the simulation. Use them in the store that you create. */
export interface SimulatedStoreContext {
  /** Returns the simulated time, in Unix milliseconds. It advances without real waiting. */
  readonly clock: () => number;
  /**
   * Returns true during a request in which a simulated worker dies. If your store writes several times in a request,
   * check this after each write, and stop if it is true.
   */
  readonly dying: () => boolean;
}

/** Context that a workflow is checked in: `start`, `resolve` and `runsBy` as `workflowStep` accepts them. */
export interface WorkflowSimulationOptions extends WorkflowStepOptions {
  /**
   * Function that opens an empty store for each list of actions. veritest closes the store. Default: a store in memory.
   */
  readonly store?: ((context: SimulatedStoreContext) => RunStore | Promise<RunStore>) | undefined;
  /** Adapters that are called live. */
  readonly adapters?: object | undefined;
  /** Milliseconds of real time until a list of actions counts as hanging. Default: 10,000. */
  readonly limit?: number | undefined;
}

/**
 * Possible event of the runs of a workflow, at any time. `of` counts the existing items, from the last back; an action
 * without an item does nothing.
 */
export type WorkflowAction =
  | { readonly kind: "start"; readonly input: unknown }
  /** A worker takes a command and carries it out. */
  | { readonly kind: "work" }
  /** A worker takes a command and dies: another has to take over. */
  | ({ readonly kind: "crash" } & CrashPoint)
  /** A command that was handed out reaches its worker twice more, at once. */
  | { readonly kind: "again"; readonly of: number }
  /** The same, once, and so late that another worker may have had the command. */
  | { readonly kind: "delayed"; readonly of: number }
  | { readonly kind: "resolve"; readonly of: number; readonly answer: ReviewResolution }
  | { readonly kind: "resume"; readonly of: number; readonly data: unknown }
  /** Time passes, more than any lease or pause between attempts. */
  | { readonly kind: "wait" };

/** Longer than any pause of the runner between attempts. */
const LEASE_MS = 60_000;
/** Commands after which the runs of a list are taken for ones that never end. */
const MOST_COMMANDS = 2000;
/** Number of rounds without progress, each after a long wait, until no progress is expected. */
const MOST_IDLE = 3;

/** A store, its runs and those who work on them, for one list of actions. */
export class WorkflowSimulation {
  readonly #workflow: AnyWorkflow;
  readonly #options: WorkflowSimulationOptions;
  readonly #store: RunStore;
  readonly #model: WorkflowModel;
  readonly #time: SimulatedTime;
  readonly #runs: string[] = [];
  /** Runs with a block that `resolve` leaves open. */
  readonly #blocked = new Set<string>();
  #workers = 0;

  private constructor(
    { workflow, options }: { readonly workflow: AnyWorkflow; readonly options: WorkflowSimulationOptions },
    store: RunStore,
    time: SimulatedTime,
  ) {
    this.#workflow = workflow;
    this.#options = options;
    this.#store = store;
    this.#time = time;
    this.#model = new WorkflowModel(() => time.now, wordingOf(options));
  }

  /** Opens an empty store. Throws a TypeError for a `start` that isn't a step of the workflow. */
  static async open(workflow: AnyWorkflow, options: WorkflowSimulationOptions): Promise<WorkflowSimulation> {
    startStepOf(workflow, options);
    const { store = ({ clock }: SimulatedStoreContext) => createMemoryStore({ clock }) } = options;
    const time: SimulatedTime = { now: 1_700_000_000_000, life: new Life() };
    const opened = await store({ clock: () => time.now, dying: () => time.life.dying });
    return new WorkflowSimulation({ workflow, options }, opened, time);
  }

  /** Does the actions and then the remaining work; returns the first property that fails. */
  async play(actions: readonly WorkflowAction[]): Promise<FailedWorkflowProperty | undefined> {
    const model = this.#model;
    for (const action of actions) {
      await this.#act(action);
      await this.#look();
      if (model.broken !== undefined) return model.broken;
    }
    await this.#workOff();
    if (model.broken !== undefined) return model.broken;
    for (const runId of this.#runs) model.noteAtRest(await this.#atRest(runId));
    return model.broken;
  }

  /** Closes the store. */
  async close(): Promise<void> {
    await this.#store.close();
  }

  async #act(action: WorkflowAction): Promise<void> {
    switch (action.kind) {
      case "start":
        return this.#start(action.input);
      case "work":
        return void (await this.#work());
      case "crash":
        return void (await this.#work(new Life(action)));
      case "again": {
        const row = pick(this.#model.deliveries, action.of);
        if (row !== undefined) await Promise.all([this.#deliver(row), this.#deliver(row)]);
        return;
      }
      case "delayed": {
        this.#time.now += LEASE_MS + 1;
        const row = pick(this.#model.deliveries, action.of);
        await this.#work();
        if (row !== undefined) await this.#deliver(row);
        return;
      }
      case "resolve":
        return this.#resolve("review", action.of, action.answer);
      case "resume":
        return this.#resolve("suspend", action.of, action.data);
      case "wait":
        this.#time.now += LEASE_MS + 1;
    }
  }

  async #start(input: unknown): Promise<void> {
    const runId = `run-${this.#runs.length + 1}`;
    const { name: workflow } = this.#workflow;
    const runner = createRunner(this.#hire(new Life()));
    const started = await runner.startRun({ workflow, step: startStepOf(this.#workflow, this.#options), input, runId });
    if (started.ok) this.#runs.push(runId);
  }

  /** A worker carries one command out, if there is one; answers how many it took. */
  async #work(life: Life = new Life()): Promise<number> {
    const runner = createRunner(this.#hire(life));
    const worked = async (): Promise<number> => {
      const dispatched = await runner.dispatchOutbox();
      await runner.stop();
      return dispatched.ok ? dispatched.value : 0;
    };
    return Promise.race([worked(), life.ended.then(() => 0)]);
  }

  /** A worker that had the row goes on with it, whatever has happened since, as a runner does with what it took. */
  async #deliver(row: CommandRow): Promise<void> {
    const { store, workflows, adapters, sinks } = this.#hire(new Life());
    const { key, leaseOwner: owner = "" } = row;
    const executed = await executeCommand(row, { store, workflows, adapters, sinks, run });
    if (executed.ok) {
      if (executed.value.kind === "emitted") await store.outbox.markDispatched({ owner, keys: [key] });
      return;
    }
    const { code, message, retryable, postponed = false } = executed.error;
    const later = retryable ? { retryMs: 1, uncounted: postponed } : {};
    await store.outbox.markFailed({ owner, key, error: { code, message }, ...later });
  }

  /** Returns the parts of a worker: new ones each time, so that it doesn't know the state of another. */
  #hire(life: Life): RunnerOptions & Pick<ExecutionContext, "adapters" | "sinks"> {
    this.#workers += 1;
    this.#time.life = life;
    const model = this.#model;
    return {
      store: workerStore(this.#store, model, life),
      workflows: [this.#workflow],
      adapters: this.#options.adapters ?? {},
      sinks: { "*": (_payload, { idempotencyKey }) => model.noteEffect(idempotencyKey) },
      concurrency: 1,
      leaseMs: LEASE_MS,
      retry: { maxMs: LEASE_MS },
      record: false,
      clock: () => this.#time.now,
      random: () => 0.5,
      owner: `worker-${this.#workers}`,
    };
  }

  async #resolve(kind: Block["kind"], of: number, answer: unknown): Promise<void> {
    const blocks = await this.#read(() => this.#store.blocks.list({ resolved: true }), []);
    const ofKind = blocks.filter((block) => block.kind === kind);
    const openFirst = ofKind.toSorted(
      (a, b) => Number(a.resolvedAt !== undefined) - Number(b.resolvedAt !== undefined),
    );
    const block = pick(openFirst, of);
    if (block !== undefined) await this.#answer(block, answer);
  }

  /** Resolves a block as the options say, or as it is given; returns false if it must stay open. */
  async #answer(block: Block, answer: unknown): Promise<boolean> {
    const { resolve } = this.#options;
    const decision = resolve === undefined ? decisionOf(block.kind, answer) : await decisionBy(resolve, block);
    if (decision === undefined) return false;
    const resolution = { blockId: block.blockId, decision, reason: "a law", actor: "veritest" };
    this.#model.noteResolved(block, decision, await safely(() => this.#store.blocks.resolve(resolution), this.#model));
    return true;
  }

  /** Works and resolves until no work is left, or there is no progress. */
  async #workOff(): Promise<void> {
    const model = this.#model;
    let commands = 0;
    for (let idle = 0; idle < MOST_IDLE && model.broken === undefined; ) {
      const before = model.progress;
      for (
        let dispatched = 1;
        dispatched > 0 && commands < MOST_COMMANDS && model.broken === undefined;
        commands += dispatched
      ) {
        dispatched = await this.#work();
        await this.#look();
      }
      if (commands >= MOST_COMMANDS)
        return model.blame("ends", `The runs didn't finish within ${MOST_COMMANDS} commands.`);
      for (const block of await this.#look())
        if (await this.#answer(block, block.kind === "review" ? "approve" : null)) this.#blocked.delete(block.runId);
        else this.#blocked.add(block.runId);
      await this.#look();
      idle = model.progress > before ? 0 : idle + 1;
      this.#time.now += LEASE_MS + 1;
    }
  }

  /** Looks at the open blocks. */
  async #look(): Promise<readonly Block[]> {
    const open = await this.#read(() => this.#store.blocks.list(), []);
    this.#model.noteOpen(open);
    return open;
  }

  async #atRest(runId: string): Promise<FinishedRun> {
    const store = this.#store;
    const { name } = this.#workflow;
    return {
      runId,
      run: await this.#read(() => store.load(name, runId), undefined),
      entries: await this.#read(() => store.entries(name, runId), []),
      rows: await this.#read(() => store.commands(name, runId), []),
      isBlocked: this.#blocked.has(runId),
    };
  }

  async #read<T>(operation: () => StoreResult<T>, fallback: T): Promise<T> {
    const answer = await safely(operation, this.#model);
    if (answer.ok) return answer.value;
    this.#model.blame("ends", `The store could not be read. ${answer.error.message}`);
    return fallback;
  }
}

interface SimulatedTime {
  now: number;
  /** The worker that was hired last. */
  life: Life;
}

/** From the last back, and round again: a smaller number is a simpler case. */
function pick<T>(list: readonly T[], of: number): T | undefined {
  return list[of % Math.max(1, list.length)];
}

function decisionOf(kind: Block["kind"], answer: unknown): Decision {
  if (kind === "suspend") return { kind: "resume", data: answer };
  if (answer === "approve" || answer === "reject") return { kind: answer };
  if (isPlainObject(answer) && isPlainObject(answer["override"]))
    return { kind: "override", patch: answer["override"] };
  throw new TypeError(
    `A review must get "approve", "reject" or { override: { …fields } }, got ${JSON.stringify(answer)}.`,
  );
}

async function decisionBy({ review, suspend }: BlockResolutions, block: Block): Promise<Decision | undefined> {
  const [resolver, args] = block.kind === "review" ? [review, [block]] : [suspend, [block.checkpoint, block]];
  const answer: unknown = typeof resolver === "function" ? await Reflect.apply(resolver, undefined, args) : resolver;
  return answer === undefined ? undefined : decisionOf(block.kind, answer);
}

/** Returns the step that runs begin with. Throws a TypeError if there is none. */
export function startStepOf({ name, steps }: AnyWorkflow, { start }: WorkflowStepOptions): string {
  const step = start ?? Object.keys(steps)[0];
  if (step === undefined) throw new TypeError(`Workflow ${quote(name)} has no steps. Add one or more.`);
  if (!Object.hasOwn(steps, step)) throw new TypeError(stepNotFound({ name, steps }, step));
  return step;
}

function wordingOf({ runsBy = {} }: WorkflowStepOptions): Wording {
  return ({ kind, target, payload, runId }) => {
    const field = kind === "invoke" && Object.hasOwn(runsBy, target) ? runsBy[target] : undefined;
    const value = field !== undefined && isPlainObject(payload) ? payload[field] : undefined;
    const which = value === undefined ? "" : ` (${field}: ${escapeJson(JSON.stringify(value))})`;
    return `${kind === "emit" ? "Effect" : "Step"} ${quote(target)}${which} of ${runId}`;
  };
}
