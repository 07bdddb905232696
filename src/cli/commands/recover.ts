import { removeOrphans } from "../../kernel/files/durable.ts";
import { removeLeftLogs } from "../../kernel/files/log-directory.ts";
import { type Places } from "../../kernel/files/places.ts";
import { stateRoom } from "../../kernel/files/state-room.ts";
import type { RecoveredRun } from "../../extras/verified-commit/recover-runs.ts";
import { DEFAULT_POLICY } from "../../updates/policy.ts";
import { recordedRuns } from "../../extras/verified-commit/run-record.ts";
import { openRecords } from "../../updates/settler.ts";
import { type Finished, closeRecords, finishOthers } from "../review/settler-here.ts";
import { cliPlaces } from "../terminal/cli-places.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, say, warn } from "../terminal/say.ts";

/** `veritest recover`: finishes or undoes what dead processes left; exit code 2 where something stands in the way. */
export const recoverCommand: CliCommand = {
  examples: ["veritest recover   # after a crash or a kill; the next run does the same by itself"],
  run,
};

async function run(_input: CommandInput, io: CliIo): Promise<ExitCode> {
  const places = cliPlaces(io);
  const baselines = finishOthers(places);
  if (baselines.stuck.length === 0) removeLitter(places);
  const runs = await finishRuns(places, io);
  const done = [...baselines.done, ...runs.done];
  const stuck = [...baselines.stuck, ...runs.stuck];
  say(io, done.map(oneLine));
  for (const problem of stuck) warn(io, problem);
  if (done.length + stuck.length === 0) say(io, ["Nothing to recover."]);
  return stuck.length === 0 ? EXIT.clean : EXIT.usage;
}

/** Temporary files of processes that were killed while they wrote one; any run removes them when they are old. */
function removeLitter(places: Places): void {
  const rooms = (["lock", "tx", "stage", "pending", "runs"] as const).map((room) => stateRoom(places.state, room));
  for (const directory of rooms) removeOrphans(directory);
  removeLeftLogs();
}

async function finishRuns(places: Places, io: CliIo): Promise<Finished> {
  if (recordedRuns(places.state).length === 0) return { done: [], stuck: [] };
  const { recoverRuns } = await import("../../extras/verified-commit/recover-runs.ts");
  // Without the configuration, which is code of the project: what only that knows to be secret the run has hidden.
  const records = openRecords(places, DEFAULT_POLICY, io);
  try {
    const runs = await recoverRuns(places, {
      environment: io.environment,
      clock: Date.now,
      receipts: { append: (draft) => records.receipt(draft).id },
      note: (note) => void records.notes.write(note),
    });
    const told = runs.map(wordsOf);
    return { done: told.flatMap(({ done }) => done), stuck: told.flatMap(({ stuck }) => stuck) };
  } finally {
    closeRecords(records, io);
  }
}

function wordsOf(run: RecoveredRun): Finished {
  switch (run.kind) {
    case "running":
      return { done: [`Run ${run.id} still goes on (${run.owner}): left alone.`], stuck: [] };
    case "landed": {
      const left =
        run.leftAlone.length === 0 ? "" : ` Left alone, because they were edited since: ${run.leftAlone.join(", ")}.`;
      return {
        done: [`Run ${run.id} was killed after its commit ${run.commit.slice(0, 12)}: it is finished.${left}`],
        stuck: [],
      };
    }
    case "discarded":
      return { done: [`Run ${run.id} was killed: its work tree is gone, its branch untouched.`], stuck: [] };
    case "stuck":
      return { done: [], stuck: [run.problem] };
  }
}
