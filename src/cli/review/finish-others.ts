import type { Places } from "../../files/places.ts";
import { type Recovery, needsRecovery, recover } from "../../settle/commit/recover.ts";
import { adoptDeadRuns } from "../../settle/pending/tidy-pending.ts";

/** What finishing the work of dead processes came to. */
export interface Finished {
  /** What was done, a sentence each. */
  readonly done: readonly string[];
  /** What could not be done, a sentence each. */
  readonly stuck: readonly string[];
}

/** Finishes or undoes the transactions of dead processes, and keeps what their runs proposed for review. */
export function finishOthers(places: Places): Finished {
  const recovery: Recovery | string = needsRecovery(places) ? recover(places) : { finished: [], undone: [], stuck: [] };
  if (typeof recovery === "string") return { done: [], stuck: [recovery] };
  const adopted = adoptDeadRuns(places).length;
  const done = [
    ...recovery.finished.map((id) => `A run was killed while it wrote baselines: its commit was completed (${id}).`),
    ...recovery.undone.map(
      (id) => `A run was killed before it committed: what it had begun to write was taken back (${id}).`,
    ),
    ...(adopted === 0
      ? []
      : [
          `A run was killed before its end: its ${adopted} ${adopted === 1 ? "change waits" : "changes wait"} for review.`,
        ]),
  ];
  return { done, stuck: recovery.stuck };
}
