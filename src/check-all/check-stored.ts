import { messageOf } from "../kernel/thrown.ts";
import type { Check } from "../check/check.ts";
import { type Keeper, type KeptProposal, keep } from "../check/keep.ts";
import { proposalToKeep } from "../check/keepable.ts";
import { writtenBeside } from "../check/written-beside.ts";
import { shapeOfCheck } from "../explain/case-of-check.ts";
import { shownCheck } from "../explain/check-lines.ts";
import { checkInTime } from "./check-in-time.ts";
import type { SourceCase } from "./stored-cases.ts";

/** Check of one stored case. */
export type CheckStored = (one: SourceCase) => Promise<Check>;

/** Options of {@link checkStored}. */
export interface StoredCheckOptions {
  readonly check: CheckStored;
  /** Milliseconds that the check may take; 0 for no limit. */
  readonly timeoutMs: number;
  /** True if a change becomes pending. */
  readonly holds: boolean;
}

/** A case that has been checked. */
export interface CheckedCase {
  readonly check: Check;
  /** Change to make pending, if there is one. The check already has that state. */
  readonly kept?: KeptProposal;
  /** Reason why the change can't become pending. */
  readonly refused?: string;
  /** True if the case timed out, and so may still be running. */
  readonly isRunning: boolean;
}

/** Functions that verify and describe a change to store. */
export const loadKeeper: Keeper["load"] = async () =>
  Promise.resolve({ proposalToKeep, shownCheck, shapeOfCheck, writtenBeside });

/** Checks one stored case. Never rejects and writes no file: the caller stages the update. */
export async function checkStored(one: SourceCase, options: StoredCheckOptions): Promise<CheckedCase> {
  const { check, timeoutMs, holds } = options;
  const timed = await checkInTime(one.stored, timeoutMs, async () => check(one));
  const placed = placedCheck(timed.check, one);
  const { isRunning } = timed;
  const staged: KeptProposal[] = [];
  try {
    const keeper = { stage: (kept: KeptProposal) => void staged.push(kept), load: loadKeeper };
    const checked = await keep(placed, { writes: "none", holds }, keeper);
    const [kept] = staged;
    const refused = typeof checked.kept === "object" ? checked.kept.refused.message : undefined;
    return {
      check: checked,
      ...(kept !== undefined && { kept }),
      ...(refused !== undefined && { refused }),
      isRunning,
    };
  } catch (thrown) {
    return { check: placed, refused: messageOf(thrown), isRunning };
  }
}

/** Returns the check with its changes moved to the file that the case would have. */
function placedCheck(check: Check, { place }: SourceCase): Check {
  const { propose, proof } = check;
  const asCame = proof?.proposeAsCame;
  if (place === undefined || propose === undefined) return check;
  return {
    ...check,
    propose: () => place(propose()),
    ...(proof && { proof: { ...proof, ...(asCame && { proposeAsCame: () => place(asCame()) }) } }),
  };
}
