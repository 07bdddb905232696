import type { CliCommand } from "../command.ts";
import type { FromSource } from "../cases/from-source.ts";
import { recomputeQuestion } from "../cases/question.ts";
import { checkAllCommand } from "../cases/check-command.ts";
import { CHECK_OPTIONS, RECOMPUTE_OPTIONS } from "../cases/check-options.ts";

/** `veritest test`: recomputes stored baselines, or runs, and fails if one comes out differently. Writes none. */
export const testCommand = (from: FromSource): CliCommand => ({
  options: [...CHECK_OPTIONS, ...RECOMPUTE_OPTIONS, ...from.options],
  examples: [
    "veritest test                                        # every baseline, from recorded responses",
    "veritest test --step extract-receipt --live          # effects of a new prompt or model",
    "veritest test --live --trials 10 --min 9             # nine of ten live runs must be clean",
    "veritest test --store sqlite:runs.sqlite --live       # stored runs, with the current model",
    "veritest test --format junit --output out/junit.xml  # for a CI system",
  ],
  run: async (input, io) =>
    checkAllCommand(input, io, {
      verb: "test",
      from,
      keeps: true,
      failsOnChanges: true,
      prepare: (project, targets) => recomputeQuestion(input, io, { project, targets }),
    }),
});
