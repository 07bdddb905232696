import { groupText } from "../../explain/group-lines.ts";
import type { PendingGroup } from "../review/pending-groups.ts";
import { reviewItem } from "../review/review-item.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { acceptAndPrint, isEachWritten } from "../review/accept-and-print.ts";
import { droppedFacts, selectPending, printNothingPending } from "../review/select-pending.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { ALL_OPTION, GROUP_OPTION, JSON_OPTION, REASON_OPTION, UPLOAD_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printJson, printLines, printRefusal, textIo } from "../terminal/print.ts";

/** `veritest accept`: writes pending changes exactly as they were shown, all of them or none. Doesn't run a step. */
export const acceptCommand: CliCommand = {
  arguments: [{ name: "[keys...]", description: "keys, prefixes of keys, or files; * matches any characters" }],
  options: [ALL_OPTION, GROUP_OPTION, REASON_OPTION, UPLOAD_OPTION, JSON_OPTION],
  examples: [
    "veritest accept 3f9a0c41               # the change with this key",
    'veritest accept "*/extract-receipt/*"  # all changes of one step',
    "veritest accept --group g-3fa9c1       # all changes of one group",
    "veritest accept --all --from state.zip # exactly the changes that CI reported",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  const json = input.flag("json");
  const text = textIo(io, json);
  return withUpdateContext(text, input.text("reason"), async (context) => {
    const named = selectPending("accept", input, { context, io: text });
    if (!named.ok) return printRefusal(io, named.error);
    const { due, dropped, group } = named.value;
    if (group !== undefined) {
      printGroup(group, { root: context.paths.root, trusted: input.text("from") === undefined }, text);
      return acceptAndPrint(due, context, { io, json, dropped, groups: [{ id: group.id, changes: due }] });
    }
    if (due.length > 0) return acceptAndPrint(due, context, { io, json, dropped });
    if (json)
      printJson(io, { outcome: "accepted", accepted: [], dropped: droppedFacts(dropped), receipt: null, problems: [] });
    else if (dropped.length === 0) printNothingPending(input.text("from"), context.paths, io);
    return isEachWritten(dropped) ? EXIT.clean : EXIT.regressions;
  });
}

/** Describes a group before it's accepted: its size, its class, and one change in full. */
function printGroup(
  group: PendingGroup,
  context: { readonly root: string; readonly trusted: boolean },
  io: CliIo,
): void {
  const [example] = group.members;
  if (example === undefined) return;
  const { cause, diff } = reviewItem(example, context);
  printLines(io, [
    oneLine(`${group.id}  ${groupText(group)}`),
    oneLine(`  ${example.target}`),
    ...(cause === undefined ? [] : [`  ${cause}`]),
    ...diff.map(({ text }) => text),
    "",
  ]);
}
