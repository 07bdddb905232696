import { type Result, err, ok } from "../../../kernel/result.ts";
import { type CaseSource, checkAll } from "../../../check-all/check-all.ts";
import { runRecorded } from "../../../record/with-replay.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import { run } from "../../../kernel/step/run.ts";
import type { CommandRow, RunStore } from "../store/contract.ts";
import { prepareStart } from "../store/prepare.ts";
import { type RunFailure, executeCommand } from "./execute-command.ts";
import { type Rate, limitRates } from "./limits.ts";
import { type ProgressOutput, showProgress } from "./progress.ts";

/** One input of a batch. */
export interface BatchItem {
  /** Name of the item within its batch. */
  readonly key: string;
  readonly input: unknown;
}

/** Outcome of an item. `skipped`: an earlier run of the same batch completed or blocked it. */
export type BatchOutcome =
  | {
      readonly key: string;
      readonly runId: string;
      readonly status: "completed" | "blocked";
      readonly skipped: boolean;
    }
  | { readonly key: string; readonly runId: string; readonly status: "failed"; readonly failure: RunFailure };

/** Options for {@link runBatch}. */
export interface BatchOptions {
  readonly step: AnyStep;
  readonly items: Iterable<BatchItem> | AsyncIterable<BatchItem>;
  readonly store: RunStore;
  /** Name of the batch. Its runs are `batchId:key`. If you start a batch again, only the missing items run. */
  readonly batchId: string;
  /** Version of the workflow. Default: `0.0.0`. */
  readonly workflowVersion?: string;
  readonly adapters?: object;
  readonly rates?: Readonly<Record<string, Rate>>;
  /** Number of items that run concurrently. Default: 8. */
  readonly concurrency?: number;
  /** Records adapter calls with each run. Default: true. */
  readonly record?: boolean;
  readonly onItem?: (outcome: BatchOutcome) => void;
  /** Stream that shows progress, e.g. `process.stderr`. Default: none. */
  readonly progress?: ProgressOutput;
  /** Number of items, to estimate the remaining time. */
  readonly total?: number;
}

/** Counts of a batch. Their sum is the number of its items. */
export interface BatchSummary {
  readonly completed: number;
  readonly blocked: number;
  readonly failed: number;
  /** Number of the completed and blocked items that an earlier run finished. */
  readonly skipped: number;
  /** First failures, at most 20. */
  readonly failures: readonly Extract<BatchOutcome, { status: "failed" }>[];
}

const FAILURES_KEPT = 20;

/**
 * Runs a step on many inputs, each as a stored run. Memory holds only the keys of the items. A failed item isn't
 * stored: if you start the batch again, it's retried.
 */
export async function runBatch(options: BatchOptions): Promise<Result<BatchSummary, RunFailure>> {
  const { items, concurrency = 8, adapters = {}, rates = {}, onItem } = options;
  const limited = limitRates(adapters, rates, Date.now);
  const progress = showProgress(options);
  const counts = { completed: 0, blocked: 0, failed: 0, skipped: 0 };
  const failures: Extract<BatchOutcome, { status: "failed" }>[] = [];
  let refused: RunFailure | undefined;
  const unique = itemsUntilDuplicate(items, (failure) => (refused = failure));
  const runOne = async (item: BatchItem): Promise<BatchOutcome> => {
    const outcome = await runItem(item, limited, options);
    counts[outcome.status] += 1;
    if (outcome.status !== "failed" && outcome.skipped) counts.skipped += 1;
    onItem?.(outcome);
    progress.step(counts.failed);
    return outcome;
  };
  for await (const outcome of checkAll(unique, runOne, { concurrency }))
    if (outcome.status === "failed" && failures.length < FAILURES_KEPT) failures.push(outcome);
  progress.end();
  return refused === undefined ? ok({ ...counts, failures }) : err(refused);
}

/** Yields items until a key repeats; passes that item's key to `refuse`. */
async function* itemsUntilDuplicate(
  items: CaseSource<BatchItem>,
  refuse: (failure: RunFailure) => void,
): AsyncGenerator<BatchItem, void, undefined> {
  const indexes = new Map<string, number>();
  for await (const item of items) {
    const first = indexes.get(item.key);
    if (first !== undefined) return refuse(duplicateKey(item.key, first, indexes.size));
    indexes.set(item.key, indexes.size);
    yield item;
  }
}

function duplicateKey(key: string, first: number, second: number): RunFailure {
  const message = `Items ${first} and ${second} have the same key "${key}". Each item needs its own key.`;
  return { code: "duplicate_key", message, retryable: false };
}

async function runItem(
  { key, input }: BatchItem,
  adapters: object,
  { step, store, batchId, workflowVersion = "0.0.0", record = true }: BatchOptions,
): Promise<BatchOutcome> {
  const runId = `${batchId}:${key}`;
  const there = await store.load(step.name, runId);
  if (!there.ok) return { key, runId, status: "failed", failure: there.error };
  if (there.value !== undefined)
    return { key, runId, status: there.value.status === "blocked" ? "blocked" : "completed", skipped: true };
  // Every item has the same step id. The key of its command tells a service which item a call belongs to.
  const start = prepareStart(
    { workflowId: step.name, workflowVersion, runId, step: step.name, input },
    { maxBytes: Infinity },
  );
  if (!start.ok) return { key, runId, status: "failed", failure: start.error };
  const idempotencyKey = start.value.key;
  const keyed: AnyStep = { ...step, run: async (value, ctx) => step.run(value, { ...ctx, idempotencyKey }) };
  const workflow = { name: step.name, version: workflowVersion, steps: { [step.name]: keyed } };
  const stepRun = record ? runRecorded : run;
  const context = { store, workflows: [workflow], adapters, sinks: {}, run: stepRun, createsRun: true };
  const executed = await executeCommand(rowOf(step, runId, { input, workflowVersion }), context);
  if (!executed.ok) return { key, runId, status: "failed", failure: executed.error };
  const blocked = executed.value.kind === "committed" && executed.value.committed.blockId !== undefined;
  return { key, runId, status: blocked ? "blocked" : "completed", skipped: false };
}

/** Returns the command row that a runner would carry out for an item. */
function rowOf(
  step: AnyStep,
  runId: string,
  { input, workflowVersion }: { readonly input: unknown; readonly workflowVersion: string },
): CommandRow {
  return {
    key: "item",
    workflowId: step.name,
    workflowVersion,
    runId,
    stepId: "start",
    kind: "invoke",
    target: step.name,
    payload: input,
    status: "leased",
    finished: false,
    attempts: 1,
    availableAt: 0,
  };
}
