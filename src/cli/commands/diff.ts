import type { CliCommand } from "../command.ts";
import type { FromSource } from "../cases/from-source.ts";
import { recomputeQuestion } from "../cases/question.ts";
import { checkAllCommand } from "../cases/check-command.ts";
import { CHECK_OPTIONS, RECOMPUTE_OPTIONS } from "../cases/check-options.ts";

/** `veritest diff`: shows changed results. Works as `test`, but a difference isn't a failure. */
export const diffCommand = (from: FromSource): CliCommand => ({
  options: [...CHECK_OPTIONS, ...RECOMPUTE_OPTIONS, ...from.options],
  examples: [
    "veritest diff                             # effects of changed code",
    "veritest diff --live --label edge        # only cases with the label edge, with live responses",
    "veritest diff --format html --output a.html # as an HTML page",
  ],
  run: async (input, io) =>
    checkAllCommand(input, io, {
      verb: "diff",
      from,
      keeps: true,
      failsOnChanges: false,
      prepare: (project, targets) => recomputeQuestion(input, io, { project, targets }),
    }),
});
