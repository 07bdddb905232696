import { withUpdateContext } from "../review/with-update-context.ts";
import { rejectAndPrint } from "../review/accept-and-print.ts";
import { selectPending, printNothingPending } from "../review/select-pending.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printRefusal } from "../terminal/print.ts";

/** `veritest reject`: removes pending changes and keeps the baselines unchanged. */
export const rejectCommand: CliCommand = {
  arguments: [{ name: "[keys...]", description: "keys, prefixes of keys, or targets; * matches any characters" }],
  options: [
    { flags: "--all", description: "all pending changes" },
    { flags: "--group <id>", description: "all of one kind of change: g-… of a report or of veritest pending" },
    { flags: "--reason <text>", description: "why, for the receipt (VERITEST_REASON)" },
  ],
  examples: ['veritest reject 3f9a0c41 --reason "the model was down"   # one change, and why'],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  return withUpdateContext(io, input.text("reason"), (context) => {
    const named = selectPending("reject", input, { context, io });
    if (!named.ok) return printRefusal(io, named.error);
    const { due, dropped, group } = named.value;
    const groups = group === undefined ? [] : [{ id: group.id, changes: due }];
    if (due.length > 0) return rejectAndPrint(due, context, { io, groups });
    if (dropped.length === 0) printNothingPending(input.text("from"), context.paths, io);
    return EXIT.clean;
  });
}
