import type { Receipt } from "../../updates/receipts/receipt.ts";
import { shortId } from "../../updates/receipts/receipts.ts";
import type { PendingChange } from "../../updates/pending/pending-change.ts";
import { type ChosenGroup, acceptPending, rejectPending } from "../../updates/pending/settle-pending.ts";
import type { UpdateContext } from "../../updates/settler.ts";
import { EXIT, type ExitCode } from "../terminal/exit-code.ts";
import type { CliIo } from "../terminal/io.ts";
import { oneLine, say, warn } from "../terminal/say.ts";
import { amount } from "../../explain/wording.ts";

const NOTHING_WRITTEN = "Nothing was written.";
const WRITTEN = { add: "added  ", update: "updated", remove: "removed" } as const;

/** Output of a decision, and the changes that were chosen by group. */
export interface Settling {
  readonly io: CliIo;
  readonly groups?: readonly ChosenGroup[];
}

/**
 * Accepts changes and prints the result: a line per file and the receipt, or the reasons against it. Exit code 1 if a
 * gate refuses.
 */
export async function acceptAndSay(
  changes: readonly PendingChange[],
  context: UpdateContext,
  { io, groups = [] }: Settling,
): Promise<ExitCode> {
  const { outcome, accepted, receipt, stale, problems } = await acceptPending(changes, context, groups);
  say(
    io,
    stale.map(({ key, target }) => oneLine(`dropped  ${key}  ${target}: its baseline changed since`)),
  );
  say(
    io,
    accepted.map(({ kind, target }) => oneLine(`${WRITTEN[kind]}  ${target}`)),
  );
  sayReceipt("accepted", { count: accepted.length, receipt, settler: context, problem: problems[0] }, io);
  for (const problem of problems) warn(io, problem);
  switch (outcome) {
    case "accepted":
      // Accepting no change at all isn't a success.
      return accepted.length > 0 ? EXIT.clean : EXIT.regressions;
    case "refused": {
      const count = changes.length - stale.length;
      warn(io, `${NOTHING_WRITTEN} ${amount(count, "change waits", "changes wait")} as before.`);
      return EXIT.regressions;
    }
    case "blocked":
      warn(io, NOTHING_WRITTEN);
      return EXIT.usage;
    case "unsettled":
      return EXIT.usage;
  }
}

/** Rejects changes and prints the result. Exit code 1 if a gate refuses. */
export function rejectAndSay(
  changes: readonly PendingChange[],
  context: UpdateContext,
  { io, groups = [] }: Settling,
): ExitCode {
  const { rejected, receipt, problems } = rejectPending(changes, context, groups);
  say(
    io,
    rejected.map(({ key, target }) => oneLine(`rejected  ${key}  ${target}`)),
  );
  sayReceipt("rejected", { count: rejected.length, receipt, settler: context, problem: problems[0] }, io);
  for (const problem of problems) warn(io, problem);
  return problems.length > 0 ? EXIT.regressions : EXIT.clean;
}

/** Returns the end of the summary line: the receipt, or why there isn't one. */
export function receiptWords(receipt: Receipt | undefined, problem: string | undefined): string {
  if (receipt !== undefined) return `, receipt ${shortId(receipt)}`;
  return problem === undefined ? "; nothing had to be written" : "; there is no receipt yet";
}

function sayReceipt(
  verb: string,
  {
    count,
    receipt,
    settler: context,
    problem,
  }: {
    readonly count: number;
    readonly receipt: Receipt | undefined;
    readonly settler: UpdateContext;
    readonly problem: string | undefined;
  },
  io: CliIo,
): void {
  if (count === 0) return;
  const { kind, because } = context.actor;
  say(io, [oneLine(`${count} ${verb} by ${kind} (${because})${receiptWords(receipt, problem)}`)]);
}
