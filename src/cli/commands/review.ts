import { readVariable } from "../../kernel/environment.ts";
import { printable } from "../../kernel/terminal-cells.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { shapeText } from "../../explain/group-lines.ts";
import { groupProblem } from "../../updates/gates/check-policy.ts";
import { type ChosenGroup, locationProblem } from "../../updates/pending/accept-pending.ts";
import type { UpdateContext } from "../../updates/update-context.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import { REASON_OPTION, UPLOAD_OPTION } from "../common-options.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { chooseChanges, printNothingPending, tidyAndPrint, selectablePending } from "../review/select-pending.ts";
import { withUpdateContext } from "../review/with-update-context.ts";
import { age, testLabel, pendingReason } from "../review/render-review.ts";
import { keyOf } from "../../updates/pending/key-of.ts";
import { type ReviewItem, reviewItem } from "../review/review-item.ts";
import { type PendingGroup, pendingGroups } from "../review/pending-groups.ts";
import { type ReviewGroup, type ReviewState, beginReview } from "../review/review-state.ts";
import { type AcceptOptions, acceptAndPrint, rejectAndPrint } from "../review/accept-and-print.ts";
import { reviewInTerminal } from "../review/terminal-review.ts";
import { oneLine, printRefusal, printLines } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";

/** `veritest review`: shows the pending changes one at a time, and applies the decisions at the end. */
export const reviewCommand: CliCommand = {
  arguments: [
    {
      name: "[keys...]",
      description: "keys, prefixes of keys, or files; * matches any characters (default: all)",
    },
  ],
  options: [REASON_OPTION, UPLOAD_OPTION],
  examples: [
    "veritest review                 # all pending changes",
    'veritest review "*/receipts/*"  # changes of one directory',
    "veritest review | less          # without a terminal: prints each change",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  return withUpdateContext(io, input.text("reason"), async (context) => reviewed(input, context, io));
}

async function reviewed(input: CommandInput, context: UpdateContext, io: CliIo): Promise<ExitCode> {
  const { paths } = context;
  const from = input.text("from");
  if (from === undefined) tidyAndPrint(context, io);
  const pending = selectablePending(input, paths, io);
  if (!pending.ok) return printRefusal(io, pending.error);
  const chosen =
    input.operands.length === 0
      ? pending
      : chooseChanges(pending.value, input.operands, { root: paths.root, cwd: io.cwd, from });
  if (!chosen.ok) return printRefusal(io, chosen.error);
  // Before any file they name is read.
  const misplaced = locationProblem(chosen.value, paths);
  if (misplaced !== undefined) return printRefusal(io, misplaced);
  const source = { root: paths.root, trusted: from === undefined };
  const byChange = pendingGroups(chosen.value, source);
  const items = byChange.flatMap(({ members }) => members.map((change) => reviewItem(change, source)));
  const groups = reviewGroups(byChange, context);
  if (items.length === 0) {
    printNothingPending(from, paths, io);
    return EXIT.clean;
  }
  if (!isInteractive(io)) {
    printLines(io, printedReview(items, groups, from));
    return EXIT.clean;
  }
  return applyReview(await reviewInTerminal(beginReview(items, groups), io), {
    context,
    from,
    io,
  });
}

/**
 * Prints a review without a keyboard: each change with its diff, and the commands to accept or reject it. Safe to
 * print.
 */
function printedReview(
  items: readonly ReviewItem[],
  groups: readonly ReviewGroup[],
  from: string | undefined,
): string[] {
  const heads = new Map(groups.filter(({ count }) => count > 1).map((group) => [group.from, group]));
  return items.flatMap((item, index) => {
    const head = heads.get(index);
    return [
      ...(index === 0 ? [] : [""]),
      ...(head === undefined ? [] : printedGroup(head, from)),
      ...printedItem(item, from),
    ];
  });
}

function printedGroup({ id, count, title, forbidden }: ReviewGroup, from: string | undefined): string[] {
  const more = from === undefined ? "" : ` --from ${printable(from)}`;
  const commands = [
    ...(forbidden === undefined ? [`  accept  npx veritest accept --group ${id}${more}`] : [`  ${forbidden}`]),
    ...(from === undefined ? [`  reject  npx veritest reject --group ${id}`] : []),
  ];
  return [`${count} × ${title}`, ...commands, ""];
}

function printedItem({ change, cause, diff }: ReviewItem, from: string | undefined): string[] {
  const { kind, verdict, target, group, at } = change;
  const key = keyOf(change);
  const commands =
    from === undefined
      ? [`accept  npx veritest accept ${key}`, `reject  npx veritest reject ${key}`]
      : [`accept  npx veritest accept ${key} --from ${printable(from)}`];
  return [
    `${printable(target)}  ${verdict} (${kind})  ${printable(group)}`,
    `  ${printable(testLabel(change))}: ${pendingReason(change)}, ${printable(age(at, Date.now()))}`,
    ...(cause === undefined ? [] : [`  ${cause}`]),
    ...diff.map(({ text }) => text),
    ...commands.map((command) => `  ${command}`),
  ];
}

async function applyReview(
  state: ReviewState,
  { context, from, io }: { readonly context: UpdateContext; readonly from: string | undefined; readonly io: CliIo },
): Promise<ExitCode> {
  if (state.end !== "apply") return printRefusal(io, "The review was cancelled. All changes are still pending.");
  const accepted = chosen(state, "accept");
  const rejected = from === undefined ? chosen(state, "reject") : [];
  const groupsOf = (choice: "accept" | "reject"): AcceptOptions => ({ io, groups: chosenGroups(state, choice) });
  const codes = [
    EXIT.clean,
    ...(accepted.length > 0 ? [await acceptAndPrint(accepted, context, groupsOf("accept"))] : []),
    ...(rejected.length > 0 ? [rejectAndPrint(rejected, context, groupsOf("reject"))] : []),
  ];
  const left = state.items.length - accepted.length - rejected.length;
  if (left > 0) printLines(io, [`${plainCount(left, "change is", "changes are")} still pending.`]);
  return codes.find((code) => code !== EXIT.clean) ?? EXIT.clean;
}

function chosen({ items, choices }: ReviewState, choice: "accept" | "reject"): PendingChange[] {
  return items.flatMap(({ change }: ReviewItem, index) => (choices[index] === choice ? [change] : []));
}

/** The groups in the order of the items. */
function reviewGroups(groups: readonly PendingGroup[], context: UpdateContext): ReviewGroup[] {
  let from = 0;
  return groups.map((group) => {
    const { id, count, members } = group;
    const range = { from, count };
    from += count;
    return { id, title: oneLine(shapeText(group)), ...range, forbidden: sentence(groupProblem(members, context)) };
  });
}

/** Names of steps are untrusted too. */
function sentence(problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : oneLine(problem);
}

/** Returns the changes that were decided by their group. */
function chosenGroups({ items, groups, choices, grouped }: ReviewState, choice: "accept" | "reject"): ChosenGroup[] {
  return groups.flatMap(({ id, from, count }) => {
    const changes = items
      .slice(from, from + count)
      .flatMap(({ change }, index) => (choices[from + index] === choice && grouped.has(from + index) ? [change] : []));
    return changes.length === 0 ? [] : [{ id, changes }];
  });
}

function isInteractive({ stdin, stdout, environment }: CliIo): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && readVariable(environment, "TERM") !== "dumb";
}
