import { withUpdateContext } from "../review/with-update-context.ts";
import { rejectAndPrint } from "../review/accept-and-print.ts";
import { selectPending, printNothingPending } from "../review/select-pending.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { ALL_OPTION, GROUP_OPTION, JSON_OPTION, REASON_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { printJson, printRefusal, textIo } from "../terminal/print.ts";

/** `veritest reject`: removes pending changes and keeps the baselines unchanged. */
export const rejectCommand: CliCommand = {
  arguments: [{ name: "[keys...]", description: "keys, prefixes of keys, or files; * matches any characters" }],
  options: [ALL_OPTION, GROUP_OPTION, REASON_OPTION, JSON_OPTION],
  examples: ['veritest reject 3f9a0c41 --reason "the model was down"   # one change, and why'],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const json = input.flag("json");
  const text = textIo(io, json);
  return withUpdateContext(text, input.text("reason"), (context) => {
    const named = selectPending("reject", input, { context, io: text });
    if (!named.ok) return printRefusal(io, named.error);
    const { due, dropped, group } = named.value;
    const groups = group === undefined ? [] : [{ id: group.id, changes: due }];
    if (due.length > 0) return rejectAndPrint(due, context, { io, json, groups });
    if (json) printJson(io, { rejected: [], receipt: null, problems: [] });
    else if (dropped.length === 0) printNothingPending(undefined, context.paths, io);
    return EXIT.clean;
  });
}
