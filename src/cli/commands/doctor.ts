import { removeDeadTemporaries } from "../../kernel/files/durable.ts";
import { removeDeadLogs } from "../../kernel/files/log-directory.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { type LockHolder, breakLock, holderIsGone, lockHolder } from "../../updates/commit/lock.ts";
import { type RecoveredRuns, recoverDeadProcesses } from "../review/with-update-context.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import { JSON_OPTION } from "../common-options.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printJson, printLines, printWarning } from "../terminal/print.ts";

/**
 * `veritest doctor`: releases the lock of a dead process, and finishes or undoes what dead processes left. Exit code 1
 * if a process that may be alive has the lock, 2 if the work can't be finished.
 */
export const doctorCommand = (recoveries: readonly LeftoverRecovery[]): CliCommand => ({
  options: [
    {
      flags: "--force-unlock",
      description: "release the lock even if its process might still be running",
    },
    JSON_OPTION,
  ],
  examples: [
    "veritest doctor                  # after a crash; the next run does the same",
    "veritest doctor --force-unlock   # after a process on another machine ended without releasing it",
  ],
  run: async (input, io) => run(input, io, recoveries),
});

/** Finishes what dead processes of an extra left. */
export type LeftoverRecovery = (paths: ProjectPaths, io: CliIo) => Promise<RecoveredRuns>;

async function run(input: CommandInput, io: CliIo, recoveries: readonly LeftoverRecovery[]): Promise<ExitCode> {
  const paths = cliPaths(io);
  const lock = forcedRelease(paths.state, input.flag("forceUnlock"));
  // A process that is alive finishes its own work.
  const finished = lock.holder === undefined ? await recoverAll(paths, io, recoveries) : [];
  const done = [
    ...lock.done,
    ...finished.flatMap((recovery) => recovery.done),
    ...(lock.holder === undefined ? deadRelease(paths.state) : []),
  ];
  const problems = [...lock.problems, ...finished.flatMap((recovery) => recovery.stuck)];
  if (input.flag("json")) printJson(io, { lock: lock.holder ?? null, done, problems });
  else {
    printLines(io, done.map(oneLine));
    if (done.length + problems.length === 0) printLines(io, ["The lock is free, and no interrupted work is left."]);
  }
  for (const problem of problems) printWarning(io, problem);
  if (lock.holder !== undefined) return EXIT.regressions;
  return problems.length === 0 ? EXIT.clean : EXIT.usage;
}

interface LockReport {
  /** Process that still has the lock. */
  readonly holder: string | undefined;
  readonly done: readonly string[];
  readonly problems: readonly string[];
}

/** Releases the lock if `force` is given, and reports the process that has it if it may be alive. */
function forcedRelease(state: string, force: boolean): LockReport {
  const holder = lockHolder(state);
  if (holder === undefined || (!force && holderIsGone(state, holder)))
    return { holder: undefined, done: [], problems: [] };
  const name = nameOf(holder);
  if (force) {
    breakLock(state);
    return { holder: undefined, done: [`Released the lock of ${name}.`], problems: [] };
  }
  const activity = holder.owner === undefined ? "may still be" : "seems to be";
  return {
    holder: name,
    done: [],
    problems: [
      `The lock belongs to ${name}, which ${activity} running. ` +
        "Wait until it ends. If it has already ended, run: npx veritest doctor --force-unlock",
    ],
  };
}

/** Releases the lock of a dead process that left no other work: recovery takes over the others. */
function deadRelease(state: string): readonly string[] {
  const holder = lockHolder(state);
  if (holder === undefined || !holderIsGone(state, holder)) return [];
  breakLock(state);
  return [`Released the lock of ${nameOf(holder)}, which ended.`];
}

function nameOf({ owner, generation }: LockHolder): string {
  return owner === undefined ? `an unknown process (lock ${generation})` : `process ${owner.pid} on ${owner.host}`;
}

async function recoverAll(
  paths: ProjectPaths,
  io: CliIo,
  recoveries: readonly LeftoverRecovery[],
): Promise<readonly RecoveredRuns[]> {
  const baselines = recoverDeadProcesses(paths);
  if (baselines.stuck.length === 0) removeLitter(paths);
  const finished = [baselines];
  for (const recovery of recoveries) finished.push(await recovery(paths, io));
  return finished;
}

/** Removes temporary files of processes that were killed while writing. Any run removes old ones. */
function removeLitter(paths: ProjectPaths): void {
  const directories = (["lock", "tx", "stage", "pending", "runs"] as const).map((name) =>
    stateDirectory(paths.state, name),
  );
  for (const directory of directories) removeDeadTemporaries(directory);
  removeDeadLogs();
}
