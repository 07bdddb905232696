import { setTimeout as sleep } from "node:timers/promises";
import { err, ok } from "../../../kernel/result.ts";
import type { RunRef } from "../../../kernel/step/block.ts";
import type { RunStore, StoredRun, StoreResult } from "../store/contract.ts";
import { runNotFound, storeError } from "../store/store-error.ts";

/** Options for {@link waitForRun}. */
export interface WaitOptions extends RunRef {
  readonly store: RunStore;
  /**
   * Maximum time to wait, in milliseconds. After that, `waitForRun` returns the error `unavailable`. Default: 60,000.
   */
  readonly timeoutMs?: number;
  /** Milliseconds between polls of the store. Default: 200. */
  readonly pollMs?: number;
}

/**
 * Waits until a run is no longer running, and returns it: completed, failed, cancelled, blocked, or waiting for its
 * version. It doesn't execute commands: a runner does that, in this process or a different one.
 *
 * @example
 * const run = await waitForRun({ store, workflowId: "claims", runId: "claim-17" });
 */
export async function waitForRun({
  store,
  workflowId,
  runId,
  timeoutMs = 60_000,
  pollMs = 200,
}: WaitOptions): StoreResult<StoredRun> {
  const end = performance.now() + timeoutMs;
  for (;;) {
    const run = await store.load(workflowId, runId);
    if (!run.ok) return run;
    if (run.value === undefined) return err(runNotFound(runId));
    if (run.value.status !== "running") return ok(run.value);
    if (performance.now() >= end)
      return err(
        storeError(
          "unavailable",
          `Run "${runId}" is still running after ${timeoutMs} ms. Check that a runner is active, or wait longer.`,
        ),
      );
    await sleep(pollMs);
  }
}
