import { type Result, err } from "../../../kernel/result.ts";
import type { StepResult } from "../../../kernel/step/step-result.ts";
import type { CommandRow, Committed, RunStore } from "../store/contract.ts";
import { type StoreError, runNotFound } from "../store/store-error.ts";
import { Turns } from "./turns.ts";

/** Commits of one run that this process writes, in turn. */
interface RunLine {
  readonly turns: Turns;
  /** Number of commits that write or wait. */
  length: number;
  /** Version of the run after the last commit; undefined if it has to be loaded. */
  version: number | undefined;
}

/** Runs that are being committed, by store. A line ends with its last commit. */
const lines = new WeakMap<RunStore, Map<string, RunLine>>();
const MOST_CONFLICTS = 100;

/**
 * Commits a result. A step depends only on its input, which came with the command, so its result stays valid whatever
 * else was written meanwhile. After a conflict only the commit is retried: no model is called twice. Commits of one
 * process take turns, because only one of the concurrent ones could get the run's next version. With `createsRun`, the
 * commit can create the run.
 *
 * If another worker committed the command first, because this one's lease ended, the result is a duplicate with the
 * version of that commit: the command's key is the step's id, which the store commits once (`#whyNot` in sql-store.ts).
 */
export async function commitResult(
  row: CommandRow,
  result: StepResult,
  { store, createsRun = false }: { readonly store: RunStore; readonly createsRun?: boolean },
): Promise<Result<Committed, StoreError>> {
  const { key: stepId, workflowId, workflowVersion, runId } = row;
  const { stepName, input, output, events, commands = [], artifacts } = result;
  const step = { workflowId, workflowVersion, runId, stepId, stepName, input, output, events, commands, artifacts };
  return inTurn(store, row, async (line) => {
    for (let conflicts = 0; ; conflicts += 1) {
      if (line.version === undefined) {
        const run = await store.load(workflowId, runId);
        if (!run.ok) return run;
        if (run.value === undefined && !createsRun) return err(runNotFound(runId));
        line.version = run.value?.version ?? 0;
      }
      const committed = await store.commit({ ...step, expectedVersion: line.version });
      // A duplicate has the version of the earlier commit, and an error none.
      line.version = committed.ok && !committed.value.duplicate ? committed.value.version : undefined;
      if (committed.ok || committed.error.code !== "version_conflict" || conflicts === MOST_CONFLICTS) return committed;
      line.version = committed.error.actual;
    }
  });
}

async function inTurn<T>(
  store: RunStore,
  { workflowId, runId }: Pick<CommandRow, "workflowId" | "runId">,
  commit: (line: RunLine) => Promise<T>,
): Promise<T> {
  const ofStore = lines.get(store) ?? new Map<string, RunLine>();
  lines.set(store, ofStore);
  const run = JSON.stringify([workflowId, runId]);
  const line = ofStore.get(run) ?? { turns: new Turns(), length: 0, version: undefined };
  ofStore.set(run, line);
  line.length += 1;
  try {
    return await line.turns.alone(async () => commit(line));
  } finally {
    line.length -= 1;
    if (line.length === 0) ofStore.delete(run);
  }
}
