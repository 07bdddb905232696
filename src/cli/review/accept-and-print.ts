import type { Receipt } from "../../updates/receipts/receipt.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { type ChosenGroup, acceptPending, rejectPending } from "../../updates/pending/accept-pending.ts";
import type { UpdateContext } from "../../updates/update-context.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, printJson, printLines, printWarning, textIo } from "../terminal/print.ts";
import { plainCount } from "../../explain/wording.ts";
import { keyOf } from "../../updates/pending/key-of.ts";
import type { DroppedChange } from "../../updates/pending/tidy-pending.ts";
import { droppedFacts } from "./select-pending.ts";

const NOTHING_WRITTEN = "No file was written.";
const WRITTEN = { add: "added  ", update: "updated", remove: "removed" } as const;

/** Output of a decision, and the changes that were chosen by group. */
export interface AcceptOptions {
  readonly io: CliIo;
  readonly groups?: readonly ChosenGroup[];
  /** Selected changes that were outdated. */
  readonly dropped?: readonly DroppedChange[];
  /** True to print the result as JSON. */
  readonly json?: boolean;
}

/**
 * Accepts changes and prints the result: a line per file and the receipt, or the reasons against it. Exit code 1 if a
 * gate refuses, or if a selected change was outdated.
 */
export async function acceptAndPrint(
  changes: readonly PendingChange[],
  context: UpdateContext,
  { io, groups = [], dropped = [], json = false }: AcceptOptions,
): Promise<ExitCode> {
  const { outcome, accepted, receipt, outdated, problems } = await acceptPending(changes, context, groups);
  if (json)
    printJson(io, {
      outcome,
      accepted: accepted.map(factsOf),
      dropped: [...droppedFacts(dropped), ...droppedFacts(outdated.map((change) => ({ change })))],
      receipt: receipt?.id ?? null,
      problems,
    });
  const text = textIo(io, json);
  printLines(
    text,
    outdated.map((change) =>
      oneLine(`dropped  ${keyOf(change)}  ${change.target}: its baseline has changed since then`),
    ),
  );
  printLines(
    text,
    accepted.map(({ kind, target, replaces }) =>
      oneLine(`${WRITTEN[kind]}  ${target}${replaces === undefined ? "" : ` (replaces ${replaces})`}`),
    ),
  );
  printReceipt("accepted", { count: accepted.length, receipt, context, problem: problems[0] }, text);
  for (const problem of problems) printWarning(io, problem);
  switch (outcome) {
    case "accepted":
      // Accepting no change at all isn't a success, nor is accepting a part of what was selected.
      return accepted.length > 0 && outdated.length === 0 && isEachWritten(dropped) ? EXIT.clean : EXIT.regressions;
    case "refused": {
      const count = changes.length - outdated.length;
      printWarning(io, `${NOTHING_WRITTEN} ${plainCount(count, "change stays", "changes stay")} pending.`);
      return EXIT.regressions;
    }
    case "blocked":
      printWarning(io, NOTHING_WRITTEN);
      return EXIT.usage;
    case "incomplete":
      return EXIT.usage;
  }
}

/** Returns true if the baselines already contain all these changes, which then count as accepted. */
export function isEachWritten(dropped: readonly DroppedChange[]): boolean {
  return dropped.every(({ reason }) => reason === "written meanwhile");
}

/** Rejects changes and prints the result. Exit code 1 if a gate refuses. */
export function rejectAndPrint(
  changes: readonly PendingChange[],
  context: UpdateContext,
  { io, groups = [], json = false }: AcceptOptions,
): ExitCode {
  const { rejected, receipt, problems } = rejectPending(changes, context, groups);
  if (json)
    printJson(io, {
      rejected: rejected.map(factsOf),
      receipt: receipt?.id ?? null,
      problems,
    });
  const text = textIo(io, json);
  printLines(
    text,
    rejected.map((change) => oneLine(`rejected  ${keyOf(change)}  ${change.target}`)),
  );
  printReceipt("rejected", { count: rejected.length, receipt, context, problem: problems[0] }, text);
  for (const problem of problems) printWarning(io, problem);
  return problems.length > 0 ? EXIT.regressions : EXIT.clean;
}

function factsOf(change: PendingChange): object {
  return { key: keyOf(change), kind: change.kind, target: change.target };
}

/** Returns the end of the summary line: the receipt, or why there isn't one. */
function receiptText(receipt: Receipt | undefined, problem: string | undefined): string {
  if (receipt !== undefined) return `, receipt ${shortId(receipt)}`;
  return problem === undefined ? "; the files were up to date" : "; there is no receipt yet";
}

function printReceipt(
  verb: string,
  {
    count,
    receipt,
    context,
    problem,
  }: {
    readonly count: number;
    readonly receipt: Receipt | undefined;
    readonly context: UpdateContext;
    readonly problem: string | undefined;
  },
  io: CliIo,
): void {
  if (count === 0) return;
  const { kind, because } = context.actor;
  printLines(io, [oneLine(`${count} ${verb} by ${kind} (${because})${receiptText(receipt, problem)}`)]);
}
