import { type Result, err } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { loadConfig } from "../../config/load-config.ts";
import type { Places } from "../../kernel/files/places.ts";
import { type Recovery, needsRecovery, recover } from "../../updates/commit/recover.ts";
import { adoptDeadRuns } from "../../updates/pending/tidy-pending.ts";
import { type Records, type UpdateContext, openUpdateContext } from "../../updates/settler.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import type { ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { refuse, say, warn } from "../terminal/say.ts";
import { amount } from "../../explain/wording.ts";

/** Opens a settler, calls `settle` with it, and closes its records. */
export async function withSettler(
  io: CliIo,
  reason: string | undefined,
  settle: (context: UpdateContext) => Promise<ExitCode> | ExitCode,
): Promise<ExitCode> {
  const opened = await openSettlerHere(io, reason);
  if (!opened.ok) return refuse(io, opened.error);
  try {
    return await settle(opened.value);
  } finally {
    closeRecords(opened.value, io);
  }
}

/**
 * Loads the policy, determines the actor, and finishes the work of dead processes. The error is one sentence: without a
 * readable policy no change can be applied.
 */
async function openSettlerHere(io: CliIo, reason: string | undefined): Promise<Result<UpdateContext, string>> {
  const places = cliPlaces(io);
  const config = await loadConfig(places.root);
  if (!config.ok) return config;
  const settler = openUpdateContext(places, config.value.policy, { ...processOf(io), reason, isInteractive: true });
  if (!settler.ok) return settler;
  const { done, stuck } = finishOthers(places);
  say(io, done);
  return stuck.length > 0 ? err(stuck.join(" ")) : settler;
}

/** Closes notes and receipts, and reports lost entries. */
export function closeRecords(records: Records, io: CliIo): void {
  const warning = records.close();
  if (warning !== undefined) warn(io, warning);
}

/** Returns the facts that identify the actor. */
export function processOf({ environment, stdout }: CliIo): { environment: NodeJS.ProcessEnv; isTTY: boolean } {
  return { environment, isTTY: stdout.isTTY === true };
}

/** Result of finishing the work of dead processes. */
export interface Finished {
  /** Completed actions, a sentence each. */
  readonly done: readonly string[];
  /** Failed actions, a sentence each. */
  readonly stuck: readonly string[];
}

/** Finishes or undoes the transactions of dead processes, and makes the updates of their runs pending. */
export function finishOthers(places: Places): Finished {
  try {
    return finishDead(places);
  } catch (thrown) {
    return { done: [], stuck: [messageOf(thrown)] };
  }
}

function finishDead(places: Places): Finished {
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
      : [`A run was killed before its end: its ${amount(adopted, "change waits", "changes wait")} for review.`]),
  ];
  return { done, stuck: recovery.stuck };
}
