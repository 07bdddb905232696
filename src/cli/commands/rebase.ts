import { type Result, err, ok } from "../../kernel/result.ts";
import { recomputeCheck } from "../../check-all/prepare-checks.ts";
import type { CheckStored } from "../../check-all/check-stored.ts";
import { isRebased } from "../../check/check.ts";
import type { CliCommand } from "../command.ts";
import { CHECK_OPTIONS } from "../cases/check-options.ts";
import { checkAllCommand } from "../cases/check-command.ts";

const NO_PARTS =
  "Pass the parts of requests that can differ: --harmless 'fetch[0].body.store', or recording.harmless in " +
  "veritest.config.";

/**
 * `veritest rebase`: replays baselines whose requests changed in harmless parts only, and makes the current requests
 * with the recorded responses pending. Other changes are reported and left to `veritest test`.
 */
export const rebaseCommand: CliCommand = {
  options: [
    {
      flags: "--harmless <path>",
      description:
        "path of a request field that may differ, such as 'fetch[0].body.store' (* matches one name, ** any number " +
        "of names); repeatable",
      repeatable: true,
    },
    ...CHECK_OPTIONS,
  ],
  examples: [
    "veritest rebase --harmless 'fetch[0].body.store'   # an SDK sends a new field",
    "veritest rebase --harmless '**.model' --step triage # a model alias was renamed",
    "veritest rebase                                    # the parts in recording.harmless",
  ],
  run: async (input, io) =>
    checkAllCommand(input, io, {
      verb: "rebase",
      keeps: true,
      failsOnChanges: true,
      prepare: ({ config }, targets) => {
        const harmless = input.list("harmless");
        if (harmless.length + (config.worker.harmless ?? []).length === 0) return err(NO_PARTS);
        const steps = targets.map(({ configured }) => configured);
        const makeCheck = async (): Promise<Result<CheckStored, string>> => {
          const made = await recomputeCheck(steps, { mode: "replay", trials: undefined, harmless });
          return made.ok ? ok(rebasesOnly(made.value)) : made;
        };
        return ok({ makeCheck, runs: 1, mode: "replay" });
      },
    }),
};

/** Leaves other changes to the commands that look for them. */
function rebasesOnly(check: CheckStored): CheckStored {
  return async (sourceCase) => {
    const checked = await check(sourceCase);
    return isRebased(checked) ? checked : { ...checked, update: undefined };
  };
}
