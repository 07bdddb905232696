import { closeRecords, openSettlerHere } from "../review/settler-here.ts";
import { acceptAndSay, sayGroup } from "../review/settle-and-say.ts";
import { namedChanges, sayNothingWaits } from "../review/waiting.ts";
import type { CommandInput } from "../command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../exit-code.ts";
import type { CliIo } from "../io.ts";
import { refuse } from "../say.ts";

/** `veritest accept`: writes pending changes exactly as they were shown, all of them or none. No step is run again. */
export const acceptCommand: CliCommand = {
  arguments: [{ name: "[keys...]", description: "keys, how they begin, or targets; * stands for any characters" }],
  options: [
    { flags: "--all", description: "all that waits" },
    { flags: "--group <id>", description: "all of one kind of change: g-… of a report or of veritest pending" },
    { flags: "--reason <text>", description: "why, for the receipt (VERITEST_REASON)" },
    { flags: "--from <path>", description: "settle what a CI run uploaded: a state directory, or a zip of one" },
  ],
  examples: [
    "veritest accept 3f9a0c41               # the change whose key begins so",
    'veritest accept "*/extract-receipt/*"  # all of one step',
    "veritest accept --group g-3fa9c1       # all of one kind, or none of it",
    "veritest accept --all --from state.zip # what CI saw is what lands",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const opened = await openSettlerHere(io, input.text("reason"));
  if (!opened.ok) return refuse(io, opened.error);
  const settler = opened.value;
  try {
    const named = namedChanges("accept", input, { settler, io });
    if (!named.ok) return refuse(io, named.error);
    const { due, dropped, group } = named.value;
    if (group !== undefined) {
      sayGroup(group, { places: settler.places, trusted: input.text("from") === undefined }, io);
      return await acceptAndSay(due, settler, { io, groups: [{ id: group.id, changes: due }] });
    }
    if (due.length > 0) return await acceptAndSay(due, settler, { io });
    if (dropped.length === 0) sayNothingWaits(input.text("from"), settler.places, io);
    // What the baselines hold already is as good as accepted.
    return dropped.every(({ because }) => because === "written meanwhile") ? EXIT.clean : EXIT.regressions;
  } finally {
    closeRecords(settler, io);
  }
}
