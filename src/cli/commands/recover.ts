import { removeDeadTemporaries } from "../../kernel/files/durable.ts";
import { removeDeadLogs } from "../../kernel/files/log-directory.ts";
import type { ProjectPaths } from "../../kernel/files/project-paths.ts";
import { stateDirectory } from "../../kernel/files/state-directory.ts";
import { type RecoveredRuns, recoverDeadProcesses } from "../review/with-update-context.ts";
import { cliPaths } from "../terminal/cli-paths.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printLines, printWarning } from "../terminal/print.ts";

/** `veritest recover`: finishes or undoes the work of dead processes; exit code 2 if it can't. */
export const recoverCommand = (recoveries: readonly LeftoverRecovery[]): CliCommand => ({
  examples: ["veritest recover   # after a crash or a kill; the next run does the same"],
  run: async (_input, io) => run(io, recoveries),
});

/** Finishes what dead processes of an extra left. */
export type LeftoverRecovery = (paths: ProjectPaths, io: CliIo) => Promise<RecoveredRuns>;

async function run(io: CliIo, recoveries: readonly LeftoverRecovery[]): Promise<ExitCode> {
  const paths = cliPaths(io);
  const baselines = recoverDeadProcesses(paths);
  if (baselines.stuck.length === 0) removeLitter(paths);
  const finished = [baselines];
  for (const recovery of recoveries) finished.push(await recovery(paths, io));
  const done = finished.flatMap((recovery) => recovery.done);
  const stuck = finished.flatMap((recovery) => recovery.stuck);
  printLines(io, done.map(oneLine));
  for (const problem of stuck) printWarning(io, problem);
  if (done.length + stuck.length === 0) printLines(io, ["Nothing to recover."]);
  return stuck.length === 0 ? EXIT.clean : EXIT.usage;
}

/** Removes temporary files of processes that were killed while writing. Any run removes old ones. */
function removeLitter(paths: ProjectPaths): void {
  const directories = (["lock", "tx", "stage", "pending", "runs"] as const).map((name) =>
    stateDirectory(paths.state, name),
  );
  for (const directory of directories) removeDeadTemporaries(directory);
  removeDeadLogs();
}
