import { messageOf } from "../kernel/error-message.ts";
import type { BaselineUpdate } from "../baseline/baseline.ts";
import type { Check } from "../check/check.ts";
import { type UpdateStage, type StagedUpdate, stageUpdate } from "../check/update/stage-update.ts";
import { verifyUpdate } from "../check/update/verify-update.ts";
import { otherChanges } from "../check/update/other-changes.ts";
import { shapeOfCheck } from "../explain/check-findings.ts";
import { reviewLines } from "../explain/check-lines.ts";
import { checkWithTimeout } from "./check-with-timeout.ts";
import type { SourceCase } from "./stored-cases.ts";

/** Check of one stored case. */
export type CheckStored = (sourceCase: SourceCase) => Promise<Check>;

/** Options for {@link checkStored}. */
export interface StoredCheckOptions {
  readonly check: CheckStored;
  /** Maximum time of the check, in milliseconds. `0` disables the limit. */
  readonly timeoutMs: number;
  /** True if a change becomes pending. */
  readonly keepsPending: boolean;
}

/** A case that has been checked. */
export interface CheckedCase {
  readonly check: Check;
  /** Change to make pending, if there is one. The check already has that state. */
  readonly kept?: StagedUpdate;
  /** Reason why the change can't become pending. */
  readonly refused?: string;
  /** True if the case timed out, and so may still be running. */
  readonly isRunning: boolean;
}

/** Functions that verify and describe a change to store. */
export const loadUpdateHandler: UpdateStage["load"] = async () =>
  Promise.resolve({ verifyUpdate, reviewLines, shapeOfCheck, otherChanges });

/** Checks one stored case. Never rejects and writes no file: the caller stages the update. */
export async function checkStored(sourceCase: SourceCase, options: StoredCheckOptions): Promise<CheckedCase> {
  const { check, timeoutMs, keepsPending } = options;
  const timed = await checkWithTimeout(sourceCase.stored, timeoutMs, async () => check(sourceCase));
  const redirected = redirectedCheck(timed.check, sourceCase);
  const { isRunning } = timed;
  const staged: StagedUpdate[] = [];
  try {
    const keeper = { stage: (kept: StagedUpdate) => void staged.push(kept), load: loadUpdateHandler };
    const checked = await stageUpdate(redirected, { writes: "none", keepsPending }, keeper);
    const [kept] = staged;
    const state = checked.update?.state;
    const refused = typeof state === "object" ? state.refused.message : undefined;
    return {
      check: checked,
      ...(kept !== undefined && { kept }),
      ...(refused !== undefined && { refused }),
      isRunning,
    };
  } catch (thrown) {
    return { check: redirected, refused: messageOf(thrown), isRunning };
  }
}

/** Returns the check with its changes moved to the file that the case would have. */
function redirectedCheck(check: Check, { redirectUpdate }: SourceCase): Check {
  const { update } = check;
  if (redirectUpdate === undefined || update === undefined) return check;
  const redirected = <P extends (() => BaselineUpdate) | undefined>(propose: P): P | (() => BaselineUpdate) =>
    propose === undefined ? propose : () => redirectUpdate(propose());
  const { verification } = update;
  return {
    ...check,
    update: {
      ...update,
      propose: redirected(update.propose),
      verification: verification && {
        ...verification,
        proposeInOrder: redirected(verification.proposeInOrder),
        proposeWithOriginalIds: redirected(verification.proposeWithOriginalIds),
      },
    },
  };
}
