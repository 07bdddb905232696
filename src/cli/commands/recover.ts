import { removeDeadTemporaries } from "../../kernel/files/durable.ts";
import { removeDeadLogs } from "../../kernel/files/log-directory.ts";
import type { Places } from "../../kernel/files/places.ts";
import { stateDirectory } from "../../kernel/files/state-room.ts";
import { type Finished, finishOthers } from "../review/settler-here.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, say, warn } from "../terminal/say.ts";

/** `veritest recover`: finishes or undoes what dead processes left; exit code 2 where something stands in the way. */
export const recoverCommand = (recoveries: readonly LeftoverRecovery[]): CliCommand => ({
  examples: ["veritest recover   # after a crash or a kill; the next run does the same by itself"],
  run: async (_input, io) => run(io, recoveries),
});

/** Finishes what dead processes of an extra left. */
export type LeftoverRecovery = (places: Places, io: CliIo) => Promise<Finished>;

async function run(io: CliIo, recoveries: readonly LeftoverRecovery[]): Promise<ExitCode> {
  const places = cliPlaces(io);
  const baselines = finishOthers(places);
  if (baselines.stuck.length === 0) removeLitter(places);
  const finished = [baselines];
  for (const recovery of recoveries) finished.push(await recovery(places, io));
  const done = finished.flatMap((one) => one.done);
  const stuck = finished.flatMap((one) => one.stuck);
  say(io, done.map(oneLine));
  for (const problem of stuck) warn(io, problem);
  if (done.length + stuck.length === 0) say(io, ["Nothing to recover."]);
  return stuck.length === 0 ? EXIT.clean : EXIT.usage;
}

/** Removes temporary files of processes that were killed while writing. Any run removes old ones. */
function removeLitter(places: Places): void {
  const rooms = (["lock", "tx", "stage", "pending", "runs"] as const).map((room) => stateDirectory(places.state, room));
  for (const directory of rooms) removeDeadTemporaries(directory);
  removeDeadLogs();
}
