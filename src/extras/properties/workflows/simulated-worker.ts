import { err } from "../../../kernel/result.ts";
import type { Outbox, RunStore, StoreResult } from "../../runs/store/contract.ts";
import { driverError } from "../../runs/store/store-error.ts";
import type { WorkflowModel } from "./workflow-model.ts";

/** Point at which a worker dies. `during`: a store with several writes for one operation may stop between two. */
export interface CrashPoint {
  readonly when: "before" | "during" | "after";
  readonly at: "lease" | "commit" | "mark";
}

/** The life of a worker, which may end at a point. */
export class Life {
  readonly #point: CrashPoint | undefined;
  readonly #end = Promise.withResolvers<void>();
  #dying = false;
  #dead = false;

  constructor(point?: CrashPoint) {
    this.#point = point;
  }

  /** Fulfilled when the worker is dead: what it had begun is never heard of again. */
  get ended(): Promise<void> {
    return this.#end.promise;
  }

  /** True while a store does what its worker dies in. */
  get dying(): boolean {
    return this.#dying;
  }

  /** Runs a worker's request to a store; never resolves if the worker dies in it. */
  async through<T>(at: CrashPoint["at"], operation: () => Promise<T>): Promise<T> {
    const when = this.#point?.at === at ? this.#point.when : undefined;
    if (when === "before") return this.#die();
    this.#dying = when === "during";
    const answer = await operation();
    this.#dying = false;
    return when === undefined ? answer : this.#die();
  }

  /** Runs an operation; never resolves if the worker is dead. */
  async unlessDead<T>(operation: () => Promise<T>): Promise<T> {
    return this.#dead ? new Promise<never>(() => undefined) : operation();
  }

  async #die(): Promise<never> {
    this.#dead = true;
    this.#end.resolve();
    return new Promise<never>(() => undefined);
  }
}

/** Returns a worker's store: requests and responses are recorded, and the worker may die of a request. */
export function workerStore(store: RunStore, model: WorkflowModel, life: Life): RunStore {
  return {
    start: async (start) => safely(() => store.start(start), model, model.noteStart.bind(model, start)),
    load: async (workflowId, runId) => safely(() => store.load(workflowId, runId), model),
    commit: async (commit) =>
      life.through("commit", async () =>
        safely(() => store.commit(commit), model, model.noteCommit.bind(model, commit)),
      ),
    recordFailure: async (failure) => safely(() => store.recordFailure(failure), model),
    setOverlay: async (change) => store.setOverlay(change),
    retry: async (decision) => store.retry(decision),
    cancel: async (decision) => store.cancel(decision),
    remove: async (ref) => store.remove(ref),
    entries: async (workflowId, runId) => store.entries(workflowId, runId),
    events: async (workflowId, runId) => store.events(workflowId, runId),
    commands: async (workflowId, runId) => store.commands(workflowId, runId),
    list: async (filter) => store.list(filter),
    blocks: {
      get: async (blockId) => store.blocks.get(blockId),
      list: async (filter) => store.blocks.list(filter),
      // Only a block's timeout makes a worker resolve it.
      resolve: async (resolve) => {
        const answer = await store.blocks.resolve(resolve);
        if (answer.ok && answer.value !== null) model.noteResolved(answer.value, resolve.decision, answer);
        return answer;
      },
    },
    outbox: workerOutbox(store.outbox, model, life),
    close: async () => store.close(),
  };
}

function workerOutbox(outbox: Outbox, model: WorkflowModel, life: Life): Outbox {
  return {
    get: async (key) => outbox.get(key),
    lease: async (lease) =>
      life.through("lease", async () => safely(() => outbox.lease(lease), model, model.noteLease.bind(model, lease))),
    markDispatched: async (mark) =>
      life.through("mark", async () =>
        safely(() => outbox.markDispatched(mark), model, model.noteDispatched.bind(model, mark)),
      ),
    renew: async (lease) =>
      life.unlessDead(async () => safely(() => outbox.renew(lease), model, model.noteRenewed.bind(model, lease))),
    countDeath: async (key) => safely(() => outbox.countDeath(key), model),
    finish: async (key) => outbox.finish(key),
    markFailed: async (mark) =>
      life.through("mark", async () =>
        safely(() => outbox.markFailed(mark), model, model.noteFailed.bind(model, mark)),
      ),
    reclaim: async () => safely(() => outbox.reclaim(), model),
  };
}

/** Calls a store, and records its response; one that throws instead of returning an error is a failure. */
export async function safely<T>(
  operation: () => StoreResult<T>,
  model: WorkflowModel,
  note?: (answer: Awaited<StoreResult<T>>) => void,
): StoreResult<T> {
  // A store of one's own may throw before it has a promise.
  const answer = await (async () => operation())().catch((thrown: unknown) => {
    const error = driverError(thrown);
    model.blame("ends", `A store must return errors as values, but this store threw. ${error.message}`);
    return err(error);
  });
  note?.(answer);
  return answer;
}
