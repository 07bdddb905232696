import type { RunEntry, RunFilter, RunStore, RunSummary } from "./contract.ts";
import type { StoreError } from "./store-error.ts";

/** One step of a stored run. */
export interface StoredStep {
  readonly run: RunSummary;
  readonly entry: RunEntry;
}

/** Selects the stored runs to recompute. */
export interface StoredRunFilter extends Pick<RunFilter, "workflowId" | "since" | "runId"> {
  /** Number of runs to sample, evenly over all, chosen by `seed`. */
  readonly sample?: number;
  /** Seed of the sample. Default: 1. */
  readonly seed?: number;
}

/** Carries a store's error out of a generator. */
export class StoreFailure extends Error {
  readonly error: StoreError;
  constructor(error: StoreError) {
    super(error.message);
    this.error = error;
  }
}

/** A stored run with its history. */
export interface StoredHistory {
  readonly run: RunSummary;
  readonly entries: readonly RunEntry[];
}

/** Yields stored runs with their histories. Throws a {@link StoreFailure} if the store returns an error. */
export async function* storedHistories(store: RunStore, filter: StoredRunFilter): AsyncGenerator<StoredHistory> {
  for await (const run of sampled(storedRuns(store, filter), filter)) {
    const entries = await store.entries(run.workflowId, run.runId);
    if (!entries.ok) throw new StoreFailure(entries.error);
    yield { run, entries: entries.value };
  }
}

/** Yields the committed steps of stored runs, run by run. Throws like `storedHistories`. */
export async function* storedSteps(store: RunStore, filter: StoredRunFilter): AsyncGenerator<StoredStep> {
  for await (const { run, entries } of storedHistories(store, filter))
    for (const entry of entries) if (entry.kind === "step") yield { run, entry };
}

/** Yields stored runs, newest first. Throws a {@link StoreFailure} if the store returns an error. */
export async function* storedRuns(
  store: RunStore,
  { workflowId, since, runId }: StoredRunFilter,
): AsyncGenerator<RunSummary> {
  const filter = {
    ...(workflowId === undefined ? {} : { workflowId }),
    ...(since === undefined ? {} : { since }),
    ...(runId === undefined ? {} : { runId }),
  };
  let after: RunSummary | undefined;
  for (;;) {
    const page = await store.list({ ...filter, limit: 200, ...(after === undefined ? {} : { after }) });
    if (!page.ok) throw new StoreFailure(page.error);
    yield* page.value;
    after = page.value.at(-1);
    if (page.value.length < 200) return;
  }
}

/**
 * Samples runs with equal probability (algorithm R): reads all of them, keeps `sample` in memory. Yields them in their
 * order: of runs with the same input, the first one counts.
 */
async function* sampled(
  runs: AsyncIterable<RunSummary>,
  { sample, seed = 1 }: StoredRunFilter,
): AsyncGenerator<RunSummary> {
  if (sample === undefined) {
    yield* runs;
    return;
  }
  const chosen: { readonly run: RunSummary; readonly index: number }[] = [];
  const random = randomOf(seed);
  let index = 0;
  for await (const run of runs) {
    const slot = index < sample ? index : Math.floor(random() * (index + 1));
    if (slot < sample) chosen[slot] = { run, index };
    index += 1;
  }
  for (const { run } of chosen.toSorted((a, b) => a.index - b.index)) yield run;
}

/** mulberry32: a small generator with the same results on every platform. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
