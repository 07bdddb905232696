import { appendReceipt } from "../../notes/append-receipt.ts";
import { openNotes } from "../../notes/open-notes.ts";
import { receiptsDirectory } from "../../files/places.ts";
import type { Places } from "../../files/places.ts";
import { createRedactor } from "../../redact/create-redactor.ts";
import { secretVariables } from "../../redact/known-values.ts";
import type { RecoveredRun } from "../../worktree/recover-runs.ts";
import { cliPlaces } from "../cli-places.ts";
import type { CommandInput } from "../command-input.ts";
import type { Command } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { type Finished, finishOthers } from "../review/finish-others.ts";
import { oneLine, say, warn } from "../say.ts";

/** `veritest recover`: finishes or undoes what dead processes left; exit code 2 where something stands in the way. */
export const recover: Command = {
  examples: ["veritest recover   # after a crash or a kill; the next run does the same by itself"],
  run,
};

async function run(_input: CommandInput, io: CliIo): Promise<ExitCode> {
  const places = cliPlaces(io);
  const baselines = finishOthers(places);
  const runs = await finishRuns(places, io);
  const done = [...baselines.done, ...runs.done];
  const stuck = [...baselines.stuck, ...runs.stuck];
  say(io, done.map(oneLine));
  for (const problem of stuck) warn(io, problem);
  if (done.length + stuck.length === 0) say(io, ["Nothing to recover."]);
  return stuck.length === 0 ? EXIT.clean : EXIT.usage;
}

async function finishRuns(places: Places, io: CliIo): Promise<Finished> {
  const { recoverRuns } = await import("../../worktree/recover-runs.ts");
  const { redactText } = createRedactor({ values: secretVariables(io.environment) });
  const notes = openNotes({ directory: places.notes, clock: Date.now, redact: redactText });
  try {
    const runs = await recoverRuns(places, {
      environment: io.environment,
      clock: Date.now,
      receipts: { append: (draft) => appendReceipt(receiptsDirectory(places), draft).id },
      note: (note) => void notes.write(note),
    });
    const told = runs.map(wordsOf);
    return { done: told.flatMap(({ done }) => done), stuck: told.flatMap(({ stuck }) => stuck) };
  } finally {
    notes.close();
    const warning = notes.warning();
    if (warning !== undefined) warn(io, warning);
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
