import type { Check } from "../../check/check.ts";
import { ciVariable } from "../../notes/actor.ts";
import type { ReportSettled } from "../../explain/report-case.ts";
import { shownCheck } from "../../explain/check-lines.ts";
import { messageOf } from "../../base/thrown.ts";
import type { CliIo } from "../io.ts";
import type { CommandRun } from "./command-run.ts";
import { isProposing, proposalToKeep } from "../../check/proposal-to-keep.ts";

/** What became of a check's change. */
export interface KeptCheck {
  readonly check: Check;
  readonly settled: ReportSettled;
}

/**
 * Keeps what differs for review, as a failing test does, so that accepting it later is accepting what was shown: not in
 * CI, unless it names a state directory to upload. `tell` takes a sentence on what cannot be kept.
 */
export function reviewKeeper(
  run: CommandRun,
  { environment }: CliIo,
  tell: (problem: string) => void,
): (check: Check) => Promise<KeptCheck> {
  const holds = ciVariable(environment) === undefined || (environment["VERITEST_STATE_DIR"] ?? "") !== "";
  let refused = false;
  return async (check) => {
    const { verdict, file } = check;
    if (verdict.kind === "clean" || !holds || refused || !isProposing(check)) return { check, settled: "none" };
    const proposal = await proposalToKeep(check);
    if (!proposal.ok) {
      tell(`${file} is not kept for review. ${proposal.error.message}`);
      return { check, settled: "none" };
    }
    try {
      run.stage({ proposal: proposal.value, intent: "review", verdict: verdict.kind, shown: shownCheck(check) });
      return { check, settled: "review" };
    } catch (thrown) {
      // A place that cannot be written keeps nobody from comparing.
      refused = true;
      tell(`Nothing is kept for review: ${messageOf(thrown)}`);
      return { check, settled: "none" };
    }
  };
}
