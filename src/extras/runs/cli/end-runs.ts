import { plainCount } from "../../../explain/wording.ts";
import { type Result, err, ok } from "../../../kernel/result.ts";
import { type RunFilter, type RunStatus, type RunStore, type RunSummary, hasEnded } from "../store/contract.ts";
import { StoreFailure, storedRuns } from "../store/stored-steps.ts";

/** Decision of a person about one run. */
export type RunAction = "retry" | "cancel" | "delete";

/** Carries out a decision about a run. Returns its line, and whether it changed anything. */
export async function decideRun(
  store: RunStore,
  { workflowId, runId, status }: RunSummary,
  { action, reason, actor }: { readonly action: RunAction; readonly reason: string; readonly actor: string },
): Promise<Result<{ readonly line: string; readonly changed: boolean }, string>> {
  const name = `${workflowId}/${runId}`;
  const decision = { workflowId, runId, reason, actor };
  if (action === "retry") {
    const done = await store.retry(decision);
    if (!done.ok) return err(done.error.message);
    const { retried } = done.value;
    if (retried === 0) return ok({ line: `${name} is ${status} and has no failed command.`, changed: false });
    const commands = plainCount(retried, "command is", "commands are");
    return ok({ line: `${name}: ${commands} pending again. A runner executes them.`, changed: true });
  }
  if (action === "cancel") {
    const done = await store.cancel(decision);
    if (!done.ok) return err(done.error.message);
    const line = done.value.cancelled ? `${name} is cancelled.` : `${name} is ${status}: no change.`;
    return ok({ line, changed: done.value.cancelled });
  }
  const done = await store.remove({ workflowId, runId });
  return done.ok ? ok({ line: `${name} is deleted.`, changed: done.value.removed }) : err(done.error.message);
}

/** Deletes ended runs that weren't written since a time. Returns their number. Throws a {@link StoreFailure}. */
export async function pruneRuns(
  store: RunStore,
  filter: Pick<RunFilter, "workflowId"> & { readonly status?: RunStatus; readonly before: number },
): Promise<number> {
  const { status, before, ...selection } = filter;
  let pruned = 0;
  for await (const run of storedRuns(store, selection)) {
    if (run.updatedAt >= before || !hasEnded(run.status) || (status !== undefined && run.status !== status)) continue;
    const removed = await store.remove(run);
    // The run was retried after it was listed.
    if (!removed.ok && removed.error.code === "run_active") continue;
    if (!removed.ok) throw new StoreFailure(removed.error);
    if (removed.value.removed) pruned += 1;
  }
  return pruned;
}
