import { type Result, err, ok } from "../../../kernel/result.ts";
import { checkAll } from "../../../check-all/check-all.ts";
import { recompute } from "../../../check/recompute.ts";
import type { DiffResult } from "../../../kernel/diff/entries.ts";
import type { AnyStep } from "../../../kernel/step/define-step.ts";
import type { RunStore } from "../store/contract.ts";
import type { StoreError } from "../store/store-error.ts";
import { StoreFailure, type StoredRunFilter, type StoredStep, storedSteps } from "../store/stored-steps.ts";
import { type Rate, limitRates } from "./limits.ts";
import { type ProgressOutput, showProgress } from "./progress.ts";

/** Result of recomputing one stored step. */
export interface RecomputedStep extends StoredStep {
  readonly status: "clean" | "value_changed" | "schema_violation" | "failed";
  /** Differences of a changed output. */
  readonly diff?: DiffResult;
  /** True if the commands changed too. */
  readonly commandsChanged?: boolean;
  /** True if calls of tools or other adapters changed too. Also false if the run's calls weren't recorded. */
  readonly callsChanged?: boolean;
  /** True if the events differ from the stored ones too. */
  readonly eventsChanged?: boolean;
  /** Error of a failed step. */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** Options for {@link recomputeBatch}. */
export interface RecomputeBatchOptions {
  readonly store: RunStore;
  /** Current steps. Stored steps with other names are counted and skipped. */
  readonly steps: readonly AnyStep[];
  readonly runs?: StoredRunFilter;
  /** Adapters for the current steps. */
  readonly adapters?: object;
  readonly rates?: Readonly<Record<string, Rate>>;
  /** Number of steps that run concurrently. Default: 8. */
  readonly concurrency?: number;
  readonly onItem?: (item: RecomputedStep) => void | Promise<void>;
  readonly progress?: ProgressOutput;
}

/** A group of similar changes: the same fields of the same step changed the same way. */
export interface ChangeGroup {
  readonly step: string;
  /** Paths that changed, without indexes: `claims[].risk`. */
  readonly paths: readonly string[];
  readonly count: number;
  /** First runs of the group, in the store's order. */
  readonly examples: readonly { readonly runId: string; readonly diff: DiffResult }[];
}

/** Result of recomputing: `clean`, `changed`, `violations` and `failed` add up to the number of recomputed steps. */
export interface RecomputeSummary {
  readonly runs: number;
  readonly clean: number;
  readonly changed: number;
  readonly violations: number;
  readonly failed: number;
  /** Number of stored steps that were skipped, because `steps` has no step of that name. */
  readonly unknown: number;
  /** Groups of changes, sorted by size, then by step and paths; at most 100. */
  readonly groups: readonly ChangeGroup[];
}

const GROUPS_KEPT = 100;
const EXAMPLES_KEPT = 3;

/**
 * Runs the steps of stored runs again with the current code and adapters, and compares their outputs with the stored
 * ones. Reads runs page by page, and never keeps all of them in memory. Doesn't write to the store.
 */
export async function recomputeBatch(options: RecomputeBatchOptions): Promise<Result<RecomputeSummary, StoreError>> {
  const { store, steps, runs = {}, concurrency = 8, adapters = {}, rates = {}, onItem, progress } = options;
  const limited = limitRates(adapters, rates, Date.now);
  const named = new Map(steps.map((step) => [step.name, step]));
  const counts = { clean: 0, value_changed: 0, schema_violation: 0, failed: 0 };
  const seen = { last: "", count: 0, unknown: 0 };
  const groups = new Map<string, ChangeGroup>();
  const progressLine = showProgress({ progress });
  /** Returns the item if its output changed: only changed items are kept until their turn. */
  const recomputeOne = async (stored: StoredStep): Promise<ChangedStep | undefined> => {
    const runKey = `${stored.run.workflowId}\0${stored.run.runId}`;
    if (seen.last !== runKey) seen.count += 1;
    seen.last = runKey;
    const step = named.get(stored.entry.stepName);
    if (step === undefined) {
      seen.unknown += 1;
      return undefined;
    }
    const item = await recomputeStored(stored, step, limited);
    counts[item.status] += 1;
    await onItem?.(item);
    progressLine.step(counts.failed);
    const { diff } = item;
    return diff === undefined || diff.entries.length === 0 ? undefined : { ...item, diff };
  };
  try {
    for await (const changed of checkAll(storedSteps(store, runs), recomputeOne, { concurrency }))
      if (changed !== undefined) addToGroup(groups, changed);
  } catch (thrown) {
    if (thrown instanceof StoreFailure) return err(thrown.error);
    throw thrown;
  } finally {
    progressLine.end();
  }
  const { clean, value_changed: changed, schema_violation: violations, failed } = counts;
  const largest = [...groups].toSorted(([a, { count: ofA }], [b, { count: ofB }]) => ofB - ofA || (a < b ? -1 : 1));
  return ok({
    runs: seen.count,
    clean,
    changed,
    violations,
    failed,
    unknown: seen.unknown,
    groups: largest.slice(0, GROUPS_KEPT).map(([, group]) => group),
  });
}

async function recomputeStored({ run, entry }: StoredStep, step: AnyStep, adapters: object): Promise<RecomputedStep> {
  const { input, output = {}, events, commands, artifacts, stepName, workflowVersion } = entry;
  const { workflowId, runId } = run;
  const result = { input, output, events, commands, artifacts, stepName, workflowId, workflowVersion, runId };
  const again = await recompute(result, step, { adapters });
  if (!again.ok)
    return { run, entry, status: "failed", failure: { code: again.error.code, message: again.error.message } };
  const { status, outputDiff, commandsDiff, callsDiff, eventsDiff } = again.value;
  return {
    run,
    entry,
    status,
    ...(outputDiff === undefined ? {} : { diff: outputDiff }),
    commandsChanged: commandsDiff?.equal === false,
    callsChanged: callsDiff?.equal === false,
    eventsChanged: eventsDiff?.equal === false,
  };
}

type ChangedStep = RecomputedStep & Required<Pick<RecomputedStep, "diff">>;

/** Counts a change in its group; the first ones become its examples. */
function addToGroup(groups: Map<string, ChangeGroup>, { run, entry, diff }: ChangedStep): void {
  const step = entry.stepName;
  const paths = [...new Set(diff.entries.map(({ path }) => pathShape(path)))].toSorted();
  const key = JSON.stringify([step, paths]);
  const { count, examples } = groups.get(key) ?? { count: 0, examples: [] };
  const example = examples.length < EXAMPLES_KEPT ? [{ runId: run.runId, diff }] : [];
  groups.set(key, { step, paths, count: count + 1, examples: [...examples, ...example] });
}

function pathShape(path: readonly (string | number)[]): string {
  const text = path.map((part) => (typeof part === "number" ? "[]" : `.${part}`)).join("");
  return text === "" ? "(root)" : text.replace(/^\./, "");
}
