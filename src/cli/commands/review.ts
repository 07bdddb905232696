import { readVariable } from "../../kernel/environment.ts";
import { printable } from "../../kernel/cells.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { shapeWords } from "../../explain/group-lines.ts";
import { groupProblem } from "../../updates/gates/policy-gates.ts";
import { type ChosenGroup, locationProblem } from "../../updates/pending/settle-pending.ts";
import type { UpdateContext } from "../../updates/settler.ts";
import type { CommandInput } from "../terminal/command-input.ts";
import type { CliCommand } from "../command.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { chooseChanges, sayNothingWaits, tidy, waitingChanges } from "../review/waiting.ts";
import { withSettler } from "../review/settler-here.ts";
import { age, testOf, whyPending } from "../review/render-review.ts";
import { type ReviewItem, reviewItem } from "../review/review-item.ts";
import { type PendingGroup, pendingGroups } from "../review/pending-groups.ts";
import { type ReviewGroup, type ReviewState, beginReview } from "../review/review-state.ts";
import { type Settling, acceptAndSay, rejectAndSay } from "../review/settle-and-say.ts";
import { reviewInTerminal } from "../review/terminal-review.ts";
import { oneLine, refuse, say } from "../terminal/say.ts";
import { amount } from "../../explain/wording.ts";

/** `veritest review`: shows the pending changes one at a time, and applies the decisions at the end. */
export const reviewCommand: CliCommand = {
  arguments: [
    {
      name: "[keys...]",
      description: "keys, how they begin, or targets; * stands for any characters; all unless given",
    },
  ],
  options: [
    { flags: "--reason <text>", description: "why, for the receipts (VERITEST_REASON)" },
    { flags: "--from <path>", description: "review what a CI run uploaded: a state directory, or a zip of one" },
  ],
  examples: [
    "veritest review                 # all that waits",
    'veritest review "*/receipts/*"  # of one directory',
    "veritest review | less          # without a terminal: prints each change",
  ],
  run,
};

async function run(input: CommandInput, io: CliIo): Promise<ExitCode> {
  return withSettler(io, input.text("reason"), async (context) => reviewed(input, context, io));
}

async function reviewed(input: CommandInput, context: UpdateContext, io: CliIo): Promise<ExitCode> {
  const { places } = context;
  const from = input.text("from");
  if (from === undefined) tidy(context, io);
  const waiting = waitingChanges(input, places, io);
  if (!waiting.ok) return refuse(io, waiting.error);
  const chosen =
    input.operands.length === 0
      ? waiting
      : chooseChanges(waiting.value, input.operands, { root: places.root, cwd: io.cwd });
  if (!chosen.ok) return refuse(io, chosen.error);
  // Before any file they name is read.
  const misplaced = locationProblem(chosen.value, places);
  if (misplaced !== undefined) return refuse(io, misplaced);
  const told = { root: places.root, trusted: from === undefined };
  const found = pendingGroups(chosen.value, told);
  const items = found.flatMap(({ members }) => members.map((change) => reviewItem(change, told)));
  const groups = reviewGroups(found, context);
  if (items.length === 0) {
    sayNothingWaits(from, places, io);
    return EXIT.clean;
  }
  if (!isInteractive(io)) {
    say(io, printedReview(items, groups, from));
    return EXIT.clean;
  }
  return settle(await reviewInTerminal(beginReview(items, groups), io, places.root), { settler: context, from, io });
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

function printedGroup({ id, count, words, forbidden }: ReviewGroup, from: string | undefined): string[] {
  const more = from === undefined ? "" : ` --from ${printable(from)}`;
  const commands = [
    ...(forbidden === undefined ? [`  accept  npx veritest accept --group ${id}${more}`] : [`  ${forbidden}`]),
    ...(from === undefined ? [`  reject  npx veritest reject --group ${id}`] : []),
  ];
  return [`${count} × ${words}`, ...commands, ""];
}

function printedItem({ change, cause, diff }: ReviewItem, from: string | undefined): string[] {
  const { key, kind, verdict, target, group, at } = change;
  const commands =
    from === undefined
      ? [`accept  npx veritest accept ${key}`, `reject  npx veritest reject ${key}`]
      : [`accept  npx veritest accept ${key} --from ${printable(from)}`];
  return [
    `${printable(target)}  ${verdict} (${kind})  ${printable(group)}`,
    `  ${printable(testOf(change))}: ${whyPending(change)}, ${printable(age(at, Date.now()))}`,
    ...(cause === undefined ? [] : [`  ${cause}`]),
    ...diff.map(({ text }) => text),
    ...commands.map((command) => `  ${command}`),
  ];
}

async function settle(
  state: ReviewState,
  {
    settler: context,
    from,
    io,
  }: { readonly settler: UpdateContext; readonly from: string | undefined; readonly io: CliIo },
): Promise<ExitCode> {
  if (state.end !== "apply")
    return refuse(io, "The review was broken off: nothing was applied, everything waits as before.");
  const accepted = chosen(state, "accept");
  const rejected = from === undefined ? chosen(state, "reject") : [];
  const groupsOf = (choice: "accept" | "reject"): Settling => ({ io, groups: chosenGroups(state, choice) });
  const codes = [
    EXIT.clean,
    ...(accepted.length > 0 ? [await acceptAndSay(accepted, context, groupsOf("accept"))] : []),
    ...(rejected.length > 0 ? [rejectAndSay(rejected, context, groupsOf("reject"))] : []),
  ];
  const left = state.items.length - accepted.length - rejected.length;
  if (left > 0)
    say(io, [`${amount(left, "change was", "changes were")} left as ${left === 1 ? "it is" : "they are"}.`]);
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
    return { id, words: oneLine(shapeWords(group)), ...range, forbidden: sentence(groupProblem(members, context)) };
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
