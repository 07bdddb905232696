import type { Check } from "../../check/check.ts";
import { type Keeper, holdsChanges, keep } from "../../check/keep.ts";
import { proposalToKeep } from "../../check/keepable.ts";
import { shownCheck } from "../../explain/check-lines.ts";
import { ciVariable } from "../../notes/actor.ts";
import { messageOf } from "../../base/thrown.ts";
import type { CliIo } from "../io.ts";
import type { CommandRun } from "./command-run.ts";

/** Takes what a command keeps to the end of its run. */
export function keeperOf(run: CommandRun): Keeper {
  return { stage: (kept) => run.stage(kept), load: async () => Promise.resolve({ proposalToKeep, shownCheck }) };
}

/**
 * Keeps what differs for review, as a failing test does, so that accepting it later is accepting what was shown.
 * `tell` takes a sentence on what cannot be kept.
 */
export function reviewKeeper(
  run: CommandRun,
  { environment }: CliIo,
  tell: (problem: string) => void,
): (check: Check) => Promise<Check> {
  const keeper = keeperOf(run);
  let holds = holdsChanges(ciVariable(environment) !== undefined, environment);
  return async (check) => {
    try {
      const settled = await keep(check, { writes: "none", holds }, keeper);
      if (typeof settled.kept === "object")
        tell(`${check.file} is not kept for review. ${settled.kept.refused.message}`);
      return settled;
    } catch (thrown) {
      // A place that cannot be written keeps nobody from comparing.
      holds = false;
      tell(`Nothing is kept for review: ${messageOf(thrown)}`);
      return check;
    }
  };
}
