import type { CliCommand } from "../command.ts";
import { recomputeQuestion } from "../sweep/question.ts";
import { sweepCommand } from "../sweep/sweep-command.ts";
import { RECOMPUTE_OPTIONS, SWEEP_OPTIONS } from "../sweep/sweep-options.ts";

/** `veritest diff`: shows changed results. Works as `test`, but a difference isn't a failure. */
export const diffCommand: CliCommand = {
  options: [...SWEEP_OPTIONS, ...RECOMPUTE_OPTIONS],
  examples: [
    "veritest diff                             # what did the code change?",
    "veritest diff --live --label edge        # what would these come to today?",
    "veritest diff --format html --output a.html # a page to read",
  ],
  run: async (input, io) =>
    sweepCommand(input, io, {
      verb: "diff",
      keeps: true,
      failOn: { diff: false, commands: false, refusals: false },
      prepare: (project, targets) => recomputeQuestion(input, io, { project, targets }),
    }),
};
