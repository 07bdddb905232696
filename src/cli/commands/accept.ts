import { groupText } from "../../explain/group-lines.ts";
import type { PendingGroup } from "../review/pending-groups.ts";
import { reviewItem } from "../review/review-item.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { acceptAndPrint } from "../review/accept-and-print.ts";
import { selectPending, printNothingPending } from "../review/select-pending.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printRefusal, printLines } from "../terminal/print.ts";

/** `veritest accept`: writes pending changes exactly as they were shown, all of them or none. Doesn't run a step. */
export const acceptCommand: CliCommand = {
  arguments: [{ name: "[keys...]", description: "keys, prefixes of keys, or targets; * matches any characters" }],
  options: [
    { flags: "--all", description: "all pending changes" },
    { flags: "--group <id>", description: "all of one kind of change: g-… of a report or of veritest pending" },
    { flags: "--reason <text>", description: "why, for the receipt (VERITEST_REASON)" },
    { flags: "--from <path>", description: "accept from a CI run's upload: a state directory, or a zip of one" },
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
  return withUpdateContext(io, input.text("reason"), async (context) => {
    const named = selectPending("accept", input, { context, io });
    if (!named.ok) return printRefusal(io, named.error);
    const { due, dropped, group } = named.value;
    if (group !== undefined) {
      printGroup(group, { root: context.paths.root, trusted: input.text("from") === undefined }, io);
      return acceptAndPrint(due, context, { io, groups: [{ id: group.id, changes: due }] });
    }
    if (due.length > 0) return acceptAndPrint(due, context, { io });
    if (dropped.length === 0) printNothingPending(input.text("from"), context.paths, io);
    // Changes that the baselines already contain count as accepted.
    return dropped.every(({ reason }) => reason === "written meanwhile") ? EXIT.clean : EXIT.regressions;
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
