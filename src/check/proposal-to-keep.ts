import { type Result, err, ok } from "../base/result.ts";
import type { Proposal } from "../baseline/proposal.ts";
import type { Check } from "./check.ts";
import { replayProblem } from "./replay-problem.ts";
import { type StepError, kernelError } from "../step/fail.ts";
import { messageOf } from "../base/thrown.ts";

const CURE = "Take what varies (time, random numbers, ids) from an adapter, so that it is recorded.";

/** A check with something to accept. */
export interface Proposing extends Check {
  readonly propose: () => Proposal;
}

/** Narrows a check to one with something to accept. */
export function isProposing(check: Check): check is Proposing {
  return check.propose !== undefined;
}

/**
 * The change that would settle a check, once it is known to read back and to replay; the error that the case has
 * instead where it does not.
 */
export async function proposalToKeep({ propose, step }: Proposing): Promise<Result<Proposal, StepError>> {
  try {
    const proposal = propose();
    const problem =
      step === undefined || proposal.after === undefined ? undefined : await replayProblem(step, proposal.after);
    return problem === undefined
      ? ok(proposal)
      : err(kernelError("not_replayable", `The result is not kept, because it does not replay: ${problem}. ${CURE}`));
  } catch (thrown) {
    return err(kernelError("not_storable", `The result cannot be stored: ${messageOf(thrown)}`, thrown));
  }
}
