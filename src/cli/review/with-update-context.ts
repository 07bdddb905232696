import { type Result, err } from "../../kernel/result.ts";
import { messageOf } from "../../kernel/error-message.ts";
import { createPolicyLookup, loadConfig } from "../../config/load-config.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { type Recovery, needsRecovery, recover, recoveryLines } from "../../updates/commit/recover.ts";
import { adoptDeadRuns, adoptedLines } from "../../updates/pending/tidy-pending.ts";
import { type Records, type UpdateContext, openUpdateContext } from "../../updates/update-context.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal, printLines, printWarning } from "../terminal/print.ts";

/** Opens an update context, calls `apply` with it, and closes its records. */
export async function withUpdateContext(
  io: CliIo,
  reason: string | undefined,
  apply: (context: UpdateContext) => Promise<ExitCode> | ExitCode,
): Promise<ExitCode> {
  const opened = await openLocalUpdateContext(io, reason);
  if (!opened.ok) return printRefusal(io, opened.error);
  try {
    return await apply(opened.value);
  } finally {
    closeRecords(opened.value, io);
  }
}

/**
 * Loads the policy, determines the actor, and finishes the work of dead processes. The error is one sentence: without a
 * readable policy no change can be applied.
 */
async function openLocalUpdateContext(io: CliIo, reason: string | undefined): Promise<Result<UpdateContext, string>> {
  const paths = cliPaths(io);
  const config = await loadConfig(paths.root);
  if (!config.ok) return config;
  const context = openUpdateContext(paths, config.value.policy, {
    ...processContext(io),
    reason,
    isInteractive: true,
    lookUpPolicy: createPolicyLookup(),
  });
  if (!context.ok) return context;
  const { done, stuck } = recoverDeadProcesses(paths);
  printLines(io, done);
  return stuck.length > 0 ? err(stuck.join(" ")) : context;
}

/** Closes notes and receipts, and reports lost entries. */
export function closeRecords(records: Records, io: CliIo): void {
  const warning = records.close();
  if (warning !== undefined) printWarning(io, warning);
}

/** Returns the facts that identify the actor. */
export function processContext({ environment, stdout }: CliIo): { environment: NodeJS.ProcessEnv; isTTY: boolean } {
  return { environment, isTTY: stdout.isTTY === true };
}

/** Result of finishing the work of dead processes. */
export interface RecoveredRuns {
  /** Completed actions, a sentence each. */
  readonly done: readonly string[];
  /** Failed actions, a sentence each. */
  readonly stuck: readonly string[];
}

/** Finishes or undoes the transactions of dead processes, and makes the updates of their runs pending. */
export function recoverDeadProcesses(paths: ProjectPaths): RecoveredRuns {
  try {
    return finishDead(paths);
  } catch (thrown) {
    return { done: [], stuck: [messageOf(thrown)] };
  }
}

function finishDead(paths: ProjectPaths): RecoveredRuns {
  const recovery: Recovery | string = needsRecovery(paths) ? recover(paths) : { finished: [], undone: [], stuck: [] };
  if (typeof recovery === "string") return { done: [], stuck: [recovery] };
  const adopted = adoptedLines(adoptDeadRuns(paths));
  return { done: [...recoveryLines(recovery), ...adopted], stuck: recovery.stuck };
}
