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

/** Gets ready to settle something from the command line, settles it, and closes what was opened. */
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
 * Loads the policy, tells who acts, and finishes what dead processes left. One sentence where that fails: with a
 * policy that cannot be read nothing may be settled.
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

/** Closes notes and receipts, and says what was lost of them. */
export function closeRecords(records: Records, io: CliIo): void {
  const warning = records.close();
  if (warning !== undefined) warn(io, warning);
}

/** What tells who acts. */
export function processOf({ environment, stdout }: CliIo): { environment: NodeJS.ProcessEnv; isTTY: boolean } {
  return { environment, isTTY: stdout.isTTY === true };
}

/** What finishing the work of dead processes came to. */
export interface Finished {
  /** What was done, a sentence each. */
  readonly done: readonly string[];
  /** What could not be done, a sentence each. */
  readonly stuck: readonly string[];
}

/** Finishes or undoes the transactions of dead processes, and keeps what their runs proposed for review. */
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
